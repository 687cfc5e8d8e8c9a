"""Scikit-learn parts in a crafted file: nothing is called, and nothing but a refusal comes out."""

import contextlib
import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import rankwise as rw
from models.hostile import pack, unpack
from rankwise.models import ModelFileError

X = np.random.default_rng(0).normal(size=(30, 2))
Y = np.argsort(np.argsort(np.c_[X, X[:, 0] * 0.5], axis=1), axis=1) + 1.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("parts")


@pytest.fixture(scope="module")
def good(folder):
    # kept by skops, as all but the steps of the learners that rankwise takes by default
    pairs = rw.PairwiseRanker(make_pipeline(MinMaxScaler(), LogisticRegression()))
    rw.save_model(pairs.fit(X, Y), folder / "good.rankwise")
    return (folder / "good.rankwise").read_bytes()


def load_with(good, folder, change, compression=zipfile.ZIP_STORED):
    """Load the file with the schema of its parts changed, all checksums true."""
    manifest, members = unpack(good)
    with zipfile.ZipFile(io.BytesIO(members["parts.skops"])) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["schema.json"] = change(parts["schema.json"])
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    members["parts.skops"] = target.getvalue()
    path = folder / "given.rankwise"
    path.write_bytes(pack(manifest, members))
    return rw.load_model(path)


def set_first(schema, name, **values):
    """Change the first node whose class has this name."""
    tree = json.loads(schema)
    waiting = [tree]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if value.get("__class__") == name:
                value.update(values)
                return json.dumps(tree).encode()
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    raise AssertionError(name)


def test_unchanged_parts_are_loaded(good, folder):
    assert load_with(good, folder, lambda schema: schema).predict(X).shape == (30, 3)


@pytest.mark.parametrize(
    "values",
    [
        {"__module__": "os", "__class__": "system"},
        {"__module__": "posix", "__class__": "system", "__loader__": "FunctionNode"},
        {"__module__": "builtins", "__class__": "eval", "__loader__": "TypeNode"},
        {"__module__": "sklearn.svm._classes", "__class__": "SVC"},
        {"__module__": "numpy.random.mtrand", "__class__": "RandomState"},
        {"__loader__": "MethodNode"},
        {"__loader__": "OperatorFuncNode"},
        {"__loader__": "ReduceNode"},
        {"__loader__": None},
        {"__module__": None},
        {"__class__": ["a"]},
    ],
)
def test_classes_and_loaders_beyond_the_list_are_refused(good, folder, values):
    with pytest.raises(ModelFileError, match=r"strangers|do not use it"):
        load_with(good, folder, lambda s: set_first(s, "LogisticRegression", **values))


def test_compressed_parts_are_refused(good, folder):
    with pytest.raises(ModelFileError, match="compressed"):
        load_with(good, folder, lambda schema: schema, zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"[" * 100_000, b"{}", b"1"])
def test_a_schema_that_is_none_is_refused(good, folder, text):
    with pytest.raises(ModelFileError, match="scikit-learn parts"):
        load_with(good, folder, lambda _: text)


def test_parts_of_another_kind_where_classifiers_belong_are_refused(good, folder):
    def scaler_instead(schema):
        values = {"__module__": "sklearn.preprocessing._data", "__class__": "StandardScaler"}
        return set_first(schema, "Pipeline", **values)

    with pytest.raises(ModelFileError, match=r"where an estimator belongs|not valid|loaded"):
        load_with(good, folder, scaler_instead)


@given(data=st.data())
def test_flips_in_the_schema_are_refused_or_loaded(data, good, folder):
    def flip(schema):
        changed = bytearray(schema)
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.integers(0, len(schema) - 1))
            changed[place] = data.draw(st.integers(32, 126))
        return bytes(changed)

    with contextlib.suppress(ModelFileError):
        load_with(good, folder, flip)
