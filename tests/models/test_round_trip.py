"""What is saved comes back equal: predictions bit for bit, parameters, attributes, names."""

import os
import warnings
from inspect import isabstract

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankwise as rw
from rankwise import baselines, hypotheses, pairwise, tree
from rankwise.baselines import (
    LRRF,
    LRT,
    LWD,
    RPC,
    BoostLR,
    Consensus,
    InstanceMallows,
    InstancePlackettLuce,
    InstancePLR,
    KernelRidgeKemeny,
    KNNKemeny,
    PLRBagging,
    PLRForest,
    PLRTree,
)
from rankwise.hypotheses import Ball, Halfspace, Rectangle, SigmoidNetwork, SignNetwork
from rankwise.models import ModelFileError
from rankwise.models._allowed_classes import model_classes

RNG = np.random.default_rng(0)
BOOLEAN = RNG.integers(0, 2, size=(80, 5)).astype(float)
REAL = RNG.normal(size=(80, 4))
GAPS = np.where(RNG.random(REAL.shape) < 0.1, np.nan, REAL)
RANKS = np.argsort(np.argsort(REAL + RNG.normal(size=REAL.shape), axis=1), axis=1) + 1.0
INCOMPLETE = np.where(RNG.random(RANKS.shape) < 0.3, np.nan, RANKS)
TIED = np.minimum(RANKS, 3.0)
NAMES = ["tea", "coffee", "water", "milk, hot"]


def again(model, folder, **options):
    rw.save_model(model, folder / "m.rankwise")
    return rw.load_model(folder / "m.rankwise", **options)


def assert_equal_models(model, loaded, X):
    assert type(loaded) is type(model)
    assert set(vars(loaded)) == set(vars(model))
    for method in ("predict", "predict_positions", "predict_pairwise"):
        before, after = getattr(model, method)(X), getattr(loaded, method)(X)
        assert type(before) is type(after)
        assert np.asarray(before).dtype == np.asarray(after).dtype
        assert_array_equal(np.asarray(before), np.asarray(after))


@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
@pytest.mark.parametrize("X", [BOOLEAN, REAL, GAPS], ids=["boolean", "real", "gaps"])
@pytest.mark.parametrize("Y", [RANKS, INCOMPLETE, TIED], ids=["complete", "incomplete", "tied"])
@pytest.mark.parametrize(
    "model",
    [
        rw.TreeRanker(max_depth=4),
        rw.TreeRanker("level", max_splits=3, honest=True, random_state=1),
        rw.ForestRanker(4, max_samples=0.5, max_features="sqrt", random_state=2),
    ],
    ids=["tree", "level", "forest"],
)
def test_trees_come_back_bit_for_bit(model, X, Y, tmp_path):
    model.fit(X, Y)
    loaded = again(model, tmp_path)
    assert_equal_models(model, loaded, X)
    assert loaded.get_params() == model.get_params()
    assert_array_equal(loaded.label_importances_, model.label_importances_)
    assert getattr(loaded, "splits_", None) == getattr(model, "splits_", None)


def test_a_joint_tree_comes_back(tmp_path):
    model = rw.TreeRanker(decomposition="joint").fit(REAL, RANKS)
    assert_equal_models(model, again(model, tmp_path), REAL)


@pytest.mark.parametrize("X", [REAL, BOOLEAN], ids=["real", "boolean"])
@pytest.mark.parametrize(
    "model",
    [
        Consensus(),
        LRT(),
        LRRF(3, random_state=0),
        BoostLR(5, random_state=0),
        KNNKemeny(),
        KNNKemeny(4, embedding="hamming"),
        KNNKemeny(4, embedding="lehmer"),
        InstanceMallows(),
        InstancePlackettLuce(5),
        InstancePLR(),
        PLRTree(),
        PLRForest(3, random_state=0),
        PLRBagging(3, random_state=0),
        KernelRidgeKemeny(),
        KernelRidgeKemeny(0.1, 0.5, embedding="hamming"),
    ],
    ids=lambda model: f"{type(model).__name__}-{getattr(model, 'embedding', '')}",
)
def test_baselines_of_arrays_come_back(model, X, tmp_path):
    model.fit(X, RANKS)
    assert_equal_models(model, again(model, tmp_path), X)


