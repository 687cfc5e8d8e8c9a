"""What the columns of a table are: rankings, names of rows, features."""

import numpy as np
import pandas as pd
import pytest

from rankwise._messages import for_command_line
from rankwise.datasets import DataFileError, read
from rankwise.datasets.tables import Column, FeatureColumns, FittedTable, Recipe

WHO_WHAT = {"columns": {"row": "who", "label": "what"}, "higher_is_better": True}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("hour,x,ranking\n1,2,a>b\n", {}),
        ("hour,a,b\n1,1,2\n", {"labels": ["a", "b"]}),
        ("A1,A2,L1,L2\n1,2,1,2\n", {}),
        ("A1,A2,L1,L2,@weight\n1,2,1,2,3\n", {}),
        ("row,label,rank,x\n1,a,1,5\n1,b,2,5\n", {}),
        ("who,what,value,x\n1,a,1,5\n1,b,2,5\n", WHO_WHAT),
        ("a,text,n\n1,a>b,3\n", {"columns": {"ranking": "text", "weight": "n"}}),
    ],
)
def test_the_columns_that_are_left_are_the_features_that_the_reader_takes(tmp_path, text, options):
    path = tmp_path / "t.csv"
    path.write_text(text)
    found = read(path, **options)
    header = text.splitlines()[0].split(",")
    taken = [*found.layout.rankings, options.get("columns", {}).get("weight")]
    assert [name for name in header if name not in taken] == list(found.feature_names)


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
    path.write_text("\n".join(["x;y;a;b", *(f"{cell};1;1;2" for cell in column)]))
    recipe = read(path, labels=["a", "b"], drop_names=True).recipe
    assert recipe.left_out == (("x",) if found else ())
    assert [column.name for column in recipe.columns] == (["y"] if found else ["x", "y"])


def test_few_rows_name_nothing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y,ranking\nred,1,a>b\nblue,2,a>b\n")
    assert read(path, drop_names=True).recipe.left_out == ()


