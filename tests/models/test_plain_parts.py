"""Steps of scikit-learn that files keep as numbers, without skops: round trips, and crafted pieces."""

import subprocess
import sys
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankwise as rw
from models.hostile import pack, unpack
from rankwise.classifiers import WithSquares
from rankwise.models import ModelFileError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.argsort(np.argsort(X + RNG.normal(size=X.shape), axis=1), axis=1) + 1.0
TIED = np.maximum(Y, 2)
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)

FILLING = make_pipeline(
    SimpleImputer(keep_empty_features=True),
    StandardScaler(),
    WithSquares(),
    StandardScaler(),
    LogisticRegression(C=3.0, max_iter=500),
)


def saved(model, folder):
    path = folder / "m.rankwise"
    rw.save_model(model, path)
    return path


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


@pytest.mark.parametrize(
    ("model", "features", "ranks"),
    [
        (rw.PairwiseRanker(), X, Y),
        (rw.PairwiseRanker(), X.astype(np.float32), TIED),
        (rw.PairwiseRanker(FILLING), GAPS, Y),
        (rw.PairwiseRanker(LogisticRegression()), X, Y),
        (rw.PositionRanker(), X, Y),
        (rw.AutoRanker(candidates=["Pairwise(C=1.0)", "PairwiseSquares"], random_state=0), GAPS, Y),
    ],
    ids=["pairs", "pairs with ties", "squares", "no pipeline", "positions", "auto"],
)
def test_logistic_regressions_need_no_skops(model, features, ranks, tmp_path):
    path = saved(model.fit(features, ranks), tmp_path)
    assert "parts.skops" not in members_of(path)
    loaded = rw.load_model(path)
    assert_array_equal(loaded.predict_pairwise(features), model.predict_pairwise(features))
    assert loaded.get_params().keys() == model.get_params().keys()
    # saved again it is the same file
    assert saved(loaded, tmp_path).read_bytes() == path.read_bytes()


def test_steps_come_back_as_they_were(tmp_path):
    model = rw.PairwiseRanker(FILLING).fit(GAPS, Y)
    loaded = rw.load_model(saved(model, tmp_path))
    for pair, pipeline in model.estimators_.items():
        other = loaded.estimators_[pair]
        assert list(other.named_steps) == list(pipeline.named_steps)
        for step, same in zip(pipeline, other, strict=True):
            assert type(same) is type(step)
            assert str(same.get_params()) == str(step.get_params())
            assert vars(same).keys() == vars(step).keys()
            for name, value in vars(step).items():
                assert_array_equal(vars(same)[name], value)
                if isinstance(value, np.ndarray):
                    assert (vars(same)[name].dtype, vars(same)[name].shape) == (
                        value.dtype,
                        value.shape,
                    )


@pytest.mark.parametrize(
    "classifier",
    [
        GaussianNB(),
        make_pipeline(StandardScaler(), GaussianNB()),
        make_pipeline(StandardScaler(), LogisticRegression(), memory=None, verbose=True),
        LogisticRegression(class_weight={False: 1.0, True: 2.0}),
        LogisticRegression(random_state=np.random.RandomState(0)),
    ],
    ids=["other", "other in a pipeline", "pipeline with a setting", "dict", "generator"],
)
def test_anything_else_is_left_to_skops(classifier, tmp_path):
    model = rw.PairwiseRanker(classifier).fit(X, Y)
    assert "parts.skops" in members_of(saved(model, tmp_path))


def test_steps_alone_are_no_model(tmp_path):
    manifest, members = unpack(saved(rw.PairwiseRanker().fit(X, Y), tmp_path).read_bytes())
    _, first = dict(manifest["model"]["state"]["fitted"]["dict"])["estimators_"]["dict"][0]
    manifest["model"] = first
    with pytest.raises(ModelFileError, match="describes no ranker"):
        load_bytes(pack(manifest, members), tmp_path)


@pytest.mark.parametrize("name", [{}, [], None, 3, {"object": "TreeRanker"}], ids=str)
def test_a_class_that_is_no_text_is_refused(name, tmp_path):
    manifest, members = unpack(saved(rw.TreeRanker().fit(X, Y), tmp_path).read_bytes())
    manifest["model"]["object"] = name
    with pytest.raises(ModelFileError, match="describes no ranker"):
        load_bytes(pack(manifest, members), tmp_path)


