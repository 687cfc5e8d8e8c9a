"""Tables in, rankings out: the features are those made by hand, names stay, and nothing is guessed."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankwise as rw
from models.hostile import pack, set_entry, unpack
from rankwise.baselines import KNNKemeny
from rankwise.cli import main
from rankwise.cli._main import run
from rankwise.datasets import read
from rankwise.models import ModelFileError
from rankwise.validation import SHARES, cross_validate
from tables.people import by_hand, drinks

polars = pytest.importorskip("polars")

X, Y = drinks()
FOREST = rw.ForestRanker(10, random_state=0)
PIPELINE = make_pipeline(SimpleImputer(), StandardScaler(), FOREST)


@pytest.fixture(scope="module")
def model():
    return rw.TableRanker(FOREST).fit(X, Y)


def as_polars(frame):
    plain = {n: [None if pd.isna(c) else c for c in frame[n].tolist()] for n in frame}
    return polars.DataFrame(plain, schema_overrides={"size": polars.Enum(["S", "M", "L", "XL"])})


def test_features_are_those_made_by_hand(model):
    new = drinks(seed=1)[0][["size", "place", "heat", "dry", "hour"]].assign(extra="x")
    new.iloc[3, 1] = None
    pd.testing.assert_frame_equal(
        pd.DataFrame(model.encode(new), columns=model.recipe_.feature_names, index=new.index),
        by_hand(new, X),
    )
    plain = clone(FOREST).fit(by_hand(X, X), Y)
    assert list(plain.feature_names_in_) == model.recipe_.feature_names
    pd.testing.assert_frame_equal(model.predict(new), plain.predict(by_hand(new, X)))
    np.testing.assert_array_equal(
        model.predict_pairwise(new), plain.predict_pairwise(by_hand(new, X))
    )
    pd.testing.assert_frame_equal(
        model.predict_positions(new), plain.predict_positions(by_hand(new, X))
    )


def test_names_are_those_of_the_table(model):
    assert list(model.feature_names_in_) == list(X.columns)
    assert list(model.labels_) == ["tea", "coffee", "water"]
    assert list(model.predict(X).index) == list(X.index)
    assert model.n_features_in_ == 5
    shares = model.ranker_.feature_importances_
    np.testing.assert_allclose(
        model.feature_importances_,
        [shares[0], shares[1:4].sum(), shares[4], *[shares[5:8].sum()], shares[8]],
    )


def test_polars_gives_what_pandas_gives_and_comes_back_as_polars(model):
    same = rw.TableRanker(FOREST).fit(as_polars(X), as_polars(Y))
    assert same.recipe_ == model.recipe_
    predicted = same.predict(as_polars(X))
    assert isinstance(predicted, polars.DataFrame)
    assert predicted.columns == ["tea", "coffee", "water"]
    np.testing.assert_array_equal(predicted.to_numpy(), model.predict(X).to_numpy())
    # a model of the one reads rows of the other
    np.testing.assert_array_equal(model.predict(as_polars(X)).to_numpy(), predicted.to_numpy())
    assert list(same.predict(X).index) == list(X.index)


def test_categories_that_were_never_seen_are_reported_and_taken_as_missing(model):
    new = X.head(3).assign(place=["moon", "home", "moon"])
    with pytest.warns(
        UserWarning, match=r"column 'place' holds 'moon' \(2 rows\), never seen"
    ) as said:
        features = model.encode(new)
    assert len(said) == 1
    assert said[0].filename == __file__
    with pytest.warns(UserWarning, match="never seen") as said:
        rw.explain(model, new.head(1), "tea", "water")
    assert {each.filename for each in said} == {__file__}
    places = [name.startswith("place") for name in model.recipe_.feature_names]
    assert np.isnan(features[[0, 2]][:, places]).all()
    assert not np.isnan(features[1, places]).any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)


@pytest.mark.parametrize("cell", ["True", True, np.True_, 1])
def test_a_column_of_categories_takes_cells_of_other_types(cell, model):
    row = X.head(1).astype({"dry": object}).assign(dry=[cell], place="work")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        features = dict(zip(model.recipe_.feature_names, model.encode(row)[0], strict=True))
    if cell is not True and cell == 1 and not isinstance(cell, np.bool_):
        assert "column 'dry' holds '1'" in str(said[0].message)
    else:
        assert features["dry=True"] == 1
        assert not said


def test_whole_numbers_are_categories_whether_they_have_a_point_or_not():
    grade = pd.DataFrame({"grade": [1, 2, 3, 1, 2, 3], "x": [1.0, 4, 2, 8, 5, 7]})
    ranks = [[1, 2], [2, 1]] * 3
    model = rw.TableRanker(rw.TreeRanker(), nominal=["grade"]).fit(grade, ranks)
    assert model.recipe_.feature_names == ["grade=1", "grade=2", "grade=3", "x"]
    gaps = pd.DataFrame({"grade": [3.0, np.nan], "x": [1, 1]})
    np.testing.assert_array_equal(model.encode(gaps)[:, :3], [[0, 0, 1], [np.nan] * 3])


DAY = datetime.date(2024, 3, 1)
FAULTS = {
    "dates": (
        X.assign(day=pd.Timestamp(DAY)),
        r"column 'day' holds dates .* drop=\[…\].*as a number",
    ),
    "date objects": (X.assign(day=[DAY] * len(X)), "column 'day' holds dates or times"),
    "polars dates": (
        as_polars(X).with_columns(polars.lit(DAY).alias("day")),
        r"column 'day' holds dates or times \(Date\)",
    ),
    "two columns of dates": (
        X.assign(day=pd.Timestamp(DAY), then=[DAY] * len(X)),
        r"columns hold days: 'day' .*, 'then' .*; leave them out with drop=\[…\], write them as",
    ),
    "dates as texts, and identifiers": (
        X.assign(day=str(DAY), who=[f"w{i % 40}" for i in range(len(X))]),
        r"2 columns cannot be .*'day' holds dates .*'who' looks like .*drop=\['day', 'who'\]",
    ),
    "durations": (X.assign(took=pd.Timedelta("3h")), "column 'took' holds dates or times"),
    "lists": (X.assign(tags=[["a"]] * len(X)), r"row 0 \(index 'p0'\): column 'tags' holds a list"),
    "text among numbers": (
        X.assign(hour=[*X.hour[:-1], "late"]),
        r"row 59 \(index 'p59'\): column 'hour' holds 'late', which is no number.*nominal=",
    ),
    "number among texts": (
        X.assign(place=[*X.place[:-1], 7]),
        r"row 59 \(index 'p59'\): column 'place' holds the number '7'.*nominal=",
    ),
    "infinite": (X.assign(heat=np.inf), r"row 0 \(index 'p0'\): column 'heat' holds 'inf'"),
    "complex": (X.assign(heat=1j), "Complex data not supported"),
    "no rows": (X[:0], r"0 sample\(s\)"),
    "no columns": (X[[]], r"0 feature\(s\)"),
    "two of a name": (pd.concat([X, X[["place"]]], axis=1), "two columns called 'place'"),
    "identifiers": (
        X.assign(who=[f"w{i % 40}" for i in range(len(X))]),
        r"column 'who' holds 40 different texts in 60 rows.*drop=\['who'\]",
    ),
    "a category like a column": (
        X.assign(**{"place=home": 1.0}),
        "two features are called 'place=home'",
    ),
    "names alone": (
        X[[]].assign(id=X.index),
        "no column to learn from; column 'id' holds a different",
    ),
    "lazy": (as_polars(X).lazy(), r"LazyFrame; give X.collect\(\)"),
}


@pytest.mark.parametrize(("table", "message"), FAULTS.values(), ids=FAULTS)
def test_what_is_no_feature_is_named_with_what_to_do(table, message):
    ranks = Y[:0] if getattr(table, "shape", (1,))[0] == 0 else Y
    with pytest.raises((ValueError, TypeError), match=message):
        rw.TableRanker(rw.TreeRanker()).fit(table, ranks)


def test_dates_may_be_left_out_or_called_categories():
    dated = X.assign(day=pd.Timestamp(DAY))
    assert "day" not in rw.TableRanker(FOREST, drop=["day"]).fit(dated, Y).recipe_.feature_names
    kept = rw.TableRanker(FOREST, nominal=["day"]).fit(dated, Y)
    assert kept.recipe_.columns[-1].categories == ("2024-03-01 00:00:00",)


def test_columns_that_name_rows_are_left_out_with_a_warning():
    named = X.assign(who=X.index, number=range(1, len(X) + 1))
    with pytest.warns(
        UserWarning, match="column '(who' holds a different text|number' counts)"
    ) as said:
        model = rw.TableRanker(rw.TreeRanker()).fit(named, Y)
    assert len(said) == 2
    assert model.recipe_.left_out == ("who", "number")
    model.predict(X)
    kept = rw.TableRanker(rw.TreeRanker(), features=["hour", "number"]).fit(named, Y)
    assert kept.recipe_.feature_names == ["hour", "number"]


def test_a_column_that_is_not_there_is_named(model):
    with pytest.raises(ValueError, match="X: lacks the column 'place'"):
        model.predict(X.drop(columns="place"))
    with pytest.raises(ValueError, match="there is no such column"):
        rw.TableRanker(drop=["plaze"]).fit(X, Y)
    with pytest.raises(TypeError, match="drop is 'place'; give a list"):
        rw.TableRanker(drop="place").fit(X, Y)


@pytest.mark.parametrize("ranker", [3, LogisticRegression(), rw.ForestRanker, rw.TableRanker()])
def test_what_is_no_ranker_is_refused(ranker):
    with pytest.raises(TypeError, match="give a ranker such as ForestRanker"):
        rw.TableRanker(ranker).fit(X, Y)


@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
@pytest.mark.parametrize("ranker", [KNNKemeny(3), rw.PairwiseRanker(LogisticRegression())])
def test_gaps_are_filled_for_rankers_that_take_none(ranker):
    model = rw.TableRanker(ranker).fit(X, Y)
    features = by_hand(X, X)
    plain = clone(ranker).fit(features.fillna(features.mean()), Y)
    new = drinks(seed=1)[0]
    new.iloc[0, 1] = None
    filled = by_hand(new, X).fillna(features.mean())
    pd.testing.assert_frame_equal(model.predict(new), plain.predict(filled))


def test_a_pipeline_inside_fills_gaps_itself():
    model = rw.TableRanker(PIPELINE).fit(X, Y)
    plain = clone(PIPELINE).fit(by_hand(X, X), Y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(by_hand(X, X)))
    assert model.gap_means_ is None


def test_values_and_groups_reach_the_ranker():
    values = -Y.to_numpy(dtype=float)
    model = rw.TableRanker(FOREST).fit(X, Y, values=values)
    expected = clone(FOREST).fit(by_hand(X, X), Y, values=values).predict_values(by_hand(X, X))
    pd.testing.assert_frame_equal(model.predict_values(X), expected)
    usual = rw.TableRanker(rw.AutoRanker(candidates=["KNNKemeny"])).fit(X, Y, values=values)
    assert np.isfinite(usual.predict_values(X)).all(axis=None)
    assert not hasattr(rw.TableRanker(rw.PairwiseRanker()), "predict_values")
    auto = rw.TableRanker(rw.AutoRanker(candidates=["Tree"])).fit(X, Y, groups=np.arange(60) // 2)
    assert auto.ranker_.chosen_


def test_weights_reach_the_ranker_and_are_refused_where_it_takes_none():
    weights = np.arange(60) % 2
    model = rw.TableRanker(FOREST).fit(X, Y, sample_weight=weights)
    plain = clone(FOREST).fit(by_hand(X, X), Y, sample_weight=weights)
    np.testing.assert_array_equal(
        model.predict_positions(X), plain.predict_positions(by_hand(X, X))
    )
    piped = rw.TableRanker(PIPELINE).fit(X, Y, sample_weight=weights)
    assert (piped.predict(X) == model.predict(X)).to_numpy().mean() > 0.9
    with pytest.raises(ValueError, match="weights, which KNNKemeny does not take"):
        rw.TableRanker(KNNKemeny()).fit(X, Y, sample_weight=weights)


def test_the_default_is_what_the_command_line_takes():
    model = rw.TableRanker(rw.AutoRanker(candidates=["Tree"], random_state=0)).fit(X, Y)
    assert type(rw.TableRanker()._chosen()) is rw.AutoRanker
    assert model.score(X, Y) > 0.9


def test_folds_of_a_table_are_tables():
    found = cross_validate(rw.TableRanker(FOREST), X, Y, cv=3, keep=SHARES)
    assert found.summary()["mean"] > 0.8
    assert found.kept["shares"].shape == (60, 3, 3)
    same = cross_validate(rw.TableRanker(FOREST), as_polars(X), as_polars(Y), cv=3)
    np.testing.assert_array_equal(same.ranks, found.ranks)
    assert clone(rw.TableRanker(FOREST, drop=["heat"])).get_params()["ranker__n_estimators"] == 10
    search = GridSearchCV(rw.TableRanker(rw.TreeRanker()), {"ranker__max_depth": [1, None]}, cv=2)
    assert search.fit(X, Y).best_params_ == {"ranker__max_depth": None}


@pytest.mark.parametrize("ranker", [FOREST, PIPELINE, KNNKemeny(3)])
def test_a_saved_model_is_the_same(ranker, tmp_path):
    model = rw.TableRanker(ranker, drop=["dry"], nominal=("hour",)).fit(X, Y)
    rw.save_model(model, tmp_path / "m.rankwise")
    loaded = rw.load_model(tmp_path / "m.rankwise")
    assert repr(loaded) == repr(model)
    assert loaded.recipe_ == model.recipe_
    pd.testing.assert_frame_equal(loaded.predict(X), model.predict(X))
    rw.save_model(loaded, tmp_path / "again.rankwise")
    assert repr(rw.load_model(tmp_path / "again.rankwise")) == repr(model)


def test_a_crafted_recipe_is_refused(tmp_path, model):
    path = tmp_path / "m.rankwise"
    rw.save_model(model, path)
    whole = path.read_bytes()
    for where, value, reason in [
        (("recipe_", "columns"), {"tuple": []}, "do not make"),
        (("recipe_", "columns"), 3, "without columns"),
        (("_header",), ["hour"], "does not know its columns"),
        (("recipe_",), None, "no recipe"),
        (("gap_means_",), 3, "gap_means_ is not of shape"),
        (("ranker_",), None, "holds no ranker"),
    ]:
        manifest, members = unpack(whole)
        entries = manifest["model"]["state"]["fitted"]["dict"]
        if where[1:]:
            value = dict(entries)["recipe_"] | {
                "state": {"columns": value, "left_out": {"tuple": []}}
            }
        set_entry(entries, where[0], value)
        path.write_bytes(pack(manifest, members))
        with pytest.raises(ModelFileError, match=reason):
            rw.load_model(path)


def test_a_table_and_its_file_give_the_same_features(tmp_path):
    frame = X.assign(ranking=["tea>coffee>water" if t == 1 else "coffee>water>tea" for t in Y.tea])
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = read(tmp_path / "t.csv")
    model = rw.TableRanker(rw.TreeRanker()).fit(X, Y)
    by_file = {c.name: c.categories and {*c.categories} for c in data.recipe.columns}
    assert {c.name: c.categories and {*c.categories} for c in model.recipe_.columns} == by_file


def test_arrays_have_columns_by_place():
    rows = [[8, "home"], [9, "work"], [17, "home"], [18, None]]
    model = rw.TableRanker(rw.TreeRanker()).fit(rows, [[1, 2], [1, 2], [2, 1], [2, 1]])
    assert model.recipe_.feature_names == ["x0", "x1=work"]
    assert model.predict([[7, "work"]]).tolist() == [[1, 2]]
    assert not hasattr(model, "feature_names_in_")
    with pytest.raises(ValueError, match="has 3 features, but TableRanker is expecting 2"):
        model.predict([[1, 2, 3]])
    with pytest.warns(UserWarning, match="in the order of fitting"):
        rw.TableRanker(rw.TreeRanker()).fit(X, Y).predict(X.to_numpy(dtype=object))


def test_a_file_that_was_read_teaches_what_its_table_teaches(tmp_path):
    frame = X.assign(ranking=["tea>coffee>water" if t == 1 else "coffee>water>tea" for t in Y.tea])
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = read(tmp_path / "t.csv", labels=["tea", "coffee", "water"])
    model = rw.TableRanker(FOREST).fit_dataset(data)
    plain = clone(FOREST).fit(data.X, data.Y)
    pd.testing.assert_frame_equal(
        model.predict(X), plain.predict(data.X).set_axis(X.index), check_names=False
    )
    assert model.recipe_ == data.recipe
    assert model.gap_means_ is None
    weighted = read(tmp_path / "t.csv", columns={"weight": "hour"})
    with pytest.raises(ValueError, match="weights, which KNNKemeny does not take"):
        rw.TableRanker(KNNKemeny()).fit_dataset(weighted)
    same = clone(FOREST).fit(weighted.X, weighted.Y, sample_weight=weighted.weights)
    found = rw.TableRanker(FOREST).fit_dataset(weighted).predict_positions(X)
    np.testing.assert_array_equal(found, same.predict_positions(weighted.X))


@pytest.mark.parametrize("ranker", [FOREST, PIPELINE, KNNKemeny(3)])
def test_the_command_line_predicts_with_a_saved_table_ranker(ranker, tmp_path):
    model = rw.TableRanker(ranker).fit(X, Y)
    rw.save_model(model, tmp_path / "m.rankwise")
    X.to_csv(tmp_path / "new.csv", index=False)
    out = str(tmp_path / "out.csv")
    with pytest.raises(SystemExit) as stop:
        main(["predict", str(tmp_path / "m.rankwise"), str(tmp_path / "new.csv"), "-o", out])
    assert not stop.value.code
    written = pd.read_csv(out)
    positions = written[[f"position_{label}" for label in Y]]
    np.testing.assert_array_equal(positions, model.predict(X))


@pytest.mark.parametrize("kind", [lambda frame: frame, as_polars], ids=["pandas", "polars"])
def test_its_methods_explain_and_save_are_the_functions_of_these_names(kind, model, tmp_path):
    new = kind(X)
    found = model.explain(new[:1], "water", "tea", X=new, Y=Y)
    assert str(found) == str(rw.explain(model, new[:1], "water", "tea", X=new, Y=Y))
    assert {part.feature for part in found.contributions} <= {*X.columns}
    model.save(tmp_path / "method.rankwise")
    rw.save_model(model, tmp_path / "function.rankwise")
    saved = [tmp_path / name for name in ("method.rankwise", "function.rankwise")]
    assert saved[0].read_bytes() == saved[1].read_bytes()
    pd.testing.assert_frame_equal(rw.load_model(saved[0]).predict(X), model.predict(X))


def test_a_model_that_is_not_fitted_explains_and_saves_nothing(tmp_path):
    for ask in (
        lambda model: model.explain(X[:1], "water", "tea"),
        lambda model: model.save(tmp_path / "m.rankwise"),
    ):
        with pytest.raises(NotFittedError):
            ask(rw.TableRanker(FOREST))


@pytest.mark.parametrize(
    "kind", [lambda frame: frame, polars.from_pandas], ids=["pandas", "polars"]
)
def test_a_column_that_is_empty_in_every_row_is_left_out_and_not_asked_for(kind):
    hours = pd.DataFrame({"hour": [8.0, 9.0, 17.0, 18.0], "remark": [None] * 4})
    ranks = [[1, 2], [1, 2], [2, 1], [2, 1]]
    with pytest.warns(UserWarning, match="column 'remark' is empty in every row and left out"):
        model = rw.TableRanker(rw.TreeRanker()).fit(kind(hours), ranks)
    assert model.recipe_.feature_names == ["hour"]
    assert np.asarray(model.predict(kind(hours[["hour"]]))).tolist() == ranks


def test_a_file_with_empty_columns_gives_a_model_that_does_without_them(tmp_path, capsys):
    table, new = tmp_path / "trials.csv", tmp_path / "new.csv"
    rows = "".join(f"{h},,,{'a>b' if h < 12 else 'b>a'}\n" for h in range(4, 22))
    table.write_text("hour,remark,note,ranking\n" + rows)
    new.write_text("hour\n5\n20\n")
    model = str(tmp_path / "m.rankwise")
    assert run(["fit", str(table), "--learner", "Tree", "-o", model]) == 0
    assert (
        "note: columns 'remark', 'note' are empty in every row and left out"
        in capsys.readouterr().err
    )
    assert run(["predict", model, str(new)]) == 0
    assert [line.split(",")[1] for line in capsys.readouterr().out.splitlines()] == [
        "ranking",
        "a>b",
        "b>a",
    ]


def test_an_empty_column_of_a_long_table_is_left_out_too(tmp_path):
    lines = [
        f"{i},{i % 5},,{label},{1 + (i + j) % 2}" for i in range(9) for j, label in enumerate("ab")
    ]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["row,hour,remark,label,rank", *lines]) + "\n")
    assert read(path, drop_names=True).recipe.feature_names == ["hour"]
    assert read(path).recipe.feature_names == ["hour", "remark"]


def test_an_empty_column_that_is_named_stays():
    hours = pd.DataFrame({"hour": [8.0, 17.0], "remark": [np.nan, np.nan]})
    model = rw.TableRanker(rw.TreeRanker(), features=["hour", "remark"])
    assert model.fit(hours, [[1, 2], [2, 1]]).recipe_.feature_names == ["hour", "remark"]
