"""Costs over folds: the single best is chosen on training rows, the share is a ratio of sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rankwise.baselines import Consensus
from rankwise.datasets import Dataset, read
from rankwise.metrics import gap_closed, regret
from rankwise.rankings import ranks_from_scores
from rankwise.validation import Costs, compare, cross_validate, draw_folds

MEAN = "validation.rankers:Mean"


def runs(n=30, seed=0, **more):
    rng = np.random.default_rng(seed)
    seconds = np.exp(rng.normal(size=(n, 4)) * [1, 2, 1, 2])
    seconds[rng.random(seconds.shape) < 0.1] = 600.0
    ranks = ranks_from_scores(seconds, higher_is_better=False)
    known = {"values": seconds, "higher_is_better": False, "unit": "s", "name": "runs"}
    return Dataset(rng.random((n, 2)), ranks, **known | more)


def known_of(data):
    facts = ("values", "higher_is_better", "unit", "name")
    return {fact: getattr(data, fact) for fact in facts}


def test_costs_over_folds_are_those_of_the_held_out_choices():
    data = runs()
    splits = draw_folds(len(data), 3)
    found = cross_validate(
        Consensus(), data.features, data.ranks, cv=splits, costs=Costs.of(data, top=2)
    )
    lost = {"prediction": [], "single": [], "two": []}
    for train, test in splits:
        predicted = (
            Consensus().fit(data.features[train], data.ranks[train]).predict(data.features[test])
        )
        single = np.tile(data.values[train].mean(axis=0).argsort().argsort() + 1, (len(test), 1))
        for who, ranks, top in (
            ("prediction", predicted, 1),
            ("single", single, 1),
            ("two", predicted, 2),
        ):
            rows = regret(data.values[test], ranks, higher_is_better=False, top=top, average=False)
            lost[who].append(rows)
    means = {who: [rows.mean() for rows in folds] for who, folds in lost.items()}
    assert_allclose(found.scores["regret"], means["prediction"])
    assert_allclose(found.scores["regret_of_top"], means["two"])
    assert_allclose(found.references["single_best"]["regret"], means["single"])
    assert_allclose(found.references["virtual_best"]["regret"], 0, atol=1e-12)
    share = 1 - np.concatenate(lost["prediction"]).sum() / np.concatenate(lost["single"]).sum()
    assert found.summary("gap_closed")["mean"] == pytest.approx(share)
    assert found.summary("gap_closed", "single_best")["mean"] == pytest.approx(0)
    assert found.summary("gap_closed", "virtual_best")["mean"] == pytest.approx(1)
    figures = found.summary("gap_closed")
    assert figures["low"] < figures["mean"] < figures["high"]


def test_a_label_that_is_never_measured_in_training_is_no_single_best():
    costs = Costs(np.array([[np.nan, 5.0], [np.nan, 7.0], [1.0, 9.0]]), higher_is_better=False)
    assert costs.single_best(np.array([0, 1])).tolist() == [2, 1]


@given(st.integers(1, 30), st.integers(0, 5))
def test_shares_of_rows_average_to_the_share_of_all(n, seed):
    rng = np.random.default_rng(seed)
    values, predicted = rng.random((n, 3)), rng.random((n, 3)).argsort(axis=1) + 1.0
    single = np.array([2.0, 1.0, 3.0])
    found = Costs(values, higher_is_better=True).of_rows({"model": predicted}, single)
    expected = gap_closed(values, predicted, single)
    assert_allclose(np.mean(found["model"]["gap_closed"]), expected)


def test_compare_has_a_table_of_costs_with_single_and_virtual_best():
    result = compare(
        [MEAN, "Consensus"], [runs(), Dataset([[1.0]] * 9, [[1, 2]] * 9, name="x")], folds=3
    )
    table = result.cost_table()
    assert list(table.columns) == [
        "data set",
        "measure",
        "Mean",
        "Consensus",
        "single best",
        "virtual best",
    ]
    names = ["lost (s)", "lost, best of 3 (s)", "value (s)", "gap closed"]
    assert [row[1] for row in table.rows] == names
    lost, _, value, closed = (row[2:] for row in table.rows)
    assert lost[3].mean == pytest.approx(0, abs=1e-12)
    assert_allclose([v.mean - value[3].mean for v in value], [x.mean for x in lost], atol=1e-9)
    assert_allclose(closed[0].mean, 1 - lost[0].mean / lost[2].mean)
    plain = compare([MEAN], [Dataset([[1.0]] * 9, [[1, 2]] * 9, name="x")], folds=3)
    assert plain.cost_table() is None


def test_compare_gives_the_intervals_of_evaluate_and_the_best_of_several():
    data = runs()
    splits = [draw_folds(len(data), 3, seed=0)[fold] for fold in range(3)]
    found = cross_validate(Consensus(ties="never"), *data, cv=splits, costs=Costs.of(data, top=2))
    result = compare(["Consensus"], [data], folds=3, top=2)
    table = {row[1]: row[2:] for row in result.cost_table().rows}
    measures = {
        "lost (s)": "regret",
        "lost, best of 2 (s)": "regret_of_top",
        "value (s)": "value",
        "gap closed": "gap_closed",
    }
    assert list(table) == list(measures)
    for name, measure in measures.items():
        summary = found.summary(measure)
        ours = {part: getattr(table[name][0], part) for part in ("mean", "sd", "low", "high")}
        assert ours == pytest.approx({part: summary[part] for part in ours}), name
        if measure != "gap_closed":
            assert table[name][1].low == pytest.approx(found.summary(measure, "single_best")["low"])
    head = result.cost_table().to_csv().splitlines()[0]
    assert "Consensus,Consensus sd,Consensus low,Consensus high" in head


def test_rows_in_which_all_labels_tie_count_in_every_mean():
    data = runs()
    data.values[:6] = 600.0
    ties = ranks_from_scores(data.values, higher_is_better=False)
    result = compare(["Consensus"], [Dataset(data.features, ties, **known_of(data))], folds=3)
    chosen = result.cost("runs", "Consensus", measure="virtual_best_value").mean
    assert chosen == pytest.approx(data.values.min(axis=1).mean())


def test_compare_uses_the_folds_and_groups_of_the_data():
    own = runs(folds=np.arange(30) % 5)
    result = compare([MEAN], [own])
    assert [record["fold"] for record in result.records] == [0, 1, 2, 3, 4]
    assert result.plans == {"runs": "its own 5 folds"}
    grouped = runs(groups=[str(i // 10) for i in range(30)])
    with pytest.raises(ValueError, match="runs has 3 groups, too few for 4 folds"):
        compare([MEAN], [grouped], folds=4)
    assert compare([MEAN], [grouped], folds=3).plans == {"runs": "3 folds of 3 groups, 1 time"}


def test_choosing_a_solver_that_times_out_costs_the_penalty(data_folder):
    data = read(data_folder / "aslib" / "SAT11-HAND")
    assert (data.cutoff, data.penalty, data.unit, data.higher_is_better) == (5000, 10, "s", False)
    single = Costs.of(data).single_best(np.arange(len(data)))
    lost = regret(data.values, np.tile(single, (len(data), 1)), higher_is_better=False)
    solved = (data.values < 5000).any(axis=1)
    chosen = data.values[:, single.argmin()]
    assert lost == pytest.approx((chosen - data.values.min(axis=1)).mean())
    assert (chosen[~solved] == 50_000).all()
    assert lost > 2_000
