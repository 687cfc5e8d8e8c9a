"""Values, folds, groups, gaps and scenarios on the command line."""

import csv
import io
import json

import numpy as np
import pytest

from cli.reactions import QUICK
from rankwise.datasets import read

NAMES = ("p", "q", "r")


def write_runs(path, n=24, repeats=1):
    """Write run times of three solvers in a long table, and what each instance belongs to."""
    lines = ["row,label,value,size,gap,family"]
    for i in range(n):
        times = {"p": 1 + i % 5, "q": 6 - i % 5, "r": 3}
        gap = "" if i % 4 == 0 else i % 3
        for label, time in times.items():
            lines += [
                f"i{i},{label},{time + r / 8},{i % 5},{gap},f{i // 4}" for r in range(repeats)
            ]
    path.write_text("\n".join(lines))


@pytest.fixture
def scenario(tmp_path):
    head = "@RELATION r\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
    runs = head + "@ATTRIBUTE algorithm STRING\n@ATTRIBUTE runtime NUMERIC\n"
    runs += "@ATTRIBUTE runstatus {ok,timeout}\n@DATA\n"
    features = head + "@ATTRIBUTE size NUMERIC\n@ATTRIBUTE kind {easy,hard}\n@DATA\n"
    folds = head + "@ATTRIBUTE fold NUMERIC\n@DATA\n"
    for i in range(24):
        slow, fast = ("a", "b") if i % 2 else ("b", "a")
        runs += f"i{i},1,{fast},{1 + i},ok\ni{i},1,{slow},60,timeout\ni{i},1,c,{30 + i % 3},ok\n"
        features += f"i{i},1,{i},{'hard' if i % 2 else 'easy'}\n"
        folds += f"i{i},1,{1 + i % 4}\n"
    folder = tmp_path / "S-2020"
    folder.mkdir()
    described = "scenario_id: S\nmaximize: [false]\nperformance_measures: [runtime]\n"
    described += "performance_type: [runtime]\nalgorithm_cutoff_time: 60\n"
    for name, text in {
        "description.txt": described,
        "algorithm_runs.arff": runs,
        "feature_values.arff": features,
        "cv.arff": folds,
    }.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("command", ["fit", "evaluate", "audit", "convert", "compare"])
def test_every_command_asks_which_values_are_better(rankwise, tmp_path, command):
    write_runs(tmp_path / "d.csv")
    what = {"convert": ["d.csv", "e.csv"], "compare": ["-d", "d.csv", "-m", "Consensus"]}
    arguments = what.get(command, ["d.csv"])
    asked = rankwise(command, *arguments, "--drop", "family")
    assert asked.code == 2
    assert "say --higher-is-better or --lower-is-better" in asked.err


def test_evaluate_and_compare_use_the_folds_that_the_data_bring_and_say_so(rankwise, scenario):
    evaluated = rankwise("evaluate", "S-2020", "--learner", "Consensus", "--json")
    told = json.loads(evaluated.out)
    assert (told["own_folds"], told["folds"], told["plan"]) == (True, 4, "its own 4 folds")
    assert "its own 4 folds are used; say --folds to draw others" in evaluated.err
    compared = rankwise("compare", "-d", "S-2020", "-m", "Consensus,Tree", "--json")
    table = json.loads(compared.out)["tables"]["tau"]
    mean = told["scores"]["prediction"]["tau"]["mean"]
    assert table["rows"][0]["Consensus"]["mean"] == pytest.approx(mean)
    assert "Of S-2020: its own 4 folds." in table["notes"]
    drawn = rankwise("evaluate", "S-2020", "--learner", "Consensus", "--folds", 3, "--json")
    assert json.loads(drawn.out)["plan"] == "3 folds, 1 time"
    refused = rankwise("evaluate", "S-2020", "--learner", "Consensus", "--repeats", 2)
    assert refused.code == 2
    assert "brings its own folds" in refused.err


