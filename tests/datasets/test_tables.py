"""What the columns of a table are: rankings, names of rows, features."""

import pytest

from rankwise.datasets import read
from rankwise.datasets.tables import naming_columns, open_table, ranking_columns


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("hour,x,ranking\n1,2,a>b\n", {}),
        ("hour,a,b\n1,1,2\n", {"labels": ["a", "b"]}),
        ("A1,A2,L1,L2\n1,2,1,2\n", {}),
        ("A1,A2,L1,L2,@weight\n1,2,1,2,3\n", {}),
        ("row,label,rank,x\n1,a,1,5\n1,b,2,5\n", {}),
        ("who,what,value,x\n1,a,1,5\n1,b,2,5\n", {"columns": {"row": "who", "label": "what"}}),
        ("a,text,n\n1,a>b,3\n", {"columns": {"ranking": "text", "weight": "n"}}),
    ],
)
def test_the_columns_that_are_left_are_the_features_that_the_reader_takes(tmp_path, text, options):
    path = tmp_path / "t.csv"
    path.write_text(text)
    header = open_table(path).header
    taken = ranking_columns(header, options.get("labels"), options.get("columns"))
    assert [name for name in header if name not in taken] == list(
        read(path, **options).feature_names
    )


@pytest.mark.parametrize(
    ("column", "found"),
    [
        ([f"sub-{i}" for i in range(9)], True),
        ([str(i + 1) for i in range(9)], True),
        ([str(i) for i in range(9)], True),
        ([str(2 * i) for i in range(9)], False),
        ([str(i + 2000) for i in range(9)], False),
        (["a", "b", "c", "d", "e", "f", "g", "h", "a"], False),
        ([f"{i}.5" for i in range(9)], False),
        ([*(f"sub-{i}" for i in range(8)), "", "NA"], True),
        ([*(f"sub-{i}" for i in range(7)), "", "NA"], False),
        ([str(i) for i in range(8)] + [""], False),
        (["1,5", "2,5", "3,5", "4,5", "5,5", "6,5", "7,5", "8,5", "9,5"], False),
    ],
)
def test_columns_that_name_or_count_rows_are_found_and_no_others(tmp_path, column, found):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x;y", *(f"{cell};1" for cell in column)]))
    assert list(naming_columns(open_table(path), ["x", "y"])) == (["x"] if found else [])


def test_few_rows_name_nothing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\nred,1\nblue,2\n")
    assert naming_columns(open_table(path), ["x", "y"]) == {}
