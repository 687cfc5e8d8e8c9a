"""What is asked, what is told, and what is refused."""

import json
import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LinearRegression

import rankwise as rw
from rankwise.explanations import Contribution, Explanation, SimilarRow

matplotlib.use("Agg")

HOURS = pd.DataFrame(
    {"hour": [7.0, 8, 9, 15, 16, 17], "cold": [0.0, 1, 0, 1, 0, 1]}, index=list("abcdef")
)
DRINKS = pd.DataFrame(
    [[2, 1, 3], [2, 1, 3], [3, 1, 2], [1, 2, 3], [1, 3, 2], [1, 3, 2]],
    columns=["tea", "coffee", "water"],
)
MORNING = pd.DataFrame({"hour": [8.0], "cold": [0.0]})


@pytest.fixture(scope="module")
def model():
    return rw.TreeRanker().fit(HOURS, DRINKS)


def made_up(amounts, **changes):
    facts = {
        "a": "tea",
        "b": "coffee",
        "contributions": tuple(Contribution(f"x{j}", 1.0, v) for j, v in enumerate(amounts)),
        "base": -0.25,
        "lead": -0.25 + sum(amounts),
        "unit": "positions",
        "certainty": 0.75,
        "ranks": (1, 2),
        "positions": (1.25, 1.75),
        "n_labels": 3,
        "similar_rows": None,
    }
    return Explanation(**{**facts, **changes})


def test_the_text_tells_the_order_the_features_and_the_rows(model):
    text = str(rw.explain(model, MORNING, "coffee", "tea", X=HOURS, Y=DRINKS, n_rows=2))
    assert text == (
        "coffee stands before tea here: predicted ranks 1 and 2 of 3; certainty that coffee stands before "
        "tea: 100%.\n"
        "On average over the 6 rows of X coffee is 0.17 positions behind tea, here 1.00 positions ahead of "
        "it.\n"
        "What features add to the lead of coffee, in positions:\n"
        "   +1.17  hour = 8\n"
        "Most similar training rows (share of trees in which they fall into the same leaf):\n"
        "  row a: 100%, coffee (1) > tea (2)\n"
        "  row b: 100%, coffee (1) > tea (2)\n"
        "  2 of 2 put coffee before tea."
    )


def test_the_numbers_are_those_of_the_model(model):
    explanation = rw.explain(model, MORNING, "coffee", "tea")
    positions = model.predict_positions(MORNING).iloc[0]
    assert explanation.positions == (positions["coffee"], positions["tea"])
    assert explanation.ranks == (1, 2)
    assert explanation.certainty == model.predict_pairwise(MORNING)[0, 1, 0]


def test_without_training_rows_the_text_says_how_to_get_similar_ones(model):
    explanation = rw.explain(model, MORNING, "coffee", "tea")
    assert explanation.similar_rows is None
    assert str(explanation).endswith("explain(model, x, a, b, X=X, Y=Y).")


def test_a_label_that_stands_behind_is_said_to(model):
    text = str(rw.explain(model, MORNING, "water", "coffee", X=HOURS, Y=DRINKS))
    assert text.startswith("water stands behind coffee here: predicted ranks 3 and 1 of 3")
    assert "0 of 3 put water before coffee" in text


def test_rows_that_do_not_rank_both_are_not_told():
    Y = DRINKS.astype(float)
    Y.iloc[0, 0] = np.nan
    model = rw.ForestRanker(3, random_state=0).fit(HOURS, Y)
    rows = rw.explain(model, MORNING, "coffee", "tea", X=HOURS, Y=Y, n_rows=9).similar_rows
    assert "a" not in {row.name for row in rows}
    assert rows


def test_small_amounts_are_added_up_and_a_single_one_is_named():
    text = str(made_up([0.5, 0.25, 0.125, 0.0625, 0.03, 0.02, 0.0]))
    assert "x5 = 1" in text
    assert "other" not in text
    text = str(made_up([0.5, 0.25, 0.125, 0.0625, 0.03, 0.02, 0.01, 0.0]))
    assert "+0.03  2 other features" in text
    assert "x5" not in text


def test_chances_missing_values_ties_and_no_features_are_put_into_words():
    text = str(made_up([0.0], unit="certainty", base=0.1, lead=0.1, ranks=(2, 2)))
    assert "tea is tied with coffee" in text
    assert "On average that certainty is 60%, here 60%. No feature changes it." in text
    hidden = made_up(
        [], contributions=(Contribution("x", np.nan, 0.5),), unit="certainty", lead=0.25
    )
    assert "+50.0  x = missing" in str(hidden)
    tied = made_up([1.0], similar_rows=(SimilarRow(4, "4", 0.5, 1.0, 1.0),))
    assert "row 4: 50%, tea (1) ~ coffee (1)" in str(tied)
    assert "0 of 1 put tea before coffee" in str(tied)
    assert "No training row that ranks tea and coffee" in str(made_up([1.0], similar_rows=()))


def test_the_dict_is_ready_for_json(model):
    row = MORNING * np.nan
    told = rw.explain(model, row, "coffee", "tea", X=HOURS, Y=DRINKS).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert {part["feature"]: part["value"] for part in told["contributions"]} == {
        "hour": None,
        "cold": None,
    }
    assert made_up([1.0]).to_dict()["similar_rows"] is None


