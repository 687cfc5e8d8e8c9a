"""CSV files as people have them, and what is said about broken ones."""

import os

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rankwise.datasets import DataFileError, read

NAN = np.nan


@pytest.fixture
def csv(tmp_path):
    def make(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def reason_for(path, **options):
    with pytest.raises(DataFileError) as caught:
        read(path, **options)
    assert str(path) in str(caught.value)
    return caught.value


def test_a_ranking_column_gives_ranks_by_label_name(csv):
    dataset = read(csv("hour,ranking\n8,tea>coffee~water\n9,water>tea\n"))
    assert dataset.label_names == ("coffee", "tea", "water")
    assert_array_equal(dataset.ranks, [[2, 1, 2], [NAN, 2, 1]])
    assert_array_equal(dataset.features, [[8], [9]])


def test_given_labels_set_the_order_of_columns_and_forbid_others(csv):
    path = csv("ranking\nb>a\na>b\n")
    assert read(path, labels=["b", "a"]).label_names == ("b", "a")
    assert_array_equal(read(path, labels=["b", "a"]).ranks, [[1, 2], [2, 1]])
    error = reason_for(path, labels=["a", "c"])
    assert error.line == 2
    assert "unknown label 'b'" in error.reason


def test_commas_mean_the_same_in_the_whole_file(csv):
    rows = ["x,ranking"] + ['1,"a,b"'] * 40_000 + ["1,a>b"]
    assert "comma" in reason_for(csv("\n".join(rows)), features=["x"]).reason


def test_wide_columns_are_chosen_by_name_and_read_as_ranks_or_scores(csv):
    path = csv("acid,base,heat\n0.5,1,7\n2,3,8\n")
    labels = ["acid", "base"]
    assert_array_equal(read(path, labels=labels, higher_is_better=True).ranks, [[2, 1], [2, 1]])
    costs = read(path, labels=labels, features=[], higher_is_better=False)
    assert_array_equal(costs.ranks, [[1, 2], [1, 2]])
    assert_array_equal(costs.values, [[0.5, 1], [2, 3]])
    assert costs.features.shape == (2, 0)
    error = reason_for(path, labels=labels)
    assert (error.line, "rank 0.5; ranks start at 1" in error.reason) == (2, True)


def test_a_wide_file_without_named_labels_asks_for_them(csv):
    assert "labels=['tea'" in reason_for(csv("a,b\n1,2\n")).reason


def test_long_tables_are_read_by_rank_or_by_value(csv):
    by_rank = read(csv("row,label,rank\nr1,L10,1\nr1,L2,2\nr2,L2,1\n"))
    assert by_rank.label_names == ("L2", "L10")
    assert_array_equal(by_rank.ranks, [[2, 1], [1, NAN]])
    assert by_rank.row_names == ("r1", "r2")
    path = csv("farmer,variety,yield,rain\n7,a,3.5,10\n7,b,4,10\n8,b,1,20\n8,a,2,20\n")
    roles = {"row": "farmer", "label": "variety", "value": "yield"}
    by_value = read(path, columns=roles, higher_is_better=True)
    assert_array_equal(by_value.ranks, [[2, 1], [1, 2]])
    assert_array_equal(by_value.features, [[10], [20]])
    assert_array_equal(read(path, columns=roles, higher_is_better=False).ranks, [[1, 2], [2, 1]])


def test_a_long_table_of_values_asks_which_are_better(csv):
    path = csv("row,label,value\n1,fast,1\n1,slow,100\n")
    assert "say higher_is_better=True or False" in reason_for(path).reason
    assert_array_equal(read(path, higher_is_better=False).ranks, [[1, 2]])


def test_long_tables_must_agree_on_features_and_rank_a_label_once(csv):
    error = reason_for(csv("row,label,rank,x\na,t,1,5\na,c,2,6\n"))
    assert (error.line, "line 2" in error.reason) == (3, True)
    error = reason_for(csv("row,label,rank\na,t,1\na,c,2\na,t,2\n"))
    assert (error.line, "label 't' a second time" in error.reason) == (4, True)
    assert reason_for(csv("row,label,rank\na,t,1\na,,2\n")).line == 3
    assert reason_for(csv("row,label,rank\n,t,1\n")).line == 2
    error = reason_for(csv("row,label,rank\na,q,1\n"), labels=["t", "c"])
    assert "'q' is not among labels= ('t, c')" in error.reason


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found_from_the_header(separator, csv):
    lines = [["A1", "L1", "L2"], ["0.5", "1", "2"]]
    dataset = read(csv("\n".join(separator.join(line) for line in lines)))
    assert_array_equal(dataset.features, [[0.5]])


def test_spreadsheets_write_decimal_commas_and_a_separator_line(csv):
    dataset = read(csv("sep=;\nA1;L1;L2\n0,5;1;2\n-1,25e1;2;1\n"))
    assert_array_equal(dataset.features, [[0.5], [-12.5]])
    assert "numbers were read with a decimal comma" in dataset.notes


def test_decimal_commas_and_points_in_one_file_are_refused(csv):
    for content in ("A1;A2;L1;L2\n1,234;0;1;2\n2;0.5;1;2\n", "A1;A2;L1;L2\n0.5;1,5;1;2\n"):
        assert "decimal comma" in reason_for(csv(content)).reason


def test_a_quoted_comma_in_a_comma_file_is_no_number(csv):
    assert "'1,5', which is no number" in reason_for(csv('A1,L1,L2\n1,1,2\n"1,5",1,2\n')).reason


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfA1,L1,L2\n5,1,2\n",
        b"A1,L1,L2\r\n5,1,2\r\n",
        b"A1,L1,L2\r5,1,2\r",
        b"\n\nA1, L1 ,L2\n\n5 , 1, 2\n,,\n\n",
        b'"A1","L1","L2"\n"5","1","2"\n',
        b"A1,L1,L2,\n5,1,2,\n",
    ],
    ids=["byte-order mark", "CRLF", "CR", "blank lines", "quotes", "trailing separators"],
)
def test_harmless_variations_read_the_same(content, csv):
    dataset = read(csv(content))
    assert dataset.feature_names == ("A1",)
    assert_array_equal(dataset.features, [[5]])
    assert_array_equal(dataset.ranks, [[1, 2]])


