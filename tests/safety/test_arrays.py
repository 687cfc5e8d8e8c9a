"""Odd tables for estimators: what the fuzzer found, by name."""

import csv
import io
import zipfile
from decimal import Decimal
from fractions import Fraction
from functools import partial

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import rankwise as rw
from rankwise.baselines import LRT, LWD, BoostLR, KNNKemeny
from rankwise.consensus import kemeny
from rankwise.datasets import DataFileError, Dataset, make_friedman, read, write
from rankwise.hypotheses import Halfspace
from rankwise.oracles import make_family
from rankwise.pairwise import KernelRanker
from rankwise.plots import label_profile, pair_chances
from rankwise.validation import cross_validate, draw_folds, friedman, holm, mean_sd

Y = [[1, 2], [2, 1]]


def test_two_columns_of_one_name_are_named():
    X = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"])
    with pytest.raises(ValueError, match="X has two columns called 'a'; rename one"):
        rw.TreeRanker().fit(X, Y)


def test_a_number_that_no_float_holds_is_told():
    with pytest.raises(ValueError, match="that no float can hold"):
        rw.TreeRanker().fit(np.array([[10**400], [1]], dtype=object), Y)


@pytest.mark.parametrize("weight", [10**400, Fraction(10**400, 3)], ids=["int", "Fraction"])
def test_a_weight_that_no_float_holds_is_told(weight):
    with pytest.raises(TypeError, match=r"sample_weight: .* too large"):
        rw.TreeRanker().fit([[1.0], [2.0]], Y, sample_weight=[weight, 1])


@pytest.mark.parametrize("ranker", [rw.ForestRanker, rw.PairwiseRanker], ids=["forest", "pairs"])
@pytest.mark.parametrize("n_jobs", [0, False, np.nan, np.inf, [], np.array([1, 2]), 1 << 31])
def test_what_is_no_number_of_jobs_is_told(ranker, n_jobs):
    with pytest.raises(ValueError, match="n_jobs is"):
        ranker(n_jobs=n_jobs).fit([[1.0], [2.0]], Y)


@pytest.mark.parametrize(
    "ranker",
    [rw.PairwiseRanker(), rw.LabelwiseRanker(LinearRegression()), LWD(), rw.PositionRanker()],
    ids=lambda ranker: type(ranker).__name__,
)
def test_no_more_workers_are_started_than_there_is_work_for(ranker, monkeypatch):
    # as many processes as were asked for were started, for three labels
    asked = []
    usual = joblib.Parallel.__init__

    def told(self, n_jobs=None, **options):
        asked.append(n_jobs)
        usual(self, n_jobs=1, **options)

    monkeypatch.setattr(joblib.Parallel, "__init__", told)
    ranks = [[1, 2, 3], [3, 2, 1], [2, 1, 3], [3, 1, 2]] * 3
    ranker.set_params(n_jobs=16 * joblib.cpu_count()).fit(np.arange(12.0)[:, None], ranks).predict(
        [[1.0]]
    )
    assert asked
    assert max(asked) <= 6


@pytest.mark.parametrize("ranker", [rw.ForestRanker, rw.TreeRanker], ids=["forest", "tree"])
def test_costs_that_are_neither_asked_for_nor_not_are_told(ranker):
    for by_cost in (np.array([1, 2]), pd.NA, 3):
        with pytest.raises(TypeError, match="by_cost is"):
            ranker(by_cost=by_cost).fit([[1.0], [2.0]], Y)


@pytest.mark.parametrize(
    ("ranker", "name"),
    [
        (rw.TableRanker(features=np.array("a")), "features"),
        (rw.TableRanker(drop=np.array("a")), "drop"),
        (rw.AutoRanker(candidates=np.array("Tree")), "candidates"),
        (rw.PairwiseRanker(verbose=np.array([1, 2])), "verbose"),
        (rw.AutoRanker(verbose=np.array([1, 2])), "verbose"),
    ],
    ids=["features", "drop", "candidates", "verbose pairs", "verbose auto"],
)
def test_an_array_where_a_list_or_a_number_belongs_is_told(ranker, name):
    with pytest.raises((TypeError, ValueError), match=f"{name} is .*; (give|use)"):
        ranker.fit([[1.0], [2.0]], Y)


