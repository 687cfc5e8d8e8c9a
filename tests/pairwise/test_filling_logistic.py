"""Logistic regression as a few numbers, held against the pipeline of scikit-learn that it stands for."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankwise as rw
from models.hostile import pack, unpack
from rankwise.classifiers import FillingLogistic, WithSquares
from rankwise.learners import find_learner
from rankwise.models import ModelFileError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) * [1.0, 20.0, 0.01] + [0.0, 2000.0, 5.0]
GAPS = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
SCALED = (X - X.mean(axis=0)) / X.std(axis=0)
EMPTY = np.where([True, False, False], np.nan, X)
TWO = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
THREE = TWO + (X[:, 1] > 2010)
WEIGHTS = RNG.integers(1, 4, size=60).astype(float)


def pipeline(squares):
    filling = SimpleImputer(keep_empty_features=True)
    if not squares:
        return make_pipeline(filling, StandardScaler(), LogisticRegression(C=0.3))
    steps = (filling, StandardScaler(), WithSquares(), StandardScaler())
    return make_pipeline(*steps, LogisticRegression(C=0.3, max_iter=500))


@pytest.mark.parametrize("squares", [False, True])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three classes"])
@pytest.mark.parametrize("rows", [X, GAPS, EMPTY], ids=["full", "gaps", "an empty column"])
def test_it_predicts_what_the_pipeline_predicts(rows, y, squares):
    plain = pipeline(squares).fit(rows, y)
    model = FillingLogistic(0.3, squares=squares, max_iter=500).fit(rows, y)
    for new in (rows, GAPS, X[:1]):
        assert_allclose(model.predict_proba(new), plain.predict_proba(new), atol=1e-12)
        assert_array_equal(model.predict(new), plain.predict(new))


def test_a_row_of_weight_two_counts_as_two():
    plain = pipeline(False)
    weighted = {f"{plain.steps[i][0]}__sample_weight": WEIGHTS for i in (1, 2)}
    expected = plain.fit(X, TWO, **weighted).predict_proba(X)
    found = FillingLogistic(0.3).fit(X, TWO, WEIGHTS).predict_proba(X)
    assert_allclose(found, expected, atol=1e-12)


def test_names_of_columns_are_kept_and_asked_for():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = FillingLogistic().fit(frame, TWO)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c"]])


def test_far_from_all_rows_it_is_sure_and_warns_of_nothing(recwarn):
    sure = FillingLogistic().fit(X, TWO).predict_proba([[-1e9, 2000.0, 5.0], [1e9, 2000.0, 5.0]])
    assert_array_equal(sure, [[1, 0], [0, 1]])
    assert not recwarn.list


@pytest.mark.parametrize("name", ["Pairwise", "Pairwise(C=0.1)", "PairwiseSquares"])
def test_learners_of_the_default_mixture_come_back_from_files(name, tmp_path):
    ranks = rw.ranks_from_scores(SCALED @ RNG.normal(size=(3, 4)))
    model = find_learner(name).estimator(0).fit(GAPS, ranks)
    rw.save_model(model, tmp_path / "m.rankwise")
    loaded = rw.load_model(tmp_path / "m.rankwise")
    assert_array_equal(loaded.predict_pairwise(GAPS), model.predict_pairwise(GAPS))
    assert str(loaded.estimator) == str(model.estimator)
    clone(loaded).fit(GAPS, ranks)


def lines_of(folder):
    """A model file taken apart, and what it says of the first pair."""
    ranks = rw.ranks_from_scores(SCALED @ RNG.normal(size=(3, 3)))
    rw.save_model(find_learner("Pairwise").estimator(0).fit(X, ranks), folder / "m.rankwise")
    manifest, members = unpack((folder / "m.rankwise").read_bytes())
    _, first = dict(manifest["model"]["state"]["fitted"]["dict"])["estimators_"]["dict"][0]
    return manifest, members, first["state"]


def put(state, name, value):
    state["fitted"]["dict"] = [
        [key, value if key == name else v] for key, v in state["fitted"]["dict"]
    ]


@pytest.mark.parametrize("name", ["fill_", "centre_", "spread_", "coef_", "intercept_", "classes_"])
@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "x",
        {"array": [0, "<f8", [2]]},
        {"array": [0, "<f8", [1, 2]]},
        {"array": [0, "|u1", [3]]},
    ],
    ids=str,
)
def test_crafted_numbers_are_refused(name, value, tmp_path):
    manifest, members, state = lines_of(tmp_path)
    put(state, name, value)
    (tmp_path / "m.rankwise").write_bytes(pack(manifest, members))
    with pytest.raises(ModelFileError):
        rw.load_model(tmp_path / "m.rankwise")


@pytest.mark.parametrize("squares", [True, 1, "yes", None])
def test_crafted_squares_are_refused(squares, tmp_path):
    manifest, members, state = lines_of(tmp_path)
    state["params"]["dict"] = [["squares", squares]]
    (tmp_path / "m.rankwise").write_bytes(pack(manifest, members))
    with pytest.raises(ModelFileError):
        rw.load_model(tmp_path / "m.rankwise")


def test_a_pair_that_was_never_fitted_is_refused(tmp_path):
    manifest, members, state = lines_of(tmp_path)
    state["fitted"]["dict"] = []
    (tmp_path / "m.rankwise").write_bytes(pack(manifest, members))
    with pytest.raises(ModelFileError, match="FillingLogistic"):
        rw.load_model(tmp_path / "m.rankwise")


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_rows_farther_out_than_floats_reach_are_seen_without_a_warning():
    X = np.random.default_rng(0).normal(size=(12, 2)) * 1e-10
    model = FillingLogistic().fit(X, X[:, 0] > 0)
    assert model.design([[1e308, 0.0]])[0, 0] == np.inf