def test_texts_become_named_columns_of_zero_and_one(csv):
    path = csv("color,soil,ranking\nred,dry,a>b\nblue,wet,b>a\n,dry,a>b\ngreen,NA,a>b\n")
    dataset = read(path)
    assert dataset.feature_names == ("color=red", "color=blue", "color=green", "soil=wet")
    assert_array_equal(
        dataset.features, [[1, 0, 0, 0], [0, 1, 0, 1], [NAN, NAN, NAN, 0], [0, 0, 1, NAN]]
    )
    assert any("'color' has 3 categories" in note for note in dataset.notes)


def test_numbers_are_categories_where_the_user_says_so(csv):
    dataset = read(csv("site,ranking\n3,a>b\n7,b>a\n9,b>a\n"), nominal=["site"])
    assert dataset.feature_names == ("site=3", "site=7", "site=9")


@pytest.mark.parametrize("cells", [["8", "nine"], ["nine", "8"]])
def test_a_column_of_numbers_and_texts_is_a_mistake_until_declared(cells, csv):
    path = csv(f"hour,ranking\n{cells[0]},a>b\n{cells[1]},b>a\n")
    error = reason_for(path)
    assert error.line == 3
    assert "'hour'" in error.reason
    assert "nominal=" in error.reason
    assert read(path, nominal=["hour"]).n_features == 1


def test_a_column_of_row_names_is_not_taken_for_categories(csv):
    rows = "".join(f"person {i},a>b\n" for i in range(30))
    path = csv("who,ranking\n" + rows)
    assert "identifier" in reason_for(path).reason
    assert read(path, features=[]).features.shape == (30, 0)
    assert read(path, nominal=["who"]).n_features == 30


def test_weights_come_from_their_own_column(csv):
    assert_array_equal(read(csv("x,@weight,ranking\n1,2,a>b\n2,3,b>a\n")).weights, [2, 3])
    dataset = read(csv("x,w,ranking\n1,2,a>b\n"), columns={"weight": "w"})
    assert dataset.feature_names == ("x",)
    error = reason_for(csv("x,@weight,ranking\n1,2,a>b\n1,,a>b\n"))
    assert (error.line, "weight nan" in error.reason) == (3, True)


def test_gaps_and_lonely_labels_are_kept_and_told(csv):
    dataset = read(csv("A1,L1,L2,L3\n1,1,2,2\n1,1,2.5,2.5\n1,2,5,9\n1,1,,\n1,3,3,1\n"))
    assert_array_equal(dataset.ranks[2], [2, 5, 9])
    gaps = [note for note in dataset.notes if "gaps" in note]
    assert len(gaps) == 1
    assert gaps[0].startswith("2 rows (first: line 4)")
    assert any("1 row (first: line 5) with fewer than two labels" in note for note in dataset.notes)


