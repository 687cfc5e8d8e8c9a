"""Settings by theory: the numbers that are recorded give the value by the documented formula."""

import math
import pickle
import sys

import numpy as np
import pytest
from sklearn.base import clone

from rankwise import theory
from rankwise.forest import ForestRanker
from rankwise.oracles import Oracle, SparseLinear, Survival, TruncatedGaussian
from rankwise.tree import TreeRanker

DELTA = 0.05
CRITERIA = pytest.mark.parametrize("criterion", ["level", "breiman"])


def problem(n=400, mechanism=None):
    oracle = Oracle(SparseLinear(8, 3, 2), noise=TruncatedGaussian(0.05), mechanism=mechanism)
    return oracle.sample(n, random_state=0)


def one_bit(n=6000):
    """One feature decides which of two labels goes first: r, beta and zeta are known."""
    X = np.random.default_rng(0).integers(0, 2, (n, 3))
    return X, np.where(X[:, [1]] == 1, [1.0, 2.0], [2.0, 1.0])


def cells(found, extra):
    """t by the formula of the docstring."""
    power = found["C"] * found["r"] / (found["C"] * found["r"] + extra)
    return (found["n"] / math.log(found["d"] / found["delta"])) ** power


@pytest.mark.parametrize("mechanism", [None, Survival(0.7)], ids=["complete", "incomplete"])
@pytest.mark.parametrize("honest", [False, True])
def test_levels_follow_from_the_constants_that_are_recorded(mechanism, honest):
    X, Y = problem(mechanism=mechanism)
    model = TreeRanker("level", max_splits="theory", honest=honest, random_state=0).fit(X, Y)
    found = model.theory_
    useful = int((np.isfinite(Y).sum(axis=1) > 1).sum())
    assert (found["n"], found["d"], found["k"]) == (useful // (2 if honest else 1), 8, 3)
    assert found["value"] == math.ceil(math.log2(cells(found, 2)))
    assert not found["clipped"]
    assert found["r"] == math.ceil(theory.sparsity(X, Y).estimate)
    assert found["C"] == theory.submodularity(X, Y).estimate
    plain = TreeRanker("level", max_splits=found["value"], honest=honest, random_state=0)
    np.testing.assert_array_equal(model.predict(X), plain.fit(X, Y).predict(X))
    assert max(len(splits) for splits in model.splits_) <= found["value"]


def test_nodes_follow_from_the_constants_that_are_recorded():
    X, Y = problem()
    model = TreeRanker(max_splits="theory").fit(X, Y)
    found = model.theory_
    assert found["value"] == math.ceil(cells(found, 3))
    assert found["C"] == theory.diminishing_returns(X, Y).estimate
    assert max(len(splits) for splits in model.splits_) <= found["value"]


@CRITERIA
def test_the_size_of_samples_follows_from_the_constants_that_are_recorded(criterion):
    X, Y = one_bit()
    forest = ForestRanker(2, criterion=criterion, max_samples="theory", bootstrap=False)
    found = forest.fit(X, Y).theory_
    # positions over k are 1/2 and 1, so that V of the feature is (1/4)^2, and others add nothing
    assert found["r"] == 1
    assert found["beta"] == pytest.approx(1 / 16, abs=0.003)
    assert found["zeta"] > 0.9
    beta, zeta = found["beta"], found["zeta"]
    any_feature, any_label = math.log(3 * 2 / DELTA), math.log(2 / DELTA)
    s = 2 * (any_feature / beta**2 + any_label / zeta)
    if criterion == "breiman":
        s = 2 * any_feature / (zeta * beta**2)
    assert found["exact"] == pytest.approx(s, rel=1e-9)
    assert found["value"] == math.ceil(found["exact"]) < 6000
    assert not found["clipped"]
    drawn = forest._bags(np.ones(6000, dtype=np.int64)).draw(np.random.SeedSequence(0))
    assert drawn.counts.sum() == found["value"]


def test_the_density_of_a_forest_is_that_of_its_theorem():
    X, Y = one_bit()
    X[:, 2] = X[:, 0]
    level, breiman = (theory.suggest_samples(X, Y, criterion) for criterion in ("level", "breiman"))
    assert level.zeta == theory.relevant_density(X, Y).estimate
    assert breiman.zeta == theory.marginal_density(X, breiman.r).estimate


def test_samples_are_clipped_to_the_rows_there_are():
    X, Y = one_bit(200)
    found = ForestRanker(2, max_samples="theory").fit(X, Y).theory_
    assert (found["value"], found["clipped"]) == (200, True)
    assert found["exact"] > 200
    # noise has no features that stand out: s is infinite
    noise = np.argsort(np.random.default_rng(1).random((200, 3)), axis=1) + 1.0
    found = ForestRanker(2, max_samples="theory").fit(X, noise).theory_
    assert (found["value"], found["exact"], found["clipped"]) == (200, math.inf, True)


@pytest.mark.filterwarnings("ignore:.*never.*:UserWarning")
@CRITERIA
def test_few_rows_and_rankings_without_order_make_one_level(criterion):
    X = np.random.default_rng(0).random((20, 3))
    found = TreeRanker(criterion, max_splits="theory").fit(X, np.ones((20, 3))).theory_
    # r and C are taken as 1: t = (20 / log 60)^(1/3) = 1.70, and one level has 2 cells
    assert (found["r"], found["C"]) == (1, 1.0)
    assert found["value"] == (1 if criterion == "level" else 2)
    one = theory.suggest_splits(X, np.ones((20, 3)), criterion, n=1)
    assert one.clipped
    assert one.value == found["value"]


def test_a_constant_that_is_infinite_makes_the_exponent_one():
    X = np.random.default_rng(0).integers(0, 2, (2000, 4))
    Y = np.where((X[:, [0]] ^ X[:, [1]]) == 1, [1, 2], [2, 1])
    found = theory.suggest_splits(X, Y, "level")
    assert math.isinf(found.C)
    assert found.exact == pytest.approx(math.log2(2000 / math.log(4 / DELTA)))


def test_weights_count_as_rows_and_rows_of_weight_zero_are_absent():
    X, Y = problem()
    weights = np.ones(400)
    weights[300:] = 0
    part = TreeRanker(max_splits="theory").fit(X, Y, sample_weight=weights).theory_
    assert part == TreeRanker(max_splits="theory").fit(X[:300], Y[:300]).theory_
    twice = TreeRanker(max_splits="theory").fit(X, Y, sample_weight=np.full(400, 2)).theory_
    assert twice["n"] == 800


@pytest.mark.parametrize(
    "model",
    [TreeRanker("level", max_splits="theory"), ForestRanker(2, max_samples="theory")],
    ids=["tree", "forest"],
)
def test_estimators_are_cloned_and_pickled_with_the_word_and_not_the_number(model):
    X, Y = problem(100)
    fitted = clone(model).fit(X, Y)
    assert fitted.get_params() == model.get_params()
    assert "theory" in clone(fitted).get_params().values()
    again = pickle.loads(pickle.dumps(fitted))
    assert again.theory_ == fitted.theory_
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    number = {fitted.theory_["setting"]: 2}
    assert fitted.set_params(**number).fit(X, Y).theory_ is None


def test_other_words_are_refused_with_what_is_allowed():
    X, Y = problem(40)
    with pytest.raises(
        TypeError, match="max_splits is 'practice'; use a whole number of 0 or more or 'theory'"
    ):
        TreeRanker(max_splits="practice").fit(X, Y)
    with pytest.raises(ValueError, match=r"a share in \(0, 1\], 'theory' or None, got 'practice'"):
        ForestRanker(2, max_samples="practice").fit(X, Y)
    with pytest.raises(
        TypeError, match=r"max_splits is 'theory'; use a whole number of 0 or more$"
    ):
        ForestRanker(2, max_splits="theory").fit(X, Y)
    with pytest.raises(TypeError, match=r"max_depth is 'theory'; use a whole number of 0 or more$"):
        TreeRanker(max_depth="theory").fit(X, Y)


def test_what_cannot_be_diagnosed_is_refused_with_a_way_out():
    X, Y = problem(40)
    X = X.astype(float)
    with pytest.raises(ValueError, match=r"='theory': there are 19 rows; .* or set max_splits to"):
        TreeRanker(max_splits="theory").fit(X[:19], Y[:19])
    X[7, 3] = np.nan
    with pytest.raises(ValueError, match=r"X, row 7: feature 3 is nan; max_samples='theory' needs"):
        ForestRanker(2, max_samples="theory").fit(X, Y)
    weights = np.ones(40)
    weights[7] = 0
    assert TreeRanker(max_splits="theory").fit(X, Y, sample_weight=weights).theory_["n"] == 39


def test_suggestions_refuse_bad_parameters():
    X, Y = problem(40)
    with pytest.raises(ValueError, match="criterion is 'gini'; use 'level' or 'breiman'"):
        theory.suggest_splits(X, Y, "gini")
    with pytest.raises(ValueError, match="delta is 1; use a number with 0 < delta < 1"):
        theory.suggest_samples(X, Y, delta=1)
    with pytest.raises(ValueError, match="n is 0; use a whole number from 1 to"):
        theory.suggest_splits(X, Y, n=0)
    with pytest.raises(ValueError, match="X has 40 rows but Y has 39"):
        theory.suggest_splits(X, Y[1:])


def test_fits_that_do_not_ask_do_not_load_theory(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("rankwise.theory")]:
        monkeypatch.delitem(sys.modules, name)
    X, Y = problem(40)
    assert TreeRanker(max_splits=2).fit(X, Y).theory_ is None
    assert ForestRanker(2).fit(X, Y).theory_ is None
    assert "rankwise.theory" not in sys.modules
