"""Workbooks: the same data as the text table, or an error that names the cell and the remedy."""

import csv
import datetime
import sys
import zipfile

import numpy as np
import openpyxl
import pytest
from numpy.testing import assert_array_equal

from rankwise.datasets import DataFileError, Dataset, _excel, read, write
from rankwise.datasets.tables import Content, use_table, write_content

LONG = [
    ["row", "label", "value", "pKa", "dry", "kind"],
    ["S1", "THF", 70.5, 4.2, True, "ArBr"],
    ["S1", "THF", 73.5, 4.2, True, "ArBr"],
    ["S1", "DMF", 71, None, True, None],
    ["S2", "THF", 20, 9.25, False, "ArI"],
    ["S2", "DMF", 61, 9.25, False, "ArI"],
]


@pytest.fixture
def book(tmp_path):
    def make(rows, name="b.xlsx", edit=None, **sheets):
        book = openpyxl.Workbook()
        for title, content in ({"Runs": rows} | sheets).items():
            sheet = book.create_sheet(title)
            for row in content:
                sheet.append(row)
            if edit is not None:
                edit(sheet)
        del book["Sheet"]
        book.save(tmp_path / name)
        return tmp_path / name

    return make


def reason_for(path, **options):
    with pytest.raises(DataFileError) as caught:
        read(path, **options)
    return caught.value


def test_a_sheet_reads_as_the_same_cells_in_a_text_table(book, tmp_path):
    with open(tmp_path / "b.csv", "w") as handle:
        shown = {True: "TRUE", False: "FALSE"}
        rows = [[shown[c] if isinstance(c, bool) else c for c in row] for row in LONG]
        csv.writer(handle).writerows(rows)
    options = {"higher_is_better": True, "unit": "%"}
    found, expected = read(book(LONG), **options), read(tmp_path / "b.csv", **options)
    for part in ("X", "Y", "values", "spread", "replicates", "lines"):
        assert_array_equal(getattr(found, part), getattr(expected, part), err_msg=part)
    for fact in ("feature_names", "label_names", "row_names", "recipe", "notes", "unit"):
        assert getattr(found, fact) == getattr(expected, fact), fact


def test_of_several_sheets_the_first_is_taken_aloud_or_the_one_asked_for(book):
    other = [["x", "ranking"], [1, "a>b"], [2, "b>a"]]
    path = book(LONG, Other=other)
    found = read(path, higher_is_better=True)
    assert "the workbook has the sheets 'Runs', 'Other'; 'Runs' is taken" in found.notes[0]
    assert read(path, sheet="Other").label_names == ("a", "b")
    assert "no sheet 'Third'; it has 'Runs', 'Other'" in reason_for(path, sheet="Third").reason
    text = path.with_suffix(".csv")
    text.write_text("x,ranking\n1,a>b\n")
    assert "is no workbook, so that sheet='Runs'" in reason_for(text, sheet="Runs").reason


def test_where_the_first_sheet_holds_no_data_the_others_are_named(book):
    path = book([["Screening of bases, spring"]], Screen=LONG)
    reason = reason_for(path).reason
    assert "'Runs' is taken, say sheet='Screen' for another" in reason
    assert "the sheets" not in reason_for(path, sheet="Runs").reason


def test_empty_rows_and_columns_around_the_table_are_passed_over(book):
    rows = [[], [None, None], [None, "x", "ranking"], [], [None, 1, "a>b"], [None, 2.5, "b>a"]]
    found = read(book(rows))
    assert_array_equal(found.features, [[1], [2.5]])
    assert found.lines.tolist() == [5, 6]


def test_what_stands_beside_the_table_is_named_by_its_cell(book):
    assert "cell C3 holds 'by NMR', and row 1 names no column there" in reason_for(
        book([["x", "ranking"], [1, "a>b"], [2, "b>a", "by NMR"]])
    ).reason  # fmt: skip
    # A title above the names of the columns.
    path = book([["Reactions of March"], [], ["x", "ranking"], [1, "a>b"]])
    assert "cell B3 holds 'ranking'" in reason_for(path, columns={"ranking": "ranking"}).reason


