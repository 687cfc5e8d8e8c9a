"""What is written of a dataset, row by row, whatever the kind of file: names of columns, and cells."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets._dataset import Dataset
from rankwise.datasets._encoding import are_plain, reads_as_categories
from rankwise.datasets._recipe import Column, Recipe

# What a spreadsheet calculates; behind other signs than = only what calls something.
_FORMULA_STARTS = ("=", "+", "-", "@")
_FORMULA = re.compile(r"=.|[-+@].*[(|!]", re.DOTALL)
# A text or a number; NaN is an empty cell.
Cell = str | float


class Content(NamedTuple):
    """A table to write: its header, and its rows as they are asked for."""

    header: list[str]
    rows: Iterable[Sequence[Cell]]


def write_csv(content: Content, handle: TextIO, delimiter: str = ",") -> None:
    """Write a text table."""
    writer = csv.writer(handle, delimiter=delimiter, lineterminator="\n")
    writer.writerow(content.header)
    formula = _first_formula(content.header)
    for row in content.rows:
        texts = as_texts(row)
        formula = formula or _first_formula(texts)
        writer.writerow(texts)
    if formula:
        warnings.warn(
            f"the cell {formula[:60]!r} is written as it is, and a spreadsheet would take it for a "
            "formula; rename it, or write .xlsx, where it is a text",
            UserWarning,
            stacklevel=2,
        )


def _first_formula(cells: Iterable[str]) -> str:
    """Return the first cell that a spreadsheet would calculate, or nothing."""
    for cell in cells:
        if cell.startswith(_FORMULA_STARTS) and _FORMULA.match(cell):
            return cell
    return ""


def as_texts(row: Sequence[Cell]) -> list[str]:
    """Write the cells of a row; one without any content would be taken for a blank line."""
    cells = [cell if isinstance(cell, str) else number_text(cell) for cell in row]
    return cells if any(cells) else ["?", *cells[1:]]


def number_text(value: float) -> str:
    """Write a number so that it reads back the same; NaN is an empty cell."""
    return "" if np.isnan(value) else repr(float(value)).removesuffix(".0")


def check_header(header: Sequence[str]) -> None:
    """Refuse to write two columns of one name."""
    if len(set(header)) < len(header):
        doubled = next(name for i, name in enumerate(header) if name in header[:i])
        raise ValueError(f"two columns would be called {doubled!r}; rename a feature or a label")


class FeatureCells:
    """The columns of features as they are written: categories as texts where they read back alike.

    Where they would not (a reader sorts categories as they occur, and takes numbers for numbers),
    the features of 0 and 1 are written as they are, and `encoded` names the columns. A format that
    `declares` its categories keeps all that are one of them in every row.

    Examples
    --------
    >>> recipe = Recipe((Column("hour"), Column("place", ("home", "work", "train"))))
    >>> X = np.array([[8.0, 1, 0, 0], [9.0, 0, 1, 0], [np.nan, 0, 0, 1]])
    >>> data = Dataset(X, [[1, 2]] * 3, recipe.feature_names, recipe=recipe)
    >>> cells = FeatureCells(data)
    >>> cells.names, list(cells)
    (['hour', 'place'], [[8.0, 'home'], [9.0, 'work'], [nan, 'train']])
    """

    def __init__(self, dataset: Dataset, *, declares: bool = False) -> None:
        self._n = len(dataset)
        self.columns: list[Column] = []
        self.encoded: list[str] = []
        self._cells: list[Sequence[Cell]] = []
        recipe = dataset.recipe or Recipe(tuple(map(Column, dataset.feature_names)))
        start = 0
        for column in recipe.columns:
            block = dataset.features[:, start : start + len(column.features)]
            start += block.shape[1]
            codes = _codes(column, block)
            if codes is not None and (declares or _reads_back(column, codes)):
                self.columns.append(column)
                texts = np.array([*(column.categories or ()), ""], dtype=object)
                self._cells.append(texts[codes].tolist())
                continue
            if column.categories is not None:
                self.encoded.append(column.name)
            self.columns.extend(map(Column, column.features))
            self._cells.extend(block.T.tolist())

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def __iter__(self) -> Iterator[list[Cell]]:
        if not self._cells:
            return iter([[] for _ in range(self._n)])
        return map(list, zip(*self._cells, strict=True))


def _codes(column: Column, block: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the category of each row, -1 where it is missing; None if a row is not one of them."""
    if column.categories is None or not are_plain(column.categories):
        return None
    n = len(column.categories)
    missing = np.isnan(block).all(axis=1)
    codes = block[:, 0] if n == 2 else block.argmax(axis=1) if block.size else block.sum(axis=1)
    codes = np.where(missing, np.nan, codes)
    if not np.isin(codes[~missing], range(n)).all():
        return None
    if not np.array_equal(column.expand(codes), block, equal_nan=True):
        return None
    return np.where(missing, -1, codes).astype(np.int64)


def _reads_back(column: Column, codes: NDArray[np.int64]) -> bool:
    """Tell whether a column of texts reads back as the same categories, in the same order."""
    seen = list(dict.fromkeys(codes[codes >= 0].tolist()))
    categories = column.categories or ()
    return seen == list(range(len(categories))) and reads_as_categories(categories, len(codes))
