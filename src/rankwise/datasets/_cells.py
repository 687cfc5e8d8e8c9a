"""The cells of a column: texts, numbers, and what a quick parser made of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ParsedNumbers(Sequence[str]):
    """A column of texts that another parser took for numbers; a missing one is NaN.

    Parameters
    ----------
    values : ndarray of float64
        All of them finite, or NaN.
    texts : sequence of str
        The cells as they were written.
    may_hold_points : bool
        Whether decimal points may be among them.
    may_hold_commas : bool
        Whether decimal commas may be among them.
    """

    values: NDArray[np.float64]
    texts: Sequence[str]
    may_hold_points: bool = False
    may_hold_commas: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        return self.texts[at]

    def hold_commas(self) -> bool:
        """Tell whether a number has a decimal comma."""
        return self.may_hold_commas and any("," in text for text in self.texts)


@dataclass(frozen=True, eq=False)
class CodedTexts(Sequence[str]):
    """A column of texts, each kept once: `known` holds them, `places` says which of them a cell is."""

    known: NDArray[np.object_]
    places: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[str]:
        return iter(self.known[self.places].tolist())

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return CodedTexts(self.known, self.places[at])
        return str(self.known[self.places[at]])


# The cells of a column: texts, or numbers where the table holds numbers.
Cells = Sequence[str] | np.ndarray


def texts_of(cells: Cells) -> Sequence[str]:
    """Return cells as texts; a missing number is an empty text."""
    if not isinstance(cells, np.ndarray):
        return cells
    return ["" if value is None else str(value) for value in cells.tolist()]


def coded(cells: Cells) -> tuple[list[str], NDArray[np.int64]]:
    """Return the different texts of a column as they appear first, and which of them each cell is.

    Examples
    --------
    >>> coded(["b", "a", "b"])
    (['b', 'a'], array([0, 1, 0]))
    """
    if isinstance(cells, CodedTexts):
        found, firsts, places = np.unique(cells.places, return_index=True, return_inverse=True)
        order = np.argsort(firsts)
        return cells.known[found[order]].tolist(), np.argsort(order)[places]
    distinct: dict[str, int] = {}
    found_at = [distinct.setdefault(text, len(distinct)) for text in texts_of(cells)]
    return list(distinct), np.array(found_at, dtype=np.int64)
