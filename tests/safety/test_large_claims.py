"""Small files that say they are large: refused before anything is made of them."""

import contextlib
import io
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from rankwise.datasets import DataFileError, _excel, read
from rankwise.parts import open_parts

ARFF = "@relation r\n@attribute instance_id string\n@attribute algorithm string\n"


def workbook(path, change, packing=zipfile.ZIP_STORED):
    """Write a small workbook of which the XML of the sheet is changed."""
    book = openpyxl.Workbook()
    for row in (["hour", "ranking"], [8, "tea>water"], [17, "water>tea"]):
        book.active.append(row)
    packed = io.BytesIO()
    book.save(packed)
    with zipfile.ZipFile(packed) as archive, zipfile.ZipFile(path, "w", packing) as target:
        for name in archive.namelist():
            content = archive.read(name)
            if name.endswith("sheet1.xml"):
                changed = change(content)
                assert changed != content
                content = changed
            target.writestr(name, content)


FAR_ROWS = b"".join(b'<row r="%d"><c r="ZZZ%d"><v>1</v></c></row>' % (i, i) for i in range(4, 2000))
MERGED = b'<mergeCells count="1"><mergeCell ref="A2:A1048576"/></mergeCells></worksheet>'
SHEETS = {
    # the first was found by the fuzzer, and never ended
    "a row far below": lambda xml: xml.replace(
        b'<row r="3"', b'<row r="10000000000000000000000003"'
    ),
    "a row far below, as 1e30": lambda xml: xml.replace(b'<row r="3"', b'<row r="1e30"'),
    "rows far to the right": lambda xml: xml.replace(b"</sheetData>", FAR_ROWS + b"</sheetData>"),
    "columns merged to the end": lambda xml: xml.replace(
        b"</sheetData>", b'<row r="1048576"/></sheetData>'
    ).replace(
        b"</worksheet>",
        b"<mergeCells>" + b'<mergeCell ref="B2:B1048576"/>' * 30 + b"</mergeCells></worksheet>",
    ),
}


# What stands in a sheet, what is repeated there, the limit that counts it, and what is said.
ENDLESS = {
    "elements that are no cells": (
        "</sheetData>{}",
        "<a/>",
        "_MOST_WAITING",
        "millions of elements",
    ),
    "elements in a row": ("{}</row></sheetData>", "<a/>", "_MOST_WAITING", "millions of elements"),
    "more rows than a sheet has": ("{}</sheetData>", "<row/>", "_MOST_ROWS", "over {:,} rows"),
}


def repeating(place, element, times):
    old, new = (place.format(what).encode() for what in ("", element * times))
    return lambda xml: xml.replace(old, new)


