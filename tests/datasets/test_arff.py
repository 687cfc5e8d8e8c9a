"""The grammar of ARFF, beside two readers by others: liac-arff, and scipy's where it has no strings."""

import io

import arff as liac
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import arff as scipy_arff

from rankwise.datasets import DataFileError, read
from rankwise.datasets._arff import ArffFile, unquote
from rankwise.datasets._text import DataFile


def ours(path, text):
    """Names, kinds and categories of the attributes, and rows; None is missing."""
    path.write_text(text)
    with DataFile(path) as file:
        found = ArffFile(file)
        rows = [row for chunk in found.chunks() for row in chunk]
    kinds = [list(a.categories) if a.kind == "nominal" else a.kind for a in found.attributes]
    cells = [
        [
            None if cell in ("?", "") else float(cell) if kind == "numeric" else unquote(cell)
            for kind, cell in zip(kinds, row.cells, strict=True)
        ]
        for row in rows
    ]
    return [a.name for a in found.attributes], kinds, cells


def by_liac(text):
    found = liac.loads(text)
    names, kinds = zip(*found["attributes"], strict=True)
    usual = {"REAL": "numeric", "INTEGER": "numeric", "NUMERIC": "numeric", "STRING": "string"}
    kinds = [kind if isinstance(kind, list) else usual[kind] for kind in kinds]
    return list(names), kinds, [list(row) for row in found["data"]]


def by_scipy(text):
    rows, meta = scipy_arff.loadarff(io.StringIO(text))
    cells = [
        [
            (None if np.isnan(cell) else cell)
            if kind == "numeric"
            else (None if cell == b"?" else cell.decode())
            for kind, cell in zip(meta.types(), row, strict=True)
        ]
        for row in rows.tolist()
    ]
    return meta.names(), cells


TEXTS = st.text(st.sampled_from("ab1 ,%'\"{}\\?-é\t"), min_size=1, max_size=6).filter(
    lambda text: text.strip() == text and text not in ("?", "")
)
# liac-arff leaves escapes in names of attributes, scipy leaves quotes on plain ones.
NAMES = st.text(st.sampled_from("ab1 ,%-é"), min_size=1, max_size=6).filter(
    lambda text: text.strip() == text
)
PLAIN = st.text(st.sampled_from("abc12-_."), min_size=1, max_size=6)


def quoted(text, sign):
    body = text.replace("\\", "\\\\").replace(sign, f"\\{sign}").replace("\t", "\\t")
    return f"{sign}{body}{sign}"


@st.composite
def files(draw, texts=TEXTS, names=NAMES, quoted=quoted, with_strings=True):
    sign = st.sampled_from("'\"")
    n = draw(st.integers(1, 4))
    kinds = ["numeric", "nominal", "string"][: 3 if with_strings else 2]
    names = draw(st.lists(names, min_size=1, max_size=4, unique_by=str.lower))
    lines, columns, meant = ["% a comment", "@RELATION " + quoted(draw(texts), "'"), ""], [], []
    for name in names:
        kind = draw(st.sampled_from(kinds))
        if kind == "numeric":
            word = draw(st.sampled_from(["NUMERIC", "real", "Integer"]))
            cells = st.integers(-9, 9).map(float)
            if word != "Integer":
                cells |= st.floats(allow_nan=False, allow_infinity=False)
            cells = cells.map(lambda number: (repr(number), number))
        elif kind == "string":
            word, cells = "string", texts.map(lambda text: (quoted(text, "'"), text))
        else:
            kind = draw(st.lists(texts, min_size=1, max_size=3, unique=True))
            written = [quoted(value, draw(sign)) for value in kind]
            word = "{" + ", ".join(written) + "}"
            cells = st.sampled_from(list(zip(written, kind, strict=True)))
        column = draw(st.lists(cells | st.just(("?", None)), min_size=n, max_size=n))
        columns.append([text for text, _ in column])
        meant.append((kind, [cell for _, cell in column]))
        lines.append(f"@attribute {quoted(name, draw(sign))} {word}")
    lines += ["@data", *(",".join(row) for row in zip(*columns, strict=True)), "% the end"]
    kinds, cells = zip(*meant, strict=True)
    rows = [list(row) for row in zip(*cells, strict=True)]
    return "\n".join(lines) + "\n", (names, list(kinds), rows)


@given(files())
def test_files_read_as_they_were_meant_and_as_by_liac_arff(tmp_path_factory, file):
    text, meant = file
    found = ours(tmp_path_factory.mktemp("a") / "a.arff", text)
    assert found == meant
    try:
        theirs = by_liac(text)
    except liac.BadAttributeType:
        # It splits some lists of quoted values in the wrong places.
        assert "{" in text
    else:
        assert found == theirs


@given(files(texts=PLAIN, names=PLAIN, quoted=lambda text, _: text, with_strings=False))
def test_files_of_plain_names_read_as_by_scipy(tmp_path_factory, file):
    text, _ = file
    names, _, cells = ours(tmp_path_factory.mktemp("a") / "a.arff", text)
    assert (names, cells) == by_scipy(text)


HEAD = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute s string\n@data\n"
ODD = {
    "{0 1, 1 y}": (6, "sparse row"),
    "1,x,'it''s'": (6, "is quoted in part"),
    "1,x,it's": (6, "is not closed"),
    "1,x": (6, "has 2 cells but 3 attributes"),
    "1,x,z,5": (6, "has 4 cells but 3 attributes"),
}


@pytest.mark.parametrize("row", list(ODD))
def test_what_is_not_read_is_refused_with_its_line(row, tmp_path):
    line, reason = ODD[row]
    with pytest.raises(DataFileError, match=reason) as caught:
        ours(tmp_path / "a.arff", HEAD + row + "\n")
    assert caught.value.line == line


@pytest.mark.parametrize("kind", ["date 'yyyy-MM-dd'", "DATE", "relational", "numeric [0,1]"])
def test_kinds_of_attributes_that_are_not_read_are_named(kind, tmp_path):
    with pytest.raises(DataFileError, match=r"line 2: attribute 'd' has type") as caught:
        ours(tmp_path / "a.arff", f"@relation r\n@attribute d {kind}\n@data\n1\n")
    assert caught.value.line == 2


def test_comments_may_follow_what_is_said(tmp_path):
    text = (
        "@relation r % what\n@attribute 'a % b' numeric % unit\n@attribute b {x, 'y % z'} % kinds\n"
    )
    names, kinds, cells = ours(tmp_path / "a.arff", text + "@data\n1,x % tail\n2,'y % z'\n")
    assert (names, kinds[1]) == (["a % b", "b"], ["x", "y % z"])
    assert cells == [[1.0, "x"], [2.0, "y % z"]]


def test_escapes_are_those_of_weka(tmp_path):
    text = HEAD + "1,x,'a\\nb\\tc\\\\d\\'e\\%f\\u00e9'\n"
    assert (
        ours(tmp_path / "a.arff", text)[2][0][2] == "a\nb\tc\\d'e%f\u00e9" == by_liac(text)[2][0][2]
    )


def test_a_category_or_number_that_is_none_is_named(tmp_path):
    head = HEAD.replace("s string", "L RANKING {p,q}")
    for row, reason in {"1,z,p>q": "not among its declared", "u,x,p>q": "is no number"}.items():
        (tmp_path / "a.xarff").write_text(head + row + "\n")
        with pytest.raises(DataFileError, match=reason) as caught:
            read(tmp_path / "a.xarff")
        assert caught.value.line == 6