def test_evaluate_and_compare_count_every_row_in_what_a_choice_costs(rankwise, scenario):
    runs = scenario / "algorithm_runs.arff"
    text = runs.read_text()
    for i in (0, 1, 5):  # all runs of these were stopped
        text = text.replace(f"i{i},1,c,{30 + i % 3},ok", f"i{i},1,c,60,timeout")
        for name in "ab":
            text = text.replace(f"i{i},1,{name},{1 + i},ok", f"i{i},1,{name},60,timeout")
    runs.write_text(text)
    evaluated = rankwise("evaluate", "S-2020", "--learner", "Tree", "--top", 2, "--json")
    told = json.loads(evaluated.out)
    assert told["rows"] == 24
    assert "3 of 24 rows order no two labels; they count in what a choice costs" in evaluated.err
    assert told["scores"]["virtual_best"]["value"]["mean"] > 3 * 600 / 24
    compared = rankwise("compare", "-d", "S-2020", "-m", "Tree", "--top", 2, "--json")
    rows = {row["measure"]: row for row in json.loads(compared.out)["tables"]["costs"]["rows"]}
    for row, measure in (
        ("lost (s)", "regret"),
        ("lost, best of 2 (s)", "regret_of_top"),
        ("value (s)", "value"),
        ("gap closed", "gap_closed"),
    ):
        for column, who in (("Tree", "prediction"), ("single best", "single_best")):
            if (row, who) != ("gap closed", "single_best"):
                assert rows[row][column]["mean"] == pytest.approx(
                    told["scores"][who][measure]["mean"]
                )
                assert rows[row][column]["high"] == pytest.approx(
                    told["scores"][who][measure]["high"]
                )


