"""Pictures of all labels: where they stand in the data, and which features decide about them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rankwise as rw
from plots.seen import misplaced, model_of, names_of, problem
from rankwise.plots import label_importances, label_profile
from rankwise.plots._positions import stretched_positions
from theory import naive as naive_theory

NAN = np.nan


def names_on(axis):
    return [tick.get_text() for tick in axis.get_ticklabels()]


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 6), st.integers(2, 6)),
        elements=st.sampled_from([1, 2, 3, 7, NAN]),
    )
)
def test_positions_are_stretched_among_the_labels_observed(ranks):
    k = ranks.shape[1]
    expected = [[k * naive_theory.stretched_position(row, j) for j in range(k)] for row in ranks]
    assert stretched_positions(ranks) == pytest.approx(np.array(expected), nan_ok=True)


def test_the_profile_shows_means_best_first_with_the_rows_behind_them():
    Y = [[1, 2, 3], [NAN, 2, 1], [NAN, 1, 2], [2, 1, 3]]
    ax = label_profile(Y, labels=["tea", "coffee", "water"])
    assert names_on(ax.yaxis) == ["tea (2)", "coffee (4)", "water (4)"]
    assert ax.lines[0].get_xdata() == pytest.approx([1.5, (2 + 3 + 1 + 1) / 4, (3 + 1 + 3 + 3) / 4])
    assert "stretched" in ax.get_xlabel()
    assert "stretched" not in label_profile([[1, 2], [2, 1]]).get_xlabel()


def test_the_spread_holds_the_middle_of_the_rows():
    ranks = problem(12)[1]
    ax = label_profile(ranks)
    means = ranks.mean()
    order = means.sort_values(kind="stable").index
    outer, inner = (
        np.array([segment[:, 0] for segment in lines.get_segments()]) for lines in ax.collections
    )
    assert outer == pytest.approx(np.percentile(ranks[order], [5, 95], axis=0).T)
    assert inner == pytest.approx(np.percentile(ranks[order], [25, 75], axis=0).T)


def test_the_legend_stands_below_the_axes_and_covers_no_text():
    ax = label_profile(problem(12)[1])
    ax.figure.canvas.draw()
    legend = ax.get_legend().get_window_extent()
    assert legend.y1 <= ax.xaxis.label.get_window_extent().y0
    assert legend.y0 >= 0


def test_a_bar_is_seen_where_half_of_the_rows_agree():
    inner = label_profile([[1, 2], [1, 2], [1, 2]]).collections[1]
    assert all(np.ptp(segment[:, 0]) > 0 for segment in inner.get_segments())


def test_a_label_never_observed_comes_last_with_no_mark():
    ax = label_profile([[NAN, 1, 2], [NAN, 2, 1]])
    assert names_on(ax.yaxis)[-1] == "label 0 (0)"
    assert len(ax.lines[0].get_xdata()) == 2


@pytest.mark.parametrize("k", [3, 12, 40])
def test_no_text_about_the_labels_overlaps_or_is_cut_off(k):
    for ax in (label_profile(problem(k)[1]), label_importances(model_of(k, "forest"))):
        assert misplaced(ax) == []


def test_bad_rankings_and_names_are_refused():
    with pytest.raises(ValueError, match="labels has 2 names, but Y has 3 columns"):
        label_profile([[1, 2, 3]], labels=["tea", "coffee"])
    with pytest.raises(ValueError, match="rank 0"):
        label_profile([[0, 1, 2]])


def test_importances_are_those_of_the_model_the_largest_first():
    model = model_of(3, "forest")
    ax = label_importances(model, top=4)
    order = np.argsort(-model.label_importances_.mean(axis=0))[:4]
    assert np.asarray(ax.images[0].get_array()) == pytest.approx(model.label_importances_[:, order])
    assert names_on(ax.yaxis) == names_of(3)
    assert [text.get_text() for text in ax.texts][:4] == [
        f"{share:.0%}" for share in model.label_importances_[0, order]
    ]
    assert ax.get_xlabel() == "feature (the first 4 of 6)"
    assert label_importances(model).get_xlabel() == "feature"


def test_a_model_without_cuts_has_importances_of_nothing():
    model = rw.TreeRanker().fit([[1, 2], [1, 2]], [[1, 2], [1, 2]])
    assert not np.asarray(label_importances(model).images[0].get_array()).any()


def test_importances_of_other_models_and_bad_numbers_are_refused():
    X, Y = problem(3)
    model = rw.PositionRanker().fit(X.to_numpy(), Y.to_numpy())
    with pytest.raises(TypeError, match="PositionRanker has no label_importances_"):
        label_importances(model)
    with pytest.raises(ValueError, match="not fitted"):
        label_importances(rw.TreeRanker())
    for top in (0, 2.5, True, None):
        with pytest.raises(ValueError, match="top must be a whole number from 1 up"):
            label_importances(model_of(3, "forest"), top=top)


@pytest.mark.parametrize("k", [2, 3, 12])
def test_positions_are_marked_at_whole_numbers(k):
    ax = label_profile(np.array([range(1, k + 1), range(k, 0, -1)]))
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert len(ticks) > 1
    assert all(tick == round(tick) for tick in ticks)


def test_names_of_labels_are_whole_where_there_is_room():
    names = ["sodium hydride in tetrahydrofuran", "caesium carbonate in DMF"]
    ax = label_profile([[1, 2], [2, 1]], labels=names)
    assert {tick.get_text() for tick in ax.get_yticklabels()} == {f"{name} (2)" for name in names}
    assert misplaced(ax) == []
