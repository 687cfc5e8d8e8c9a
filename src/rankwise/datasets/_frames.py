"""The columns of a DataFrame or an array as the readers of files give them: numbers, or texts."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise._cells import is_frame, is_missing, is_polars
from rankwise._messages import Arg, Message
from rankwise._naming import number_text, refuse_halves, row_text, shown
from rankwise._parameters import check_names
from rankwise.datasets._cells import Cells
from rankwise.datasets._column_roles import ReadOptions, choose_features
from rankwise.datasets._encoding import FeatureColumns, Numbers
from rankwise.datasets._recipe import Column, Recipe
from rankwise.datasets._text import DataFileError
from rankwise.ranker import refuse_uneven

_BOOLEAN = ("False", "True")
_DAYS = (
    datetime.date,
    datetime.time,
    datetime.timedelta,
    np.datetime64,
    np.timedelta64,
)


class _Found(NamedTuple):
    """The cells of a column, and what its type says of them."""

    cells: Cells
    categories: tuple[str, ...] | None = None  # those that occur, in the order of the type
    holds: str = ""  # what cannot be a feature as it stands: dates and durations


class FrameTable:
    """A table in memory, whose columns become features by a recipe that is learned or given.

    Columns of numbers are taken as they are; texts, categories and Booleans become features of 0 and 1,
    by the rules of data files (`FeatureColumns`). Dates are refused, with advice.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or array-like of shape (n_samples, n_columns)
        The rows.
    header : sequence of str, optional
        What to call the columns of an array; by default ``x0``, ``x1`` and so on.
    name : str
        What to call the table in messages.

    Examples
    --------
    >>> import pandas as pd
    >>> seen = pd.DataFrame({"hour": [8, 9, 17], "place": ["home", "work", "train"]})
    >>> X, recipe, _ = FrameTable(seen).learn()
    >>> recipe.feature_names
    ['hour', 'place=home', 'place=work', 'place=train']
    >>> new = pd.DataFrame({"place": ["work", "moon"], "hour": [7.5, None]})
    >>> X, remarks = FrameTable(new).encode(recipe)
    >>> X
    array([[7.5, 0. , 1. , 0. ],
           [nan, nan, nan, nan]])
    >>> remarks
    ["column 'place' holds 'moon' (1 row), never seen at fitting; taken as missing"]
    """

    def __init__(self, table: Any, *, header: Sequence[str] | None = None, name: str = "X") -> None:
        self.name = name
        if hasattr(table, "tocoo"):
            raise TypeError(
                f"{name} is a sparse matrix, whose columns have no names and no texts; give a "
                "DataFrame, or a PairwiseRanker(LogisticRegression()) that takes sparse matrices"
            )
        if hasattr(table, "collect") and not hasattr(table, "shape"):
            raise TypeError(f"{name} is a LazyFrame; give {name}.collect()")
        self.is_named = is_frame(table) or is_polars(table)
        self.table: Any = table
        if not self.is_named:
            self.table = _as_matrix(table)
        n, d = self.table.shape
        if d == 0 or n == 0:
            what, shape = ("sample(s)", f"({n}, {d})") if n == 0 else ("feature(s)", f"({n}, 0)")
            raise ValueError(
                f"{name}: found array with 0 {what} (shape={shape}) while a minimum of 1 is required."
            )
        names = self.table.columns if self.is_named else header or [f"x{j}" for j in range(d)]
        self.header = [str(column) for column in names]
        refuse_halves(self.header, f"column of {name}")
        if len(self.header) != d:
            raise ValueError(
                f"{name} has {d} features, but TableRanker is expecting {len(self.header)} features as "
                "input; give the columns of fitting, or a DataFrame with their names"
            )
        if len(set(self.header)) < d:
            twice = next(c for j, c in enumerate(self.header) if c in self.header[:j])
            raise ValueError(f"{name} has two columns called {twice!r}; rename one of them")

    def __len__(self) -> int:
        return int(self.table.shape[0])

    def learn(
        self,
        *,
        features: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        nominal: Sequence[str] = (),
    ) -> tuple[NDArray[np.float64], Recipe, list[str]]:
        """Return the features, the recipe of how they were made, and what is to be said of it.

        Parameters
        ----------
        features : sequence of str, optional
            The columns to take; by default all but those that name or count the rows of a DataFrame.
        drop : sequence of str
            Columns to leave out.
        nominal : sequence of str
            Columns that hold categories even where these look like numbers or dates.
        """
        options = ReadOptions(
            features=None if features is None else tuple(features),
            drop=tuple(check_names("drop", drop)),
            nominal=tuple(check_names("nominal", nominal)),
        )
        with self._naming_rows():
            places = choose_features(self.name, self.header, (), options)
            found = {j: self._found(j) for j in places}
            days = [j for j in places if found[j].holds and self.header[j] not in options.nominal]
            if days:
                self._refuse_days([(self.header[j], found[j].holds) for j in days])
            declared = [
                Column(self.header[j], part.categories)
                for j, part in found.items()
                if part.categories is not None
            ]
            reader = FeatureColumns(
                self.header,
                places,
                Numbers(self.name),
                nominal=nominal,
                declared=declared,
                drop_names=self.is_named and features is None,
                drop_empty=self.is_named and features is None,
            )
            cells = {
                j: _texts(part.cells) if self.header[j] in nominal else part.cells
                for j, part in found.items()
            }
            reader.add([cells.get(j, ()) for j in range(len(self.header))], self._lines)
            matrix, recipe, remarks = reader.finish()
        if not recipe.columns:
            raise ValueError(
                Message(
                    f"{self.name} has no column to learn from"
                    + "".join(f"; {remark}" for remark in remarks[:1])
                )
            )
        return matrix, recipe, [*remarks[: reader.n_left_out_remarks], *reader.numbers.remarks()]

    def _refuse_days(self, days: Sequence[tuple[str, str]]) -> None:
        if len(days) == 1:
            which, them, it = f"column {days[0][0]!r} holds {days[0][1]}", "it", "it as a number"
        else:
            names = ", ".join(f"{name!r} ({holds})" for name, holds in days)
            which, them, it = f"columns hold days: {names}", "them", "them as numbers"
        raise ValueError(
            Message(
                f"{self.name}: {which}, and a day is no category that comes again; leave {them} out "
                f"with {Arg.DROP}, write {it} (days since the first), or name {them} in {Arg.NOMINAL}"
            )
        )

    def encode(self, recipe: Recipe) -> tuple[NDArray[np.float64], list[str]]:
        """Return the features by a recipe, and remarks on categories that it does not know.

        Parameters
        ----------
        recipe : Recipe
            As `learn` or a reader of files gave it; its columns are found by name, in any order.
        """
        with self._naming_rows():
            reader = FeatureColumns.by_recipe(recipe, self.name, self.header)
            known = {column.name: column for column in recipe.columns}
            columns = [
                _as_known(self._found(j), known[name]) if name in known else ()
                for j, name in enumerate(self.header)
            ]
            matrix = reader.encode(columns, self._lines)
        return matrix, reader.unknown_remarks()

    def rows(self, names: Sequence[str]) -> list[list[Any]]:
        """Return the cells of each row in some columns, as they stand in the table.

        Parameters
        ----------
        names : sequence of str
            Columns.
        """
        places = [self.header.index(name) for name in names]
        if is_frame(self.table):
            columns = [self.table.iloc[:, j].tolist() for j in places]
        elif self.is_named:
            columns = [self.table.to_series(j).to_list() for j in places]
        else:
            columns = [self.table[:, j].tolist() for j in places]
        return [list(row) for row in zip(*columns, strict=True)]

    @property
    def _lines(self) -> range:
        return range(1, len(self) + 1)

    @contextmanager
    def _naming_rows(self) -> Iterator[None]:
        """Let errors name rows of the table where those of files name lines."""
        try:
            yield
        except DataFileError as error:
            row = "" if error.line is None else f", {row_text(self.table, error.line - 1)}"
            raise ValueError(Message(f"{self.name}{row}: {error.reason.marked}")) from None

    def _found(self, j: int) -> _Found:
        if is_frame(self.table):
            return self._of_pandas(self.table.iloc[:, j], self.header[j])
        if self.is_named:
            return self._of_polars(self.table.to_series(j), self.header[j])
        cells = self.table[:, j]
        if cells.dtype.kind in "biuf":
            return _Found(np.asarray(cells, dtype=np.float64))
        return self._of_objects(cells.tolist(), self.header[j])

    def _of_pandas(self, column: Any, name: str) -> _Found:
        # imported here: a DataFrame is there, so that it is loaded already
        import pandas as pd
        from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

        dtype = column.dtype
        if isinstance(dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy()
            return _of_codes(codes, [_text(category) for category in dtype.categories])
        if isinstance(dtype, pd.PeriodDtype) or getattr(dtype, "kind", "") in ("m", "M"):
            cells = ["" if is_missing(cell) else str(cell) for cell in column.astype(object)]
            return _Found(cells, holds=f"dates or times ({dtype})")
        if is_bool_dtype(dtype):
            return self._of_objects(column.astype(object).tolist(), name)
        if is_complex_dtype(dtype):
            raise ValueError(
                f"{self.name}: column {name!r} holds complex numbers; give real ones. Complex data not "
                "supported"
            )
        if is_numeric_dtype(dtype):
            if column.dtype.kind in "iu" and not column.hasnans:
                # as they are, so that the reader of numbers sees which would be rounded
                return _Found(column.to_numpy())
            return _Found(np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan)))
        return self._of_objects(column.tolist(), name)

    def _of_polars(self, column: Any, name: str) -> _Found:
        polars, dtype = __import__("polars"), column.dtype
        if dtype.is_numeric():
            return _Found(column.cast(polars.Float64).to_numpy())
        if dtype.is_temporal():
            cells = ["" if cell is None else str(cell) for cell in column.to_list()]
            return _Found(cells, holds=f"dates or times ({dtype})")
        if isinstance(dtype, polars.Enum):
            codes = column.to_physical().cast(polars.Int64).fill_null(-1).to_numpy()
            return _of_codes(codes, dtype.categories.to_list())
        if isinstance(dtype, polars.Categorical):
            column = column.cast(polars.String)
        return self._of_objects(column.to_list(), name)

    def _of_objects(self, cells: list[Any], name: str) -> _Found:
        given = {type(cell) for cell in cells if not is_missing(cell)}
        if given and all(issubclass(kind, (bool, np.bool_)) for kind in given):
            return _Found([_text(cell) for cell in cells], _BOOLEAN)
        if given and all(_is_number(kind) for kind in given):
            return _Found(np.array([self._number(cell, name) for cell in cells], dtype=np.float64))
        if any(issubclass(kind, _DAYS) or kind.__name__ == "Period" for kind in given):
            day = next(
                kind for kind in given if issubclass(kind, _DAYS) or kind.__name__ == "Period"
            )
            return _Found([_text(cell) for cell in cells], holds=f"dates or times ({day.__name__})")
        for i, cell in enumerate(cells):
            if not (
                is_missing(cell)
                or isinstance(cell, str | bool | np.bool_)
                or _is_number(type(cell))
            ):
                raise TypeError(
                    f"{self.name}, {row_text(self.table, i)}: column {name!r} holds a "
                    f"{type(cell).__name__}; each cell of the argument must be a plain string, a number, "
                    "True, False or empty"
                )
        return _Found([_text(cell) for cell in cells])

    def _number(self, cell: Any, name: str) -> float:
        try:
            return np.nan if is_missing(cell) else float(cell)
        except (OverflowError, ValueError):  # a whole number of 400 digits, a NaN that signals
            raise ValueError(
                f"{self.name}: column {name!r} holds a number that no float can hold; give smaller "
                "numbers, or leave the cell empty"
            ) from None


def _as_matrix(table: Any) -> np.ndarray:
    # imported here: a DataFrame does without
    from sklearn.utils import check_array

    try:
        array = np.asarray(table)
    except Exception:  # of whatever container this is
        refuse_uneven(table)
        raise TypeError(f"X is a {type(table).__name__}, which does not become a table") from None
    if array.dtype.names is not None:
        raise ValueError(
            f"X is an array of records, {shown(array.dtype.names)}; give pd.DataFrame(X), whose columns "
            "they are"
        )
    checked: np.ndarray = check_array(array, dtype=None, ensure_all_finite=False)
    if checked.dtype.kind not in "biufOUS":
        raise ValueError(f"X has dtype {checked.dtype}; give numbers, texts or both, as objects")
    return checked


def _of_codes(codes: NDArray[Any], texts: list[str]) -> _Found:
    """Return a column of categories, given by numbers; -1 = missing."""
    by_code = np.array([*texts, ""], dtype=object)
    seen = np.unique(codes)
    return _Found(by_code[codes].tolist(), tuple(dict.fromkeys(texts[c] for c in seen if c >= 0)))


def _as_known(found: _Found, column: Column) -> Cells:
    """Return cells of the kind that the recipe expects, where that needs no guess."""
    if column.categories is not None:
        return _texts(found.cells)
    if found.categories == _BOOLEAN:
        return np.array([np.nan if cell == "" else float(cell == "True") for cell in found.cells])
    return found.cells


def _texts(cells: Cells) -> Sequence[str]:
    """Return cells as texts, whole numbers without a point: categories may have been either."""
    if not isinstance(cells, np.ndarray):
        return cells
    return [_text(cell) for cell in cells.tolist()]


def _text(cell: Any) -> str:
    if is_missing(cell):
        return ""
    if isinstance(cell, float | np.floating):
        return number_text(cell)
    return str(cell).strip()


def _is_number(kind: type) -> bool:
    return issubclass(kind, (Real, Decimal)) and not issubclass(kind, (bool, np.bool_))
