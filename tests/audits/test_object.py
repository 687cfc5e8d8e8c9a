"""An audit as an object: input of any kind, names kept, JSON without surprises."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from rich.console import Console

from audits.strategies import problems
from rankwise.audits import audit


@given(problems())
def test_any_valid_problem_gives_a_report_and_strict_json(problem):
    X, Y = problem
    report = audit(X, Y)
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert json.loads(text) == report.to_dict()
    assert str(report)
    assert report._repr_html_().count("<tr>") == 6 + report.n_labels


@given(problems())
def test_permuting_labels_permutes_the_report(problem):
    X, Y = problem
    names = [f"label {j}" for j in range(Y.shape[1])]
    one = audit(X, Y, labels=names)
    other = audit(X, Y[:, ::-1], labels=names[::-1])
    assert sorted(one.labels, key=str) == sorted(other.labels, key=str)
    assert one.comparisons.consensus == other.comparisons.consensus
    assert one.repeats == other.repeats
    assert set(map(frozenset, one.comparisons.groups)) == set(
        map(frozenset, other.comparisons.groups)
    )


def test_data_frames_keep_their_names_and_lists_get_numbers():
    X = pd.DataFrame({"hour": [8, 17]})
    Y = pd.DataFrame({"tea": [1, 2], "coffee": [2, 1]})
    report = audit(X, Y)
    assert [label.name for label in report.labels] == ["tea", "coffee"]
    assert [label.name for label in audit([[8], [17]], [[1, 2], [2, 1]]).labels] == ["0", "1"]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": [1, 2, None], "b": [True, False, True]}),
        pd.DataFrame({"a": pd.array([1, 2, None], "Int64"), "b": pd.array([1, 0, 1], "boolean")}),
        np.ma.masked_array([[1, 1], [2, 0], [9, 1]], [[0, 0], [0, 0], [1, 0]]),
        [[1, True], [2, False], [None, True]],
        np.array([[1, 1], [2, 0], [None, 1]], dtype=object),
    ],
    ids=["frame", "extension", "masked", "list", "object"],
)
def test_every_container_of_numbers_reads_alike(X):
    report = audit(X, [[1, 2], [2, 1], [1, 2]])
    assert report.features.text == ()
    assert list(report.features.missing.values()) == [pytest.approx(1 / 3)]


def test_read_only_input_is_left_alone():
    X, Y = np.arange(6.0)[:, None], np.array([[1.0, 2.0, 3.0], [2.0, 1.0, np.nan]] * 3)
    X.flags.writeable = Y.flags.writeable = False
    assert audit(X, Y).n_samples == 6


def test_names_with_square_brackets_print_as_they_are():
    report = audit(None, [[1, 2], [2, 1]], labels=["[red]tea[/red]", "coffee"])
    assert "[red]tea[/red]" in str(report)


def test_rich_prints_the_report():
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(audit(None, [[1, 2], [2, 1]], labels=["tea", "coffee"]))
    assert "tau of the Borda consensus" in console.export_text()


def test_an_audit_pickles_and_compares_equal():
    report = audit([[8], [17]], [[1, 2], [2, 1]])
    assert pickle.loads(pickle.dumps(report)) == report


@pytest.mark.parametrize(
    ("arguments", "options", "reason"),
    [
        (([[1], [2]], [[1, 2]]), {}, "X has 2 rows but Y has 1"),
        (([1, 2], [[1, 2], [2, 1]]), {}, "X is 1-D"),
        (([[1, 2], [3]], [[1, 2], [2, 1]]), {}, "X is not a table"),
        ((None, [[0, 1]]), {}, "rank 0; ranks start at 1"),
        ((None, [[1, 2]]), {"labels": ["a"]}, "2 columns but 1 labels"),
        (([[1]], [[1, 2]]), {"features": ["a", "b"]}, "1 columns but 2 features"),
        ((None, [[1, 2]]), {"n_folds": 1}, "n_folds is 1"),
        ((None, [[1, 2]]), {"n_folds": 2.5}, "n_folds is 2.5"),
        (([[1j]], [[1, 2]]), {}, "complex"),
        (([[[1]], [[2]]], [[1, 2], [2, 1]]), {}, "X is 3-D"),
        ((np.array([[{}]], dtype=object), [[1, 2]]), {}, "neither numbers nor texts"),
    ],
)
def test_bad_input_is_refused_with_a_reason(arguments, options, reason):
    with pytest.raises((ValueError, TypeError), match=reason):
        audit(*arguments, **options)


def test_polars_frames_give_the_audit_of_pandas_frames():
    polars = pytest.importorskip("polars")
    columns = {"ph": [6.5, None, 6.1, 5.0], "soil": ["clay", "sand", None, "clay"]}
    ranks = {"maize": [1, 2, 1, None], "millet": [2, 1, 2, 1]}
    one = audit(pd.DataFrame(columns), pd.DataFrame(ranks))
    two = audit(polars.DataFrame(columns), polars.DataFrame(ranks))
    assert two.to_dict() == one.to_dict()
    assert two.features.text == ("soil",)


def test_what_is_known_to_be_ranks_is_not_doubted():
    X, orders = np.arange(60.0)[:, None], np.tile([[2, 3, 1], [3, 1, 2]], (30, 1))
    assert audit(X, orders).orders is not None
    known = audit(X, orders, are_ranks=True)
    assert known.orders is None
    assert "ranks, made of values or texts" in str(known)