BROKEN = {
    "wrong count": ("A1,L1,L2\n1,1,2\n1,2\n", 3, "has 2 cells but the header names 3"),
    "0-based": ("A1,L1,L2\n1,1,2\n1,0,1\n", 3, "label 'L1' has rank 0; ranks start at 1"),
    "text rank": ("A1,L1,L2\n1,first,2\n", 2, "column 'L1' holds 'first', which is no number"),
    "infinite": ("A1,L1,L2\n1e999,1,2\n", 2, "numbers are finite"),
    "infinite rank": ("A1,L1,L2\n1,inf,2\n", 2, "numbers are finite"),
    "underscore": ("A1,L1,L2\n1,1,2\n1_0,1,2\n", 3, "holds '1_0'"),
    "latin-1": (b"A1,L1,L2\n1,1,2\n\xe9,1,2\n", 3, "byte 0xe9 is not UTF-8"),
    "zero byte": (b"A1,L1,L2\n1\0,1,2\n", 2, "zero byte"),
    "utf-16": ("A1,L1,L2\n1,1,2\n".encode("utf-16"), 1, "UTF-8"),
    "twice": ("x,ranking\n1,a>b\n2,a>b>a\n", 3, "label 'a'"),
    "one label": ("x,ranking\n1,a\n2,a\n", None, "at least two"),
    "no label": ("x,ranking\n1,\n", None, "name 0 labels"),
    "dangling": ("x,ranking\n1,a>b\n2,a>\n", 3, "a label is missing"),
    "one rank column": ("A1,L1\n1,1\n", None, "labels="),
    "no rank": ("A1,L1,L2\n1,,\n", None, "ranks no label in any row"),
    "empty": ("", None, "is empty"),
    "blank": ("\n \n", None, "is empty"),
    "header only": ("A1,L1,L2\n", None, "no rows"),
    "no header": ("1,2,3\n4,5,6\n", 1, "put the names of the columns above"),
    "unnamed": (",L1,L2\n0,1,2\n", 1, "column 1 has no name"),
    "doubled": ("A1,L1,L1\n1,1,2\n", 1, "are both called 'L1'"),
    "open quote": ('A1,L1,L2\n1,1,2\n"1,1,2\n', 3, "quote that is not closed"),
    "clash": ("color=b,color,ranking\n1,a,x>y\n1,b,x>y\n", None, "called 'color=b'"),
}


@pytest.mark.parametrize("case", list(BROKEN))
def test_broken_files_are_refused_with_line_and_remedy(case, csv):
    content, line, reason = BROKEN[case]
    error = reason_for(csv(content))
    assert error.line == line
    assert reason in error.reason


def test_a_quote_that_swallows_the_file_is_located(csv):
    error = reason_for(csv('A1,L1,L2\n1,1,2\n"' + "1,1,2\n" * 100_000))
    assert (error.line, "quote" in error.reason) == (3, True)


def test_unknown_columns_are_named_with_the_known_ones(csv):
    path = csv("hour,ranking\n8,a>b\n")
    assert (
        "'hours'; the columns are 'hour', 'ranking'" in reason_for(path, features=["hours"]).reason
    )
    assert "nominal= names 'x', which is not" in reason_for(path, nominal=["x"]).reason
    assert "no weight column 'w'" in reason_for(path, columns={"weight": "w"}).reason


def test_scores_are_not_taken_for_ranks_in_silence(csv):
    path = csv("hour,a,b\n8,1,2\n9,58.37,41.2\n")
    error = reason_for(path, labels=["a", "b"])
    assert (error.line, "'a' has 58.37, which is no rank" in error.reason) == (3, True)
    assert read(path, labels=["a", "b"], higher_is_better=True).ranks.tolist() == [[2, 1], [1, 2]]
    whole = read(csv("hour,a,b\n8,58,41\n9,,3\n"), labels=["a", "b"])
    assert any("go up to 58 with 2 labels" in note for note in whole.notes)
    halves = read(csv("hour,a,b,c\n8,1.5,1.5,3\n"), labels=["a", "b", "c"])
    assert halves.ranks.tolist() == [[1.5, 1.5, 3]]
    assert halves.notes == ()


def test_without_labels_the_columns_are_listed_to_choose_from(csv):
    assert "out of 'hour', 'a', 'b'" in reason_for(csv("hour,a,b\n8,1,2\n")).reason


