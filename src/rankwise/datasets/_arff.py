"""The grammar of ARFF, shared by XARFF files and ASlib scenarios."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice

from rankwise.datasets._cells import Cells
from rankwise.datasets._column_roles import ReadOptions, choose_features
from rankwise.datasets._encoding import FeatureColumns, Numbers
from rankwise.datasets._recipe import Column
from rankwise.datasets._text import DataFile, DataFileError, excerpt

_ROWS_PER_CHUNK = 2000
# Possessive, so that a quote that is never closed is looked through once.
_QUOTED = re.compile(r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")""", re.DOTALL)
_NAME = re.compile(rf"\s*({_QUOTED.pattern}|[^\s{{]+)\s*(.*)", re.DOTALL)
# The last but one begins with a quote that is not closed.
_PIECE = re.compile(rf"{_QUOTED.pattern}|[^'\",{{}}]+|\{{[^{{}}]*+\}}|,|['\"].*|.", re.DOTALL)
_WEIGHT = re.compile(r"\{\s*([^{}\s]+)\s*\}")
_QUOTES = ("'", '"')
_NUMERIC = frozenset({"numeric", "real", "integer"})
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_COMMENT = re.compile(r"""['"]|\s(?=%)""")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True)
class Attribute:
    """One column of an ARFF file; `kind` is numeric, nominal, string or ranking."""

    name: str
    kind: str
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One line of data: raw cells (quotes still on) and its weight, if it has one."""

    line: int
    cells: list[str]
    weight: float | None = None


class ArffFile:
    """An ARFF file: its header at once, its rows on demand."""

    def __init__(self, file: DataFile) -> None:
        self.path = file.path
        self.error = partial(DataFileError, file.path)
        self.relation = ""
        self.attributes: list[Attribute] = []
        self._names: set[str] = set()
        stripped = ((line, text.strip()) for line, text in file.lines())
        # Blank lines and comments stand anywhere.
        self._lines = ((line, text) for line, text in stripped if text[:1] not in ("", "%"))
        self._read_header()

    def chunks(self) -> Iterator[list[Row]]:
        """Yield rows in chunks; each has one cell per attribute."""
        rows = (self._row(line, text) for line, text in self._lines)
        while chunk := list(islice(rows, _ROWS_PER_CHUNK)):
            yield chunk

    def place(self, name: str) -> int:
        """Return which column is called `name`, in any case."""
        for j, attribute in enumerate(self.attributes):
            if attribute.name.lower() == name:
                return j
        raise self.error(f"has no attribute {name!r}; add it to the header")

    def _read_header(self) -> None:
        last = None
        for last, text in self._lines:
            word, _, rest = text.replace("\t", " ").partition(" ")
            word = word.lower()
            if word.rstrip(",") == "@data":
                break
            if word == "@relation":
                self.relation = unquote(_without_comment(rest))
            elif word == "@attribute":
                # From the text itself: tabs inside quotes belong to the name.
                self._add_attribute(last, text[len("@attribute") :])
            else:
                raise self.error(
                    f"expected @relation, @attribute or @data, found {excerpt(text)}", last
                )
        else:
            what = "ends before @data" if last else "is empty"
            raise self.error(
                f"{what}; expected @relation, @attribute lines, @data, and then the rows"
            )
        if not self.attributes:
            raise self.error("declares no attribute before @data", last)

    def _add_attribute(self, line: int, text: str) -> None:
        match = _NAME.fullmatch(_without_comment(text))
        if match is None:
            raise self.error("names no attribute; write @attribute name type", line)
        name, rest = unquote(match[1]), match[2].strip()
        word = rest.partition("{")[0].strip().lower()
        if rest.startswith("{") or word == "ranking":
            kind = "ranking" if word else "nominal"
            categories = self._categories(line, name, rest[rest.find("{") :] if "{" in rest else "")
            attribute = Attribute(name, kind, categories)
        elif word in _NUMERIC or word == "string":
            attribute = Attribute(name, "string" if word == "string" else "numeric")
        else:
            raise self.error(
                f"attribute {name!r} has type {excerpt(rest)}; known are numeric, real, integer, "
                "string, {a,b,c} and RANKING {a,b,c}",
                line,
            )
        if name in self._names:
            raise self.error(f"attribute {name!r} is declared twice; rename one", line)
        self._names.add(name)
        self.attributes.append(attribute)

    def _categories(self, line: int, name: str, text: str) -> tuple[str, ...]:
        if not (text.startswith("{") and text.endswith("}")):
            raise self.error(f"attribute {name!r}: list its values in braces, {{a,b,c}}", line)
        values = [unquote(cell) for cell in self._split(line, text[1:-1])]
        if not all(values) or len(set(values)) < len(values):
            raise self.error(f"attribute {name!r} lists an empty value, or one value twice", line)
        return tuple(values)

    def _row(self, line: int, text: str) -> Row:
        if text.startswith("{"):
            raise self.error(
                "is a sparse row, {index value, …}; write one cell per attribute", line
            )
        cells, weight = self._split(line, text), None
        width = len(self.attributes)
        if len(cells) == 1 < width and "\t" in text:
            cells = [cell.strip() for cell in text.split("\t")]
        if len(cells) == width + 1 and (match := _WEIGHT.fullmatch(cells[-1])):
            weight = self._weight(line, match[1])
            cells.pop()
        for attribute, cell in zip(self.attributes, cells, strict=False):
            # Of a ranking, labels are quoted one by one.
            if cell[:1] in _QUOTES and attribute.kind != "ranking" and not _QUOTED.fullmatch(cell):
                raise self.error(
                    f"{excerpt(cell)} is quoted in part; put the whole text in quotes, and a \\ before "
                    "quotes inside it",
                    line,
                )
        if len(cells) != width:
            raise self.error(
                f"has {len(cells)} cells but {width} attributes are declared; write ? for a missing "
                "cell, and put texts that contain a comma in quotes",
                line,
            )
        return Row(line, cells, weight)

    def _weight(self, line: int, text: str) -> float:
        with suppress(ValueError):
            if 0 <= float(text) < float("inf"):
                return float(text)
        raise self.error(f"weight {excerpt(text)} in braces; expected a number, 0 or more", line)

    def _split(self, line: int, text: str) -> list[str]:
        """Split at commas outside quotes; drop a comment that follows a blank."""
        if not any(character in text for character in "'\"{%"):
            return [cell.strip() for cell in text.split(",")]
        cells: list[list[str]] = [[]]
        for found in _PIECE.finditer(text):
            piece = found[0]
            if piece == ",":
                cells.append([])
                continue
            if piece[0] in _QUOTES and not _QUOTED.fullmatch(piece):
                raise self.error(
                    f"a quote ({piece[0]}) is not closed; close it, or escape it with \\", line
                )
            comment = re.search(r"(?:^|\s)%", piece) if piece[0] not in "'\"{" else None
            cells[-1].append(piece[: comment.start()] if comment else piece)
            if comment:
                break
        return ["".join(pieces).strip() for pieces in cells]


class ArffTable:
    """An ARFF file as a table of columns, so that rows of it can be ranked like those of a CSV."""

    delimiter = ","
    remarks: tuple[str, ...] = ()

    def __init__(self, file: DataFile) -> None:
        self.path = file.path
        self._arff = ArffFile(file)
        self.header = [attribute.name for attribute in self._arff.attributes]

    def chunks(self) -> Iterator[tuple[list[int], list[Cells]]]:
        """Yield line numbers and columns of texts."""
        for rows in self._arff.chunks():
            columns = zip(*([unquote(cell) for cell in row.cells] for row in rows), strict=True)
            yield [row.line for row in rows], list(columns)


def arff_features(arff: ArffFile, taken: Sequence[str], options: ReadOptions) -> FeatureColumns:
    """Return what reads the cells of the features, as the header declares them."""
    header = [attribute.name for attribute in arff.attributes]
    return FeatureColumns(
        header,
        choose_features(arff.path, header, taken, options),
        Numbers(arff.path),
        nominal=options.nominal,
        declared=[
            Column(a.name, a.categories if a.kind == "nominal" else None)
            for a in arff.attributes
            if a.kind in ("nominal", "numeric")
        ],
        recipe=options.recipe,
    )


def _without_comment(text: str) -> str:
    """Drop a comment that follows a blank."""
    return text[: next(outside_quotes(text, _COMMENT), len(text))].strip()


def outside_quotes(text: str, signs: re.Pattern[str]) -> Iterator[int]:
    """Yield where a pattern of quotes and something else finds something else, outside quotes.

    A quote that is not closed is a sign like any other. Where one is not, no later quote of its
    kind is either: so each character is looked at a few times at most.
    """
    at, open_quotes = 0, ""
    while found := signs.search(text, at):
        at = found.end()
        if found[0] not in _QUOTES:
            yield found.start()
        elif found[0] not in open_quotes:
            quoted = _QUOTED.match(text, found.start())
            if quoted is None:
                open_quotes += found[0]
            else:
                at = quoted.end()


def _character(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2])


def unquote(cell: str) -> str:
    """Take quotes and escapes off a cell that is quoted as a whole."""
    if len(cell) >= 2 and _QUOTED.fullmatch(cell):
        return _ESCAPE.sub(_character, cell[1:-1])
    return cell


def quote(name: str) -> str:
    """Put a name in quotes where ARFF needs them."""
    if name and name != "?" and not re.search(r"""[\s,{}%'"\\>~=|]""", name):
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
