"""Predictions with ties: what is tied, how the threshold is found, and the first places alone."""

import functools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import rankwise as rw
from metrics import naive as naive_metrics
from ranker import naive
from rankwise.baselines import RPC, Consensus, KernelRidgeKemeny, KNNKemeny
from rankwise.metrics import tau_x
from rankwise.pairwise import KernelRanker, PairwiseRanker
from rankwise.ranker import ranks_with_ties, top_places
from rankwise.ranker._ties import HeldOut, best_threshold, best_values

NAN = float("nan")


@st.composite
def problems(draw):
    """Strict ranks of k labels and shares of pairs, of which two add up to 1 at most."""
    k = draw(st.integers(2, 6))
    strict = np.array(draw(st.permutations(range(1, k + 1))))
    parts = draw(arrays(np.float64, (k, k), elements=st.sampled_from([0, 0.1, 0.25, 0.5, 0.7, 1])))
    before = np.triu(parts, 1) + np.tril((1 - parts).T * parts[0, 0], -1)
    return strict, before, draw(st.sampled_from([0.0, 0.3, 0.5, 0.6, 1.0]))


@given(problems())
def test_of_all_ways_to_cut_the_strict_ranking_the_best_is_taken(problem):
    strict, before, threshold = problem
    found = ranks_with_ties(strict[None], before[None], threshold)[0]
    gains = [naive.gain(strict, r, before, threshold) for r in naive.coarsenings(strict)]
    assert any((found == r).all() for r in naive.coarsenings(strict))
    assert naive.gain(strict, found, before, threshold) == pytest.approx(max(gains), abs=1e-6)


@given(
    st.integers(2, 5).flatmap(
        lambda k: arrays(np.float64, (4, k), elements=st.sampled_from([1.0, 2.0, 3.0]))
    )
)
def test_at_one_half_no_other_bucket_order_of_that_order_has_a_higher_expected_tau_x(rankings):
    strict = np.argsort(np.argsort(rankings.sum(axis=0), kind="stable")) + 1
    found = ranks_with_ties(strict[None], naive.strict_shares(rankings)[None], 0.5)[0]

    def expected(ranks):
        return np.mean([naive_metrics.tau_x(r, ranks) for r in rankings])

    assert expected(found) >= max(map(expected, naive.coarsenings(strict))) - 1e-9


@given(problems(), st.randoms(use_true_random=False))
def test_relabelling_labels_relabels_the_answer(problem, random):
    strict, before, threshold = problem
    new = list(range(len(strict)))
    random.shuffle(new)
    found = ranks_with_ties(strict[None], before[None], threshold)[0]
    renamed = ranks_with_ties(strict[new][None], before[new][:, new][None], threshold)[0]
    np.testing.assert_array_equal(renamed, found[new])


def test_many_labels_are_put_into_their_buckets():
    truth = np.repeat([1, 2, 3, 4], [1, 10, 9, 20])
    before = (truth[:, None] < truth) * 0.8 + (truth[:, None] == truth) * 0.1
    found = ranks_with_ties(np.arange(1, 41)[None], before[None], 0.5)[0]
    np.testing.assert_array_equal(found, np.repeat([1, 2, 12, 21], [1, 10, 9, 20]))


def clusters(n=60, missing=0.0):
    """Rows of three clusters, each of which has its own ranking with ties; and these rankings."""
    rng = np.random.default_rng(0)
    kind = np.arange(n) % 3
    X = np.column_stack([10 * kind + rng.normal(size=n), rng.normal(size=n)])
    truth = np.array([[1, 2, 2, 2], [3, 1, 1, 4], [2, 2, 4, 1]])
    Y = truth[kind].astype(float)
    if missing:
        Y[np.arange(n), rng.integers(0, 4, n)] = NAN
    return X, Y, truth