def test_names_are_left_out_even_where_they_are_more_than_a_column_of_texts_may_hold(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,y,ranking", *(f"n{i},{i % 3},a>b" for i in range(25_000))]))
    found = read(path, drop_names=True)
    assert found.recipe.left_out == ("x",)
    assert "'x' holds a different text in every row" in found.notes[0]
    with pytest.raises(ValueError, match="line 1002: column 'x' holds more than 1000 different"):
        read(path)
    path.write_text(path.read_text() + "\nn7,1,a>b\n")
    with pytest.raises(ValueError, match="line 1002: column 'x' holds more than 1000 different"):
        read(path, drop_names=True)


def test_a_column_that_is_named_is_kept_whatever_it_holds(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,y,ranking", *(f"n{i},{i},a>b" for i in range(9))]))
    assert read(path, drop_names=True).recipe.left_out == ("x", "y")
    assert read(path, drop_names=True, nominal=["x"]).recipe.left_out == ("y",)
    assert read(path, drop_names=True, features=["x", "y"]).recipe.left_out == ()


def test_columns_are_dropped_by_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y,ranking\n1,2,a>b\n")
    assert read(path, drop=["y"]).feature_names == ("x",)
    with pytest.raises(ValueError, match=r"drop=\['z'\]: there is no such column; the columns are"):
        read(path, drop=["z"])
    with pytest.raises(ValueError, match="features= already says what to take"):
        read(path, drop=["y"], features=["x"])


LONG = "exp,plot,kind,soil,tool,yield\ne1,p1,a,sand,x,3\ne2,p1,b,clay,y,4\ne3,p2,a,sand,x,5\n"


def test_columns_that_differ_within_rows_are_named_together(tmp_path):
    (tmp_path / "t.csv").write_text(LONG)
    columns = {"row": "plot", "label": "kind", "value": "yield"}
    with pytest.raises(DataFileError) as caught:
        read(tmp_path / "t.csv", columns=columns, higher_is_better=True, drop=["exp"])
    assert "column 'soil' is 'sand' on line 2 and 'clay' here" in str(caught.value)
    assert "and 'tool' so too" in str(caught.value)
    assert "if they are not about the row" in str(caught.value)
    assert str(caught.value).endswith("drop=['soil', 'tool']")
    assert for_command_line(caught.value).endswith('--drop "soil,tool"')
    rest = read(
        tmp_path / "t.csv", columns=columns, higher_is_better=True, drop=["exp", "soil", "tool"]
    )
    assert rest.features.shape == (2, 0)


def lab_book(tmp_path):
    """Of 30 plots: days and a tool that differ between lines, a sowing day, a code."""
    lines = ["plot,kind,yield,day,tool,sown,code,soil"]
    for i in range(30):
        for j, kind in enumerate("ab"):
            about = f"2024-03-{1 + i % 28:02d},c{i // 4 * 3 + i % 4},{'clay' if i % 2 else 'sand'}"
            lines.append(f"p{i},{kind},{i + j},2024-05-0{1 + j},t{j},{about}")
    path = tmp_path / "lab.csv"
    path.write_text("\n".join(lines))
    return path


PLOTS = {
    "columns": {"row": "plot", "label": "kind", "value": "yield"},
    "higher_is_better": True,
    "drop_names": True,
}


def test_columns_that_are_no_features_for_several_reasons_are_told_at_once(tmp_path):
    path = lab_book(tmp_path)
    with pytest.raises(DataFileError) as caught:
        read(path, **PLOTS)
    said = for_command_line(caught.value)
    assert "3 columns cannot be features as they stand: 'day', 'tool' differ between lines" in said
    assert "row 'p0', column 'day': '2024-05-01' on line 2, '2024-05-02' on line 3" in said
    assert "; 'sown' holds dates ('2024-03-01'). What to do: leave them out with --drop" in said
    assert (
        '--drop "day,tool,sown"; or mend them: let features agree on all lines of a row; w' in said
    )
    found = read(path, **PLOTS, drop=["day", "tool", "sown"], nominal=["code"])
    assert {column.name for column in found.recipe.columns} == {"code", "soil"}


def test_a_day_that_differs_between_lines_is_not_to_become_a_number(tmp_path):
    path = lab_book(tmp_path)
    with pytest.raises(DataFileError) as caught:
        read(path, **PLOTS, drop=["tool", "sown"])
    said = str(caught.value)
    assert "column 'day' is '2024-05-01' on line 2 and '2024-05-02' here (29 more rows" in said
    assert said.endswith("leave it out with drop=['day']")
    assert "as a number" not in said


def test_what_is_left_out_by_itself_is_not_named_among_what_cannot_be_a_feature(tmp_path):
    path = lab_book(tmp_path)
    lines = path.read_text().splitlines()
    entries = [f"{line},entry-{i}" for i, line in enumerate(lines[1:])]
    path.write_text("\n".join([lines[0] + ",entry", *entries]))
    with pytest.raises(DataFileError) as caught:
        read(path, **PLOTS)
    assert "'entry'" not in str(caught.value)


def test_a_column_of_the_model_that_differs_is_to_be_corrected(tmp_path):
    model = read(lab_book(tmp_path), **PLOTS, drop=["day", "tool", "sown", "code"])
    path = tmp_path / "new.csv"
    path.write_text("plot,kind,yield,soil\np0,a,1,sand\np0,b,2,clay\n")
    like = FittedTable(model.recipe, model.label_names, model.layout)
    with pytest.raises(DataFileError) as caught:
        read(path, like=like)
    assert str(caught.value).endswith("must agree on all its lines: correct them")


def test_a_long_table_without_the_usual_names_is_told_how_to_name_them(tmp_path):
    (tmp_path / "t.csv").write_text(LONG)
    with pytest.raises(DataFileError, match=r"columns=\{'row': …, 'label': …, 'value': …\}"):
        read(tmp_path / "t.csv")
    with pytest.raises(DataFileError) as caught:
        read(tmp_path / "t.csv", format="long")
    assert "no long-table column 'row'" in str(caught.value)
    assert "--column row=…" in for_command_line(caught.value)


def test_texts_in_columns_of_labels_are_told_how_long_tables_are_named(tmp_path):
    (tmp_path / "t.csv").write_text(LONG)
    with pytest.raises(DataFileError) as caught:
        read(tmp_path / "t.csv", labels=["plot", "kind", "yield"], higher_is_better=True)
    said = for_command_line(caught.value)
    assert "line 2: column 'plot' holds 'p1', which is no number; correct the cell" in said
    assert said.endswith("instead of labels, --column row=… --column label=… --column value=…")


@pytest.mark.parametrize("fitted", [".csv", ".xlsx", ".parquet", ".arrow"])
@pytest.mark.parametrize("given", [".csv", ".xlsx", ".parquet", ".arrow"])
def test_booleans_of_one_kind_of_file_are_those_of_another(tmp_path, fitted, given):
    frame = pd.DataFrame({"dry": [True, False, True, None], "ranking": ["a>b", "b>a"] * 2})
    writers = {
        ".csv": lambda path: frame.to_csv(path, index=False),
        ".xlsx": lambda path: frame.to_excel(path, index=False),
        ".parquet": lambda path: frame.astype({"dry": "boolean"}).to_parquet(path),
        ".arrow": lambda path: frame.astype({"dry": "boolean"}).to_feather(path),
    }
    for ending in {fitted, given}:
        writers[ending](tmp_path / f"t{ending}")
    data = read(tmp_path / f"t{fitted}")
    like = FittedTable(data.columns_recipe(), data.label_names, data.layout)
    found = read(tmp_path / f"t{given}", like=like)
    np.testing.assert_array_equal(found.features, data.features)
    assert not any("never seen" in note for note in found.notes)


def test_a_text_among_booleans_is_named_where_numbers_were_fitted(tmp_path):
    recipe = Recipe((Column("dry"),))
    reader = FeatureColumns.by_recipe(recipe, "new.csv", ["dry"])
    np.testing.assert_array_equal(
        reader.encode([["TRUE", "", "false"]], [2, 3, 4]), [[1], [np.nan], [0]]
    )
    with pytest.raises(DataFileError, match="line 3: column 'dry' holds 'yes', which is no number"):
        reader.encode([["TRUE", "yes"]], [2, 3])
