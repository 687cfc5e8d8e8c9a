"""Learning curves, and tau by missing rate."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from plots.seen import misplaced
from rankwise.plots import learning_curve, tau_by_missing

CURVES = {"forest": ([100, 10], [0.7, 0.4], [0.05, 0.1]), "floor": ([10, 100], [0.2, 0.2], None)}


def test_every_curve_is_a_line_sorted_by_x_and_a_band_where_it_has_an_sd():
    ax = learning_curve(CURVES)
    forest, floor = ax.lines
    assert forest.get_xydata().tolist() == [[10, 0.4], [100, 0.7]]
    assert floor.get_xydata().tolist() == [[10, 0.2], [100, 0.2]]
    (band,) = ax.collections
    corners = {tuple(np.round(point, 9)) for point in band.get_paths()[0].vertices}
    assert corners == {(10, 0.3), (10, 0.5), (100, 0.65), (100, 0.75)}


def test_axes_and_curves_are_named_as_they_stand():
    ax = learning_curve({"costs $5 or $6": CURVES["forest"]}, x_label="rows", y_label="$x$")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rows", r"\$x\$")
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [r"costs \$5 or \$6"]
    assert (learning_curve(CURVES).get_xlabel(), learning_curve(CURVES).get_ylabel()) == (
        "training rows",
        "Kendall tau",
    )


def test_a_gap_in_the_mean_leaves_a_gap_in_the_line():
    ax = learning_curve({"forest": ([1, 2, 3], [0.1, np.nan, 0.3], [0.1, 0.1, 0.1])})
    assert np.isnan(ax.lines[0].get_ydata()).tolist() == [False, True, False]


def test_lines_that_share_a_colour_differ_by_dashes():
    curves = {f"learner {i}": ([1, 2], [i, i]) for i in range(14)}
    ax = learning_curve(curves, ax=Figure(figsize=(8, 8)).subplots())
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == 14
    eight = learning_curve(dict(list(curves.items())[:8]))
    assert misplaced(eight) == []


@pytest.mark.parametrize("n", [9, *(pytest.param(n, marks=pytest.mark.slow) for n in (14, 16))])
def test_many_curves_get_a_panel_each_with_the_others_behind_it(n):
    first = learning_curve(
        {f"learner {i}": ([1, 2], [0.1 * i, 0.2 * i], [0.1, 0.1]) for i in range(n)}, y_label="tau"
    )
    figure = first.get_figure()
    panels = [ax for ax in figure.axes if ax.get_visible()]
    assert panels[0] is first
    # the highest at their right ends first
    assert [ax.get_title() for ax in panels] == [f"learner {i}" for i in reversed(range(n))]
    assert figure.get_supylabel() == "tau"
    for i, ax in zip(reversed(range(n)), panels, strict=True):
        own = [line for line in ax.lines if not line.get_label().startswith("_")]
        assert [line.get_label() for line in own] == [f"learner {i}"]
        assert own[0].get_ydata().tolist() == [0.1 * i, 0.2 * i]
        assert len(ax.lines) == n + 1
        assert len(ax.collections) == 1
    # each column of panels shows its numbers below
    figure.draw_without_rendering()
    below = [any(t.get_visible() and t.get_text() for t in ax.get_xticklabels()) for ax in panels]
    assert below == [i >= n - 4 for i in range(n)]


def test_the_band_ends_at_the_lowest_value_of_a_logarithmic_axis():
    ax = learning_curve({"risk": ([1, 10], [0.5, 0.1], [0.1, 0.2])}, log_x=True, log_y=True)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ax.collections[0].get_paths()[0].vertices[:, 1].min() == pytest.approx(0.1)
    assert ax.get_ylim()[0] > 0.05


def test_missing_rates_are_shown_in_percent():
    ax = tau_by_missing({"forest": ([0, 0.3, 0.6], [0.8, 0.7, 0.5])})
    assert ax.lines[0].get_xdata() == pytest.approx([0, 30, 60])
    assert ax.get_xlabel() == "missing labels (percent)"


@pytest.mark.parametrize(
    ("curves", "options", "message"),
    [
        ({}, {}, "curves is empty"),
        ({"a": ([1, 2],)}, {}, r"curve 'a' must be \(x, mean\)"),
        ({"a": 3}, {}, r"curve 'a' must be \(x, mean\)"),
        ({"a": ([1, 2], [1])}, {}, "curve 'a' has 2 values of x but 1 of mean"),
        ({"a": ([1], [1], [1, 2])}, {}, "curve 'a' has 1 values of x but 2 of sd"),
        ({"a": ([], [])}, {}, "curve 'a': x must be a flat sequence of at least one number"),
        ({"a": ([[1]], [1])}, {}, r"curve 'a': x .* got shape \(1, 1\)"),
        ({"a": (["few"], [1])}, {}, "curve 'a': x must be a sequence of numbers"),
        ({"a": ([1, np.nan], [1, 1])}, {}, "curve 'a': x of point 1 is NaN"),
        ({"a": ([1], [np.inf])}, {}, "curve 'a': mean of point 0 is inf"),
        ({"a": ([1], [1], [-1])}, {}, "curve 'a': sd of point 0 is below 0"),
        ({"a": ([0], [1])}, {"log_x": True}, "curve 'a': x of point 0 is 0; a logarithmic axis"),
        ({"a": ([1], [-1])}, {"log_y": True}, "curve 'a': mean of point 0 is -1"),
    ],
)
def test_a_bad_curve_is_named_with_what_is_wrong(curves, options, message):
    with pytest.raises(ValueError, match=message):
        learning_curve(curves, **options)


def test_curves_that_are_no_dict_and_rates_in_percent_are_refused():
    with pytest.raises(TypeError, match="got list"):
        learning_curve([([1], [1])])
    with pytest.raises(ValueError, match=r"curve 'a': the missing rate 30 .* 0.3 for 30 percent"):
        tau_by_missing({"a": ([30], [0.5])})


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        ([50, 60, 80], {"50", "60", "80"}),
        ([20, 300], {"20", "100", "300"}),
        ([2000, 30_000], {"2,000", "10,000"}),
        ([0.01, 100], {"0.01", "0.1", "1", "10", "100"}),
    ],
)
def test_logarithmic_axes_show_plain_numbers(x, shown):
    ax = learning_curve({"a": (x, [0.5] * len(x))}, log_x=True)
    ax.figure.canvas.draw()
    ticks = [*ax.xaxis.get_majorticklabels(), *ax.xaxis.get_minorticklabels()]
    texts = {tick.get_text() for tick in ticks}
    assert shown <= texts
    assert not any("$" in text or "e" in text for text in texts)


def test_many_curves_have_no_bands_and_a_legend_in_the_order_of_their_ends():
    many = {f"m{i}": ([0.0, 0.5], [0.5, 0.1 * ((3 * i) % 7)], [0.1, 0.1]) for i in range(7)}
    ax = learning_curve(many)
    assert not ax.collections
    ends = [many[text.get_text()][1][1] for text in ax.get_legend().get_texts()]
    assert ends == sorted(ends, reverse=True)
    few = dict(list(many.items())[:6])
    assert len(learning_curve(few).collections) == 6
