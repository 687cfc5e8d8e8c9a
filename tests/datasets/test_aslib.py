"""ASlib scenarios: repetitions, failures, directions, folds."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from datasets import naive
from datasets.plain_aslib import read_plainly
from rankwise.datasets import DataFileError, read
from rankwise.metrics import regret

NAN = np.nan
ID = "@RELATION r\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
RUNS = ID + "@ATTRIBUTE algorithm STRING\n@ATTRIBUTE runtime NUMERIC\n"
RUNS += "@ATTRIBUTE runstatus {ok,timeout,memout,crash,other}\n@DATA\n"
FEATURES = ID + "@ATTRIBUTE size NUMERIC\n@ATTRIBUTE depth NUMERIC\n@DATA\n"
FOLDS = ID + "@ATTRIBUTE fold NUMERIC\n@DATA\n"
DESCRIPTION = "scenario_id: S\nmaximize:\n- false\nperformance_measures:\n- runtime\n"


@pytest.fixture
def scenario(tmp_path):
    def make(runs, features="", folds=None, description=DESCRIPTION):
        folder = tmp_path / "S-2020"
        folder.mkdir(exist_ok=True)
        (folder / "description.txt").write_text(description)
        (folder / "algorithm_runs.arff").write_text(RUNS + runs)
        (folder / "feature_values.arff").write_text(FEATURES + features)
        if folds is not None:
            (folder / "cv.arff").write_text(FOLDS + folds)
        return folder

    return make


def test_the_fastest_comes_first_and_failures_tie_at_the_bottom(scenario):
    runs = "p,1,a,5,ok\np,1,b,3600,timeout\np,1,c,2,ok\np,1,d,1,crash\n"
    dataset = read(scenario(runs, "p,1,3,4\n"))
    assert dataset.label_names == ("a", "b", "c", "d")
    assert_array_equal(dataset.ranks, [[2, 3, 1, 3]])
    assert_array_equal(dataset.values, [[5, 5, 2, 5]])
    assert "2 runs that failed count as the worst performance of all" in dataset.notes
    assert_array_equal(dataset.features, [[3, 4]])
    assert dataset.name == "S-2020"
    assert dataset.row_names == ("p",)


def test_a_failure_counts_ten_cutoffs_or_as_many_as_are_said(scenario):
    timed = DESCRIPTION + "algorithm_cutoff_time: 3600\nperformance_type: [runtime]\n"
    folder = scenario("p,1,a,5,ok\np,1,b,3600,timeout\np,1,c,2,crash\n", description=timed)
    dataset = read(folder)
    assert_array_equal(dataset.values, [[5, 36000, 36000]])
    facts = dataset.higher_is_better, dataset.unit, dataset.cutoff, dataset.penalty
    assert facts == (False, "s", 3600, 10)
    assert_array_equal(read(folder, penalty=2).values, [[5, 7200, 7200]])
    assert_array_equal(read(folder, cutoff=5000).values, [[5, 50000, 50000]])
    with pytest.raises(DataFileError, match="within is not for format 'aslib'"):
        read(folder, within=2.0)
    # Choosing what times out costs what it took, less what the best takes.
    assert regret(dataset.values, [[2, 1, 3]], higher_is_better=False) == 36000 - 5


def test_of_several_measures_the_first_is_taken_aloud_or_the_one_asked_for(scenario):
    both = "maximize: [false, true]\nperformance_measures: [runtime, quality]\n"
    both += "performance_type: [runtime, solution_quality]\nalgorithm_cutoff_time: 60\n"
    folder = scenario("", description=both)
    runs = RUNS.replace("runtime NUMERIC\n", "runtime NUMERIC\n@ATTRIBUTE quality NUMERIC\n")
    lines = "p,1,a,1,0.5,ok\np,1,b,2,0.9,ok\np,1,c,3,0.1,crash\n"
    (folder / "algorithm_runs.arff").write_text(runs + lines)
    dataset = read(folder)
    assert_array_equal(dataset.ranks, [[1, 2, 3]])
    assert any("measures 'runtime', 'quality'; 'runtime' is taken" in n for n in dataset.notes)
    other = read(folder, columns={"value": "quality"})
    assert_array_equal(other.ranks, [[2, 1, 3]])
    assert_array_equal(other.values, [[0.5, 0.9, 0.5]])
    assert (other.higher_is_better, other.cutoff, other.unit) == (True, None, "")
    with pytest.raises(DataFileError, match="no performance measure 'speed'; it names 'runtime'"):
        read(folder, columns={"value": "speed"})


def test_maximize_turns_the_order_round_but_not_the_failures(scenario):
    runs = "p,1,a,5,ok\np,1,b,3600,timeout\np,1,c,2,ok\n"
    for setting in ("maximize: true\n", "maximize: [true]\n"):
        assert_array_equal(read(scenario(runs, description=setting)).ranks, [[1, 3, 2]])


def test_repetitions_are_averaged_and_a_majority_of_failures_fails(scenario):
    runs = "p,1,a,1,ok\np,2,a,9,ok\np,1,b,4,ok\np,2,b,4,ok\np,1,c,1,ok\np,2,c,1,timeout\n"
    runs += "p,1,d,1,ok\np,2,d,3,ok\np,3,d,99,timeout\n"
    dataset = read(scenario(runs))
    assert_array_equal(dataset.values, [[5, 4, 5, 2]])
    assert_array_equal(dataset.ranks, [[3, 2, 4, 1]])


def test_runs_that_were_never_made_are_missing(scenario):
    dataset = read(scenario("p,1,a,1,ok\np,1,b,2,ok\nq,1,b,2,ok\nq,1,a,?,ok\n"))
    assert_array_equal(dataset.ranks, [[1, 2], [NAN, 1]])


def test_features_are_averaged_matched_by_name_and_missing_where_not_measured(scenario):
    runs = "p,1,a,1,ok\np,1,b,2,ok\nq,1,a,1,ok\nq,1,b,1,ok\n"
    dataset = read(scenario(runs, "other,1,0,0\np,2,3,?\np,1,5,?\n"))
    assert_array_equal(dataset.features, [[4, NAN], [NAN, NAN]])
    assert "1 instances have no features; theirs are missing (NaN)" in dataset.notes
    assert any(note.startswith("1 instances tie all algorithms") for note in dataset.notes)


def test_the_scenarios_own_folds_become_splits(scenario):
    runs = "p,1,a,1,ok\np,1,b,2,ok\nq,1,a,1,ok\nq,1,b,3,ok\n"
    folds = "q,1,1\np,1,2\np,2,1\nq,2,2\nelsewhere,1,1\n"
    dataset = read(scenario(runs, folds=folds))
    assert_array_equal(dataset.folds, [[2, 1], [1, 2]])
    tests = [test.tolist() for _, test in dataset.splits()]
    assert tests == [[1], [0], [0], [1]]
    with pytest.raises(DataFileError, match="assigns no fold to instance 'q'"):
        read(scenario(runs, folds="p,1,1\n"))
    (scenario(runs) / "cv.arff").unlink()
    assert read(scenario(runs)).folds is None


BROKEN = {
    "maximize: [": "not valid YAML",
    "- a\n- b\n": "not a YAML list of settings",
    "maximize: perhaps\n": "maximize is 'perhaps'; write true or false",
    "!!python/object/apply:os.getcwd []": "not a YAML list of settings",
}


@pytest.mark.parametrize("description", list(BROKEN))
def test_a_broken_description_is_refused(description, scenario):
    with pytest.raises(DataFileError, match=r"description\.txt") as caught:
        read(scenario("p,1,a,1,ok\np,1,b,2,ok\n", description=description))
    assert BROKEN[description] in caught.value.reason


def test_a_broken_run_names_file_and_line(scenario):
    with pytest.raises(DataFileError) as caught:
        read(scenario("p,1,a,1,ok\np,1,b,fast,ok\n"))
    assert caught.value.path.endswith("algorithm_runs.arff")
    assert caught.value.line == 9
    with pytest.raises(DataFileError, match="runs 1 algorithms"):
        read(scenario("p,1,a,1,ok\n"))


def test_without_yaml_the_message_names_the_extra(scenario, monkeypatch):
    folder = scenario("p,1,a,1,ok\np,1,b,2,ok\n")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(
        ImportError,
        match=r"reading an ASlib scenario needs "
        r"yaml.*rankwise\[data\]",
    ):
        read(folder)


STATUSES = st.sampled_from(["ok", "timeout", "crash"])


@given(
    runs=st.lists(
        st.tuples(st.sampled_from("pq"), st.sampled_from("abc"), st.integers(1, 5), STATUSES),
        min_size=1,
        max_size=20,
    ),
    maximize=st.booleans(),
)
def test_ranks_equal_those_of_the_plain_twin(runs, maximize, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scenario")
    runs = [*runs, ("p", "a", 1, "ok"), ("p", "b", 2, "ok")]
    lines = "".join(f"{i},{n},{a},{value},{s}\n" for n, (i, a, value, s) in enumerate(runs))
    (folder / "description.txt").write_text(f"maximize: {str(maximize).lower()}\n")
    (folder / "algorithm_runs.arff").write_text(RUNS + lines)
    (folder / "feature_values.arff").write_text(FEATURES)
    dataset = read(folder)
    for i, instance in enumerate(dataset.row_names):
        expected = naive.ranks_of_runs(
            [run[1:] for run in runs if run[0] == instance], dataset.label_names, maximize
        )
        assert_array_equal(dataset.ranks[i], expected)


def test_a_run_beyond_the_cutoff_failed_whatever_its_status(scenario):
    timed = DESCRIPTION + "algorithm_cutoff_time: 60\nperformance_type: [runtime]\n"
    folder = scenario("p,1,a,61,ok\np,1,b,60,ok\np,1,c,30,ok\n", description=timed)
    assert_array_equal(read(folder).values, [[600, 60, 30]])
    # A shorter cutoff than that of the scenario stops more runs.
    assert_array_equal(read(folder, cutoff=50).values, [[500, 500, 30]])
    assert_array_equal(read(folder, cutoff=50).ranks, [[2, 2, 1]])


def test_features_that_take_time_are_told(scenario):
    timed = DESCRIPTION + "algorithm_cutoff_time: 60\n"
    folder = scenario("p,1,a,5,ok\np,1,b,60,ok\n", description=timed)
    assert not any("feature_costs" in note for note in read(folder).notes)
    (folder / "feature_costs.arff").write_text(ID + "@ATTRIBUTE s NUMERIC\n@DATA\np,1,3\n")
    assert any("feature_costs.arff) is not counted" in note for note in read(folder).notes)


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    ["CPMP-2015", "OPENML-WEKA-2017", pytest.param("SAT11-HAND", marks=pytest.mark.slow)],
)
def test_a_published_scenario_reads_as_line_by_line(name, data_folder):
    folder = data_folder / "aslib" / name
    found, plain = read(folder), read_plainly(folder)
    cells = [(i, a) for i in found.row_names for a in found.label_names]
    assert set(plain["values"]) <= set(cells)
    expected = np.array([plain["values"].get(cell, NAN) for cell in cells])
    assert_array_equal(found.values, expected.reshape(found.values.shape))
    told = found.higher_is_better, found.cutoff, found.penalty
    assert told == (plain["maximize"], plain["cutoff"], 10 if plain["cutoff"] else None)
    # Ranks by the plain rule: how many of the others did better, failures all alike at the end.
    sign = -1 if plain["maximize"] else 1
    keys = [
        (1, 0) if c in plain["failed"] else (0, sign * plain["values"].get(c, NAN)) for c in cells
    ]
    for i, row in enumerate(found.ranks):
        own = keys[i * len(row) : (i + 1) * len(row)]
        places = sorted({key for key in own if key[1] == key[1]})
        assert_array_equal(row, [places.index(k) + 1 if k in places else NAN for k in own])
    for instance, row in zip(found.row_names, found.features, strict=True):
        for feature, value in zip(found.feature_names, row, strict=True):
            known = [x for x in plain["features"][instance][feature] if x == x]
            assert_array_equal(value, sum(known) / len(known) if known else NAN)
    repetitions = sorted({repetition for _, repetition in plain["folds"]})
    folds = [[plain["folds"][i, r] for r in repetitions] for i in found.row_names]
    assert_array_equal(found.folds, folds)


def test_a_scenario_is_known_again_wherever_it_lies_until_a_run_changes(scenario, tmp_path):
    runs = "i1,1,a,5,ok\ni1,1,b,7,ok\ni2,1,a,9,ok\ni2,1,b,2,ok\n"
    folder = scenario(runs, "i1,1,3,4\ni2,1,5,6\n")
    known = read(folder).sha256
    copy = folder.rename(tmp_path / "elsewhere")
    assert known
    assert read(copy).sha256 == known
    assert (
        read(scenario(runs.replace("i2,1,b,2", "i2,1,b,3"), "i1,1,3,4\ni2,1,5,6\n")).sha256 != known
    )
