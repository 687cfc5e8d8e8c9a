"""What the kernels of LRT see: places of values, distinct rankings, and runs of rows between cuts."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines import naive
from baselines.strategies import rankings
from rankings import naive as naive_rankings
from rankwise.baselines import LRT
from rankwise.baselines._lrt_growing import training_data
from rankwise.baselines._lrt_runs_kernels import Rows, find_runs, new_runs, outermost_cuts
from rankwise.baselines._mallows import observed_places


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 10**6))
def test_codes_are_places_among_the_values_and_equal_values_go_by_kind_and_row(n, values, seed):
    rng = np.random.default_rng(seed)
    X = rng.choice(np.append(rng.normal(size=values), [0.0, -0.0]), size=(n, 3))
    data = training_data(X, rng.permuted(np.tile([1.0, 2.0], (n, 1)), axis=1))
    for j in range(3):
        assert (data.codes[j] == np.unique(X[:, j], return_inverse=True)[1]).all()
        assert (data.order[j] == np.lexsort((data.kind, X[:, j]))).all()


@given(rankings(missing=True, max_labels=13, max_rows=30), st.integers(0, 10**6))
def test_rows_are_of_one_kind_if_they_compare_the_same(Y, seed):
    Y = Y[np.random.default_rng(seed).integers(len(Y), size=30)]
    data = training_data(np.zeros((30, 1)), Y)
    told = [tuple(naive_rankings.counted_pairs(row)) for row in Y]
    for a, b in itertools.combinations(range(30), 2):
        assert (data.kind[a] == data.kind[b]) == (told[a] == told[b])
    assert len(data.kinds.compared) == len(set(told))
    assert data.compared.tolist() == [len(pairs) for pairs in told]
    assert (data.observed == observed_places(Y)).all()


@given(rankings(missing=True, max_labels=13, max_rows=4))
def test_a_kind_holds_scores_and_comparisons(Y):
    k = Y.shape[1]
    data = training_data(np.zeros((len(Y), 1)), Y)
    for row, kind in zip(Y, data.kind, strict=True):
        told = naive_rankings.counted_pairs(row)
        line = data.kinds.lines[kind]
        for j in range(k):
            assert line[j] == sum(a == j for a, _ in told) - sum(b == j for _, b in told)
        for p, (i, j) in enumerate(itertools.combinations(range(k), 2)):
            sign = int((i, j) in told) - int((j, i) in told)
            assert line[k + p] == sign
            word, bit = p // 64, np.uint64(p % 64)
            assert (data.kinds.bits[kind, word] >> bit) & np.uint64(1) == (sign > 0)
            assert (data.kinds.seen[kind, word] >> bit) & np.uint64(1) == (sign != 0)
        assert not line[k + k * (k - 1) // 2 :].any()


@given(
    st.integers(2, 40), st.integers(1, 12), st.integers(1, 3), st.booleans(), st.integers(0, 10**6)
)
def test_runs_are_equal_rankings_and_end_at_every_cut_that_is_tried(
    n, values, min_leaf, every, seed
):
    rng = np.random.default_rng(seed)
    x = rng.integers(values, size=n) * 1.0
    Y = np.array([[1.0, 2, 3], [1, 3, 2], [3, 2, 1]])[rng.integers(3, size=n)]
    counts = rng.integers(1, 4, n).astype(np.int32)
    data = training_data(x[:, None], Y)
    line, weights = data.order[0], counts.astype(float)
    runs = new_runs(n)
    first, last = outermost_cuts(data.codes[0], line, counts, min_leaf)
    tried = naive.lrt_cuts(x.tolist(), Y.tolist(), counts.tolist(), min_leaf, every)
    assert (last < 0) == (not tried)
    if not tried:
        return
    n_runs = find_runs(
        data.codes[0], line, Rows(data.kind, weights, counts), first, last, every, runs
    )  # fmt: skip
    cuts = runs.cut[:n_runs]
    assert cuts[cuts >= 0].tolist() == [sum(left) - 1 for left in tried]
    ends = np.searchsorted(np.cumsum(weights[line]), runs.weight[:n_runs])
    assert ends[-1] == last
    assert (cuts[cuts >= 0] == ends[cuts >= 0]).all()
    for start, end, kind in zip(np.append(0, ends[:-1] + 1), ends, runs.kind, strict=False):
        assert (data.kind[line[start : end + 1]] == kind).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_first_cut_of_many_rows_is_the_best_one(seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(40, size=90), rng.integers(5, size=90)]) * 1.0
    Y = np.argsort(np.argsort(rng.normal(size=(90, 4)) + X[:, :1] / 20 * [0, 1, 2, 3])) + 1.0
    Y[rng.random(Y.shape) < 0.1] = np.nan
    Y = np.where((~np.isnan(Y)).sum(axis=1, keepdims=True) > 1, Y, [1, 2, 3, 4])
    weights = rng.integers(1, 3, 90)
    model = LRT(max_depth=1).fit(X, Y, weights)
    left = X[:, model._trees.feature[0]] <= model._trees.threshold[0]
    y, w = Y.tolist(), weights.tolist()
    cuts = [c for x in X.T for c in naive.lrt_cuts(x.tolist(), y, w, 2)]
    best = max(naive.lrt_goodness(y, w, cut) for cut in cuts)
    assert naive.lrt_goodness(y, w, left.tolist()) == pytest.approx(best, abs=1e-3)


def test_weights_that_vanish_beside_others_do_no_harm():
    rng = np.random.default_rng(0)
    X, Y = rng.random((60, 2)), np.argsort(rng.random((60, 4)), axis=1) + 1
    weights = 10.0 ** rng.integers(-300, 1, 60)
    model = LRT(min_samples_leaf=1).fit(X, Y, weights)
    assert np.isfinite(model._trees.threshold).all()
    heaviest = np.argmax(weights)
    assert (model.predict(X)[heaviest] == Y[heaviest]).all()