TIED = [
    rw.TreeRanker(),
    rw.TreeRanker("level"),
    rw.TreeRanker(decomposition="pairwise"),
    rw.TreeRanker(decomposition="labelwise"),
    rw.TreeRanker(decomposition="joint"),
    rw.TreeRanker(honest=True, random_state=0),
    rw.ForestRanker(20, random_state=0),
    rw.ForestRanker(20, random_state=0, bootstrap=False),
    rw.ForestRanker(20, random_state=0, decomposition="labelwise"),
    rw.ForestRanker(20, random_state=0, decomposition="pairwise"),
    rw.LabelwiseRanker(DecisionTreeRegressor()),
    PairwiseRanker(DecisionTreeClassifier(random_state=0)),
    PairwiseRanker(SVC()),
    RPC(ties="auto"),
    KNNKemeny(3, ties="auto"),
    KernelRidgeKemeny(ties="auto"),
]


@pytest.mark.parametrize("model", TIED, ids=str)
def test_a_tied_truth_comes_back_tied(model):
    X, Y, truth = clusters()
    model.fit(X, Y)
    assert 0 <= model.ties_ <= 1
    np.testing.assert_array_equal(model.predict([[0, 0], [10, 0], [20, 0]]), truth)
    assert model.score(X, Y) == 1


@pytest.mark.parametrize("model", TIED, ids=str)
def test_where_every_row_ties_all_labels_so_do_predictions(model):
    X, Y, _ = clusters()
    np.testing.assert_array_equal(model.fit(X, np.ones_like(Y)).predict(X), np.ones_like(Y))


@pytest.mark.parametrize("model", [KNNKemeny(3, ties="auto"), KNNKemeny(3, ties=0.6)], ids=str)
def test_a_neighbour_that_ties_all_labels_is_asked_where_ties_are_learned(model):
    X = np.repeat([[0.0], [10.0]], 12, axis=0)
    Y = np.where(X < 5, [[1, 2, 3]], [[1, 1, 1]])
    np.testing.assert_array_equal(model.fit(X, Y).predict([[0.0], [10.0]]), [[1, 2, 3], [1, 1, 1]])


@pytest.mark.parametrize(
    "model",
    [
        rw.TreeRanker(min_samples_leaf=3),
        rw.ForestRanker(20, random_state=0),
        PairwiseRanker(DecisionTreeClassifier(random_state=0)),
    ],
    ids=str,
)
def test_incomplete_rankings_with_ties_are_learned(model):
    X, Y, truth = clusters(180, missing=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, Y)
    np.testing.assert_array_equal(model.predict([[0, 0], [10, 0], [20, 0]]), truth)


@pytest.mark.parametrize("model", TIED, ids=str)
def test_where_rankings_have_no_ties_predictions_have_none_and_are_as_ever(model):
    X, Y, _ = clusters()
    strict = np.argsort(np.argsort(Y + np.arange(4) / 10)) + 1.0
    never, auto = (
        model.__class__(**{**model.get_params(deep=False), "ties": ties}).fit(X, strict)
        for ties in ("never", "auto")
    )
    assert never.ties_ is auto.ties_ is None
    np.testing.assert_array_equal(never.predict(X), auto.predict(X))
    np.testing.assert_array_equal(never.predict_positions(X), auto.predict_positions(X))
    np.testing.assert_array_equal(never.predict_pairwise(X), auto.predict_pairwise(X))


@pytest.mark.parametrize("model", TIED, ids=str)
def test_a_threshold_of_1_ties_everything_and_of_0_nothing_that_anything_speaks_for(model):
    X, Y, _ = clusters()
    strict = np.argsort(np.argsort(Y + np.arange(4) / 10)) + 1.0
    model = model.__class__(**{**model.get_params(deep=False), "ties": 1.0})
    assert (model.fit(X, Y).predict(X) == 1).all()
    model.set_params(ties=0.0).fit(X, strict)
    np.testing.assert_array_equal(model.predict(X), model._predict_ranks(X))