def test_groups_are_never_divided(rankwise, tmp_path, monkeypatch):
    write_runs(tmp_path / "d.csv")
    seen = []
    from rankwise.validation import _plans

    divide = _plans.draw_folds
    monkeypatch.setattr(
        _plans, "draw_folds", lambda *a, **k: seen.append(divide(*a, **k)) or seen[-1]
    )
    options = ("--lower-is-better", "--groups", "family", "--folds", 3)
    outcome = rankwise("evaluate", "d.csv", *options, "--learner", "Consensus", "--json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["plan"] == "3 folds of 6 groups, 1 time"
    rankwise("compare", "-d", "d.csv", *options, "-m", "Consensus")
    assert len(seen) == 3 + 3
    for folds in seen:
        for train, test in folds:
            assert not {i // 4 for i in train} & {i // 4 for i in test}
    few = rankwise("evaluate", "d.csv", *options[:3], "--learner", "Consensus", "--folds", 9)
    assert "groups of such rows: 6, too few for 9 folds" in few.err


def test_gaps_in_features_are_filled_alike_by_every_command_and_that_is_said(rankwise, tmp_path):
    write_runs(tmp_path / "d.csv")
    options = ("--lower-is-better", "--drop", "family", "--folds", 3)
    rule = "KNNKemeny takes no gaps in features: 6 rows have some, which are filled with the mean"
    evaluated = rankwise("evaluate", "d.csv", *options, "--learner", "KNNKemeny", "--json")
    assert evaluated.code == 0, evaluated.err
    assert rule in evaluated.err
    compared = rankwise("compare", "-d", "d.csv", *options, "-m", "KNNKemeny,Tree", "--json")
    assert compared.code == 0, compared.err
    table = json.loads(compared.out)["tables"]["tau"]
    tau = json.loads(evaluated.out)["scores"]["prediction"]["tau"]["mean"]
    assert table["rows"][0]["KNNKemeny"]["mean"] == pytest.approx(tau)
    filled = "Gaps in features were filled with the training rows' mean for KNNKemeny."
    assert filled in table["notes"]
    fitted = rankwise("fit", "d.csv", *options, "--learner", "KNNKemeny", "-o", "m.rankwise")
    assert rule in fitted.err
    means = read(tmp_path / "d.csv", higher_is_better=False, drop=["family"]).features
    (tmp_path / "new.csv").write_text(f"size,gap\n2,\n2,{float(np.nanmean(means[:, 1]))!r}\n")
    rows = list(csv.DictReader(io.StringIO(rankwise("predict", "m.rankwise", "new.csv").out)))
    assert rows[0]["ranking"] == rows[1]["ranking"]


def test_predict_takes_a_scenario_and_its_feature_values(rankwise, scenario):
    fitted = rankwise("fit", "S-2020", *QUICK)
    assert fitted.code == 0, fitted.err
    folder = rankwise("predict", "S-2020.rankwise", "S-2020")
    file = rankwise("predict", "S-2020.rankwise", "S-2020/feature_values.arff")
    assert (folder.code, file.code) == (0, 0), folder.err + file.err
    assert folder.out == file.out
    rows = list(csv.DictReader(io.StringIO(folder.out)))
    assert [row["instance_id"] for row in rows] == [f"i{i}" for i in range(24)]
    assert rows[2]["ranking"].startswith("a>")
    assert rows[3]["ranking"].startswith("b>")


def test_convert_keeps_names_values_and_folds_of_a_scenario(rankwise, scenario, tmp_path):
    assert rankwise("convert", "S-2020", "s.csv").code == 0
    kept, whole = read(tmp_path / "s.csv"), read(scenario)
    for part in ("X", "Y", "values", "folds"):
        np.testing.assert_array_equal(getattr(kept, part), getattr(whole, part), err_msg=part)
    for fact in ("row_names", "label_names", "higher_is_better", "unit", "cutoff", "penalty"):
        assert getattr(kept, fact) == getattr(whole, fact), fact
    wide = rankwise("convert", "S-2020", "w.csv", "--to", "wide")
    assert "no place for values; --to long keeps everything" in wide.err
    arff = rankwise("convert", "S-2020", "s.xarff")
    assert "no place for values, row names, folds" in arff.err


def test_replicates_and_their_noise_are_told(rankwise, tmp_path):
    write_runs(tmp_path / "d.csv", repeats=3)
    options = ("--lower-is-better", "--unit", "s", "--drop", "family")
    merged = rankwise("convert", "d.csv", "e.csv", *options, "--within", "sd")
    assert "72 values are the mean of 3 replicates; pooled standard deviation 0.125 s" in merged.err
    bad = rankwise("convert", "d.csv", "f.csv", *options, "--within", "noise")
    assert "--within is 'noise'; give a difference in the unit of the values" in bad.err


def test_an_explanation_has_one_average_and_says_over_what(rankwise, tmp_path):
    write_runs(tmp_path / "d.csv")
    options = ("--lower-is-better", "--drop", "family", "--leaf-rows", 5)
    rankwise("fit", "d.csv", *options, *QUICK, "-o", "m.rankwise")
    (tmp_path / "new.csv").write_text("size,gap\n2,1\n")
    asked = ("explain", "m.rankwise", "new.csv", "-a", "p", "-b", "q")
    alone, beside = rankwise(*asked), rankwise(*asked, "--data", "d.csv")
    for outcome in (alone, beside):
        assert outcome.code == 0, outcome.err
        assert "On average over the 24 training rows " in outcome.out
    count = alone.out.index("For similar training rows")
    assert beside.out[:count] == alone.out[:count]
    # Named as in the file, which calls its rows i0, i1, ...
    assert "  row i" in beside.out


def test_similar_rows_without_a_name_are_called_by_their_line(rankwise, tmp_path):
    rows = "".join(f"{i % 5},{'a>b' if i % 5 < 2 else 'b>a'}\n" for i in range(20))
    (tmp_path / "d.csv").write_text("x,ranking\n" + rows)
    rankwise("fit", "d.csv", *QUICK, "-o", "m.rankwise")
    told = rankwise("explain", "m.rankwise", "d.csv", "--row", 1, "--data", "d.csv")
    assert "  row on line " in told.out


def test_evaluate_and_compare_tell_what_a_choice_costs(rankwise, scenario):
    shown = rankwise("evaluate", "S-2020", "--learner", "Tree")
    assert shown.code == 0, shown.err
    for text in ("value of the choice, PAR10 (s)", "lost against the best (s)", "single best"):
        assert text in shown.out
    told = json.loads(rankwise("evaluate", "S-2020", "--learner", "Tree", "--json").out)
    scores = told["scores"]
    assert scores["virtual_best"]["regret"]["mean"] == 0
    # The kind of an instance says which solver ends in time: nothing is left to lose.
    assert scores["prediction"]["regret"]["mean"] == 0
    assert scores["prediction"]["gap_closed"]["mean"] == pytest.approx(1)
    assert scores["single_best"]["regret"]["mean"] > 0
    assert (told["unit"], told["cutoff"], told["penalty"]) == ("s", 60, 10)
    compared = json.loads(rankwise("compare", "-d", "S-2020", "-m", "Tree", "--json").out)
    rows = {row["measure"]: row for row in compared["tables"]["costs"]["rows"]}
    lost = scores["single_best"]["regret"]["mean"]
    assert rows["lost (s)"]["single best"]["mean"] == pytest.approx(lost)


def test_a_model_is_scored_by_what_it_costs_on_new_rows(rankwise, scenario):
    rankwise("fit", "S-2020", *QUICK, "-o", "m.rankwise")
    told = json.loads(rankwise("evaluate", "S-2020", "--model", "m.rankwise", "--json").out)
    scores = told["scores"]
    assert scores["prediction"]["regret"]["mean"] < scores["single_best"]["regret"]["mean"]
    assert scores["prediction"]["regret"]["n"] == 24
    assert scores["prediction"]["gap_closed"]["mean"] > 0.5


def test_predict_tells_what_to_expect_of_each_label(rankwise, scenario, tmp_path):
    rankwise("fit", "S-2020", "--trees", 30, "--folds", 3, "-o", "m.rankwise")
    rows = list(csv.DictReader(io.StringIO(rankwise("predict", "m.rankwise", "S-2020").out)))
    easy, hard = rows[4], rows[5]
    assert float(easy["value_a"]) < 60 < float(easy["value_b"])
    assert float(hard["value_b"]) < 60 < float(hard["value_a"])
    assert float(easy["spread_c"]) < 2
    told = json.loads(rankwise("predict", "m.rankwise", "S-2020", "--json").out)
    assert told[4]["values"]["a"]["expected"] == float(easy["value_a"])


def test_a_model_of_a_scenario_remembers_its_measure(rankwise, scenario):
    runs = scenario / "algorithm_runs.arff"
    text = runs.read_text().replace("runtime NUMERIC\n", "runtime NUMERIC\n@ATTRIBUTE q NUMERIC\n")
    lines = [
        line.replace(",ok", f",{i % 7},ok").replace(",timeout", ",?,timeout")
        for i, line in enumerate(text.splitlines())
    ]
    header = "@ATTRIBUTE runstatus {ok,timeout}"
    text = "\n".join(header if "runstatus" in line else line for line in lines)
    runs.write_text(text)
    described = (scenario / "description.txt").read_text()
    described = described.replace("[false]", "[false, true]").replace("[runtime]", "[runtime, q]")
    (scenario / "description.txt").write_text(described)
    fitted = rankwise("fit", "S-2020", *QUICK, "-c", "value=q", "-o", "q.rankwise")
    assert fitted.code == 0, fitted.err
    told = rankwise("evaluate", "S-2020", "--model", "q.rankwise", "--json")
    assert "'runtime' is taken" not in told.err
    assert json.loads(told.out)["higher_is_better"] is True
    words = rankwise("predict", "q.rankwise", "S-2020", "--words").out.splitlines()
    assert words[3].startswith("i3: try ")


def test_what_no_format_keeps_is_told_without_a_remedy(rankwise, tmp_path):
    (tmp_path / "d.csv").write_text("kind,ranking\n1,b>a\n2,a>b\n")
    options = ("--nominal", "kind", "--labels", "b,a")
    told = rankwise("convert", "d.csv", "e.csv", *options, "--to", "long")
    assert told.code == 0, told.err
    lost = "note: the format has no place for the categories of 'kind', the order of the labels\n"
    assert lost in told.err


def test_compare_and_evaluate_have_one_floor_where_values_tie(rankwise, tmp_path):
    lines = ["row,label,value,size"]
    for i in range(24):
        values = {"p": 5, "q": 5 if i % 3 else 9, "r": 5 if i % 4 else 1}
        lines += [f"i{i},{label},{value},{i % 5}" for label, value in values.items()]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    said = ("d.csv", "--higher-is-better", "--folds", "3", "--json")
    told = json.loads(rankwise("evaluate", *said, "--learner", "Consensus").out)["scores"]
    assert told["prediction"] == told["floor"]
    compared = json.loads(rankwise("compare", *said, "-m", "Consensus").out)
    mean = compared["tables"]["tau"]["rows"][0]["Consensus"]["mean"]
    assert mean == pytest.approx(told["floor"]["tau"]["mean"])
