"""The report of all conditions: complete, the same each time, and kind to hostile data."""

import json

import numpy as np
import pandas as pd
import pytest

from rankwise import theory
from rankwise.oracles import Oracle, SparseLinear, Survival, TruncatedGaussian

NAMES = [
    "sparsity",
    "submodularity",
    "diminishing returns",
    "strong sparsity",
    "marginal density",
    "relevant density",
    "independence",
    "transitivity",
    "Tsybakov noise",
    "deletion tolerance",
    "partial tolerance",
]


def test_clean_rankings_of_other_rows_or_labels_are_refused_before_the_work(monkeypatch):
    X, Y = np.ones((30, 2)), np.tile([1, 2, 3], (30, 1))
    monkeypatch.setattr("rankwise.theory._diagnose.sparsity", None)
    told = (
        "Y_clean has 29 rows and 3 labels, but the observed rankings have 30 and 3; give the same"
    )
    with pytest.raises(ValueError, match=told):
        theory.diagnose(X, Y, Y_clean=Y[1:])
    with pytest.raises(ValueError, match="Y_clean has 30 rows and 2 labels"):
        theory.noise_level(Y[:, :2], Y)


def test_the_report_holds_every_condition_and_prints_as_json(capsys):
    oracle = Oracle(SparseLinear(12, 3, 2), noise=TruncatedGaussian(0.05), mechanism=Survival(0.9))
    X, Y, clean = oracle.sample(1500, random_state=0, return_clean=True)
    report = theory.diagnose(X, Y, Y_clean=clean, progress=True)
    assert list(report) == [*NAMES, "inconsistency", "tau gap"]
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[0] == "1 of 12: sparsity"
    assert len(shown.err.splitlines()) == 12
    again = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert set(again) == set(report)
    for name, condition in report.items():
        assert condition.verdict in ("holds", "fails", "cannot tell")
        assert condition.text
        assert str(condition) in str(report)
        assert again[name]["verdict"] == condition.verdict
        if np.isfinite(condition.estimate):
            assert condition.low <= condition.estimate <= condition.high
    assert len(report.plot().axes) == len(report)
    assert str(theory.diagnose(X, Y, Y_clean=clean)) == str(report)
    assert capsys.readouterr().err == ""
    with pytest.raises(KeyError, match="no condition 'luck'; there are 'sparsity'"):
        report["luck"]


def no_comparison():
    return np.full((100, 4), np.nan)


def one_comparison():
    Y = no_comparison()
    Y[3] = [1, 2, 3, 4]
    return Y


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("Y", [no_comparison(), one_comparison(), np.ones((100, 4))])
@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300])
def test_data_without_comparisons_tells_nothing_about_them(Y, scale):
    X = scale * np.random.default_rng(0).random((100, 3))
    report = theory.diagnose(X, Y)
    told = {name for name in NAMES if report[name].verdict != "cannot tell"}
    assert not told & {"sparsity", "submodularity", "strong sparsity", "transitivity"}
    assert "Tsybakov noise" not in told


@pytest.mark.parametrize("n", [20, 61])
def test_few_rows_missing_cells_and_ties_give_a_report_not_a_crash(n):
    rng = np.random.default_rng(n)
    Y = rng.integers(1, 4, (n, 4)).astype(float)
    Y[rng.random(Y.shape) < 0.5] = np.nan
    X = np.column_stack([rng.normal(size=(n, 3)), np.ones(n)])
    assert list(theory.diagnose(X, Y)) == NAMES


def test_rows_may_be_read_only_and_permuted_columns_only_rename_features():
    oracle = Oracle(SparseLinear(12, 3, 2))
    X, Y = oracle.sample(1000, random_state=0)
    X.flags.writeable = Y.flags.writeable = False
    names = np.array([f"f{i}" for i in range(12)])
    turned = np.random.default_rng(0).permutation(12)
    one = theory.sparsity(pd.DataFrame(X, columns=names), Y)
    other = theory.sparsity(pd.DataFrame(X[:, turned], columns=names[turned]), Y)
    assert one.estimate == other.estimate
    for label in one.details:
        assert set(one.details[label]["features"]) == set(other.details[label]["features"])


def test_bad_input_is_refused_with_its_place_and_a_remedy():
    X, Y = np.ones((30, 2)), np.tile([1, 2], (30, 1))
    broken = X.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"row 3: feature 1 is nan; .* impute the gaps"):
        theory.diagnose(broken, Y)
    with pytest.raises(ValueError, match="row 3: feature 'b' is nan"):
        theory.sparsity(pd.DataFrame(broken, columns=["a", "b"]), Y)
    with pytest.raises(ValueError, match="X has 30 rows but Y has 29"):
        theory.diagnose(X, Y[1:])
    with pytest.raises(ValueError, match="there are 5 rows; give at least 20"):
        theory.diagnose(X[:5], Y[:5])
    with pytest.raises(TypeError, match="X has dtype <U1; conditions need numbers"):
        theory.sparsity(np.full((30, 2), "a"), Y)
    with pytest.raises(ValueError, match="has rank 0; ranks start at 1"):
        theory.diagnose(X, Y - 1)
    with pytest.raises(ValueError, match="on is 'orders'; use 'ranks' or 'scores'"):
        theory.submodularity(X, Y, on="orders")
    with pytest.raises(ValueError, match=r"scores up to 1e\+200, whose squares are lost; rescale"):
        theory.sparsity(X, Y * 5e199, on="scores")
    with pytest.raises(ValueError, match="row 0: label 1 has score inf; use NaN"):
        theory.sparsity(X, np.where(Y == 2, np.inf, Y), on="scores")
    with pytest.raises(ValueError, match="r is 3; use a whole number from 1 to 2"):
        theory.marginal_density(X, 3)
    with pytest.raises(
        TypeError, match="random_state is 'a'; use a whole number of 0 or more or None"
    ):
        theory.diagnose(X, Y, random_state="a")
    with pytest.raises(
        ValueError, match="random_state is -1; use a whole number of 0 or more or None"
    ):
        theory.diagnose(X, Y, random_state=-1)
    with pytest.raises(TypeError, match=r"random_state is 'a'; use .*, a numpy Generator or None"):
        theory.sparsity(X, Y, random_state="a")
    with pytest.raises(ValueError, match=r"X has shape \(30,\)"):
        theory.feature_dependence(np.ones(30))
