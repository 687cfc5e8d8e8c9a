"""``rankwise compare``: what it prints, writes and returns."""

import csv
import io
import json

import pytest

MEAN, REVERSED = "validation.rankers:Mean", "validation.rankers:Mean(sign=-1)"
SETS = "generated/iris,generated/wine"


def test_tables_tests_and_pictures_are_printed_and_written(rankwise, tmp_path):
    outcome = rankwise(
        "compare", "-m", f"{MEAN},{REVERSED}", "-d", SETS, "--folds", 3, "--missing", "0,0.3",
        "--out", "out", "--jobs", 2,
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert "Kendall tau, 30% of labels missing" in outcome.out
    assert "No Friedman test: Friedman's test needs three methods" in outcome.out
    assert "cannot give p < 0.05" in outcome.out
    written = {path.name for path in (tmp_path / "out").iterdir()}
    for name in ("tau", "tau-missing-30", "seconds", "wilcoxon"):
        assert {f"{name}.{ending}" for ending in ("csv", "json", "tex", "md")} <= written
    for name in ("critical-difference", "tau-by-missing"):
        assert {f"{name}.png", f"{name}.svg"} <= written
    folds = list(csv.DictReader(io.StringIO((tmp_path / "out/folds.csv").read_text())))
    assert len(folds) == 2 * 2 * 3 * 2
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["folds_computed"] == 24
    assert manifest["versions"]["rankwise"]


def test_a_second_run_reuses_every_fold_and_prints_the_same(rankwise):
    arguments = ("compare", "-m", MEAN, "-d", "generated/iris", "--folds", 3, "--format", "csv")
    first = rankwise(*arguments)
    again = rankwise(*arguments)
    assert (first.code, again.code) == (0, 0)
    assert again.out == first.out
    shown = json.loads(rankwise(*arguments, "--json").out)
    assert shown["manifest"]["folds_reused"] == 3
    assert shown["tables"]["tau"]["rows"][0]["data set"] == "generated/iris"


def test_json_is_strict_where_figures_are_absent(rankwise):
    outcome = rankwise("compare", "-m", MEAN, "-d", "generated/iris", "--folds", 3, "--json")
    shown = json.loads(outcome.out, parse_constant=pytest.fail)
    assert shown["friedman"]["0"]["p_value"] is None


def test_failures_are_reported_at_the_end_with_code_1_and_the_rest_is_kept(rankwise):
    methods = f"{MEAN},validation.rankers:FailsOnWine"
    outcome = rankwise("compare", "-m", methods, "-d", SETS, "--folds", 3)
    assert outcome.code == 1
    assert "FailsOnWine on generated/wine: 3 folds failed: RuntimeError" in outcome.err
    assert "generated/wine" in outcome.out


def test_a_method_that_takes_no_incomplete_rankings_is_no_failure(rankwise):
    methods = f"{MEAN},validation.rankers:CompleteOnly"
    outcome = rankwise(
        "compare", "-m", methods, "-d", "generated/iris", "--folds", 3, "--missing", "0,0.5"
    )
    assert outcome.code == 0
    assert "CompleteOnly on generated/iris at 50% missing is left out" in outcome.err


def test_a_users_file_is_compared_on(rankwise, tmp_path):
    rows = "\n".join(f"{i},{1 + i % 2},{2 - i % 2},3" for i in range(12))
    (tmp_path / "drinks.csv").write_text(f"hour,tea,coffee,water\n{rows}\n")
    outcome = rankwise(
        "compare", "-m", MEAN, "-d", "drinks.csv", "--labels", "tea,coffee,water", "--folds", 3
    )
    assert outcome.code == 0, outcome.err
    assert "drinks" in outcome.out


def test_a_column_that_names_rows_is_left_out_and_others_can_be(rankwise, tmp_path):
    rows = "\n".join(f"R-{i:03},{i},{i % 5},{1 + i % 2},{2 - i % 2}" for i in range(30))
    (tmp_path / "drinks.csv").write_text(f"visit,hour,mood,tea,coffee\n{rows}\n")
    arguments = ("compare", "-m", MEAN, "-d", "drinks.csv", "--labels", "tea,coffee", "--folds", 3)
    outcome = rankwise(*arguments)
    assert outcome.code == 0, outcome.err
    assert "column 'visit'" in outcome.err
    kept = rankwise(*arguments, "--drop", "visit,mood", "--out", "other")
    assert kept.code == 0, kept.err
    assert "column 'visit'" not in kept.err
    assert rankwise(*arguments, "--drop", "moon").code == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-d", "generated/iris", "-m", "Tee"], "unknown learner 'Tee'; choose one of"),
        (["-d", "irish", "-m", MEAN], "unknown benchmark 'irish'"),
        (["-d", "nowhere.csv", "-m", MEAN], "no such file"),
        (["-d", "generated/iris", "-m", MEAN, "--missing", "some"], "--missing some"),
        (["-d", "generated/iris", "-m", MEAN, "--missing", "2"], "missing rate 2.0"),
        (["-d", "generated/iris", "-m", MEAN, "--format", "word"], "--format word"),
        (["-d", "generated/iris", "-m", MEAN, "--folds", "1"], "two or more"),
        (["-d", "generated/iris", "-m", MEAN, "--backend", "abacus"], "abacus"),
        (["-d", "generated/iris", "-m", MEAN, "--jobs", "0"], "jobs"),
        (["-d", "", "-m", MEAN], "needs a method and a data set"),
        (
            ["-d", "generated/iris", "-m", MEAN, "--drop", "x"],
            "options for reading one do not apply",
        ),
        (["-m", MEAN], "--datasets"),
    ],
)
def test_bad_input_gives_one_line_and_code_2(rankwise, tmp_path, arguments, reason):
    outcome = rankwise("compare", *arguments)
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")
    assert len(outcome.err.splitlines()) == 1
    assert reason in outcome.err
    assert not (tmp_path / "rankwise-compare").exists()


def test_files_can_be_named_without_an_option_and_must_be_named(rankwise, tmp_path):
    one = rankwise("compare", "generated/iris", "--learners", MEAN, "--folds", 3, "--json")
    other = rankwise("compare", "-d", "generated/iris", "-m", MEAN, "--folds", 3, "--json")
    assert one.code == 0, one.err
    assert json.loads(one.out)["tables"] == json.loads(other.out)["tables"]
    assert "name the data" in rankwise("compare", "-m", MEAN).err


def test_one_data_set_is_no_ground_for_tests_over_data_sets(rankwise):
    outcome = rankwise("compare", "generated/iris", "-m", f"{MEAN},{REVERSED}", "--folds", 3)
    assert outcome.code == 0, outcome.err
    assert "One data set" in outcome.out
    assert "no two methods differ" not in outcome.out