@pytest.mark.parametrize("part", [50, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", list(ENDLESS))
def test_a_small_workbook_of_more_elements_than_the_limit_is_refused(
    name, part, tmp_path, monkeypatch
):
    place, element, limit, reason = ENDLESS[name]
    most = getattr(_excel, limit) // part
    monkeypatch.setattr(_excel, limit, most)
    change = repeating(place, element, most + 1)
    workbook(tmp_path / "drinks.xlsx", change, zipfile.ZIP_DEFLATED)
    assert (tmp_path / "drinks.xlsx").stat().st_size < 100_000
    with pytest.raises(DataFileError, match=reason.format(most + 1)):
        read(tmp_path / "drinks.xlsx")


def test_a_workbook_that_is_packed_too_well_is_refused(tmp_path):
    change = repeating("{}</sheetData>", "<row/>", 2_000_000)
    workbook(tmp_path / "drinks.xlsx", change, zipfile.ZIP_DEFLATED)
    assert (tmp_path / "drinks.xlsx").stat().st_size < 100_000
    with pytest.raises(DataFileError, match="times as large unpacked"):
        read(tmp_path / "drinks.xlsx")


def test_a_workbook_with_more_styles_than_a_spreadsheet_writes_is_refused(tmp_path):
    # each takes a kilobyte of memory; said to be a sheet as well, they are styles still
    path = tmp_path / "drinks.xlsx"
    workbook(path, lambda xml: xml + b" ")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    styles = parts["xl/styles.xml"]
    parts["xl/styles.xml"] = styles.replace(b"</cellXfs>", b"<xf/>" * 300_000 + b"</cellXfs>")
    assert parts["xl/styles.xml"] != styles
    sheet = b"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
    said = b'<Override PartName="/xl/styles.xml" ContentType="%s"/></Types>' % sheet
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(b"</Types>", said)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(DataFileError, match=r"its part 'xl/styles.xml' has 300,\d+ signs of XML"):
        read(path)


@pytest.mark.parametrize("name", list(SHEETS))
def test_a_sheet_that_says_it_is_endless_is_refused(name, tmp_path):
    workbook(tmp_path / "drinks.xlsx", SHEETS[name])
    with pytest.raises(DataFileError, match=r"spreads over|cannot be read as a workbook"):
        read(tmp_path / "drinks.xlsx")


def test_a_sheet_that_cannot_be_unpacked_to_its_end_is_named():
    # found by the fuzzer: zlib's error comes from the part that is read last
    with pytest.raises(DataFileError, match=r"cannot be read as a workbook \(Error -3"):
        read(Path(__file__).parent / "found" / "unpacking.xlsx")


ENTITIES = b'<!DOCTYPE x [<!ENTITY a "tea"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("before", [b"", b"<!--" + b"x" * 5000 + b"-->"])
def test_entities_are_found_wherever_and_however_they_stand(before, encoding, tmp_path):
    def change(xml):
        return (before + ENTITIES + xml[xml.index(b"<worksheet") :]).decode().encode(encoding)

    workbook(tmp_path / "drinks.xlsx", change)
    with pytest.raises(DataFileError, match="defines XML entities"):
        read(tmp_path / "drinks.xlsx")


def test_a_cell_merged_to_the_end_of_a_sheet_holds_for_the_rows_that_are_there(tmp_path):
    workbook(tmp_path / "drinks.xlsx", lambda xml: xml.replace(b"</worksheet>", MERGED))
    assert read(tmp_path / "drinks.xlsx").features.tolist() == [[8], [8]]


def test_a_parquet_file_of_few_bytes_and_endless_rows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("rankwise.datasets._column_files._FEW_CELLS", 1_000_000)
    path = tmp_path / "drinks.parquet"
    same = pa.array(np.full(1_000_000, 2), pa.int8())
    parquet.write_table(pa.table(dict.fromkeys(("A1", "L1", "L2"), same)), path)
    for opened in (read, open_parts):
        with pytest.raises(DataFileError, match="nearly all cells are the same"):
            opened(path)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**31 - 1, 0], pa.date32()),
        pa.array([2**62, 0], pa.timestamp("us")),
        pa.array([2**62, 0], pa.duration("s")),
        pa.array([b"\xff\xfe", b"a"]).view(pa.string()),
    ],
    ids=["day", "time", "duration", "text"],
)
def test_cells_that_no_calendar_or_alphabet_has_are_named(column, tmp_path):
    path = tmp_path / "drinks.parquet"
    parquet.write_table(pa.table({"when": column, "ranking": ["tea>water", "water>tea"]}), path)
    with pytest.raises(DataFileError, match=r"drinks\.parquet"):
        read(path)


def test_a_page_that_is_damaged_is_named(tmp_path):
    path = tmp_path / "drinks.parquet"
    table = pa.table({"hour": [8, 17], "L1": [1, 2], "L2": [2, 1]})
    parquet.write_table(table.rename_columns(["A1", "L1", "L2"]), path, compression="none")
    content = bytearray(path.read_bytes())
    content[4:40] = b"\xff" * 36
    path.write_bytes(content)
    with pytest.raises(DataFileError, match="cannot be read as Parquet"):
        read(path)
    with pytest.raises(DataFileError, match="cannot be read as Parquet"):
        [list(part.blocks()) for part in open_parts(path).parts]


