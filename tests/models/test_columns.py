"""The recipe of columns: the same features as the reader made, from any later table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import rankwise as rw
from models.hostile import pack, unpack
from rankwise.datasets import read
from rankwise.datasets.tables import FeatureColumns, use_table
from rankwise.models import Column, ModelFileError, Recipe, TableModel
from rankwise.ranker import Certainty

CELLS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2.5", "", "-3e2", "NA"]),
        st.sampled_from(["red", "green", "blue", "?"]),
        st.sampled_from(["yes", "no", ""]),
        st.sampled_from(["only"]),
    ),
    min_size=3,
    max_size=15,
)


@given(rows=CELLS)
def test_the_recipe_makes_the_features_that_the_reader_made(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("t") / "t.csv"
    lines = [",".join([*row, "a>b" if i % 2 else "b>a"]) for i, row in enumerate(rows)]
    path.write_text("\n".join(["size,colour,dry,one=two,ranking", *lines]) + "\n")
    data = read(path)
    assert data.recipe.feature_names == list(data.feature_names)
    header, chunks = use_table(path, lambda table: (table.header, list(table.chunks())))
    features = FeatureColumns.by_recipe(data.recipe, path, header)
    parts = [features.encode(columns, lines) for lines, columns in chunks]
    assert_array_equal(np.concatenate(parts), data.features)
    assert features.unknown_remarks() == []


def test_names_that_look_like_categories_are_no_categories(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("c,c=x,ranking\nx,1,a>b\ny,2,b>a\nz,3,a>b\n")
    with pytest.raises(ValueError, match="two features are called 'c=x'"):
        read(path)
    path.write_text("c,c=w,ranking\nx,1,a>b\ny,2,b>a\nz,3,a>b\n")
    recipe = read(path).recipe
    assert recipe.columns == (Column("c", ("x", "y", "z")), Column("c=w"))
    assert recipe.feature_names == ["c=x", "c=y", "c=z", "c=w"]


def test_a_decimal_comma_is_read_where_the_separator_allows_it(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("size;name\n1,5;x\n")
    header, (lines, columns) = use_table(path, lambda table: (table.header, next(table.chunks())))
    recipe = Recipe((Column("size"),))
    features = FeatureColumns.by_recipe(recipe, path, header, allow_comma=True)
    assert features.encode(columns, lines).tolist() == [[1.5]]
    assert features.numbers.comma_line == 2


@pytest.fixture
def model():
    X = pd.DataFrame({"hour": [8.0, 9, 17, 18], "place=home": [1.0, 0, 1, 0]})
    ranker = rw.TreeRanker().fit(X, [[2, 1, 3], [2, 1, 3], [1, 3, 2], [1, 3, 2]])
    recipe = Recipe((Column("hour"), Column("place", ("work", "home"))))
    certainty = Certainty(0.5, 0.6, 40, 10)
    return TableModel(ranker, recipe, ("tea", "coffee", "water"), certainty, {"rows": 4, "x": None})


def test_a_table_model_comes_back_equal(model, tmp_path):
    rw.save_model(model, tmp_path / "m.rankwise")
    loaded = rw.load_model(tmp_path / "m.rankwise")
    assert loaded.recipe == model.recipe
    assert loaded.certainty == model.certainty
    assert loaded.facts == model.facts
    assert loaded.label_names == model.label_names
    frame = pd.DataFrame(
        {"place": ["home", None], "hour": [7, 16.5], "id": ["p", "q"]}, index=[5, 7]
    )
    pd.testing.assert_frame_equal(loaded.predict_table(frame), model.predict_table(frame))
    assert list(loaded.predict_table(frame).index) == [5, 7]
    assert len(loaded.predict_table(frame[:0])) == 0


def test_a_table_without_the_columns_is_refused(model):
    with pytest.raises(ValueError, match="lacks the column 'place'"):
        model.predict_table(pd.DataFrame({"hour": [7]}))


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("columns", [["hour", None]], "do not make the features"),
        ("columns", [["hour", None], ["hour", None]], "do not make the features"),
        ("columns", [["hour", None], [3, None]], "without a name"),
        ("columns", [["hour", None], ["place", [1, 2]]], "no texts"),
        ("columns", None, "no columns"),
        ("label_names", ["tea", "tea", "water"], "different labels"),
        ("label_names", ["tea", "water"], "different labels"),
        ("label_names", "tea", "no texts"),
        ("certainty", 0.5, "how sure"),
        ("ranker", None, "no ranker"),
        ("ranker", {"object": "Certainty", "state": {}}, "lacks a part or a number"),
        ("facts", [], "no facts"),
    ],
)
def test_crafted_table_models_are_refused(model, tmp_path, key, value, reason):
    path = tmp_path / "m.rankwise"
    rw.save_model(model, path)
    manifest, members = unpack(path.read_bytes())
    manifest["model"]["state"][key] = value
    if key == "ranker":
        members = {}
        manifest["members"] = {}
    path.write_bytes(pack(manifest, members))
    with pytest.raises(ModelFileError, match=reason):
        rw.load_model(path)


@pytest.mark.parametrize("slope", [0, -1.0, {"float": "nan"}, {"float": "inf"}, "1", 1000.0, True])
def test_crafted_certainty_is_refused(model, tmp_path, slope):
    path = tmp_path / "m.rankwise"
    rw.save_model(model, path)
    manifest, members = unpack(path.read_bytes())
    manifest["model"]["state"]["certainty"]["state"]["slope"] = slope
    path.write_bytes(pack(manifest, members))
    with pytest.raises(ModelFileError, match="certainty has the number"):
        rw.load_model(path)