def load_bytes(data, folder):
    (folder / "given.rankwise").write_bytes(data)
    return rw.load_model(folder / "given.rankwise")


def first_steps(manifest):
    """The states of scaler and regression of the first pair."""
    _, first = dict(manifest["model"]["state"]["fitted"]["dict"])["estimators_"]["dict"][0]
    return [step["state"] for step in first["state"].values()], first


@pytest.mark.parametrize(
    "piece",
    [
        [0, "<f8"],
        [0, "<f8", [3], 1],
        [-8, "<f8", [3]],
        [True, "<f8", [3]],
        [0.0, "<f8", [3]],
        [1 << 70, "<f8", [3]],
        [0, "<f8", [1 << 40]],
        [0, "<f8", [1 << 70]],
        [0, "<f8", [-1]],
        [0, "<f8", 3],
        [0, "|O", [3]],
        [0, ["<f8"], [3]],
        ["0", "<f8", [3]],
        [],
        [0, "<f8", [2]],
        [0, "<f8", [0]],
        [0, "<f8", []],
        [0, "<f8", [3, 1]],
        [0, "|b1", [3]],
    ],
    ids=str,
)
def test_crafted_pieces_are_refused(piece, tmp_path):
    manifest, members = unpack(saved(rw.PairwiseRanker().fit(X, Y), tmp_path).read_bytes())
    (_, regression), _ = first_steps(manifest)
    dict(regression["fitted"]["dict"])["coef_"]["array"] = piece
    with pytest.raises(ModelFileError):
        load_bytes(pack(manifest, members), tmp_path)


@pytest.mark.parametrize("name", ["os", "O", "<f8", "float128", 3, None, ["float64"]], ids=str)
def test_odd_types_are_refused(name, tmp_path):
    manifest, members = unpack(saved(rw.PairwiseRanker(FILLING).fit(X, Y), tmp_path).read_bytes())
    (imputer, *_), _ = first_steps(manifest)
    dict(imputer["fitted"]["dict"])["_fit_dtype"]["dtype"] = name
    with pytest.raises(ModelFileError, match="odd type"):
        load_bytes(pack(manifest, members), tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda first: first["state"].clear(),
        lambda first: first["state"].update(more=3),
        lambda first: first["state"].update(more={"object": "Steps", "state": {}}),
        lambda first: first["state"].update(logisticregression=first["state"]["standardscaler"]),
        lambda first: first["state"].pop("logisticregression"),
        lambda first: first.update(object="LogisticRegression"),
        lambda first: first["state"]["logisticregression"]["state"]["fitted"]["dict"].clear(),
        lambda first: first["state"]["logisticregression"]["state"]["params"]["dict"].append(
            ["evil", 1]
        ),
        lambda first: first["state"]["logisticregression"]["state"]["fitted"]["dict"].append(
            ["predict_proba", 1]
        ),
        lambda first: first["state"]["standardscaler"]["state"]["fitted"]["dict"].append(
            ["__class__", 1]
        ),
    ],
)
def test_crafted_steps_are_refused(change, tmp_path):
    manifest, members = unpack(saved(rw.PairwiseRanker().fit(X, Y), tmp_path).read_bytes())
    change(first_steps(manifest)[1])
    with pytest.raises(ModelFileError):
        load_bytes(pack(manifest, members), tmp_path)


@pytest.mark.parametrize("last", [LogisticRegression(), GaussianNB()], ids=["plain", "by skops"])
def test_a_loaded_step_does_not_write_into_the_rows_that_it_is_given(last, tmp_path):
    steps = make_pipeline(StandardScaler(copy=False), last)
    pairs = rw.PairwiseRanker(steps).fit(X.copy(), Y)
    loaded, rows = rw.load_model(saved(pairs, tmp_path)), X.copy()
    assert_array_equal(loaded.predict(rows), loaded.predict(rows))
    assert_array_equal(rows, X)


def test_a_file_of_steps_is_read_without_skops(tmp_path):
    path = saved(rw.PairwiseRanker().fit(X, Y), tmp_path)
    script = (
        f"import sys, rankwise; rankwise.load_model({str(path)!r}); print('skops' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
