"""Each finding appears where it should, names names, and stays silent elsewhere."""

import numpy as np
import pandas as pd
import pytest

from rankwise.audits import audit

DRINKS = ["tea", "coffee", "water"]


def topics(report):
    return [finding.topic for finding in report.findings]


def message(report, topic):
    return next(finding.message for finding in report.findings if finding.topic == topic)


def cycle(n_rows, n_labels=3):
    """Rows in which every label is first, in turn: complete, connected, no consensus."""
    return np.array([np.roll(np.arange(1.0, n_labels + 1), i) for i in range(n_rows)])


def test_clean_data_has_no_findings():
    X = np.arange(60.0).reshape(30, 2)
    report = audit(X, cycle(30))
    assert report.findings == ()
    assert "Nothing to object to" in str(report)


def test_a_label_that_no_row_observes_is_serious_and_named():
    Y = pd.DataFrame(cycle(30), columns=DRINKS).assign(milk=np.nan)
    report = audit(np.arange(30.0)[:, None], Y)
    assert report.count("serious") == 1
    assert "'milk'" in message(report, "unobserved labels")
    assert "unlinked labels" not in topics(report)


def test_groups_that_never_meet_are_serious_and_named():
    Y = np.full((40, 4), np.nan)
    Y[:10, :2], Y[10:20, :2] = [1, 2], [2, 1]
    Y[20:30, 2:], Y[30:, 2:] = [1, 2], [2, 1]
    report = audit(None, Y, labels=["a", "b", "c", "d"])
    assert report.comparisons.groups == (("a", "b"), ("c", "d"))
    assert "{'a', 'b'}; {'c', 'd'}" in message(report, "unlinked labels")
    assert "pairs" not in topics(report)


def test_a_pair_that_never_meets_in_a_linked_graph_is_a_warning():
    Y = np.full((40, 3), np.nan)
    Y[::2, :2], Y[1::2, 1:] = [1, 2], [1, 2]
    report = audit(None, Y, labels=DRINKS)
    assert report.comparisons.never_together == (("tea", "water"),)
    assert "tea / water" in message(report, "pairs")
    assert report.comparisons.tiers == (("tea",), ("coffee",), ("water",))
    assert "'tea'" in message(report, "tiers")


def test_a_pair_that_is_always_tied_is_told_apart_from_one_that_never_meets():
    Y = np.tile([1.0, 2.0, 2.0], (20, 1))
    Y[::2] = [2.0, 1.0, 1.0]
    report = audit(None, Y, labels=DRINKS)
    assert report.comparisons.only_tied == (("coffee", "water"),)
    assert report.comparisons.never_together == ()


def test_rows_without_any_comparison_are_serious_together_and_a_warning_alone():
    assert "no comparisons" in topics(audit(None, [[1, np.nan], [np.nan, 1]]))
    assert "no comparisons" in topics(audit(None, [[1, 1], [2, 2]]))
    Y = cycle(30)
    Y[4, :2] = np.nan
    report = audit(None, Y)
    assert report.n_idle_rows == 1
    assert "idle rows" in topics(report)


def test_a_rare_label_is_told_with_its_count():
    Y = cycle(100)
    Y[5:, 2] = np.nan
    report = audit(None, Y, labels=DRINKS)
    assert "'water' (5 rows)" in message(report, "folds")
    assert "folds" not in topics(audit(None, Y, labels=DRINKS, n_folds=2))


def test_a_label_seen_in_one_stretch_of_rows_asks_for_shuffling():
    Y = cycle(100)
    Y[50:, 2] = np.nan
    assert "'water'" in message(audit(None, Y, labels=DRINKS), "sorted rows")
    spread = cycle(100)
    spread[::2, 2] = np.nan
    assert "sorted rows" not in topics(audit(None, spread, labels=DRINKS))


def test_contradictory_repeats_name_two_rows():
    X = np.arange(30.0)[:, None]
    X[17] = X[3]
    report = audit(X, cycle(30))
    assert "rows 3 and 17" in message(report, "contradictions")
    named = audit(X, cycle(30), rows=[f"S-{i}" for i in range(30)])
    assert "rows S-3 and S-17" in message(named, "contradictions")
    with pytest.raises(ValueError, match="rows names 2 of 30 rows"):
        audit(X, cycle(30), rows=["a", "b"])
    Y = cycle(30)
    Y[17] = Y[3]
    agreeing = audit(X, Y)
    assert "contradictions" not in topics(agreeing)
    assert "repeats" in topics(agreeing)