def test_a_formula_counts_by_its_saved_result_and_without_one_its_cell_is_named(book, tmp_path):
    path = book([["x", "ranking"], [1, "a>b"], ["=A2*2", "b>a"]])
    said = reason_for(path).reason
    assert "cell A3 holds the formula '=A2*2' without its result; open the workbook" in said
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "saved.xlsx", "w") as new:
        for member in old.namelist():
            content = old.read(member)
            if "worksheets" in member:
                assert b"<f>A2*2</f><v/>" in content.replace(b"<v />", b"<v/>")
                content = content.replace(b"<v />", b"<v/>").replace(b"<v/>", b"<v>2</v>")
            new.writestr(member, content)
    assert_array_equal(read(tmp_path / "saved.xlsx").features, [[1], [2]])


def test_cells_merged_with_those_below_hold_for_all_and_that_is_said(book):
    rows = [["row", "label", "rank", "x"], ["S1", "a", 1, 5], [None, "b", 2, None]]
    rows += [["S2", "a", 2, 6], ["S2", "b", 1, 6]]

    def merge(sheet):
        sheet.merge_cells("A2:A3")
        sheet.merge_cells("D2:D3")

    found = read(book(rows, edit=merge))
    assert found.row_names == ("S1", "S2")
    assert_array_equal(found.features, [[5], [6]])
    assert "cells that are merged hold for all their rows: A2:A3, D2:D3" in found.notes
    across = book(rows, edit=lambda sheet: sheet.merge_cells("B2:C2"))
    assert "cells B2:C2 are merged across columns; unmerge them" in reason_for(across).reason


def test_a_date_among_the_features_is_no_category(book, tmp_path):
    days = [datetime.datetime(2024, 3, 1 + i % 3) for i in range(5)]
    path = book([["day", "x", "ranking"], *([day, i, "a>b"] for i, day in enumerate(days))])
    fault = reason_for(path)
    assert fault.line == 2
    assert "column 'day' holds the date '2024-03-01', and a day is no category" in fault.reason
    assert read(path, drop=["day"]).feature_names == ("x",)
    assert read(path, nominal=["day"]).n_features == 4
    (tmp_path / "d.csv").write_text("day,ranking\n01.03.2024,a>b\n01.03.2024,b>a\n")
    assert "holds the date '01.03.2024'" in reason_for(tmp_path / "d.csv").reason
    # Excel takes 4.2 for the fourth of February where points stand in dates.
    path = book([["x", "ranking"], [3.5, "a>b"], [datetime.datetime(2024, 2, 4), "b>a"]])
    assert "'2024-02-04', which is no number" in reason_for(path).reason


def test_numbers_kept_as_texts_are_numbers(book):
    rows = [["x", "y", "ranking"], [1.5, "4,2", "a>b"], [2, "5,25", "b>a"], [3.25, 6, "a>b"]]
    assert_array_equal(read(book(rows)).features, [[1.5, 4.2], [2, 5.25], [3.25, 6]])
    rows = [["x", "ranking"], ["1.5", "a>b"], [2, "b>a"], [3.25, "a>b"]]
    assert_array_equal(read(book(rows)).features, [[1.5], [2], [3.25]])
    mixed = book([["x", "ranking"], [1.5, "a>b"], ["4,2", "b>a"]])
    fault = reason_for(mixed)
    assert fault.line == 3
    assert "a decimal comma here and a decimal point on line 2" in fault.reason


def test_a_formula_that_went_wrong_is_no_category(book):
    rows = [["kind", "ranking"], ["ArBr", "a>b"], ["#REF!", "b>a"], ["ArI", "b>a"]]
    fault = reason_for(book(rows))
    assert (fault.line, "'#REF!', what a spreadsheet shows" in fault.reason) == (3, True)
    rows = [["x", "ranking"], [1, "a>b"], ["#DIV/0!", "b>a"]]
    assert "'#DIV/0!', which is no number" in reason_for(book(rows)).reason
    assert np.isnan(read(book([["x", "ranking"], [1, "a>b"], ["#N/A", "b>a"]])).features[1, 0])