@pytest.mark.parametrize("ranker", [BoostLR, LRT], ids=["BoostLR", "LRT"])
def test_leaves_larger_than_any_table_are_taken(ranker):
    model = ranker(min_samples_leaf=1 << 63).fit([[1.0], [2.0]], Y)
    assert model.predict([[1.0]]).tolist() in ([[1, 2]], [[2, 1]])


def test_neighbours_are_sought_by_no_more_threads_than_processors():
    model = KNNKemeny(2, n_jobs=16 * joblib.cpu_count()).fit(
        [[1.0], [2.0], [3.0]], [[1, 2], [2, 1], [1, 2]]
    )
    assert model._index.n_jobs <= joblib.cpu_count()


def test_weights_that_add_up_to_more_than_a_float_holds_count_by_their_ratio():
    X, ranks = [[1.0], [2.0], [3.0]], [[1, 2], [2, 1], [1, 2]]
    many = BoostLR(random_state=0).fit(X, ranks, sample_weight=[1e308, 1e308, 5e307])
    few = BoostLR(random_state=0).fit(X, ranks, sample_weight=[2, 2, 1])
    np.testing.assert_array_equal(many.predict_positions(X), few.predict_positions(X))


@pytest.mark.parametrize("cell", [10**400, Decimal("sNaN")], ids=["int", "signalling NaN"])
def test_a_cell_of_a_table_that_no_float_holds_is_told(cell):
    X = pd.DataFrame({"hour": [cell, 1]}, dtype=object)
    with pytest.raises(ValueError, match="column 'hour' holds a number that no float can hold"):
        rw.TableRanker(rw.TreeRanker()).fit(X, Y)


def test_rows_in_a_single_column_of_polars_become_a_matrix():
    polars = pytest.importorskip("polars")
    X = polars.Series([[i, 1.0] for i in range(10)], dtype=polars.Array(polars.Float64, 2))
    assert KernelRanker().fit(X, Y * 5).n_features_in_ == 2


@pytest.mark.parametrize("cells", [["a>b", "b>a"], [[1.0], [2.0, 3.0]]], ids=["texts", "lists"])
def test_a_single_column_that_is_no_table_is_told(cells):
    with pytest.raises(ValueError, match=r"X is a single column|X.*text"):
        rw.TreeRanker().fit(pd.Series(cells), Y)


def test_half_a_character_in_a_name_is_told_at_fitting():
    index = pd.Index(["tea", "\ud800"], dtype=object)
    ranks, X = pd.DataFrame(Y), pd.DataFrame(Y, dtype=float)
    ranks.columns = index
    with pytest.raises(ValueError, match=r"a label is called .* half of a character"):
        rw.TreeRanker().fit([[1.0], [2.0]], ranks)
    X.columns = index
    with pytest.raises(ValueError, match=r"a column of X is called .* half of a character"):
        rw.TreeRanker().fit(X, Y)


@pytest.mark.filterwarnings("ignore")
def test_predictions_that_are_no_numbers_are_told():
    model = KernelRanker().fit(np.arange(10.0)[:, None], Y * 5)
    model._offset[:] = np.nan
    for method in (model.predict_positions, model.predict_pairwise):
        with pytest.raises(ValueError, match="row 0: what is predicted is no number"):
            method([[1.0]])


def test_a_cell_longer_than_a_parser_takes_is_told_with_its_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"x,ranking\n1,a>b\n{'y' * 200_000},b>a\n")
    usual = csv.field_size_limit(131_072)  # other packages change it for the whole program
    try:
        with pytest.raises(DataFileError, match=r"line 3: the row that starts here cannot be"):
            read(path)
    finally:
        csv.field_size_limit(usual)


