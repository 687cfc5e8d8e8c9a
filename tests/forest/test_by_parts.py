"""A forest of rows in parts is the forest of all rows at once."""

import numpy as np
import pytest

from rankwise.forest import ForestRanker
from rankwise.models import load_model, save_model
from rankwise.parts import array_parts

N = 6000
SETTINGS = {"n_estimators": 4, "max_depth": 6, "random_state": 3}
ARRAYS = ("feature", "threshold", "missing_left", "left", "roots", "depths", "value_row", "values")


def features(kind):
    rng = np.random.default_rng(1)
    if kind == "yes/no":
        return rng.random((N, 40)) < 0.5
    if kind == "bytes":
        return rng.integers(-5, 20, (N, 4)).astype(np.int8)
    if kind == "few values":
        return np.where(rng.random((N, 4)) < 0.1, np.nan, rng.integers(0, 20, (N, 4)))
    if kind == "two floats":
        return np.where(rng.random((N, 4)) < 0.5, -1.5, 7.0)
    return rng.normal(size=(N, 4)).astype(np.float32)


def rankings(kind):
    rng = np.random.default_rng(2)
    ranks = np.argsort(np.argsort(rng.normal(size=(N, 4)), axis=1), axis=1) + 1.0
    if "tied" in kind:
        ranks[::3, 0] = ranks[::3, 1]
    if "missing" in kind:
        ranks[rng.random(ranks.shape) < 0.3] = np.nan
    return ranks


def weights(kind):
    rng = np.random.default_rng(3)
    return {"none": None, "whole": rng.integers(0, 3, N), "fractions": rng.random(N)}[kind]


def assert_same(model, other):
    for part, own in zip(model._members, other._members, strict=True):
        for name in ARRAYS:
            one, same = getattr(part._trees, name), getattr(own._trees, name)
            assert (one.dtype, one.tobytes()) == (same.dtype, same.tobytes()), name
    assert model.label_importances_.tobytes() == other.label_importances_.tobytes()
    assert model.ties_ == other.ties_
    assert model.decomposition_ == other.decomposition_


@pytest.mark.parametrize(
    ("kind", "ranked", "weighed", "more"),
    [
        ("yes/no", "complete", "none", {}),
        ("yes/no", "complete", "whole", {"bootstrap": False, "max_samples": 500}),
        ("yes/no", "missing", "fractions", {"decomposition": "pairwise"}),
        ("bytes", "complete", "none", {"honest": True, "bootstrap": False, "max_samples": 0.1}),
        ("bytes", "tied", "whole", {"decomposition": "joint_pairwise"}),
        ("few values", "complete", "none", {"criterion": "level", "max_samples": 300}),
        ("few values", "missing", "none", {"decomposition": "joint_pairwise", "max_features": 2}),
        ("few values", "tied", "none", {"ties": "never", "decomposition": "labelwise"}),
        ("many values", "complete", "fractions", {"decomposition": "joint"}),
        ("many values", "tied", "none", {"decomposition": "joint_pairwise"}),
        ("yes/no", "complete", "none", {"splitter": "random"}),
        ("bytes", "complete", "none", {"splitter": "random", "max_samples": 900}),
        ("few values", "missing", "whole", {"splitter": "random", "decomposition": "pairwise"}),
        ("many values", "complete", "none", {"splitter": "random", "max_bins": None}),
        ("two floats", "complete", "none", {"splitter": "random"}),
        ("yes/no", "missing", "whole", {"decomposition": "mixed"}),
        ("few values", "missing", "none", {"decomposition": "mixed", "max_samples": 900}),
        ("many values", "complete", "none", {"decomposition": "mixed", "bootstrap": False}),
        ("bytes", "missing and tied", "none", {"decomposition": "mixed", "max_samples": 900}),
    ],
)
def test_it_is_equal_bit_for_bit_however_rows_are_parted(kind, ranked, weighed, more):
    X, y, w = features(kind), rankings(ranked), weights(weighed)
    expected = ForestRanker(**SETTINGS, **more).fit(X, y, w)
    for rows_per_part in (999, N):
        parts = array_parts(X, y, w, rows_per_part=rows_per_part)
        model = ForestRanker(**SETTINGS, **more, n_jobs=2).fit_parts(parts)
        assert_same(model, expected)