@pytest.mark.parametrize("unit", ["positions", "certainty"])
def test_the_picture_shows_a_bar_per_feature_and_its_amount(unit):
    scale = 100 if unit == "certainty" else 1
    explanation = made_up([0.5, -0.25, 0.0], unit=unit)
    ax = explanation.plot()
    assert [bar.get_width() for bar in ax.patches] == [0.5 * scale, -0.25 * scale]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["x0 = 1", "x1 = 1"]
    assert [text.get_text() for text in ax.texts] == (
        ["+50.0", "-25.0"] if unit == "certainty" else ["+0.50", "-0.25"]
    )
    matplotlib.pyplot.close(ax.figure)
    given = Figure().subplots()
    assert explanation.plot(given) is given


def test_long_names_stay_within_the_picture():
    parts = tuple(
        Contribution(f"temperature_of_zone_{j}_in_kelvin_at_noon", 1.0, 0.5 - j / 10)
        for j in range(20)
    )
    names = {side: f"variety number {side} of the trial with the longest name" for side in "ab"}
    ax = made_up([], contributions=parts, **names).plot()
    figure = ax.figure
    figure.draw_without_rendering()
    for text in (*ax.get_yticklabels(), *ax.texts, ax.title, ax.xaxis.label):
        box = text.get_window_extent()
        assert box.x0 >= -1
        assert box.x1 <= figure.bbox.width + 1
    assert len({tick.get_text() for tick in ax.get_yticklabels()}) == 11
    matplotlib.pyplot.close(figure)


def test_a_row_may_come_in_any_container(model):
    unnamed = rw.TreeRanker().fit(HOURS.to_numpy(), DRINKS.to_numpy())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = [
            rw.explain(model, MORNING, "coffee", "tea").lead,
            rw.explain(model, MORNING.iloc[0], "coffee", "tea").lead,
            rw.explain(unnamed, [8, 0], 1, 0).lead,
            rw.explain(unnamed, np.array([[8, 0]]), 1, "0").lead,
        ]
    assert told == [told[0]] * 4


def test_columns_of_Y_are_found_by_name(model):
    turned = DRINKS[["water", "tea", "coffee"]]
    one, other = (
        rw.explain(model, MORNING, "coffee", "tea", X=HOURS, Y=Y) for Y in (DRINKS, turned)
    )
    assert one == other


def test_read_only_training_data_is_taken():
    X, Y = HOURS.to_numpy().copy(), DRINKS.to_numpy(dtype=float).copy()
    X.flags.writeable = Y.flags.writeable = False
    model = rw.ForestRanker(2, random_state=0).fit(X, Y)
    assert rw.explain(model, X[0], 1, 0, X=X, Y=Y).similar_rows[0].similarity == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": [[8, 0], [9, 0]]}, r"x must be one row .* got shape \(2, 2\)"),
        ({"x": [8]}, "1 features, but TreeRanker is expecting 2"),
        ({"x": [8, np.inf]}, "infinity"),
        ({"a": "cofee"}, "a: the model knows no label 'cofee'; did you mean 'coffee'"),
        ({"b": 7}, "b: the model knows no label 7; labels are tea, coffee, water"),
        ({"b": True}, "b: the model knows no label True"),
        ({"b": "coffee"}, "a and b are both 'coffee'"),
        ({"n_rows": -1}, "n_rows must be a whole number from 0 up, got -1"),
        ({"n_rows": 1.5}, "n_rows must be a whole number from 0 up, got 1.5"),
        ({"Y": DRINKS}, "Y is given without X"),
        ({"X": HOURS, "Y": DRINKS[:3]}, r"Y has shape \(3, 3\); .* must be \(6, 3\)"),
        ({"X": HOURS, "Y": DRINKS.iloc[:, :2]}, r"Y has shape \(6, 2\)"),
        ({"X": HOURS, "Y": DRINKS.rename(columns={"tea": "juice"})}, "'juice', which is no label"),
        ({"X": HOURS[["cold"]]}, "feature names"),
    ],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_bad_questions_are_refused(model, changes, message):
    question = {"x": [8, 0], "a": "coffee", "b": "tea", **changes}
    with pytest.raises(ValueError, match=message):
        rw.explain(model, **question)


def test_models_that_are_not_fitted_or_no_rankers_are_refused():
    with pytest.raises(ValueError, match="not fitted"):
        rw.explain(rw.TreeRanker(), [8, 0], 0, 1)
    for other in (LinearRegression(), rw.TreeRanker, None):
        with pytest.raises(TypeError, match="model must be a fitted ranker"):
            rw.explain(other, [8, 0], 0, 1)


def test_two_tied_labels_are_said_to_be_tied_and_credits_add_up_to_their_lead():
    ranks = DRINKS.assign(water=DRINKS.tea)
    repeated = [table.loc[table.index.repeat(3)] for table in (HOURS, ranks)]
    forest = rw.ForestRanker(8, random_state=0)
    tree = rw.TreeRanker(decomposition="pairwise", max_depth=1)
    for fitted in (forest.fit(*repeated), tree.fit(*repeated)):
        found = rw.explain(fitted, MORNING, "tea", "water", X=HOURS, Y=ranks, n_rows=2)
        assert found.lead == pytest.approx(0, abs=1e-6)
        assert "tea is tied with water here" in str(found)
        assert "0 of 2 put tea before water, 2 tie them." in str(found)
        assert "Why tea tied with water?" in found.plot().get_title()
        other = rw.explain(fitted, MORNING, "tea", "coffee", X=HOURS)
        total = other.base + sum(part.amount for part in other.contributions)
        assert total == pytest.approx(other.lead, abs=1e-6)
        assert other.lead == pytest.approx(fitted.predict_pairwise(MORNING)[0, 0, 1] - 0.5)


def test_what_rounding_leaves_is_no_change():
    said = str(made_up([2e-17, -1e-17]))
    assert "No feature changes it." in said
    assert "0.00" not in said
    assert "x1" not in str(made_up([0.5, 1e-17]))
