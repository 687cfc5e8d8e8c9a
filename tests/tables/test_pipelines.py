"""Pipelines that end in a ranker: shares, positions, explanations and files, by the names of features."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

import rankwise as rw
from models.hostile import pack, unpack
from rankwise.models import ModelFileError
from rankwise.validation import SHARES, cross_validate
from tables.people import by_hand, drinks

X, Y = drinks()
NUMBERS = X[["hour", "heat"]]


def forest():
    return rw.ForestRanker(10, random_state=0)


@pytest.fixture(scope="module")
def plain():
    return make_pipeline(SimpleImputer(), StandardScaler(), forest()).fit(NUMBERS, Y)


@pytest.fixture(scope="module")
def encoded():
    columns = make_column_transformer(
        (SimpleImputer(), ["hour", "heat"]), (OneHotEncoder(), ["place"]), sparse_threshold=1
    )
    densely = FunctionTransformer(lambda A: A.toarray(), feature_names_out="one-to-one")
    return make_pipeline(columns, densely, forest()).fit(X, Y)


def test_shares_and_positions_are_those_of_the_ranker_at_the_end(plain):
    rows = plain[:-1].transform(NUMBERS)
    np.testing.assert_array_equal(
        rw.predict_pairwise(plain, NUMBERS), plain[-1].predict_pairwise(rows)
    )
    positions = rw.predict_positions(plain, NUMBERS)
    assert list(positions.index) == list(X.index)
    np.testing.assert_array_equal(positions, plain[-1].predict_positions(rows))
    ranker = plain[-1]
    np.testing.assert_array_equal(rw.predict_pairwise(ranker, rows), ranker.predict_pairwise(rows))
    kept = cross_validate(
        make_pipeline(SimpleImputer(), forest()), NUMBERS, Y, cv=2, keep=SHARES
    ).kept
    assert kept["shares"].shape == (60, 3, 3)


@pytest.mark.parametrize("model", [make_pipeline(StandardScaler(), LogisticRegression()), 3])
def test_what_ends_in_no_ranker_is_refused(model):
    for ask in (rw.predict_pairwise, rw.predict_positions):
        with pytest.raises(TypeError, match="model must be a fitted ranker"):
            ask(model, NUMBERS)
    with pytest.raises(TypeError, match="model must be a fitted ranker"):
        rw.explain(model, NUMBERS.iloc[0], "tea", "water")


def parts_of(model, X, Y):
    """The explanation of p0 by the features that reach the ranker, and what they add to the certainty."""
    names = model[:-1].get_feature_names_out()
    rows = pd.DataFrame(model[:-1].transform(X), columns=names)
    ranks = Y.reset_index(drop=True)
    inside = forest().fit(rows, ranks)
    found = rw.explain(inside, rows.iloc[[0]], "tea", "coffee", X=rows, Y=ranks)
    return found, {part.feature: part.amount for part in found.contributions}


def test_steps_that_do_not_tell_leave_explanations_by_what_reaches_the_ranker():
    model = make_pipeline(SimpleImputer(), FunctionTransformer(np.sort), forest()).fit(NUMBERS, Y)
    found = rw.explain(model, NUMBERS.iloc[[0]], "tea", "coffee", X=NUMBERS, Y=Y)
    rows, ranks = model[:-1].transform(NUMBERS), Y.reset_index(drop=True)
    same = rw.explain(forest().fit(rows, ranks), rows[0], "tea", "coffee", X=rows, Y=ranks)
    assert found.contributions == same.contributions
    assert [row.name for row in found.similar_rows] == [f"p{row.name}" for row in same.similar_rows]


def test_explanations_show_the_cells_that_were_given_and_not_scaled_ones(plain):
    found = rw.explain(plain, NUMBERS.loc["p0"], "tea", "coffee", X=NUMBERS, Y=Y)
    _, amounts = parts_of(plain, NUMBERS, Y)
    for part in found.contributions:
        np.testing.assert_equal(part.value, NUMBERS.loc["p0", part.feature])
        assert part.amount == amounts[part.feature]
    assert found.base + sum(amounts.values()) == pytest.approx(found.lead)
    unnamed = make_pipeline(StandardScaler(), forest()).fit(NUMBERS[["hour"]].to_numpy(), Y)
    (part,) = rw.explain(unnamed, NUMBERS[["hour"]].to_numpy()[0], "tea", "coffee").contributions
    assert (part.feature, part.value) == ("feature 0", NUMBERS.hour.iloc[0])


@pytest.mark.parametrize("given", [{}, {"max_categories": 2}, {"drop": "if_binary"}])
def test_explanations_add_up_the_categories_of_a_column(given):
    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore", **given)
    scaled = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    columns = make_column_transformer((encoder, ["place", "dry"]), (scaled, ["heat", "hour"]))
    model = make_pipeline(columns, VarianceThreshold(), "passthrough", forest()).fit(X, Y)
    found = rw.explain(model, X.iloc[[0]], "tea", "coffee", X=X, Y=Y)
    _, amounts = parts_of(model, X, Y)
    told = {part.feature: part for part in found.contributions}
    # the heat that is missing tells of one column too, but by a name of its own
    assert {*told} == {"place", "dry", "heat", "hour", "pipeline__missingindicator_heat"}
    for name in ("place", "dry", "heat", "hour"):
        own = [a for feature, a in amounts.items() if feature.split("__")[1].startswith(name)]
        assert told[name].amount == pytest.approx(sum(own))
        assert told[name].value == X[name].iloc[0] or pd.isna(told[name].value)


def test_features_made_of_several_columns_keep_the_names_of_the_steps():
    filled = NUMBERS.fillna(0)
    model = make_pipeline(PolynomialFeatures(include_bias=False), forest()).fit(filled, Y)
    found = rw.explain(model, filled.iloc[[0]], "tea", "coffee")
    assert {part.feature for part in found.contributions} == {
        "hour", "heat", "hour^2", "hour heat", "heat^2",
    }  # fmt: skip


def test_explanations_of_tables_add_up_the_features_of_a_column():
    model = rw.TableRanker(forest()).fit(X, Y)
    found = rw.explain(model, X.loc["p3"], "tea", "coffee", X=X, Y=Y)
    features = by_hand(X, X)
    plain = forest().fit(features, Y)
    parts = rw.explain(plain, features.loc[["p3"]], "tea", "coffee", X=features, Y=Y)
    amounts = {part.feature: part.amount for part in parts.contributions}
    for part in found.contributions:
        own = [
            a for f, a in amounts.items() if f == part.feature or f.startswith(part.feature + "=")
        ]
        assert part.amount == pytest.approx(sum(own))
        assert part.value == X.loc["p3", part.feature] or pd.isna(part.value)
    assert [part.feature for part in found.contributions][:2] in (
        ["hour", "place"],
        ["place", "hour"],
    )
    assert found.similar_rows == parts.similar_rows
    assert (found.base, found.lead) == (parts.base, parts.lead)
    assert f"place = {X.loc['p3', 'place']}" in str(found)


def test_explanations_of_tables_take_any_ranker_and_any_order_of_labels():
    model = rw.TableRanker(make_pipeline(SimpleImputer(), forest())).fit(X, Y)
    found = rw.explain(model, X.iloc[[3]], "water", "tea", X=X, Y=Y[["water", "tea", "coffee"]])
    assert (found.a, found.b) == ("water", "tea")
    assert {part.feature for part in found.contributions} == {*X}
    assert f"place = {X.place.iloc[3]}" in str(found)
    for row in found.similar_rows:
        assert (row.rank_a, row.rank_b) == tuple(Y.loc[row.name, ["water", "tea"]])
    with pytest.raises(ValueError, match="the model knows no label 'te'"):
        rw.explain(model, X.iloc[[3]], "te", "water")
    with pytest.raises(ValueError, match="one row of features"):
        rw.explain(model, X, "tea", "water")


def test_a_saved_pipeline_is_the_same(plain, tmp_path):
    rw.save_model(plain, tmp_path / "p.rankwise")
    loaded = rw.load_model(tmp_path / "p.rankwise")
    assert isinstance(loaded, Pipeline)
    assert repr(loaded) == repr(plain)
    pd.testing.assert_frame_equal(loaded.predict(NUMBERS), plain.predict(NUMBERS))


def test_steps_that_are_not_taken_from_strangers_are_named(tmp_path):
    columns = make_column_transformer(
        (SimpleImputer(), ["hour", "heat"]), (OneHotEncoder(), ["place"])
    )
    model = make_pipeline(columns, forest()).fit(X, Y)
    rw.save_model(model, tmp_path / "p.rankwise")
    with pytest.raises(
        ModelFileError, match=r"trusted=\[.*ColumnTransformer.*OneHotEncoder"
    ) as error:
        rw.load_model(tmp_path / "p.rankwise")
    names = str(error.value).partition("trusted=")[2].strip("[]").replace("'", "").split(", ")
    loaded = rw.load_model(tmp_path / "p.rankwise", trusted=names)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_pipelines_without_a_ranker_and_crafted_ones_are_refused(plain, tmp_path):
    other = make_pipeline(StandardScaler(), LogisticRegression()).fit([[1], [2]], [0, 1])
    with pytest.raises(TypeError, match="a Pipeline cannot be saved"):
        rw.save_model(other, tmp_path / "o.rankwise")
    path = tmp_path / "p.rankwise"
    rw.save_model(plain, path)
    whole = path.read_bytes()
    (_, step), *_, last = unpack(whole)[0]["model"]["state"]["steps"]
    for steps, reason in [
        ([], "no steps"),
        (3, "no steps"),
        ([["a", None], last[1:]], "without a name"),
        ([last, ["end", step]], "does not end in a ranker"),
        ([["a", step], ["a", step], last], "two steps of one name"),
        ([["a", 3], last], "holds a int where an estimator belongs"),
    ]:
        manifest, members = unpack(whole)
        manifest["model"]["state"]["steps"] = steps
        path.write_bytes(pack(manifest, members))
        with pytest.raises(ModelFileError, match=reason):
            rw.load_model(path)


@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("ranker", [rw.PairwiseRanker, rw.PositionRanker])
def test_sparse_rows_teach_what_full_ones_teach(kind, gaps, ranker):
    full = by_hand(X, X).drop(columns="heat").to_numpy()
    ranks = Y.to_numpy(dtype=float).copy()
    if gaps:
        ranks[::5, 0] = np.nan
    by_full = ranker(LogisticRegression()).fit(full, ranks)
    model = ranker(LogisticRegression()).fit(kind(full), ranks)
    np.testing.assert_array_equal(model.predict(kind(full)), by_full.predict(full))
    np.testing.assert_allclose(
        model.predict_pairwise(kind(full)), by_full.predict_pairwise(full), atol=1e-4
    )
    np.testing.assert_allclose(
        model.predict_positions(kind(full)), by_full.predict_positions(full), atol=1e-3
    )


@pytest.mark.parametrize(
    "ranker", [rw.ForestRanker(), rw.PairwiseRanker(), rw.TableRanker(), rw.AutoRanker()]
)
def test_sparse_rows_are_refused_with_what_to_do(ranker):
    with pytest.raises(TypeError, match=r"sparse matrix.*LogisticRegression\(\)\)"):
        ranker.fit(sparse.eye_array(3).tocsr(), [[1, 2]] * 3)


@pytest.mark.parametrize("ranker", [rw.ForestRanker(), rw.AutoRanker(), rw.LabelwiseRanker()])
@pytest.mark.parametrize(
    ("table", "where"),
    [
        (X, "column 'place'"),
        (X[["place"]].astype("category"), "column 'place'"),
        (X.to_numpy(dtype=object), "feature 1"),
        ([[8, "home"], [9, "work"]], "feature 1"),
    ],
)
def test_texts_in_a_plain_ranker_are_named_with_the_remedy(ranker, table, where):
    name = type(ranker).__name__
    with pytest.raises(
        ValueError, match=rf"X: {where} holds the text '.*TableRanker\({name}\(\)\)"
    ):
        ranker.fit(table, Y[: len(table)])
