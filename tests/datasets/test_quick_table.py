"""Large text tables are parsed by pandas: they mean what they mean to the careful reader."""

import csv
import io
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankwise.datasets import DataFileError, Dataset, _quick_table, read
from rankwise.datasets._quick_table import NotPlainError, QuickTable
from rankwise.datasets._table import TextTable
from rankwise.datasets._text import DataFile

NUMBERS = ["1", "-2.5", "0.1", "1e3", ".5", "7.", "+4", "9007199254740993", "1e-320", "007"]
MISSING = ["", "NA", "?", "nan", "N/a", " "]
ODD = ["1_000", "inf", "1e999", "-nan", "True", "٣", "0x1", "1,5", ",5", "2,", "12,5e1", "a\u00a0"]
TEXTS = ["red", "dark blue", "grün", "é", "red ", "5 kg", "#N/A!", "None", "2024-01-05", "#DIV/0!"]
RAW = [
    '"',
    '""',
    '"a',
    'b"c',
    '"x\ny"',
    "\x0b",
    "\0",
    "\x1f",
    "\t",
    "|",
    ";",
    "\ud800",
    "\u2028",
    "\r",
]


@st.composite
def files(draw):
    """Draw a file: mostly a table, with cells of one kind in a column, and now and then something odd."""
    delimiter = draw(st.sampled_from(",,;\t|"))
    kinds = draw(st.lists(st.sampled_from(["n", "n", "t", "nm", "tm", "all"]), max_size=4))
    pools = {"n": NUMBERS, "t": TEXTS[:4], "nm": NUMBERS + MISSING, "tm": TEXTS + MISSING}
    pools["all"] = NUMBERS + MISSING + ODD + TEXTS
    if delimiter != "," and draw(st.booleans()):
        pools["n"] = ["1,5", "2", ",25", "-3,0", "1,5e3"]
    if draw(st.integers(0, 5)) == 0:
        pools["n"] = [*pools["n"], *RAW]
    quote = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    blank = st.sampled_from(["", "", "", "", " "])
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=quote, lineterminator=end)
    writer.writerow([*(f"x{j}" for j in range(len(kinds))), "ranking"])
    for _ in range(draw(st.integers(1, 12))):
        row = [draw(st.sampled_from(pools[kind])) for kind in kinds]
        row = [cell + draw(blank) for cell in row]
        row.append(
            draw(st.sampled_from(["a>b", "b>a~c", "c>a", "", "a>"][: draw(st.integers(1, 5))]))
        )
        odd = draw(st.integers(0, 30))
        if odd == 0:
            row.append(draw(st.sampled_from(["", "more"])))
        elif odd == 1:
            row = row[: draw(st.integers(0, len(row)))]
        elif odd == 2:
            row = [""] * len(row)
        if draw(st.integers(0, 12)) == 0:
            out.write(draw(st.sampled_from([end, delimiter.join(row) + end, " " + end])))
        else:
            writer.writerow(row)
    text = out.getvalue()
    text = text if draw(st.booleans()) else text.removesuffix(end)
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return mark + text.encode("utf-8", "surrogatepass")


def outcome(path, **options):
    """Return all that reading gives: each part of the dataset, or the message of the error."""
    try:
        data = read(path, **options)
    except DataFileError as error:
        return {"error": str(error)}
    names = {field.name for field in fields(Dataset)} - {"X", "Y"} | {"features", "ranks"}
    parts = {name: getattr(data, name) for name in names}
    return {name: p.tobytes() if isinstance(p, np.ndarray) else p for name, p in parts.items()}


@given(
    files(), st.sampled_from([{}, {"drop_names": True}, {"nominal": ["x0"]}]), st.integers(1, 90)
)
@example(b"x0,ranking\n,a>b\nTrue,b>a\n", {}, 1000)
@example(b"x0;ranking\n5e-1;a>b\n3,5;b>a\n", {}, 1000)
@example(b"x0;x1;ranking\n5e-1;u,1;a>b\n3;u,1;b>a\n", {}, 1000)
@example("x0,x1,ranking\n\n,,\n\u2028,1,a>b".encode(), {}, 1)
@example(b"x0,ranking\n1,a>b\n\n2,b>a\n ,\n3,zz>>\n", {}, 8)
@example(b'x0,ranking\n"1",a>b\n"1,5",b>a\n', {"nominal": ["x0"]}, 1000)
@example("x0,ranking\nu\u00a0,a>b\nu,b>a\n".encode(), {}, 1000)
def test_quick_and_careful_reading_give_the_same(tmp_path_factory, content, options, block):
    path = tmp_path_factory.getbasetemp() / "quick.csv"
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        careful = outcome(path, **options)
        patch.setattr(_quick_table, "LEAST_BYTES", 0)
        patch.setattr(_quick_table, "_BLOCK", block)
        assert outcome(path, **options) == careful
        with DataFile(path) as file:
            try:
                quick = list(QuickTable(file).chunks())
            except DataFileError:
                return
        with DataFile(path) as file:
            slow = list(TextTable(file).chunks())

    def cells(chunks):
        lines = [line for own, _ in chunks for line in own]
        return lines, [list(row) for _, columns in chunks for row in zip(*columns, strict=True)]

    assert cells(quick) == cells(slow)


@pytest.mark.parametrize(
    "content",
    [
        "x,y,ranking\n1.5,red,a>b\nNA,,b>a\n",
        'x;y;ranking\r\n1,5;"red";a>b\r\n;"a;b";b>a\r\n',
        "\ufeffx\ty\tranking\n\n1\tgrün\ta>b\n\t\t\n2\tred\tb>a",
        "sep=|\nx|y|ranking\n 1|red |a>b\n2|  blue|b>a\n",
    ],
)
def test_what_spreadsheets_write_is_read_the_quick_way(tmp_path, content):
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())
    with DataFile(path) as file:
        (chunk,) = QuickTable(file).chunks()
    assert len(chunk[0]) == 2


@pytest.mark.parametrize(
    "row", ["1,2,3", "1", '"1,2', '1"2",3', "1,\0", "1,\x1c2", "x,1", '"a""b",2']
)
def test_what_may_mean_something_else_is_left_to_the_careful_reader(tmp_path, row):
    path = tmp_path / "t.csv"
    path.write_text(f"x,y\n3,4\n{row}\n")
    with DataFile(path) as file, pytest.raises(NotPlainError):
        list(QuickTable(file).chunks())