@pytest.mark.parametrize("change", ["directory", "merged", "columns"])
def test_a_workbook_damaged_inside_is_told(change, tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "a.xlsx"
    write(Dataset([[1.0], [2.0]], Y), path)
    data = path.read_bytes()
    if change == "directory":
        at = data.index(b"PK\x01\x02")
        path.write_bytes(data[:at] + b"XX" + data[at + 2 :])
    else:
        ref = b"A1:" if change == "merged" else b"A:A"
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        sheet = parts["xl/worksheets/sheet1.xml"]
        merged = b'<mergeCells count="1"><mergeCell ref="' + ref + b'"/></mergeCells></worksheet>'
        parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"</worksheet>", merged)
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
    with pytest.raises(DataFileError, match=r"cannot be read as a workbook|and damaged"):
        read(path)


def test_an_audit_of_a_number_that_no_float_holds_is_told():
    X = pd.DataFrame({"hour": [10**400, 1]}, dtype=object)
    with pytest.raises(ValueError, match="feature 'hour': holds a number that no float can hold"):
        rw.audit(X, Y)


@pytest.mark.parametrize("fill", [0.0, np.nan])
def test_a_table_of_sparse_columns_is_told_how_to_become_dense(fill):
    X = pd.DataFrame({"x": [1.0, 2.0]}).astype(pd.SparseDtype(float, fill))
    with pytest.raises(TypeError, match=r"give X\.sparse\.to_dense\(\)"):
        rw.TreeRanker().fit(X, Y)
    with pytest.raises(TypeError, match=r"give X\.sparse\.to_dense\(\)"):
        rw.TreeRanker().fit([[1.0], [2.0]], Y).predict(X)


def test_texts_of_bytes_are_named():
    with pytest.raises(ValueError, match=r"X: feature 0 holds the text .*, and TreeRanker takes"):
        rw.TreeRanker().fit(np.array([[1], [2]], dtype="S8"), Y)


@pytest.mark.parametrize("seed", [-1, 1 << 32, 10**400, [], "a", 1.5], ids=str)
@pytest.mark.parametrize("estimator", [rw.PairwiseRanker, Halfspace], ids=["ranker", "class"])
def test_what_is_no_random_state_is_named(estimator, seed):
    with pytest.raises(ValueError, match=r"random_state is .*; use a whole number from 0"):
        estimator(random_state=seed).fit([[1.0], [2.0], [3.0]], _of_two(estimator))


def _of_two(estimator):
    return [1, 0, 1] if estimator is Halfspace else [*Y, Y[0]]


@pytest.mark.parametrize(
    "part", ["X", "weights", "folds", "values", "spread", "replicates", "lines"]
)
@pytest.mark.parametrize("cells", ["a", 10**400, int], ids=["text", "large", "type"])
def test_parts_of_a_dataset_that_are_no_numbers_are_named(part, cells):
    with pytest.raises(ValueError, match=f"^{part}: .*; give numbers"):
        Dataset(**{"X": [[1.0], [2.0]], "Y": Y, part: cells})


@pytest.mark.parametrize(
    ("part", "cells"),
    [
        ("weights", 1.0),
        ("weights", [[1.0, 1.0]] * 2),
        ("values", [1.0, 2.0]),
        ("lines", 3),
        ("folds", []),
    ],
    ids=["number", "columns", "one column", "line", "none"],
)
def test_parts_of_a_dataset_of_another_shape_are_named(part, cells):
    with pytest.raises(ValueError, match=rf"{part} has shape .*; expected 2 rows"):
        Dataset([[1.0], [2.0]], Y, **{part: cells})


def test_a_row_that_counts_a_little_beside_a_heavy_one_still_counts():
    # 1e-300 of 1e300 is no float but 0, and a sample without the heavy row weighed nothing
    weights = [1e300] + [1e-300] * 19
    X = np.arange(20.0)[:, None]
    for seed in range(4):
        model = rw.ForestRanker(4, random_state=seed).fit(X, Y * 10, sample_weight=weights)
        assert np.isfinite(model.predict_pairwise(X)).all()


def test_a_row_of_an_array_is_explained_by_the_rows_of_a_table_of_categories():
    X = np.arange(6.0).reshape(3, 2)
    model = LWD().fit(X, [*Y, Y[0]])
    by_array = rw.explain(model, X[0], 0, 1, X=X)
    by_table = rw.explain(model, X[0], 0, 1, X=pd.DataFrame(X).astype("category"))
    assert str(by_table) == str(by_array)