def test_never_is_without_ties_where_the_rankings_have_them():
    X, Y, _ = clusters()
    for model in (rw.TreeRanker(ties="never"), rw.ForestRanker(5, ties="never", random_state=0)):
        ranks = model.fit(X, Y).predict(X)
        assert model.decomposition_ == "labelwise"
        np.testing.assert_array_equal(np.sort(ranks, axis=1), np.tile([1, 2, 3, 4], (60, 1)))


def test_labels_within_the_threshold_in_positions_are_tied():
    X, Y = [[0.0], [1.0]], [[1, 2, 3], [2, 1, 3]]
    model = rw.LabelwiseRanker(LinearRegression(), ties=0.75).fit(X, Y)
    # at x the first two are 1 - 2x positions apart
    expected = {0.2: [1, 2, 3], 0.3: [1, 1, 3], 0.7: [1, 1, 3], 0.8: [2, 1, 3]}
    np.testing.assert_array_equal(model.predict([[x] for x in expected]), list(expected.values()))


def test_a_consensus_ties_what_no_more_than_the_threshold_orders():
    Y = [[1, 2, 2]] * 6 + [[1, 2, 3]] * 4
    for threshold, expected in ((0.3, [1, 2, 3]), (0.5, [1, 2, 2]), (1.0, [1, 1, 1])):
        model = Consensus(ties=threshold).fit(np.zeros((10, 1)), Y)
        np.testing.assert_array_equal(model.predict([[0.0]]), [expected])


@pytest.mark.parametrize(
    "model",
    [KernelRanker(ties=0.5), KNNKemeny(3, ties=0.5), KernelRidgeKemeny(ties=0.5), RPC(ties=0.5)],
    ids=str,
)
def test_one_half_ties_what_is_tied_also_where_a_tie_counts_half_for_each(model):
    X, Y, truth = clusters()
    np.testing.assert_array_equal(model.fit(X, Y).predict([[0, 0], [10, 0], [20, 0]]), truth)


def test_shares_and_positions_count_a_tie_half():
    X, Y, truth = clusters()
    model = rw.TreeRanker().fit(X, Y)
    rows = np.array([[0, 0], [10, 0], [20, 0]])
    shares = model.predict_pairwise(rows)
    wanted = (1 + np.sign(truth[:, None, :] - truth[:, :, None])) / 2
    np.testing.assert_allclose(shares, wanted, atol=1e-6)
    np.testing.assert_allclose(
        model.predict_positions(rows), [[1, 3, 3, 3], [3, 1.5, 1.5, 4], [2.5, 2.5, 4, 1]], atol=1e-6
    )


def test_what_a_forest_says_of_a_pair_is_the_mean_over_the_rows_of_its_leaves():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(40, 3)), rng.integers(1, 4, (40, 4)).astype(float)
    model = rw.ForestRanker(
        4, splitter="random", bootstrap=False, min_samples_leaf=3, random_state=0,
        decomposition="joint_pairwise",
    ).fit(X, Y)  # fmt: skip
    leaves = model._trees.leaves(X)
    outcomes = np.array([naive.tied_outcomes(row) for row in Y])
    expected = np.mean(
        [[outcomes[tree == leaf].mean(axis=0) for leaf in tree] for tree in leaves], axis=0
    )
    np.testing.assert_allclose(model._mean_targets(X), expected, atol=1e-6)
    shares = np.array(
        [
            np.mean([naive.strict_shares(Y[tree == tree[r]]) for tree in leaves], axis=0)
            for r in range(len(X))
        ]
    )
    diagonal = np.eye(4, dtype=bool)
    np.testing.assert_allclose(
        model._predict_before(X)[:, ~diagonal], shares[:, ~diagonal], atol=1e-6
    )


def test_leaves_of_one_ranking_share_its_numbers():
    X, Y, _ = clusters()
    model = rw.ForestRanker(
        4, splitter="random", bootstrap=False, random_state=0, decomposition="joint_pairwise"
    ).fit(X, Y)
    assert len(model._trees.values) == 4 * 3