def test_misused_arguments_are_explained(csv):
    path = csv("hour,ranking\n8,a>b\n")
    with pytest.raises(ValueError, match="unknown format 'ods'; known are scikit-lr"):
        read(path, format="ods")
    with pytest.raises(
        TypeError,
        match=r"features is the text 'hour'; give a list of "
        r"names, \['hour'\]",
    ):
        read(path, features="hour")
    with pytest.raises(ValueError, match="labels names 'a' twice"):
        read(path, labels=["a", "a"])
    with pytest.raises(ValueError, match="'rows' is no role; the roles are row, label"):
        read(path, columns={"rows": "hour"})


def test_a_label_is_never_a_feature(csv):
    path = csv("tea,coffee,ranking,x\n1,2,a>b,3\n")
    for options in (
        {"labels": ["tea", "coffee"], "features": ["tea", "x"], "format": "wide"},
        {"features": ["ranking"]},
        {"features": ["x"], "columns": {"weight": "x"}},
    ):
        assert "what is to be learnt" in reason_for(path, **options).reason
    path = csv("row,label,rank\na,t,1\na,c,2\n")
    assert "what is to be learnt" in reason_for(path, features=["rank"]).reason


def test_options_that_a_format_would_pass_over_are_refused(csv):
    ranking, long = csv("x,ranking\n1,a>b\n", "r.csv"), csv("row,label,rank\na,t,1\na,c,2\n")
    with pytest.raises(ValueError, match="format 'ranking' has no column for the role 'label'"):
        read(ranking, columns={"label": "x", "ranking": "ranking"})
    with pytest.raises(ValueError, match="higher_is_better is about scores"):
        read(ranking, higher_is_better=True)
    with pytest.raises(ValueError, match="format 'long' has no column for the role 'ranking'"):
        read(long, format="long", columns={"ranking": "rank"})
    assert "holds ranks" in reason_for(long, higher_is_better=True).reason
    orders = csv("# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: 1,2\n", "x.soc")
    with pytest.raises(ValueError, match="names its own labels"):
        read(orders, labels=["a", "b"])


def test_a_foreign_column_in_scikit_lrs_format_is_named(csv):
    path = csv("A1,site,L1,L2\n1,2,1,2\n")
    assert "column 'site' is called neither" in reason_for(path, format="scikit-lr").reason
    assert read(path, format="scikit-lr", features=["site"]).feature_names == ("site",)


def test_a_table_that_no_memory_holds_is_refused_before_it_is_made(csv):
    lines = [f"r{i},l{i},1" for i in range(32_000)]
    assert "GB" in reason_for(csv("row,label,rank\n" + "\n".join(lines))).reason


def test_pipes_are_refused_instead_of_waited_for(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "pipe.csv")
    assert "pipe" in reason_for(tmp_path / "pipe.csv").reason


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        (b"PK\x03\x04\x14\x00", "workbook or a zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "workbook"),
        (b"\x1f\x8b\x08\x00", "unpack it"),
        ("\ufeffx,ranking".encode("utf-16-le"), "UTF-16"),
        ("\ufeffx,ranking".encode("utf-16-be"), "UTF-16"),
    ],
    ids=["xlsx", "xls", "gz", "UTF-16 LE", "UTF-16 BE"],
)
def test_other_kinds_of_files_are_called_by_their_name(start, reason, csv):
    assert reason in reason_for(csv(start)).reason


def test_ranks_too_large_to_tell_apart_are_named_with_their_line(csv):
    error = reason_for(csv(f"x,a,b\n1,1,2\n2,{10**17},1\n"), labels=["a", "b"])
    assert error.line == 3
    assert "label 'a' has rank 1e+17" in error.reason
    assert "higher_is_better" in error.reason


def test_missing_files_and_plain_folders_are_refused(tmp_path):
    assert "no such file" in reason_for(tmp_path / "none.csv").reason
    assert "is a folder without description.txt" in reason_for(tmp_path).reason
    assert "is a folder" in reason_for(tmp_path, format="ranking").reason


def test_content_decides_where_the_extension_says_nothing(csv):
    assert read(csv("@relation r\n@attribute L RANKING {a,b}\n@data\na>b\n", "x.dat")).n_labels == 2
    assert (
        read(
            csv("# TITLE: t\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: 1,2\n", "x")
        ).name
        == "t"
    )


def test_features_alone_are_no_rankings(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("A1,A2\n1,2\n3,4\n")
    with pytest.raises(DataFileError, match="names 0 labels; a ranking needs at least two"):
        read(path, format="scikit-lr")