def test_a_number_beyond_floats_is_named_where_a_width_or_a_time_is_asked_for():
    with pytest.raises(ValueError, match="width is"):
        KernelRanker(width=10**400).fit([[1.0], [2.0]], Y)
    assert kemeny(Y, time_limit=10**400).tolist() == kemeny(Y).tolist()


def test_what_is_no_file_is_named():
    with pytest.raises(TypeError, match=r"Fraction\(1, 2\) is no file; give a path"):
        read(Fraction(1, 2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": 5}, "groups has 1 entries for 4 rows"),
        ({"groups": ["a", None, 1, "b"]}, "groups has entries of several types"),
        ({"seed": -1}, "seed is -1; use a whole number"),
        ({"seed": np.nan}, "seed is nan; use a whole number"),
        ({"n_folds": "a"}, "n_folds is 'a'; use a whole number"),
    ],
    ids=["number", "mixed", "negative", "nan", "text"],
)
def test_what_draws_no_folds_is_named(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        draw_folds(**{"n_samples": 4, "n_folds": 2} | options)


def test_names_and_scores_of_a_wrong_type_are_named():
    with pytest.raises(TypeError, match="scores is a list; give the scores of each method by name"):
        friedman([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"there is no family \[\]; use 'SFN' or 'LFN'"):
        make_family([])


def test_a_missing_cell_of_pandas_is_missing_in_a_column_of_objects_too():
    X = pd.DataFrame({"x": [1.0, pd.NA, 3.0]}, dtype=object)
    plain = pd.DataFrame({"x": [1.0, np.nan, 3.0]})
    model = rw.TreeRanker().fit(X, [*Y, Y[0]])
    assert (model.predict(X) == rw.TreeRanker().fit(plain, [*Y, Y[0]]).predict(plain)).all()
    with pytest.raises(ValueError, match="X contains NaN"):
        KNNKemeny().fit(X, [*Y, Y[0]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0], [2.0, 3.0]], "row 1 has 2 cells and row 0 has 1"),
        (pd.DataFrame({"x": [[1], [2]]}), r"column 'x' holds the list \[1\] \(row 0\)"),
        (np.array([[{}], [1.0]], dtype=object), r"feature 0 holds the dict \{\} \(row 0\)"),
    ],
    ids=["uneven", "list", "dict"],
)
def test_cells_that_are_no_numbers_are_named(X, message):
    with pytest.raises((TypeError, ValueError), match=f"X: {message}"):
        rw.TreeRanker().fit(X, Y)


def test_numbers_that_are_written_as_texts_are_told():
    with pytest.raises(ValueError, match="numbers that are written as texts"):
        KNNKemeny().fit([["1.5"], ["2"]], Y)


def test_other_arguments_of_a_wrong_type_are_named():
    with pytest.raises(ValueError, match="X is no table"):
        cross_validate(rw.TreeRanker(), float, Y)
    X = [[1.0], [2.0]]
    with pytest.raises(ValueError, match="X has 2 rows but sample_weight has 0"):
        cross_validate(rw.TreeRanker(), X, Y, sample_weight=5)
    for drawn in (label_profile, pair_chances, partial(rw.audit, X)):
        with pytest.raises(TypeError, match="labels is 5; give a list of names"):
            drawn(Y, labels=5)
    with pytest.raises(TypeError, match="features is 'x'; give a list of names"):
        rw.audit(X, Y, features="x")
    with pytest.raises(ValueError, match="there is no feature column None"):
        rw.TableRanker(rw.TreeRanker(), features=[None]).fit(pd.DataFrame(X, columns=["x"]), Y)
    with pytest.raises(TypeError, match="random_state is 'a'; use a whole number"):
        make_friedman(9, random_state="a")
    for statistic in (holm, mean_sd):
        with pytest.raises(TypeError, match="values is 'mean'; give a list of numbers"):
            statistic("mean")