@pytest.mark.parametrize("measure", ["tau_x", "tau_b", "exact_match", "kendall_tau"])
@pytest.mark.parametrize(("noise", "n_places"), [(0.3, 3), (3.0, 3), (0.3, 40)])
def test_the_threshold_is_as_good_as_the_best_and_better_than_no_ties(measure, noise, n_places):
    rng = np.random.default_rng(0)
    n, k = 40, 4
    truth = rng.integers(1, n_places + 1, (n, k)).astype(float)
    scores = truth + rng.normal(scale=noise, size=(n, k))
    strict = np.argsort(np.argsort(scores, axis=1), axis=1) + 1
    before = 1 / (1 + np.exp(4 * (scores[:, :, None] - scores[:, None])))
    weights = rng.random(n)
    found = best_threshold(truth, HeldOut(np.arange(n), strict, before), measure, weights)

    @functools.cache  # most thresholds leave a row as it was
    def value(row, ranks):
        return getattr(naive_metrics, measure)(truth[row], np.array(ranks))

    def values(ranks):
        return [value(row, tuple(own)) for row, own in enumerate(ranks.tolist())]

    measured = {t: values(ranks_with_ties(strict, before, t)) for t in np.linspace(0, 1, 41)}
    rows = [i for i, value in enumerate(values(strict)) if not math.isnan(value)]

    def gain_and_error(one, other):
        total = sum(weights[i] for i in rows)
        gain = sum(weights[i] * (one[i] - other[i]) for i in rows) / total
        squares = sum((weights[i] * (one[i] - other[i] - gain)) ** 2 for i in rows)
        return gain, math.sqrt(squares) / total

    best = max(measured.values(), key=lambda own: gain_and_error(own, values(strict))[0])
    gain, error = gain_and_error(best, values(strict))
    # of two places among three a third is tied, among forty one in forty
    is_rare = n_places == 40
    reached, share = best_values(truth, HeldOut(np.arange(n), strict, before), measure, weights)
    assert reached @ share == (pytest.approx(gain + gain_and_error(values(strict), [0.0] * n)[0]))
    if gain <= is_rare * 2 * error + 1e-9:
        assert found is None
        return
    behind = {t: gain_and_error(best, own) for t, own in measured.items()}
    near = [t for t, (loss, error) in behind.items() if loss <= error + 1e-9]
    assert found == pytest.approx(min(near, key=lambda t: abs(t - 0.45)))


def test_common_ties_come_back_also_where_few_rows_are_left_out():
    X, Y, _ = clusters(12)
    model = rw.ForestRanker(2, random_state=0).fit(X, np.where(Y == 4, 3, Y))
    assert model.ties_ is not None


def test_where_no_row_that_was_left_out_counts_the_threshold_is_one_half():
    X, Y, _ = clusters(30)
    held = HeldOut(np.arange(5), np.tile([1, 2, 3, 4], (5, 1)), np.full((5, 4, 4), 0.5))
    weights = np.r_[np.zeros(5), np.ones(25)]
    assert best_threshold(Y, held, "tau_x", weights) == 0.5
    assert [len(part) for part in best_values(Y, held, "tau_x", weights)] == [0, 0]
    rw.ForestRanker(6, random_state=0).fit(X, Y, sample_weight=1 - weights)


def test_few_ties_among_many_strict_pairs_leave_predictions_strict():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    scores = X @ rng.normal(size=(3, 5)) + rng.normal(scale=0.5, size=(150, 5))
    Y = rw.ranks_from_scores(scores)
    Y[:3, 1] = Y[:3, 0]
    for seed in range(3):
        model = rw.ForestRanker(30, random_state=seed).fit(X, Y)
        assert model.ties_ is None
        assert (np.sort(model.predict(X), axis=1) == np.arange(1, 6)).all()


def test_rows_left_out_find_a_threshold_that_serves_noisy_ties_better_than_none():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4))
    scores = np.column_stack([X[:, 0], X[:, 1], X[:, 2], 0 * X[:, 0]])
    Y = rw.ranks_from_scores(np.round(scores + rng.normal(scale=0.2, size=scores.shape)))
    strict = rw.ForestRanker(30, ties="never", random_state=0).fit(X[:300], Y[:300])
    tied = rw.ForestRanker(30, random_state=0).fit(X[:300], Y[:300])
    gained = tau_x(Y[300:], tied.predict(X[300:])) - tau_x(Y[300:], strict.predict(X[300:]))
    assert gained > 0.1


