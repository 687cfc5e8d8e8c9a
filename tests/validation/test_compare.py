"""Comparisons: whole, resumed, and with failures that do not hide anything."""

import math
from dataclasses import replace

import numpy as np
import pytest

from rankwise.datasets import Dataset, load
from rankwise.paper import published_table
from rankwise.validation import compare, draw_folds

MEAN, REVERSED = "validation.rankers:Mean", "validation.rankers:Mean(sign=-1)"
COMPLETE, FAILS = "validation.rankers:CompleteOnly", "validation.rankers:FailsOnWine"
SETS = ["generated/iris", "generated/wine"]


@pytest.fixture(scope="module")
def result():
    return compare([MEAN, REVERSED, COMPLETE, FAILS], SETS, folds=3, missing=[0.3, 0])


def test_tables_hold_mean_and_deviation_over_folds(result):
    taus = result.values("generated/iris", "Mean", 0.0)
    row = result.tau_table().rows[0]
    assert len(taus) == 3
    assert row[1].mean == pytest.approx(np.mean(taus))
    assert row[1].sd == pytest.approx(np.std(taus, ddof=1))


def test_the_best_of_a_row_stands_out_and_ties_stand_out_together(result):
    best = [cell.best for cell in result.tau_table().rows[0][1:]]
    assert best == [True, False, True, True]


def test_a_reversed_method_has_the_opposite_tau_and_the_last_rank(result):
    forth, back = (result.scores()[name] for name in ("Mean", "Mean(sign=-1)"))
    assert forth == pytest.approx([-tau for tau in back])


def test_a_method_that_failed_on_a_data_set_has_no_mean_there(result):
    assert result.tau_table().rows[1][4].figure() == "—"
    assert result.friedman().n_datasets == 1
    assert "left out" in result.friedman().note


def test_failures_are_grouped_and_refusals_reported_apart(result):
    lines = result.failure_lines()
    reason = "is left out: ValueError: this one takes no incomplete rankings: fill them first"
    assert lines == [
        f"CompleteOnly on generated/iris at 30% missing {reason}",
        f"CompleteOnly on generated/wine at 30% missing {reason}",
        "FailsOnWine on generated/wine: 3 folds failed: RuntimeError: too strong",
        "FailsOnWine on generated/wine at 30% missing: 3 folds failed: RuntimeError: too strong",
    ]
    assert {failure.method for failure in result.failures if failure.is_refusal} == {"CompleteOnly"}


def test_methods_that_refuse_a_rate_are_left_out_of_its_tests_and_curves(result):
    assert "CompleteOnly" not in result.friedman(0.3).average_ranks
    curves = result.missing_curves()
    assert curves["CompleteOnly"][0] == [0.0]
    assert curves["Mean"][0] == [0.0, 0.3]
    assert "FailsOnWine" not in curves
    means = [result.scores()["Mean"], result.scores(0.3)["Mean"]]
    assert curves["Mean"][1] == pytest.approx([np.mean(taus) for taus in means])


def test_folds_can_be_had_as_a_frame_and_as_a_table(result):
    frame = result.to_frame()
    assert len(frame) == len(result.records) == 3 * 2 * 4 * 2 - 6 - 6
    assert list(frame.columns)[:5] == ["dataset", "method", "missing", "repetition", "fold"]
    assert len(result.fold_table().rows) == len(frame)


def test_a_rate_that_was_not_run_is_refused(result):
    with pytest.raises(ValueError, match=r"missing rate 0.5 was not run; known are 0.0, 0.3"):
        result.tau_table(0.5)


