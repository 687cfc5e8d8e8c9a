"""The paper's figures: what is drawn where, on which reading."""

import pytest
from matplotlib.figure import Figure

from rankwise.plots import noise_levels, noise_operators


def record(learner="RF", operator="Gaussian", alpha=0.2, on=None, family="SFN", tau=0.8):
    return {
        "family": family, "operator": operator, "mallows_on": on, "learner": learner,
        "alpha": alpha, "beta": 1 - alpha, "beta_on_orders": 1 - 2 * alpha, "tau": tau,
        "tau_sd": 0.01, "tau_on_orders": tau / 2, "tau_on_orders_sd": 0.02,
    }  # fmt: skip


def axes():
    return Figure().subplots()


def test_each_level_is_one_mark_at_alpha_and_tau():
    ax = noise_levels([record(alpha=0.2), record(alpha=0.6, tau=0.5)], ax=axes())
    (line,) = ax.get_lines()
    assert line.get_xydata().tolist() == [[0.2, 0.8], [0.6, 0.5]]
    assert line.get_linestyle() == "None"


def test_the_reading_on_orders_uses_its_own_tau_and_beta():
    ax = noise_levels([record()], x="beta", on="orders", ax=axes())
    line = ax.get_lines()[0]
    assert line.get_xydata().tolist() == [[0.6, 0.4]]
    assert "on orders" in ax.get_xlabel()
    assert "on orders" in ax.get_ylabel()


def test_learners_have_the_papers_colours():
    records = [record(learner, family=family) for learner in ("SDT", "DT", "RF") for family in
               ("SFN", "LFN")]  # fmt: skip
    ax = noise_levels(records, ax=axes())
    colours = {line.get_label(): line.get_color() for line in ax.get_lines()}
    assert colours["shallow tree, SFN"] == "#228833"
    assert colours["random forest, LFN"] == "#EE6677"
    assert len(set(colours.values())) == 6


def test_mallows_levels_do_not_enter_the_main_figure():
    ax = noise_levels([record(), record(operator="Mallows", on="ranks")], ax=axes())
    assert len(ax.get_lines()[0].get_xdata()) == 1


def test_operators_have_a_line_a_band_and_a_dotted_beta_each():
    records = [
        record(operator=operator, on=on, alpha=alpha)
        for operator, on in (("Gaussian", None), ("Mallows", "ranks"), ("Mallows", "orders"))
        for alpha in (0.6, 0.2)
    ]
    ax = noise_operators(records, "SFN", "RF", ax=axes())
    assert [line.get_linestyle() for line in ax.get_lines()] == ["-", ":", "-", ":"]
    assert len(ax.collections) == 2
    assert ax.get_lines()[0].get_xdata().tolist() == [0.2, 0.6]


def test_mallows_is_taken_on_the_reading_that_is_drawn():
    records = [
        record(operator="Mallows", on="ranks", tau=0.3),
        record(operator="Mallows", on="orders", tau=0.9),
    ]
    on_orders = noise_operators(records, "SFN", "RF", on="orders", ax=axes())
    assert on_orders.get_lines()[0].get_ydata().tolist() == [0.45]
    on_positions = noise_operators(records, "SFN", "RF", ax=axes())
    assert on_positions.get_lines()[0].get_ydata().tolist() == [0.3]


def test_a_panel_without_records_is_empty_and_warns_of_nothing(recwarn):
    ax = noise_operators([record()], "LFN", "RF", ax=axes())
    assert not ax.get_lines()
    assert ax.get_legend() is None
    assert not recwarn.list


@pytest.mark.parametrize(("name", "value"), [("x", "gamma"), ("on", "positions")])
def test_unknown_axes_and_readings_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} is '{value}'"):
        noise_levels([record()], **{name: value}, ax=axes())


def test_families_differ_by_more_than_their_colour():
    ax = noise_levels([record(), record(family="LFN")], ax=axes())
    filled, hollow = ax.get_lines()
    assert filled.get_markerfacecolor() == filled.get_color()
    assert hollow.get_markerfacecolor() == "none"