def test_a_second_header_row_is_told_by_its_line(book):
    rows = [["x", "ranking"], ["°C", None], [20, "a>b"], [30, "b>a"]]
    fault = reason_for(book(rows))
    assert "holds the number '20' where earlier lines hold texts such as '°C'" in fault.reason
    groups = [["Features", None, "Yields"], ["pKa", "size", "ranking"], [1, 2, "a>b"]]
    assert "column 2 has no name" in reason_for(book(groups)).reason


def test_what_is_no_workbook_is_told(book, tmp_path):
    path = tmp_path / "b.xlsx"
    path.write_text("x,ranking\n1,a>b\n")
    said = reason_for(path).reason
    assert "is no workbook (.xlsx); if it is a text table, give it a name with .csv" in said
    whole = book(LONG).read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:200] + b"\0" * 300 + whole[500:]):
        path.write_bytes(damaged)
        assert "workbook" in reason_for(path, higher_is_better=True).reason
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.csv", "x,ranking\n1,a>b\n")
    assert "is a zip archive without a workbook" in reason_for(path).reason
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<no></workbook>")
    assert "cannot be read as a workbook" in reason_for(path).reason
    assert "'Runs' is empty" in reason_for(book([])).reason


def test_the_content_tells_a_workbook_whatever_its_name(book, tmp_path):
    book(LONG).rename(tmp_path / "yields.csv")
    assert read(tmp_path / "yields.csv", higher_is_better=True).row_names == ("S1", "S2")


def test_what_would_fill_the_memory_is_refused_before_it_is_unpacked(book, monkeypatch, tmp_path):
    path = book(LONG)
    monkeypatch.setattr(_excel, "MAX_UNPACKED", 3000)
    assert "MB unpacked, and workbooks are read up to" in reason_for(path).reason
    monkeypatch.undo()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "laughs.xlsx", "w") as new:
        for member in old.namelist():
            content = old.read(member)
            if "worksheets" in member:
                content = b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + content
            new.writestr(member, content)
    assert "defines XML entities" in reason_for(tmp_path / "laughs.xlsx").reason


def test_a_cell_far_away_costs_neither_time_nor_memory(book):
    rows = [["x", "ranking"], [1, "a>b"]]
    far = book(rows, edit=lambda sheet: sheet.cell(1_000_000, 9_000, value=1))
    assert "cell MHD1000000 holds '1'" in reason_for(far).reason


def test_without_openpyxl_the_message_names_the_extra(book, monkeypatch, tmp_path):
    path = book(LONG)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"workbooks \(.xlsx\) needs openpyxl.*rankwise\[excel\]"):
        read(path)
    with pytest.raises(ImportError, match=r"writing workbooks .*pip install 'rankwise\[excel\]'"):
        write(Dataset([[1.0]], [[1, 2]]), tmp_path / "c.xlsx")
    assert not (tmp_path / "c.xlsx").exists()


def test_a_text_is_never_written_as_a_formula(tmp_path):
    data = Dataset([[0.1 + 0.2]], [[1, 2]], ["=1+1"], ["=a", "b"], row_names=["=cmd|x"])
    write(data, tmp_path / "e.xlsx")
    found = read(tmp_path / "e.xlsx")
    assert (found.feature_names, found.label_names) == (("=1+1",), ("=a", "b"))
    assert (found.row_names, found.features[0, 0]) == (("=cmd|x",), 0.1 + 0.2)
    assert use_table(tmp_path / "e.xlsx", lambda table: table.remarks) == ()


def test_what_a_sheet_cannot_hold_is_refused_and_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(_excel, "_MOST_ROWS", 2)
    with pytest.raises(ValueError, match="a sheet holds 2 rows; write"):
        write(Dataset([[1.0], [2.0]], [[1, 2], [2, 1]]), tmp_path / "a.xlsx")
    for text, reason in (
        ("x" * 40_000, "too long for a workbook"),
        ("a\x0bb", "no workbook can keep"),
    ):
        with pytest.raises(ValueError, match=reason):
            write_content(Content(["id"], [[text]]), tmp_path / "b.xlsx")
    assert list(tmp_path.iterdir()) == []