def test_features_that_are_constant_empty_missing_infinite_or_text_are_named():
    X = pd.DataFrame({"age": np.arange(30.0), "year": 2020, "void": np.nan})
    X["gap"] = np.where(np.arange(30) % 3, np.nan, np.arange(30))
    X["wild"] = np.where(np.arange(30) == 4, np.inf, 1.0)
    X["city"] = ["Rome", "Oslo", None] * 10
    features = audit(X, cycle(30)).features
    assert features.constant == ("year",)
    assert features.empty == ("void",)
    assert features.infinite == ("wild",)
    assert features.text == ("city",)
    assert features.missing == {
        "void": 1.0,
        "gap": pytest.approx(2 / 3),
        "city": pytest.approx(1 / 3),
    }


def test_ranks_above_the_number_of_labels_are_told():
    report = audit(None, [[1, 7, 3], [2, 1, 12]] * 15)
    assert "up to 12" in message(report, "large ranks")


def test_a_high_consensus_is_told():
    Y = np.tile([1.0, 2.0, 3.0], (40, 1))
    Y[0] = [2, 1, 3]
    report = audit(np.arange(40.0)[:, None], Y, labels=DRINKS)
    assert report.comparisons.consensus == {"tea": 1, "coffee": 2, "water": 3}
    assert "consensus" in topics(report)


def test_serious_findings_come_first():
    Y = pd.DataFrame(cycle(30), columns=DRINKS).assign(milk=np.nan)
    X = pd.DataFrame({"year": [2020] * 30, "gap": [np.nan, *range(29)]})
    order = ["serious", "warning", "note"]
    found = [order.index(finding.severity) for finding in audit(X, Y).findings]
    assert found == sorted(found)
    assert set(found) == {0, 1, 2}


def test_labels_that_look_alike_are_named():
    names = ["CuI, Cs2CO3", "CUI,CS2CO3", "-1", "1", "1.5", "15", "Na+", "Na"]
    report = audit(np.arange(0.0, 80, 2)[:, None], cycle(40, 8), labels=names)
    expected = "case, spaces or punctuation: 'CuI, Cs2CO3' / 'CUI,CS2CO3'"
    assert message(report, "look-alikes").endswith(expected)
    assert "look-alikes" not in topics(audit(None, cycle(40), labels=DRINKS))


@pytest.mark.parametrize(
    ("name", "column", "is_named"),
    [
        ("substrate_id", [7, 3, 12, 5, 99, 40, 41, 23], True),
        ("plotID", [7, 3, 12, 5, 99, 40, 41, 23], True),
        ("x", [4, 3, 8, 5, 9, 10, 6, 7], True),
        ("cid", [10231, 99812, 20044, 31115, 41277, 50003, 60123, 70999], True),
        ("x", [7, 3, 12, 5, 99, 40, 41, 23], False),
        ("people", [10231, 998120, 20044, 31115, 41277, 50003, 60123, 70999], False),
        ("id", [1, 1, 2, 2, 3, 3, 4, 4], False),
        ("id", [0.5, 1.5, 2, 3, 4, 5, 6, 7], False),
        ("humidity", [7, 3, 12, 5, 99, 40, 41, 23], False),
    ],
)
def test_numbers_that_name_rows_are_no_features(name, column, is_named):
    report = audit(pd.DataFrame({name: np.array(column, dtype=float)}), cycle(8), n_folds=2)
    assert ("identifiers" in topics(report)) == is_named
    assert report.features.identifiers == ((name,) if is_named else ())


def test_the_text_of_an_audit_is_80_columns_wide_however_long_names_are():
    labels = [f"SAT09referencesolverclasp_1.{j}-SAT09-32" for j in range(3)]
    report = audit(None, cycle(30), labels=labels)
    assert max(map(len, str(report).splitlines())) <= 80
