"""Values: replicates, noise, cutoffs, gaps in the features of long tables, and the way out and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from datasets import naive
from rankwise._messages import for_command_line
from rankwise.datasets import DataFileError, Dataset, read, write
from rankwise.datasets._replicates import merge_replicates, pooled_deviation

NAN = np.nan
YIELDS = (
    "row,label,value,pKa\nS1,THF,70,4.2\nS1,THF,74,4.2\nS1,DMF,71.5,4.2\nS2,THF,20,5\nS2,DMF,60,5\n"
)


@pytest.fixture
def long(tmp_path):
    def make(text):
        (tmp_path / "yields.csv").write_text(text)
        return tmp_path / "yields.csv"

    return make


def test_replicates_become_their_mean_or_median_and_their_spread_is_kept(long):
    path = long("row,label,value\na,x,70\na,x,74\na,x,90\na,y,75\n")
    mean = read(path, higher_is_better=True, unit="%")
    assert_array_equal(mean.values, [[78, 75]])
    assert_array_equal(mean.replicates, [[3, 1]])
    assert_allclose(mean.spread, [[np.std([70, 74, 90], ddof=1), NAN]])
    assert "1 value is the mean of 3 replicates; pooled standard deviation 10.6 %" in mean.notes
    median = read(path, higher_is_better=True, replicates="median")
    assert_array_equal(median.values, [[74, 75]])
    assert_array_equal(median.ranks, [[2, 1]])


def test_differences_inside_the_noise_are_ties_if_asked(long):
    path = long(YIELDS)
    assert_array_equal(read(path, higher_is_better=True).ranks, [[2, 1], [1, 2]])
    assert_array_equal(read(path, higher_is_better=True, within=1.0).ranks, [[1, 1], [1, 2]])
    assert_array_equal(read(path, higher_is_better=True, within="sd").ranks, [[1, 1], [1, 2]])
    assert_array_equal(read(path, higher_is_better=True, within=0.1).ranks, [[2, 1], [1, 2]])
    with pytest.raises(DataFileError, match="'sd' for the pooled standard deviation"):
        read(path, higher_is_better=True, within="much")
    with pytest.raises(DataFileError, match="no label was measured twice"):
        read(long("row,label,value\na,x,1\na,y,2\n"), higher_is_better=True, within="sd")


def test_exact_copies_of_a_line_count_once(long):
    path = long("row,label,value,day\na,x,70,1\na,x,70,1\na,x,76,1\na,y,75,1\na,x,70,1\n")
    found = read(path, higher_is_better=True)
    assert_array_equal(found.values, [[73, 75]])
    assert "2 lines repeat another one exactly (first: line 3); each counts once" in found.notes
    # The same value on another day is another measurement.
    path = long("row,label,value,day\na,x,70,1\na,x,70,2\na,x,76,3\na,y,75,1\n")
    assert_array_equal(read(path, higher_is_better=True, drop=["day"]).values, [[72, 75]])


def test_equal_ranks_given_twice_are_one_and_others_are_refused(long):
    assert_array_equal(read(long("row,label,rank\na,x,1\na,x,1\na,y,2\n")).ranks, [[1, 2]])
    with pytest.raises(
        DataFileError, match=r"line 4: row 'a' ranks label 'x' a second time, and not"
    ):
        read(long("row,label,rank\na,x,1\na,y,2\na,x,2\n"))


def test_what_is_called_rank_may_hold_values(long):
    path = long("row,label,rank\na,x,0.5\na,y,0.2\n")
    assert_array_equal(read(path, columns={"value": "rank"}, higher_is_better=True).ranks, [[1, 2]])


def test_an_empty_feature_cell_is_taken_from_the_other_lines_of_the_row(long):
    path = long("row,label,value,pKa,kind\na,x,1,,ArBr\na,y,2,4.2,\nb,x,1,5,ArI\nb,y,3,5,ArI\n")
    found = read(path, higher_is_better=True)
    assert_array_equal(found.features, [[4.2, 0], [5, 1]])
    assert any("1 row lacks features on some of its lines" in note for note in found.notes)


def test_conflicting_features_are_reported_with_column_and_lines(long):
    path = long("row,label,value,pKa\na,x,1,\na,y,2,4.2\na,z,3,4.8\nb,x,1,5\nb,y,3,6\n")
    with pytest.raises(DataFileError) as caught:
        read(path, higher_is_better=True)
    assert caught.value.line == 4
    expected = "row 'a': column 'pKa' is 4.2 on line 3 and 4.8 here (1 more row like it)"
    assert expected in caught.value.reason
    assert "drop=['pKa']" in caught.value.reason
    text = "row,label,rank,kind\na,x,1,ArBr\na,y,2,ArI\nb,x,2,ArI\nb,y,1,ArI\n"
    with pytest.raises(DataFileError, match="'kind' is 'ArBr' on line 2 and 'ArI' here"):
        read(long(text))


def test_columns_that_name_rows_or_lines_of_a_long_table_are_left_out_and_said(long):
    rows, header = [], "row,label,value,entry,number,substrate no,smiles,pKa\n"
    for i, label in ((i, label) for i in range(9) for label in "xyx"):
        n = len(rows) + 1
        rows.append(f"S{i},{label},{n % 7},JD-{n},{n},{i + 1},C{i}N,{i % 4}\n")
    path = long(header + "".join(rows))
    found = read(path, higher_is_better=True, drop_names=True)
    assert found.feature_names == ("pKa",)
    for said in (
        "'entry' holds a different text on every line, so it is taken as a name and left out",
        "'number' counts the lines, so",
        "'substrate no' counts the rows, so",
        "'smiles' holds a different text in every row, so",
    ):
        assert any(said in note for note in found.notes)
    # who asks for all columns is told why not
    with pytest.raises(DataFileError, match=r"'entry' is 'JD-1' on line 2 .* and 'number' so too"):
        read(path, higher_is_better=True)
    # a text that two rows share is a feature
    shared = long(header + "".join(rows).replace("C8N", "C7N"))
    assert "smiles" in read(shared, higher_is_better=True, drop_names=True).recipe.feature_names[0]


def test_a_column_to_leave_out_is_named_as_a_shell_takes_it(long):
    path = long("row,label,value,p K\na,x,1,1\na,y,2,2\n")
    with pytest.raises(DataFileError, match=r"drop=\['p K'\]") as caught:
        read(path, higher_is_better=True)
    assert "--drop 'p K'" in for_command_line(caught.value)


def test_a_run_that_reached_the_cutoff_counts_ten_of_them(long):
    path = long("row,label,value\na,x,60\na,y,12\na,z,75\n")
    found = read(path, higher_is_better=False, cutoff=60, unit="s")
    assert_array_equal(found.values, [[600, 12, 600]])
    assert_array_equal(found.ranks, [[2, 1, 2]])
    assert (found.cutoff, found.penalty, found.unit) == (60, 10, "s")
    with pytest.raises(DataFileError, match="cutoff is about values of which low ones are better"):
        read(path, higher_is_better=True, cutoff=60)
    wide = long("x,a,b\n1,5,99\n")
    assert_array_equal(
        read(wide, labels=["a", "b"], higher_is_better=False, cutoff=60, penalty=2).values,
        [[5, 120]],
    )
    with pytest.raises(DataFileError, match="cutoff is about values; say higher_is_better"):
        read(wide, labels=["a", "b"], cutoff=60)


def test_groups_are_read_and_are_no_feature(long):
    path = long("row,label,rank,x,farm\na,s,1,5,f1\na,t,2,5,f1\nb,s,1,6,f2\nb,t,2,6,f2\n")
    found = read(path, columns={"group": "farm"})
    assert found.groups == ("f1", "f2")
    assert found.feature_names == ("x",)
    wide = read(long("x,farm,ranking\n1,f1,a>b\n2,f1,b>a\n"), columns={"group": "farm"})
    assert (wide.groups, wide.feature_names) == (("f1", "f1"), ("x",))
    with pytest.raises(DataFileError, match="column 'farm' names no group here"):
        read(long("x,farm,ranking\n1,f1,a>b\n2,,b>a\n"), columns={"group": "farm"})


def test_lines_of_a_row_that_differ_in_group_fold_or_weight_are_refused(long):
    for column, role in (("farm", "group"), ("plots", "weight"), ("@fold", None)):
        path = long(f"row,label,rank,{column}\na,s,1,1\na,t,2,\nb,s,1,2\nb,t,2,3\n")
        options = {} if role is None else {"columns": {role: column}}
        with pytest.raises(DataFileError, match="is '3' here and '2' on line 4") as caught:
            read(path, **options)
        assert caught.value.line == 5
        assert repr(column) in caught.value.reason


def test_of_ranks_beside_values_one_must_be_named(long):
    path = long("row,label,rank,value\na,s,1,5\na,t,2,9\n")
    with pytest.raises(DataFileError, match="a column 'rank' and a column 'value'; say which"):
        read(path)
    assert_array_equal(
        read(path, columns={"value": "value"}, higher_is_better=True).ranks, [[2, 1]]
    )
    assert_array_equal(read(path, columns={"rank": "rank"}).ranks, [[1, 2]])


FULL = Dataset(
    [[1.0, NAN], [2.0, 0.5], [3.0, 1.5]],
    [[1, 1, 2], [2, NAN, 1], [1, 2, 3]],
    feature_names=["u", "v"],
    label_names=["a", "b", "c"],
    folds=[[1, 2], [2, 1], [1, 1]],
    groups=["f", "g", "f"],
    weights=[1.0, 2.0, 0.5],
    values=[[1.0, 1.5, 600.0], [4.0, NAN, 3.0], [0.1, 0.2, 0.3]],
    higher_is_better=False,
    unit="s",
    cutoff=60.0,
    penalty=10.0,
    spread=[[0.1, NAN, NAN], [NAN, NAN, NAN], [NAN, 0.2, NAN]],
    replicates=[[2, 1, 1], [1, 0, 1], [1, 3, 1]],
    row_names=["p", "q", "r"],
)
PARTS = ("features", "ranks", "values", "spread", "replicates", "folds", "weights")
FACTS = ("groups", "row_names", "label_names", "feature_names", "unit", "cutoff", "penalty")


def test_everything_is_written_out_and_read_back_without_loss(tmp_path):
    path = tmp_path / "full.csv"
    write(FULL, path)
    back = read(path)
    for part in PARTS:
        assert_array_equal(getattr(back, part), getattr(FULL, part), err_msg=part)
    for fact in (*FACTS, "higher_is_better"):
        assert getattr(back, fact) == getattr(FULL, fact), fact


@pytest.mark.parametrize("format", ["ranking", "wide"])
def test_names_weights_groups_and_folds_of_rows_are_kept_in_every_table(tmp_path, format):
    path = tmp_path / "rows.csv"
    write(FULL, path, format=format)
    back = read(path, labels=["a", "b", "c"])
    for part in ("X", "folds", "weights"):
        assert_array_equal(getattr(back, part), getattr(FULL, part), err_msg=part)
    assert (back.row_names, back.groups) == (FULL.row_names, FULL.groups)


@pytest.mark.parametrize("rows", [[2, 0], [False, True, True], []])
def test_take_keeps_everything_that_belongs_to_rows(rows):
    if not rows:
        with pytest.raises(ValueError, match=r"row"):
            FULL.take(rows)
        return
    some = FULL.take(rows)
    which = np.arange(3)[np.asarray(rows)]
    for part in PARTS:
        assert_array_equal(getattr(some, part), getattr(FULL, part)[which], err_msg=part)
    assert some.row_names == tuple(np.array(FULL.row_names)[which])
    assert some.groups == tuple(np.array(FULL.groups)[which])
    assert (some.cutoff, some.unit, some.higher_is_better) == (60, "s", False)


MEASURED = st.lists(
    st.tuples(st.integers(0, 4), st.one_of(st.just(NAN), st.integers(-9, 9).map(float))),
    max_size=25,
)


@given(MEASURED, st.sampled_from(["mean", "median"]))
def test_merged_replicates_equal_those_of_the_plain_twin(measured, how):
    cells = np.array([cell for cell, _ in measured], dtype=np.int64)
    found = merge_replicates(cells, np.array([value for _, value in measured], dtype=float), how)
    expected = naive.merged(measured, how)
    assert found.cells.tolist() == sorted(expected)
    for name, column in zip(("value", "spread", "count"), found[1:], strict=True):
        assert_allclose(column, [expected[cell][name] for cell in found.cells], err_msg=name)
    pooled = naive.pooled(measured)
    assert_allclose(pooled_deviation(found.spread, found.counts), pooled, atol=1e-12)
