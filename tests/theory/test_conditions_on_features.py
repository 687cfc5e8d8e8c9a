"""Estimators of constants that are known: sparsity, C, beta, zeta and independence."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise import theory
from rankwise.oracles import CorrelatedBooleanFeatures, Oracle, SparseLinear
from rankwise.theory._kernels import v_after_split
from rankwise.theory._observations import observe, targets
from rankwise.theory._subsets import heterogeneity, moments
from theory import naive
from theory.seeds import SEEDS, SOME_SEEDS, nearly_all


def noisy_scores(seed, n_features=12, sparsity=3, n=4000):
    m = SparseLinear(n_features, 3, sparsity, random_state=seed)
    X, _ = Oracle(m).sample(n, random_state=seed)
    return m, X, m(X) + np.random.default_rng(seed).normal(0, 0.05, (n, 3))


def fair_bits(seed, n=4000, d=5):
    return np.random.default_rng(seed).integers(0, 2, (n, d))


@given(st.integers(0, 2**32 - 1), st.integers(2, 60))
def test_heterogeneity_equals_its_plain_twin(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 3))
    y = rng.normal(size=n)
    data = observe(X)
    tables = moments(data, [0, 1, 2], y, np.arange(n), 0, rng)
    for axes in [(), (0,), (1, 2), (0, 1, 2)]:
        assert heterogeneity(tables, axes).estimate == pytest.approx(
            naive.heterogeneity(X, y, axes), abs=1e-12
        )
    cells = data.codes[1].astype(np.int64)
    n_cells = int(data.n_bins[1])
    centred = y - y.mean()
    v = v_after_split(data.codes, data.n_bins, cells, n_cells, centred)
    expected = [naive.heterogeneity(X, y, (1, i)) for i in range(3)]
    np.testing.assert_allclose(v, expected, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_positions_are_stretched_as_by_the_plain_twin(seed, k):
    rng = np.random.default_rng(seed)
    Y = rng.integers(1, k + 1, (20, k)).astype(float)
    Y[rng.random(Y.shape) < 0.3] = np.nan
    expected = [[naive.stretched_position(row, j) for j in range(k)] for row in Y]
    np.testing.assert_allclose(targets(Y, "ranks", 20), expected)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 60))
def test_bins_keep_order_and_never_merge_all_of_two_values(seed, n_values, n):
    rng = np.random.default_rng(seed)
    # a power makes some values fill most of the rows
    x = np.floor(n_values * rng.random(n) ** rng.uniform(0.2, 6))
    data = observe(x[:, None])
    codes, n_bins = data.codes[0].astype(int), int(data.n_bins[0])
    assert set(codes) == set(range(n_bins))
    assert n_bins <= 4
    assert (n_bins > 1) == (len(np.unique(x)) > 1)
    order = np.argsort(x)
    assert (np.diff(codes[order]) >= 0).all()
    assert all(len(set(codes[x == value])) == 1 for value in x)


def test_a_feature_that_is_mostly_zero_is_seen():
    rng = np.random.default_rng(0)
    count = np.where(rng.random(1000) < 0.85, 0, rng.integers(1, 9, 1000))
    ranks = np.where(count[:, None] > 0, [1, 2], [2, 1])
    found = theory.sparsity(np.column_stack([rng.random(1000), count]), ranks)
    assert found.estimate == 1
    assert found.details["label 0"]["features"] == ["x1"]


@pytest.mark.parametrize("kind", [bool, int, float])
def test_a_constant_feature_says_the_same_in_every_type(kind):
    X = np.column_stack([fair_bits(0, n=400, d=2), np.ones(400)]).astype(kind)
    assert observe(X).n_bins.tolist() == [2, 2, 1]
    assert theory.marginal_density(X, 1).verdict == "holds"


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_a_label_that_never_moves_depends_on_nothing(offset):
    X = fair_bits(0, n=300, d=3)
    # a third has no exact mean: its rounding must not look like an effect
    Y = np.column_stack([X[:, 0], np.full(300, 2 / 3)]) + offset
    found = theory.sparsity(X, Y, on="scores")
    assert found.details["label 1"] == {"r": 0.0, "features": []}
    assert found.details["label 0"]["features"] == ["x0"]
    assert theory.submodularity(X, Y, on="scores").details["label 1"] is None
    assert theory.strong_sparsity(X, Y, on="scores").details["label 1"] is None


@pytest.mark.parametrize("seed", SOME_SEEDS)
def test_sparsity_finds_the_features_of_every_label(seed):
    m, X, scores = noisy_scores(seed, n_features=20)
    found = theory.sparsity(X, scores, on="scores", random_state=seed)
    assert found.low <= 3 <= found.high
    assert found.estimate == 3
    for label, support in enumerate(m.supports):
        features = found.details[f"label {label}"]["features"]
        assert {int(name[1:]) for name in features} == set(support.tolist())


def test_sparsity_of_ranks_counts_the_features_that_move_a_position():
    X = np.random.default_rng(0).random((3000, 10))
    scores = np.column_stack([(X[:, 4] > 0.5) + 0.4 * (X[:, 7] > 0.5), np.full(3000, 0.7)])
    ranks = 1.0 + (scores[:, ::-1] > scores)
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(10)])
    found = theory.sparsity(frame, pd.DataFrame(ranks, columns=["tea", "coffee"]))
    assert found.details["'tea'"]["features"] == ["f4"]
    assert found.verdict == "holds"


def test_sparsity_is_a_whole_number_where_half_of_the_repeats_find_more():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = fair_bits(seed, n=200)
        Y = np.column_stack([X[:, 0] + 0.5 * X[:, 1], X[:, 2]]) + rng.normal(0, 0.9, (200, 2))
        found = theory.sparsity(X, Y, on="scores", random_state=seed)
        lengths = [found.estimate, found.low, found.high]
        assert all(length == int(length) for length in lengths)
        assert found.low <= found.estimate <= found.high


def test_sparsity_of_noise_is_not_told():
    X = fair_bits(0)
    noise = np.random.default_rng(1).normal(size=(4000, 3))
    found = theory.sparsity(X, noise, on="scores")
    assert found.estimate == 0
    assert found.verdict == "cannot tell"


@pytest.mark.parametrize("estimator", [theory.submodularity, theory.diminishing_returns])
@SEEDS
def test_additive_scores_have_constant_one(estimator, seeds):
    found = []
    for seed in seeds:
        _, X, scores = noisy_scores(seed)
        found.append(estimator(X, scores, on="scores", random_state=seed))
    assert sum(c.low == 1 for c in found) >= nearly_all(seeds)
    assert all(c.verdict == "holds" for c in found)
    assert max(c.estimate for c in found) < 1.6


@pytest.mark.parametrize(
    ("estimator", "twin"),
    [
        (theory.submodularity, naive.submodularity_constant),
        (theory.diminishing_returns, naive.diminishing_returns_constant),
    ],
)
@SEEDS
def test_the_constant_of_a_conjunction_is_recovered(estimator, twin, seeds):
    true = twin(lambda x: float(x[0] and x[1]), 3)
    assert true == pytest.approx(2 if estimator is theory.submodularity else 4)
    found = []
    for seed in seeds:
        X = fair_bits(seed)
        Y = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] + X[:, 3]])
        found.append(estimator(X, Y, on="scores", random_state=seed))
    assert sum(c.low <= true <= c.high for c in found) >= nearly_all(seeds)
    assert all(c.verdict == "holds" for c in found)
    assert all(c.details["all_features"] for c in found if estimator is theory.submodularity)


@pytest.mark.parametrize("estimator", [theory.submodularity, theory.diminishing_returns])
@pytest.mark.parametrize("seed", SOME_SEEDS)
def test_an_exclusive_or_breaks_the_condition_and_is_named(estimator, seed):
    assert naive.submodularity_constant(lambda x: float(x[0] != x[1]), 2) == math.inf
    X = fair_bits(seed, n=2000, d=40)
    Y = np.column_stack([X[:, 7] ^ X[:, 30], X[:, 2], X[:, 3]])
    found = estimator(X, Y, on="scores", random_state=seed)
    assert found.verdict == "fails"
    assert found.low > 10
    assert "x7" in found.text
    assert "x30" in found.text


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("estimator", [theory.submodularity, theory.diminishing_returns])
def test_three_features_that_matter_only_together_are_found_among_twelve(estimator, seed):
    X = fair_bits(seed, n=1500, d=12)
    Y = np.column_stack([X[:, 1] ^ X[:, 6] ^ X[:, 9], X[:, 2]])
    found = estimator(X, Y, on="scores", random_state=seed)
    assert found.verdict == "fails"
    assert {"x1", "x6", "x9"} <= set(found.details["label 0"]["features"])


def test_constants_are_lower_bounds_where_rows_are_too_few_for_all_features():
    X = np.random.default_rng(0).random((600, 5))
    Y = np.column_stack([(X[:, 0] > 0.5) + 2 * (X[:, 1] > 0.5), X[:, 2] > 0.5])
    # 300 rows choose: two features of four bins have 16 cells of 16 rows each, a third has none
    found = theory.submodularity(X, Y, on="scores")
    assert found.details["all_features"] is False
    assert set(found.details["label 0"]["looked_at"]) == {"x0", "x1"}
    assert found.text.endswith("(lower bound: 2 of 5 features were looked at)")
    few = theory.submodularity(fair_bits(0, d=4), fair_bits(0, d=4), on="scores")
    assert few.details["all_features"] is True
    assert "lower bound" not in few.text


@pytest.mark.parametrize("estimator", [theory.submodularity, theory.diminishing_returns])
def test_constants_of_noise_are_not_told(estimator):
    noise = np.random.default_rng(1).normal(size=(2000, 3))
    assert estimator(fair_bits(0, n=2000), noise, on="scores").verdict == "cannot tell"


@SEEDS
def test_the_gap_of_additive_scores_is_the_weakest_weight_squared_over_four(seeds):
    covered = 0
    for seed in seeds:
        m, X, scores = noisy_scores(seed, n_features=20)
        found = theory.strong_sparsity(X, scores, on="scores", random_state=seed)
        weights = np.abs(m.weights)
        covered += found.low <= (weights[weights > 0] ** 2 / 4).min() <= found.high
        assert found.verdict != "fails"
    assert covered >= nearly_all(seeds)


def test_a_near_copy_of_a_feature_leaves_no_gap():
    X = fair_bits(0, d=6)
    X[:, 5] = np.where(np.random.default_rng(1).random(4000) < 0.02, 1 - X[:, 0], X[:, 0])
    Y = np.column_stack([X[:, 0] + 0.1 * X[:, 1], X[:, 2]])
    copied = theory.strong_sparsity(X, Y, on="scores")
    assert copied.estimate < 0.05
    X[:, 5] = fair_bits(9, d=1)[:, 0]
    assert theory.strong_sparsity(X[:, [0, 2, 3, 4, 5]], Y[:, [1, 1]], on="scores").low > 0.2


@SEEDS
def test_density_of_independent_features_is_the_product_of_the_rarest_values(seeds):
    covered = 0
    p = np.array([0.1, 0.5, 0.8, 0.5, 0.5, 0.3])
    for seed in seeds:
        X = np.random.default_rng(seed).random((6000, 6)) < p
        found = theory.marginal_density(X, 2, random_state=seed)
        covered += found.low <= 0.2 * 0.4 <= found.high  # 2·0.1 times 2·(1 - 0.8)
        assert found.details["features"] == ["x0", "x2"]
        assert found.verdict == "holds"
    assert covered >= nearly_all(seeds)


def test_a_combination_that_never_occurs_breaks_the_density():
    X = fair_bits(0, n=6000)
    X[:, 3] = 1 - X[:, 1]
    found = theory.marginal_density(X, 2)
    assert found.verdict == "fails"
    assert sorted(found.details["features"]) == ["x1", "x3"]
    assert theory.marginal_density(X, 1).verdict == "holds"


def test_a_copied_feature_breaks_the_density_of_breimans_forest_and_not_that_of_level_splits():
    X = fair_bits(0, n=6000)
    X[:, 3] = X[:, 1]
    Y = np.column_stack([X[:, 0] + 2 * X[:, 1], X[:, 2]])
    assert theory.marginal_density(X, 2).verdict == "fails"
    found = theory.relevant_density(X, Y, on="scores")
    assert found.verdict == "holds"
    assert found.low < 1 <= found.high


def test_a_combination_of_own_features_that_never_occurs_is_no_rare_one():
    X = fair_bits(0, n=6000)
    X[:, 1] &= X[:, 0]
    Y = np.column_stack([X[:, 0] + 3 * X[:, 1], X[:, 2]])
    found = theory.relevant_density(X, Y, on="scores")
    # (0, 1) never occurs; (1, 0) and (1, 1) have 1/4 each
    assert found.verdict == "holds"
    assert found.low < 1 <= found.high


@SEEDS
def test_the_density_of_own_features_is_that_of_their_rarest_combination(seeds):
    covered = 0
    p = np.array([0.1, 0.5, 0.8, 0.5, 0.5, 0.01])
    for seed in seeds:
        X = np.random.default_rng(seed).random((6000, 6)) < p
        Y = np.column_stack([2.0 * X[:, 0] + X[:, 2], X[:, 1]])
        found = theory.relevant_density(X, Y, on="scores", random_state=seed)
        # 2·0.1 times 2·(1 - 0.8); the last feature is rarer, and does not matter
        covered += found.low <= 0.2 * 0.4 <= found.high
        assert sorted(found.details["label 0"]["features"]) == ["x0", "x2"]
        assert found.verdict == "holds"
    assert covered >= nearly_all(seeds)


def test_without_a_feature_that_matters_no_density_is_told():
    noise = np.argsort(np.random.default_rng(0).random((200, 3)), axis=1) + 1.0
    found = theory.relevant_density(np.zeros((200, 2)), noise)
    assert found.verdict == "cannot tell"
    assert math.isnan(found.estimate)


@pytest.mark.parametrize("seed", SOME_SEEDS)
def test_independence_is_told_from_dependence(seed):
    rng = np.random.default_rng(seed)
    assert theory.feature_dependence(rng.random((6000, 10)) < 0.5).verdict == "holds"
    # Two signs of Gaussians of correlation 1/2 have correlation 2/pi arcsin(1/2) = 1/3.
    X = CorrelatedBooleanFeatures(10, 0.5).sample(6000, rng)
    found = theory.feature_dependence(X, random_state=seed)
    assert found.verdict == "fails"
    assert found.low - 0.05 < 1 / 3 < found.high + 0.05


def test_binned_features_are_dependent_too():
    x = np.random.default_rng(0).random(4000)
    X = np.column_stack([x, x + 0.3 * np.random.default_rng(1).random(4000), x[::-1]])
    found = theory.feature_dependence(X)
    assert found.details["features"] == ["x0", "x1"]
    assert found.verdict == "fails"


def test_independence_is_not_claimed_of_features_that_were_not_looked_at(monkeypatch):
    X = fair_bits(0, n=4000, d=8)
    assert theory.feature_dependence(X).verdict == "holds"
    monkeypatch.setattr("rankwise.theory._density._MAX_COLUMNS", 10)
    found = theory.feature_dependence(X)
    assert found.verdict == "cannot tell"
    assert "no two of 5 features, drawn at random" in found.text


def test_sparse_features_and_repeats_of_none_are_refused():
    from scipy.sparse import csr_matrix

    X, Y = fair_bits(0, n=40), np.tile([1, 2], (40, 1))
    with pytest.raises(TypeError, match=r"X is a sparse matrix; use X.toarray\(\)"):
        theory.diagnose(csr_matrix(X), Y)
    with pytest.raises(ValueError, match="n_repeats is 0; use a whole number of 1 or more"):
        theory.sparsity(X, Y, n_repeats=0)