def test_a_second_comparison_reuses_what_is_the_same_and_computes_the_rest(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    noted = f"validation.rankers:Mean(note={str(notes)!r})"
    first = compare([noted], SETS[:1], folds=3, out=tmp_path / "out")
    n_fits = len(list(notes.iterdir()))
    again = compare([noted], SETS[:1], folds=3, out=tmp_path / "out")
    assert len(list(notes.iterdir())) == n_fits == 4
    assert again.records == first.records
    assert (first.n_reused, again.n_reused) == (0, 3)
    more = compare([noted, MEAN], SETS[:1], folds=3, repeats=2, out=tmp_path / "out")
    assert more.n_reused == 3
    assert compare([noted], SETS[:1], folds=3, seed=1, out=tmp_path / "out").n_reused == 0
    assert compare([noted], SETS[:1], folds=4, out=tmp_path / "out").n_reused == 0


def test_results_do_not_depend_on_the_number_of_jobs():
    one, two = (
        compare(["Tree(max_features=1)", MEAN], SETS, folds=3, n_jobs=jobs).scores()
        for jobs in (1, 2)
    )
    assert one == two


def test_data_from_memory_are_taken(tmp_path):
    named = compare([MEAN], ["generated/iris"], folds=3)
    given = compare([MEAN], [load("generated/iris")], folds=3)
    assert given.scores() == named.scores()
    assert compare([MEAN], [load("generated/iris")], folds=3, out=tmp_path).n_reused == 0
    assert compare([MEAN], [load("generated/iris")], folds=3, out=tmp_path).n_reused == 3


def test_a_single_method_and_data_set_make_a_table_without_ranks():
    alone = compare([MEAN], ["generated/iris"], folds=2)
    assert [row[0] for row in alone.tau_table().rows] == ["generated/iris"]
    assert not alone.tau_table().rows[0][1].best
    assert math.isnan(alone.friedman().p_value)
    assert published_table(alone) is None
    assert alone.wilcoxon_table().rows == []


@pytest.mark.data
def test_published_figures_stand_beside_ours_and_far_ones_are_marked():
    table = published_table(compare(["Consensus", "RPC"], ["iris"], folds=5))
    ((dataset, method, ours, theirs, difference, far),) = table.rows
    assert (dataset, method, theirs.mean) == ("iris", "RPC", 0.89)
    assert difference == pytest.approx(ours.mean - 0.89)
    assert (far == "*") == (abs(difference) > 0.03)
    assert any(note.startswith("RPC: ") for note in table.notes)


@pytest.mark.parametrize(
    ("methods", "datasets", "error", "reason"),
    [
        ([], ["generated/iris"], ValueError, "needs a method"),
        ([MEAN], [], ValueError, "needs a method and a data set"),
        ("RF", ["generated/iris"], TypeError, "give a list"),
        ([MEAN], "generated/iris", TypeError, "give a list"),
        ([MEAN, MEAN + "()"], ["generated/iris"], ValueError, "two methods are called 'Mean'"),
        ([MEAN], ["generated/iris"] * 2, ValueError, "two data sets are called"),
        (["Tee"], ["generated/iris"], ValueError, "unknown learner 'Tee'"),
        (["RF(n=3)"], ["generated/iris"], ValueError, "no parameter 'n'"),
    ],
)
def test_bad_input_is_reported_before_anything_runs(methods, datasets, error, reason):
    with pytest.raises(error, match=reason):
        compare(methods, datasets)


def weighted_dataset():
    """Half of the rows say one thing, half the contrary; weights make the first half count."""
    rng = np.random.default_rng(0)
    Y = np.where(np.arange(40)[:, None] % 2 == 0, [1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
    weights = np.where(np.arange(40) % 2 == 0, 50.0, 1.0)
    return Dataset(rng.normal(size=(40, 2)), Y, weights=weights, name="weighted")


def test_weights_reach_the_methods_and_decide_what_they_learn(tmp_path):
    data = weighted_dataset()
    taus = {}
    for weights in (data.weights, data.weights[::-1], None):
        result = compare(["Consensus"], [replace(data, weights=weights)], folds=4, out=tmp_path)
        taus[str(weights)] = result.estimate("weighted", "Consensus", 0.0).mean
        evens = [record["tau"] for record in result.records]
        if weights is not None:
            rows = [draw_folds(40, 4)[record["fold"]][1] % 2 for record in result.records]
            first = [np.mean(odd == (weights[0] == 1.0)) for odd in rows]
            assert evens == pytest.approx([2 * share - 1 for share in first])
        # weights are part of what a stored fold is a result of
        assert result.n_reused == 0


def test_a_method_that_takes_no_weights_is_left_out_and_that_is_no_failure():
    result = compare(["Consensus", "KNNKemeny"], [weighted_dataset()], folds=3)
    assert {failure.method for failure in result.failures} == {"KNNKemeny"}
    assert all(failure.is_refusal for failure in result.failures)
    (line,) = result.failure_lines()
    assert "KNNKemeny on weighted is left out" in line
    assert "weights, which KNNKemeny does not take" in line


def test_where_rankings_have_ties_a_table_judges_answers_with_ties():
    tied = Dataset([[float(i % 2)] for i in range(12)], [[1, 1, 3], [3, 1, 1]] * 6, name="tied")
    strict = Dataset(tied.X, [[1, 2, 3], [3, 1, 2]] * 6, name="strict")
    result = compare(["Tree", "Tree(ties='never')"], [tied, strict], folds=3)
    (row,) = result.tied_table().rows
    assert row[0] == "tied"
    # of three pairs one is tied, and breaking it counts neither way
    assert [cell.mean for cell in row[1:]] == [pytest.approx(1.0), pytest.approx(2 / 3)]
    assert [cell.best for cell in row[1:]] == [True, False]
    assert "tau_x" in result.to_frame().columns
    assert compare(["Tree"], [strict], folds=3).tied_table() is None