def test_what_a_parquet_file_says_of_a_column_cannot_end_the_process(tmp_path):
    path = tmp_path / "drinks.parquet"
    cells = pa.array([1, 2], pa.int8())
    table = pa.table({"A1": cells, "L1": cells, "L2": cells[::-1]})
    parquet.write_table(table, path, compression="none")
    # "may be missing" becomes "is never missing" in the schema, and not in the counts of gaps
    optional, required = b"\x25\x02\x18\x02A1", b"\x25\x00\x18\x02A1"
    content = path.read_bytes()
    assert optional in content
    path.write_bytes(content.replace(optional, required))
    for opened in (read, open_parts):
        with contextlib.suppress(DataFileError):
            opened(path)


N = 6_000
TABLES = {
    "texts.csv": "x,ranking\n" + "".join(f"1,a{i}>b{i}\n" for i in range(N)),
    "long.csv": "row,label,rank,x\n" + "".join(f"r{i},a{i},1,1\nr{i},b{i},2,1\n" for i in range(N)),
    "values.csv": "row,label,value\n" + "".join(f"r{i},a{i},1\nr{i},b{i},2\n" for i in range(N)),
    "votes.toi": "".join(f"# ALTERNATIVE NAME {i}: a{i}\n" for i in range(N))
    + "".join(f"1: {i}\n" for i in range(N)),
}


@pytest.mark.parametrize("name", list(TABLES))
def test_rows_that_each_name_labels_of_their_own_make_no_square_of_the_file(name, tmp_path):
    (tmp_path / name).write_text(TABLES[name])
    options = {"higher_is_better": True} if name == "values.csv" else {}
    with pytest.raises(
        DataFileError, match=r"labels make a table of [\d,]+ cells, of which [\d,]+"
    ):
        read(tmp_path / name, **options)


def test_runs_and_folds_make_no_square_of_their_files(tmp_path):
    (tmp_path / "description.txt").write_text("maximize: [false]\n")
    header = ARFF + "@attribute time numeric\n@attribute runstatus {ok}\n@data\n"
    runs = tmp_path / "algorithm_runs.arff"
    runs.write_text(header + "".join(f"p{i},s{i},1,ok\n" for i in range(N)))
    with pytest.raises(DataFileError, match="are known"):
        read(tmp_path)
    runs.write_text(header + "".join(f"p{i},s{i % 2},1,ok\n" for i in range(N)))
    (tmp_path / "feature_values.arff").write_text(
        "@relation r\n@attribute instance_id string\n@attribute x numeric\n@data\np1,1\n"
    )
    (tmp_path / "cv.arff").write_text(
        "@relation r\n@attribute instance_id string\n@attribute repetition numeric\n"
        "@attribute fold numeric\n@data\n" + "".join(f"p{i},{i},1\n" for i in range(N))
    )
    with pytest.raises(DataFileError, match="are known"):
        read(tmp_path)


def test_chains_of_a_wide_row_make_no_square_of_the_file(tmp_path):
    path = tmp_path / "chains.xarff"
    n = 5_000
    columns = "".join(f"@attribute x{i} numeric\n" for i in range(n))
    row = ",".join(["1"] * n + ["|".join(["a>b"] * n)])
    path.write_text(f"@relation r\n{columns}@attribute L RANKING {{a,b}}\n@data\n{row}\n")
    with pytest.raises(DataFileError, match="rows of 5,001 columns"):
        read(path)


def test_a_wide_text_table_is_read_without_a_parser_that_takes_kilobytes_for_each_column(
    tmp_path, monkeypatch
):
    # 16 KB and a quarter of a millisecond: 870 KB of text took 1.3 GB
    monkeypatch.setattr(pd, "read_csv", None)
    names = [f"column{j}" for j in range(20_000)]
    rows = [",".join(names), ",".join(["1"] * 20_000), ",".join(["2"] * 20_000)]
    ends = ("ranking", "tea>water", "water>tea")
    path = tmp_path / "wide.csv"
    path.write_text("".join(f"{row},{end}\n" for row, end in zip(rows, ends, strict=True)))
    drinks = read(path)
    assert drinks.X.shape == (2, 20_000)
    assert drinks.Y.to_numpy().tolist() == [[1, 2], [2, 1]]
