"""Pictures of one row: certainty of pairs, and positions with their spread."""

import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from plots.seen import misplaced, model_of, problem
from rankwise.plots import pair_chances, pairwise_certainty, row_positions


def names_on(axis):
    return [tick.get_text() for tick in axis.get_ticklabels()]


@pytest.mark.parametrize("kind", ["forest", "pairwise"])
def test_cells_hold_the_chances_with_labels_in_the_predicted_order(kind):
    model, (X, Y) = model_of(3, kind), problem(3)
    ax = pairwise_certainty(model, X.iloc[[4]])
    ranks, chances = model.predict(X.iloc[[4]]).iloc[0], model.predict_pairwise(X.iloc[[4]])[0]
    order = list(ranks.sort_values().index)
    assert names_on(ax.yaxis) == names_on(ax.xaxis) == order
    columns = [list(Y.columns).index(name) for name in order]
    for text in ax.texts:
        j, i = (int(p) for p in text.get_position())
        assert text.get_text() == f"{chances[columns[i], columns[j]]:.0%}"
    assert len(ax.texts) == 6
    assert np.ma.getmaskarray(ax.images[0].get_array()).tolist() == np.eye(3, dtype=bool).tolist()


def test_above_twelve_labels_there_are_no_numbers():
    assert len(pairwise_certainty(model_of(12, "forest"), problem(12)[0].iloc[0]).texts) == 132
    assert len(pairwise_certainty(model_of(40, "forest"), problem(40)[0].iloc[0]).texts) == 0


@pytest.mark.parametrize("k", [3, 12, 40])
@pytest.mark.parametrize("plot", [pairwise_certainty, row_positions])
def test_no_text_of_a_row_overlaps_or_is_cut_off(plot, k):
    ax = plot(model_of(k, "forest"), problem(k)[0].iloc[0])
    assert misplaced(ax) == []
    assert len(set(names_on(ax.yaxis))) == k


def test_a_row_may_come_in_any_container():
    model, row = model_of(3, "forest"), problem(3)[0].iloc[[4]]
    X, Y = problem(3)
    unnamed = rw.ForestRanker(5, random_state=0).fit(X.to_numpy(), Y.to_numpy())
    values = row.to_numpy()
    drawn = [
        row_positions(m, x).lines[0].get_xdata().tolist()
        for m, x in [
            (model, row),
            (model, row.iloc[0]),
            (unnamed, values),
            (unnamed, values[0]),
            (unnamed, values[0].tolist()),
        ]
    ]
    assert all(positions == drawn[0] for positions in drawn)


def test_missing_features_are_drawn_as_predicted():
    model, row = model_of(3, "forest"), problem(3)[0].iloc[[0]] * np.nan
    ax = row_positions(model, row)
    expected = np.sort(model.predict_positions(row).to_numpy()[0])
    assert np.sort(ax.lines[0].get_xdata()) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["forest", "pairwise"])
def test_the_spread_of_a_forest_is_the_middle_of_its_trees(kind):
    (X, Y), model = problem(3), model_of(3, kind)
    row = X.iloc[[7]]
    alone = []
    # forests of more trees begin with the trees of smaller ones
    for n in range(1, 6):
        forest = rw.ForestRanker(n, decomposition=model.decomposition_, random_state=0).fit(X, Y)
        alone.append(n * forest.predict_positions(row).to_numpy()[0])
    trees = np.diff([np.zeros(3), *alone], axis=0)
    order = np.argsort(model.predict(row).to_numpy()[0])
    (lines,) = row_positions(model, row).collections
    drawn = np.array([segment[:, 0] for segment in lines.get_segments()])
    assert drawn == pytest.approx(np.percentile(trees, [10, 90], axis=0).T[order], abs=1e-6)