@given(
    st.integers(2, 6).flatmap(
        lambda k: arrays(np.float64, (3, k), elements=st.sampled_from([1.0, 2.0, 3.0, 4.0]))
    ),
    st.integers(1, 7),
)
def test_the_first_places_stay_and_the_rest_is_tied_behind_them(Y, top):
    ranks = np.array([[1 + (row < own).sum() for own in row] for row in Y])
    found = top_places(ranks, top)
    for before, after in zip(ranks, found, strict=True):
        kept = before <= top
        np.testing.assert_array_equal(after[kept], before[kept])
        assert (after[~kept] == 1 + kept.sum()).all()


def test_every_ranker_fills_as_many_places_as_asked():
    X, Y, _ = clusters()
    frame = pd.DataFrame(np.argsort(np.argsort(Y)) + 1.0, columns=list("abcd"))
    model = rw.ForestRanker(5, random_state=0).fit(X, frame)
    whole, two = model.predict(X), model.predict(X, top=2)
    assert list(two.columns) == list("abcd")
    np.testing.assert_array_equal(two, np.where(whole <= 2, whole, 3))
    np.testing.assert_array_equal(model.predict(X, top=4), whole)
    for bad in (0, -1):
        with pytest.raises(ValueError, match=f"top is {bad}; use a whole number of 1 or more"):
            model.predict(X, top=bad)
    with pytest.raises(TypeError, match="top is True"):
        model.predict(X, top=True)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"ties": "always"}, ValueError, "ties is 'always'; use 'never', 'auto' or a share"),
        ({"ties": 1.5}, ValueError, "ties is 1.5; use a number with 0 <= ties <= 1"),
        ({"ties": None}, TypeError, "ties is None"),
        ({"ties_for": "tau"}, ValueError, "ties_for is 'tau'; use 'tau_x'"),
    ],
)
def test_what_is_no_threshold_is_refused(options, error, message):
    X, Y, _ = clusters()
    with pytest.raises(error, match=message):
        rw.TreeRanker(**options).fit(X, Y)


@pytest.mark.parametrize(
    "model",
    [rw.TreeRanker(), rw.ForestRanker(6, random_state=0), Consensus(), PairwiseRanker()],
    ids=str,
)
def test_a_model_file_keeps_the_ties(model, tmp_path):
    X, Y, _ = clusters()
    model.fit(X, Y)
    rw.save_model(model, tmp_path / "tied.rankwise")
    loaded = rw.load_model(tmp_path / "tied.rankwise")
    assert loaded.ties_ == model.ties_
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: setattr(m, "ties_", 2.0), "threshold of ties"),
        (lambda m: setattr(m, "ties_", "auto"), "threshold of ties"),
        (lambda m: setattr(m, "_keeps_ties", False), "learned ties, others not"),
        (lambda m: setattr(m._parts[0], "_keeps_ties", False), "do not make joint_pairwise"),
    ],
)
def test_a_file_with_other_ties_is_refused(tmp_path, change, message):
    X, Y, _ = clusters()
    model = rw.ForestRanker(6, random_state=0).fit(X, Y)
    change(model)
    rw.save_model(model, tmp_path / "tied.rankwise")
    with pytest.raises(ValueError, match=message):
        rw.load_model(tmp_path / "tied.rankwise")


def test_a_file_must_say_whether_ties_were_learned(tmp_path):
    X, Y, _ = clusters()
    model = rw.TreeRanker().fit(X, Y)
    model._keeps_ties = 1
    rw.save_model(model, tmp_path / "tied.rankwise")
    with pytest.raises(ValueError, match="whether it has learned ties"):
        rw.load_model(tmp_path / "tied.rankwise")