@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
@pytest.mark.parametrize(
    "model",
    [
        KNNKemeny(5),
        InstanceMallows(5),
        InstancePlackettLuce(5),
        InstancePLR(5),
        PLRTree(),
        KernelRidgeKemeny(0.1, 0.5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_remembered_rows_with_gaps_and_names_come_back(model, tmp_path):
    X = pd.DataFrame(REAL, columns=["ph", "temp", "naïve", "="])
    model.fit(X, pd.DataFrame(INCOMPLETE, columns=NAMES))
    loaded = again(model, tmp_path)
    assert_equal_models(model, loaded, X)
    assert loaded.get_params() == model.get_params()


def test_every_estimator_of_the_package_can_be_saved():
    packages = (baselines, hypotheses, pairwise, tree)
    classes = {getattr(package, name) for package in packages for name in package.__all__}
    classes = {cls for cls in classes if isinstance(cls, type) and not isabstract(cls)}
    estimators = {cls for cls in classes if hasattr(cls, "get_params")}
    assert {*estimators, rw.ForestRanker} <= set(model_classes())


@pytest.mark.parametrize(
    "classifier",
    [
        Halfspace(time_limit=0),
        Ball(time_limit=0),
        Rectangle(time_limit=0),
        SigmoidNetwork(3, max_iter=20),
        SignNetwork(3, max_iter=20),
    ],
    ids=lambda classifier: type(classifier).__name__,
)
def test_hypotheses_come_back_alone_and_as_classifiers_of_pairs(classifier, tmp_path):
    Y = RANKS[:, :2].argsort(axis=1) + 1.0
    model = rw.PairwiseRanker(classifier).fit(REAL, Y)
    assert_equal_models(model, again(model, tmp_path), REAL)
    alone = model.estimators_[0, 1]
    loaded = again(alone, tmp_path)
    assert set(vars(loaded)) == set(vars(alone))
    assert_array_equal(loaded.decision_function(REAL), alone.decision_function(REAL))
    with pytest.raises(ValueError, match="not fitted"):
        rw.save_model(classifier, tmp_path / "m.rankwise")


def test_a_hypothesis_in_a_pipeline_needs_no_trust(tmp_path):
    steps = make_pipeline(StandardScaler(), Halfspace(time_limit=0))
    model = rw.PairwiseRanker(steps).fit(REAL, RANKS[:, :2].argsort(axis=1) + 1.0)
    assert_equal_models(model, again(model, tmp_path), REAL)


def test_names_come_back_and_are_used(tmp_path):
    X = pd.DataFrame(REAL, columns=["ph", "temp", "naïve", "="])
    model = rw.ForestRanker(2, random_state=0, oob_score=True).fit(
        X, pd.DataFrame(RANKS, columns=NAMES)
    )
    loaded = again(model, tmp_path)
    assert list(loaded.predict(X).columns) == NAMES
    assert list(loaded.feature_names_in_) == list(X.columns)
    assert loaded.oob_score_ == model.oob_score_
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(X[["temp", "ph", "naïve", "="]])


@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
@pytest.mark.parametrize(
    "model",
    [
        rw.PairwiseRanker(),
        rw.PairwiseRanker(GaussianNB(), aggregation="borda"),
        rw.PairwiseRanker(RidgeClassifier(), break_ties="random", random_state=4),
        rw.PositionRanker(),
        RPC(),
        LWD(),
        LWD(GaussianNB(), aggregation="assignment"),
        rw.LabelwiseRanker(LinearRegression()),
    ],
    ids=["logistic", "bayes", "ridge", "position", "rpc", "lwd", "lwd-bayes", "labelwise"],
)
def test_rankers_with_harmless_scikit_learn_parts_come_back(model, tmp_path):
    model.fit(REAL, RANKS)
    assert_equal_models(model, again(model, tmp_path), REAL)


@pytest.mark.parametrize("model", [rw.PairwiseRanker(), rw.PositionRanker()])
def test_rankers_of_classifiers_with_weighted_rows_come_back(model, tmp_path):
    model.fit(REAL, RANKS, np.linspace(0.5, 2, len(RANKS)))
    assert_equal_models(model, again(model, tmp_path), REAL)


def test_parts_that_could_crash_the_process_need_to_be_trusted_by_name(tmp_path):
    model = rw.PairwiseRanker(RandomForestClassifier(2, random_state=0)).fit(REAL, RANKS)
    with pytest.raises(ModelFileError, match=r"trusted=\[.*'sklearn.tree._tree.Tree'\]") as caught:
        again(model, tmp_path)
    names = str(caught.value).split("trusted=")[1].strip("[]").replace("'", "").split(", ")
    assert_equal_models(model, again(model, tmp_path, trusted=names), REAL)
    with pytest.raises(TypeError, match="give a list of names"):
        again(model, tmp_path, trusted=names[0])


def test_the_same_model_gives_the_same_bytes(tmp_path):
    for name in "ab":
        model = rw.ForestRanker(2, random_state=0).fit(REAL, RANKS)
        rw.save_model(model, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_random_generator_is_not_kept_and_that_is_told(tmp_path):
    model = rw.TreeRanker(honest=True, random_state=np.random.default_rng(0)).fit(REAL, RANKS)
    with pytest.warns(UserWarning, match="random_state is a Generator"):
        loaded = again(model, tmp_path)
    assert loaded.random_state is None
    assert_equal_models(model, loaded, REAL)


@pytest.mark.parametrize("thing", [None, "model", LinearRegression(), rw.TreeRanker])
def test_other_things_are_not_saved(thing, tmp_path):
    with pytest.raises(TypeError, match="cannot be saved"):
        rw.save_model(thing, tmp_path / "m.rankwise")


def test_a_ranker_that_is_not_fitted_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        rw.save_model(rw.ForestRanker(), tmp_path / "m.rankwise")


def test_a_file_is_replaced_wholly_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "m.rankwise"
    model = rw.TreeRanker().fit(REAL, RANKS)
    rw.save_model(model, path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", _fail)
    with pytest.raises(OSError, match="full"):
        rw.save_model(rw.TreeRanker(max_depth=1).fit(REAL, RANKS), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.rankwise"]


def _fail(*_):
    raise OSError("disk full")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match="there is no folder"):
        rw.save_model(rw.TreeRanker().fit(REAL, RANKS), tmp_path / "no" / "m.rankwise")


def test_loading_takes_no_pickle_and_no_import_by_name():
    """The package neither imports pickle nor imports a module whose name is in a file."""
    import rankwise.models as package

    folder = os.path.dirname(package.__file__)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name)) as handle:
                text = handle.read()
            for word in ("import pickle", "import_module", "eval(", "exec(", "__import__"):
                assert word not in text, (name, word)


def test_loaded_arrays_are_writable_so_that_kernels_compile_once(tmp_path):
    loaded = again(rw.TreeRanker().fit(REAL, RANKS), tmp_path)
    assert loaded._trees.values.flags.writeable
    assert loaded._trees.feature.flags.c_contiguous


def test_refitting_a_loaded_model_works(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = again(rw.ForestRanker(2, random_state=0).fit(REAL, RANKS), tmp_path)
        assert_array_equal(
            loaded.fit(REAL, TIED).predict(REAL),
            rw.ForestRanker(2, random_state=0).fit(REAL, TIED).predict(REAL),
        )
