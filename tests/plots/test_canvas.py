"""What all pictures share: where they are drawn, in which colours, and how names are cut."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import colormaps, pyplot
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from plots.seen import model_of, problem
from rankwise import plots
from rankwise._canvas import COLOURS, DIVERGING, SEQUENTIAL, ink_on, shorten_all
from rankwise.auto import Leaderboard, Standing

NOISE = {
    "family": "SFN", "operator": "Gaussian", "mallows_on": None, "learner": "RF", "alpha": 0.5,
    "beta": 0.8, "beta_on_orders": 0.5, "tau": 0.8, "tau_sd": 0.01, "tau_on_orders": 0.5,
    "tau_on_orders_sd": 0.02,
}  # fmt: skip
BOARD = Leaderboard(
    (
        Standing("Forest", 0.8, 0.7, 0.9, 2.0, 1.0, 90),
        Standing("Consensus", 0.2, 0.1, 0.3, 0.0, 0.0, 90),
        Standing("LRT", 0.4, 0.3, 0.5, 0.0, 0.0, 50, "fell behind"),
    )
)


def draw_on(ax):
    """Every picture of the package, by name."""
    X, Y = problem(3)
    forest, row = model_of(3, "forest"), X.iloc[[0]]
    return {
        "critical_difference": lambda: plots.critical_difference({"a": 1.2, "b": 1.8}, 9, ax=ax),
        "draw_tree": lambda: plots.draw_tree(forest, "tea", ax=ax),
        "label_importances": lambda: plots.label_importances(forest, ax=ax),
        "label_profile": lambda: plots.label_profile(Y, ax=ax),
        "leaderboard": lambda: plots.leaderboard(BOARD, ax=ax),
        "learning_curve": lambda: plots.learning_curve({"a": ([1, 2], [3, 4], [1, 1])}, ax=ax),
        "noise_levels": lambda: plots.noise_levels([NOISE], ax=ax),
        "noise_operators": lambda: plots.noise_operators(iter([NOISE]), "SFN", "RF", ax=ax),
        "pair_chances": lambda: plots.pair_chances([[0.5, 0.1], [0.9, 0.5]], ax=ax),
        "pairwise_certainty": lambda: plots.pairwise_certainty(forest, row, ax=ax),
        "row_positions": lambda: plots.row_positions(forest, row, ax=ax),
        "tau_by_missing": lambda: plots.tau_by_missing({"a": ([0, 0.5], [1, 0.5])}, ax=ax),
    }


def test_every_picture_of_the_room_is_tested_here():
    assert set(draw_on(None)) == set(plots.__all__)


@pytest.mark.parametrize("name", plots.__all__)
def test_a_picture_is_drawn_on_the_axes_given_and_no_figure_is_opened(name, monkeypatch):
    monkeypatch.setattr(pyplot, "show", lambda: pytest.fail("a picture was shown"))
    _, others = Figure().subplots(1, 2)
    assert draw_on(others)[name]() is others
    assert others.lines or others.collections or others.images
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("name", plots.__all__)
def test_what_is_no_axes_is_refused(name):
    for wrong in (Figure(), Figure().subplots(1, 2), "here"):
        with pytest.raises(TypeError, match="ax must be a matplotlib Axes or None, got"):
            draw_on(wrong)[name]()


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return np.dot([0.2126, 0.7152, 0.0722], linear)


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_colours_stand_out_on_white_and_on_black():
    for colour in COLOURS:
        assert min(contrast(colour, "white"), contrast(colour, "black")) >= 3


def as_seen(colour, blindness):
    """A colour without one kind of cone (Viénot, Brettel and Mollon 1999), as linear red, green, blue."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return np.array(blindness) @ linear


@pytest.mark.parametrize(
    "blindness",
    [
        [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
        [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    ],
    ids=["red-blind", "green-blind"],
)
def test_the_first_three_colours_differ_for_the_colour_blind(blindness):
    for one, other in itertools.combinations(COLOURS[:3], 2):
        assert np.abs(as_seen(one, blindness) - as_seen(other, blindness)).max() > 0.1


@pytest.mark.parametrize("name", [DIVERGING, SEQUENTIAL])
def test_numbers_in_cells_can_be_read_on_every_colour_of_the_scale(name):
    for colour in colormaps[name](np.linspace(0, 1, 101)):
        assert contrast(ink_on(colour), colour[:3]) >= 4.5


@given(st.lists(st.text("ab ", max_size=12), max_size=6), st.integers(3, 9))
def test_names_that_differ_stay_different_when_cut(names, length):
    whole = [" ".join(name.split()) for name in names]
    short = shorten_all(names, length)
    assert [short.index(s) for s in short] == [whole.index(w) for w in whole]
    assert short == whole or all(len(s) <= length for s in short)
