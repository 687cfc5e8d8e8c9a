"""How messages name things: rows, labels, numbers, lists of names and names that were misspelt."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

# Halves of characters, which no file, terminal or page can hold.
_HALF = re.compile("[\ud800-\udfff]")


def refuse_halves(names: Iterable[Any], what: str) -> None:
    """Raise an error that names the first text with half of a character in it, if there is one."""
    for name in names:
        if isinstance(name, str) and not name.isascii() and _HALF.search(name):
            raise ValueError(
                f"a {what} is called {name!r}, which holds half of a character (a lone surrogate); "
                "rename it"
            )


def python_value(value: Any) -> Any:
    """Return a numpy scalar as the Python value that prints without its type."""
    return value.item() if isinstance(value, np.generic) else value


def index_of(table: Any) -> Any:
    """Return the row names that a container carries (those of pandas), else None."""
    index = getattr(table, "index", None)
    return None if callable(index) else index


def row_text(table: Any, i: int) -> str:
    """Name row `i`, with its index in a DataFrame where that says something else."""
    index = index_of(table)
    if index is None or i >= len(index):
        return f"row {i}"
    name = python_value(index[i])
    same = isinstance(name, int) and name == i
    return f"row {i}" if same else f"row {i} (index {name!r})"


class RowError(ValueError):
    """What is wrong with one of the rows that a function was given; they may be some of others.

    Arrays count their rows from 0. Who took these rows from others says which they were by `among`, and who
    knows what rows are called, as files do, by `rows_called`.

    Examples
    --------
    >>> error = RowError(1, "X, ", ", is odd")
    >>> error, error.among([4, 7])
    (RowError('X, row 1, is odd'), RowError('X, row 7, is odd'))
    """

    def __init__(self, row: int, before: str, after: str) -> None:
        super().__init__(f"{before}row {row}{after}")
        self.row, self.before, self.after = int(row), before, after

    def __reduce__(self) -> tuple[type, tuple[int, str, str]]:
        return type(self), (self.row, self.before, self.after)

    def among(self, rows: Sequence[int] | np.ndarray) -> RowError:
        """The same of the rows that these were taken from."""
        return RowError(int(rows[self.row]), self.before, self.after)


@contextmanager
def rows_taken(rows: Sequence[int] | np.ndarray) -> Iterator[None]:
    """Let errors inside name the rows that some were taken from."""
    try:
        yield
    except RowError as error:
        raise error.among(rows) from None


@contextmanager
def rows_called(titles: Callable[[], Sequence[str]]) -> Iterator[None]:
    """Let errors inside call rows by name, or by the line of the file that they stand on.

    Examples
    --------
    >>> with rows_called(lambda: ["on line 2", "on line 5"]):
    ...     raise RowError(1, "", ": is odd")
    Traceback (most recent call last):
    ValueError: row on line 5: is odd
    """
    try:
        yield
    except RowError as error:
        title = titles()[error.row]
        raise ValueError(f"{error.before}row {title}{error.after}") from None


def label_text(j: int, labels: Sequence[Any] | None) -> str:
    """Name label `j`: ``label 'tea'``, or ``label 0`` where labels have no names."""
    return f"label {j}" if labels is None else f"label {labels[j]!r}"


def number_text(number: Any) -> str:
    """Write a number: whole floats without their ``.0``, never very long."""
    text = str(number).removesuffix(".0")
    return text if len(text) <= 25 else f"{text[:20]}..."


def counted(n: int, what: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> counted(1, "row"), counted(1000, "row")
    ('1 row', '1,000 rows')
    """
    return f"{n:,} {what}{'s' * (n != 1)}"


def shape_text(n_rows: int, n_features: int, n_labels: int) -> str:
    """Write the shape of a table of features and rankings."""
    counts = {"row": n_rows, "feature": n_features, "label": n_labels}
    return ", ".join(counted(n, what) for what, n in counts.items())


def shown(value: Any) -> str:
    """Write the beginning of a value in one line, as Python would; its type where that fails.

    Examples
    --------
    >>> shown(["tea", 1]), shown("tea " * 100)
    ("['tea', 1]", "'tea tea tea tea tea tea tea tea tea tea tea tea tea tea ...")
    """
    try:
        # a number of more digits than Python writes, an object whose own function for it fails
        text = " ".join(repr(value).split())
    except Exception:
        text = f"of type {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def more_text(n_rows: int) -> str:
    """Say how many rows besides the named one have the same fault."""
    if n_rows <= 1:
        return ""
    return f" ({n_rows - 1} more row{'s' if n_rows > 2 else ''} like it)"


def first_fault(wrong: np.ndarray) -> tuple[int, int, str] | None:
    """Return row and column of the first cell that is True, and how many rows are like it."""
    rows = np.flatnonzero(wrong.any(axis=1))
    if not rows.size:
        return None
    i = int(rows[0])
    return i, int(np.flatnonzero(wrong[i])[0]), more_text(rows.size)


def name_some(names: Iterable[Any], most: int = 5) -> str:
    """Quote the first few names, very long ones in part, and say how many more there are.

    Examples
    --------
    >>> name_some(["tea", "coffee", "water"], 2)
    "'tea', 'coffee' and 1 more"
    """
    return list_some(
        (text if len(text) <= 100 else f"{text[:97]}..." for text in map(repr, names)), most
    )


def list_some(texts: Iterable[str], most: int = 5, separator: str = ", ") -> str:
    """List the first few texts as they stand, and say how many more there are."""
    texts = list(texts)
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return separator.join(texts[:most]) + more


def suggest(name: Any, known: Iterable[Any]) -> str:
    """Ask for the known names close to a misspelt one; empty where none is close.

    Examples
    --------
    >>> suggest("cofee", ["tea", "coffee"])
    "did you mean 'coffee'?"
    """
    close = difflib.get_close_matches(str(name), [str(other) for other in known], n=3)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else ""