@pytest.mark.parametrize("kind", ["yes/no", "few values"])
def test_less_memory_means_more_reading_and_the_same_forest(kind):
    from rankwise.parts import _running

    X, y = features(kind), rankings("complete")
    parts = array_parts(X, y, rows_per_part=2000)
    expected = ForestRanker(**SETTINGS).fit_parts(parts)
    of_sample = N * (X.shape[1] + 4 + 1)
    growing = N * (_running.GROWING_ROW + 4 * _running.GROWING_TARGET["labelwise"])
    enough = _running.BASE + (_running.TIMES_OF_A_SAMPLE + 1) * of_sample + growing
    assert_same(ForestRanker(**SETTINGS).fit_parts(parts, memory_limit=enough), expected)
    with pytest.raises(ValueError, match="draw fewer rows with max_samples"):
        ForestRanker(**SETTINGS).fit_parts(parts, memory_limit=enough - of_sample)


def test_memory_mapped_arrays_are_mapped_again_and_the_model_is_saved_as_any_other(tmp_path):
    X, y = features("yes/no"), rankings("complete")
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "Xy"]
    model = ForestRanker(**SETTINGS, oob_score=True).fit_parts(array_parts(*mapped))
    assert_same(model, ForestRanker(**SETTINGS).fit(X, y))
    assert -1 <= model.oob_score_ <= 1
    save_model(model, tmp_path / "model.rankwise")
    np.testing.assert_array_equal(
        load_model(tmp_path / "model.rankwise").predict(X[:50]), model.predict(X[:50])
    )


def test_bins_of_a_sample_cost_no_accuracy(monkeypatch):
    from rankwise.parts import _coding

    monkeypatch.setattr(_coding, "BIN_ROWS", 4096)
    lost = []
    # other bins make other trees: a single forest differs by as much as one of another seed
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(18_000, 4))
        y = np.argsort(np.argsort(X @ rng.normal(size=(4, 4)), axis=1), axis=1) + 1.0
        forest = ForestRanker(n_estimators=20, max_samples=1000, random_state=0)
        in_memory = forest.fit(X[:9000], y[:9000]).score(X[9000:], y[9000:])
        forest.fit_parts(array_parts(X[:9000], y[:9000]))
        lost.append(in_memory - forest.score(X[9000:], y[9000:]))
    assert abs(np.mean(lost)) < 0.003


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"decomposition": "mixed"}, "for rows in parts use 'auto' or 'joint_pairwise'"),
        ({"max_samples": "theory"}, "set it to a number"),
    ],
)
def test_what_needs_all_rows_at_once_is_refused_with_what_to_do(settings, message):
    parts = array_parts(features("yes/no")[:50], rankings("tied")[:50])
    with pytest.raises(ValueError, match=message):
        ForestRanker(**settings).fit_parts(parts)


def test_a_mixed_forest_of_parts_is_saved_and_tells_tau_as_one_of_memory(tmp_path):
    X, y = features("yes/no"), rankings("missing")
    forest = ForestRanker(**SETTINGS, decomposition="mixed", max_samples=2000, oob_score=True)
    in_memory = forest.fit(X, y).oob_score_
    model = forest.fit_parts(array_parts(X, y, rows_per_part=999))
    # of 4,096 rows, and of all
    assert abs(model.oob_score_ - in_memory) < 0.02
    save_model(model, tmp_path / "model.rankwise")
    np.testing.assert_array_equal(
        load_model(tmp_path / "model.rankwise").predict_pairwise(X[:50]),
        model.predict_pairwise(X[:50]),
    )