def test_without_trees_the_spread_comes_from_the_chances_of_pairs():
    X, Y = problem(3)
    with np.errstate(all="ignore"):
        model = rw.PairwiseRanker().fit(X, Y)
    row = X.iloc[[0]]
    chances = model.predict_pairwise(row)[0]
    sd = [
        np.sqrt(sum(p * (1 - p) for j, p in enumerate(c) if j != i)) for i, c in enumerate(chances)
    ]
    positions = model.predict_positions(row).to_numpy()[0]
    order = np.argsort(model.predict(row).to_numpy()[0])
    (lines,) = row_positions(model, row).collections
    drawn = np.array([segment[:, 0] for segment in lines.get_segments()])
    expected = np.clip([positions - sd, positions + sd], 1, 3).T[order]
    assert drawn == pytest.approx(expected)
    assert (expected[:, 0] > 1).any()


@pytest.mark.parametrize("plot", [pairwise_certainty, row_positions])
@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((2, 6)), r"x must be one row .* got shape \(2, 6\)"),
        (np.zeros((1, 2, 3)), r"x must be one row .* got shape \(1, 2, 3\)"),
        (3.0, r"x must be one row .* got shape \(\)"),
        (np.zeros(5), "X has 5 features, but ForestRanker is expecting 6"),
        ([0, 0, 0, 0, 0, np.inf], "infinity .*feature 5"),
        (pd.DataFrame(np.zeros((1, 6)), columns=list("abcdef")), "feature names should match"),
    ],
)
def test_what_is_no_row_of_the_model_is_refused(plot, x, message):
    X, Y = problem(3)
    model = rw.ForestRanker(1, random_state=0).fit(X.to_numpy(), Y)
    if isinstance(x, pd.DataFrame):
        model = model_of(3, "forest")
    with pytest.raises((ValueError, TypeError), match=message):
        plot(model, x)


@pytest.mark.parametrize("plot", [pairwise_certainty, row_positions])
def test_a_model_that_is_not_fitted_or_no_ranker_is_refused(plot):
    with pytest.raises(ValueError, match="not fitted"):
        plot(rw.ForestRanker(), [0])
    for other in (rw.ForestRanker, "forest", None):
        with pytest.raises(TypeError, match="model must be a fitted ranker"):
            plot(other, [0])


def test_chances_of_pairs_are_drawn_in_the_order_given():
    ax = pair_chances([[0.5, 0.9], [np.nan, 0.5]], ["tea", "coffee"])
    assert names_on(ax.yaxis) == ["tea", "coffee"]
    assert [text.get_text() for text in ax.texts] == ["90%"]


def test_a_model_is_certain_and_only_what_is_known_to_be_one_is_called_a_chance():
    def bar_of(ax):
        (bar,) = (other for other in ax.figure.axes if other is not ax)
        return bar.get_ylabel()

    half = [[0.5, 0.9], [0.1, 0.5]]
    assert bar_of(pair_chances(half)) == "chance: row before column"
    assert bar_of(pair_chances(half, name="share")) == "share: row before column"
    certain = pairwise_certainty(model_of(4, "forest"), problem(4)[0].iloc[0])
    assert bar_of(certain) == "certainty: row before column"


@pytest.mark.parametrize(
    ("chances", "labels", "message"),
    [
        (np.zeros((3, 2, 2)), None, r"square matrix .* got shape \(3, 2, 2\)"),
        ([[0.5]], None, "at least 2 labels"),
        ([[0.5, 1.2], [0.1, 0.5]], ["a", "b"], "the chance of 'a' before 'b' is 1.2"),
        ([[0.5, 0.2], [0.8, 0.5]], ["a"], "labels has 1 names, but chances are of 2 labels"),
    ],
)
def test_bad_chances_are_refused(chances, labels, message):
    with pytest.raises(ValueError, match=message):
        pair_chances(chances, labels)


def test_tied_labels_stand_on_a_band():
    X, Y = [[0], [1]] * 6, [[1, 2, 2, 2], [1, 2, 3, 4]] * 6
    model = rw.TreeRanker().fit(X, Y)
    ax, other = row_positions(model, [0]), row_positions(model, [1])
    (band,) = ax.patches
    low, high = band.get_y(), band.get_y() + band.get_height()
    assert [low < y < high for y in range(4)] == [False, True, True, True]
    assert "tied" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert not other.patches
