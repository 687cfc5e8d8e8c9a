"""The container that every loader, reader and generator of this package returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rankwise._arguments import check_arguments
from rankwise._cells import is_frame
from rankwise._html import Number, join, notebook, table, tag
from rankwise._naming import list_some, refuse_halves, shape_text
from rankwise._parameters import check_names, check_rows
from rankwise._terminal import visible
from rankwise.datasets._recipe import Column, Recipe
from rankwise.datasets._replicates import pooled_deviation
from rankwise.rankings import check_rankings

if TYPE_CHECKING:
    from rankwise.datasets._column_roles import Layout


# What a notebook shows of a dataset.
_ROWS_SHOWN, _FEATURES_SHOWN, _LABELS_SHOWN = 5, 8, 12

# What there is one of for each row.
_BY_ROW = (
    *("X", "Y", "folds", "groups", "weights", "values", "spread", "replicates", "row_names"),
    "lines",
)
# Where the array stands of what has names.
_ARRAY_OF = {"X": "features", "Y": "ranks"}


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Features and rankings that belong together, with their names and their origin.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features; NaN = missing. It may have no columns. Kept as a DataFrame that has the names of
        features and rows.
    Y : array-like of shape (n_samples, n_labels)
        The position of label j in row i, 1 = first; NaN = not observed, equal = tied. Kept as a DataFrame
        that has the names of labels and rows.
    feature_names, label_names : sequence of str, optional
        By default what the columns of DataFrames are called, else ``A1, A2, …`` and ``L1, L2, …``.
    name, source, licence : str
        What it is called, where it came from, and under which terms.
    notes : sequence of str
        What was corrected, encoded or left out on the way in.
    folds : array of int of shape (n_samples, n_repetitions), optional
        The test fold of each row, one column per repetition; see `splits`.
    groups : sequence of shape (n_samples,), optional
        What each row belongs to (a farm, a family of substrates): rows of one group are never
        divided between training and test.
    weights : array of shape (n_samples,), optional
        How much each row counts.
    values : array of shape (n_samples, n_labels), optional
        What the ranks were made of (runtimes, yields), in the user's units; NaN = not measured. A
        run that failed counts as the `penalty` times the `cutoff`.
    higher_is_better : bool, optional
        Whether high values are better; None: the values cannot be compared between labels.
    unit : str
        Of the values, such as ``"s"`` or ``"%"``.
    cutoff, penalty : float, optional
        Values at which runs were stopped, and how many cutoffs such a run counts (10: PAR10).
    spread, replicates : array of shape (n_samples, n_labels), optional
        Standard deviation (n - 1) and number of the measurements that each value is made of.
    row_names : sequence of str, optional
        What each row is called in its source.
    lines : array of int of shape (n_samples,), optional
        On which line of its file each row begins.
    recipe : Recipe, optional
        How the features were made of the columns of a file; without, each feature is a column of
        numbers.
    layout : Layout, optional
        Where the rankings stood in a table of named columns.
    sha256 : str
        Fingerprint of the file.

    Attributes
    ----------
    features : ndarray of shape (n_samples, n_features)
        What `X` holds, without names.
    ranks : ndarray of shape (n_samples, n_labels)
        What `Y` holds, without names.

    Examples
    --------
    >>> drinks = Dataset([[21.0], [35.0]], [[1, 2, 3], [3, 2, 1]],
    ...                  feature_names=["temperature"], label_names=["tea", "coffee", "water"])
    >>> X, Y = drinks
    >>> Y
       tea  coffee  water
    0  1.0     2.0    3.0
    1  3.0     2.0    1.0
    >>> drinks.ranks
    array([[1., 2., 3.],
           [3., 2., 1.]])
    >>> drinks.to_frame()
       temperature  tea  coffee  water
    0         21.0  1.0     2.0    3.0
    1         35.0  3.0     2.0    1.0
    """

    X: pd.DataFrame
    Y: pd.DataFrame
    feature_names: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    name: str = ""
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    folds: NDArray[np.int64] | None = None
    groups: tuple[str, ...] | None = None
    weights: NDArray[np.float64] | None = None
    values: NDArray[np.float64] | None = None
    higher_is_better: bool | None = None
    unit: str = ""
    cutoff: float | None = None
    penalty: float | None = None
    spread: NDArray[np.float64] | None = None
    replicates: NDArray[np.float64] | None = None
    row_names: tuple[str, ...] | None = None
    lines: NDArray[np.int64] | None = None
    recipe: Recipe | None = None
    layout: Layout | None = None
    sha256: str = ""
    features: NDArray[np.float64] = field(init=False)
    ranks: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        for part, names in (("X", "feature_names"), ("Y", "label_names")):
            given = getattr(self, part)
            self._set(names, check_names(names, getattr(self, names)))
            if is_frame(given) and not getattr(self, names):
                self._set(names, list(map(str, given.columns)))
        X = np.ascontiguousarray(_numbers(self.X, "X"))
        if X.ndim != 2:
            raise ValueError(f"X is {X.ndim}-D; give one row per sample and one column per feature")
        wrong = np.argwhere(np.isinf(X))
        if len(wrong):
            i, j = wrong[0]
            raise ValueError(
                f"row {i}: feature {j} is infinite; features are finite, NaN where missing"
            )
        Y = check_rankings(self.Y, labels=list(self.label_names) or None, warn=False)
        n, k = Y.shape
        if len(X) != n:
            raise ValueError(f"X has {len(X)} rows but Y has {n}; give one ranking per row of X")
        self._set("features", X)
        self._set("ranks", Y)
        self._set("feature_names", _names(self.feature_names, "A", X.shape[1], "feature"))
        self._set("label_names", _names(self.label_names, "L", k, "label"))
        check_names("notes", self.notes)
        self._set("notes", tuple(self.notes))
        if not isinstance(self.recipe, Recipe | None):
            raise TypeError(f"recipe is a {type(self.recipe).__name__}; give a Recipe or None")
        if self.recipe is not None and tuple(self.recipe.feature_names) != self.feature_names:
            raise ValueError("recipe makes other features than these; leave it out, recipe=None")
        self._set_optional(n, k)
        self._set("X", self._named(X, self.feature_names))
        self._set("Y", self._named(Y, self.label_names))

    def _named(self, matrix: np.ndarray, names: tuple[str, ...]) -> pd.DataFrame:
        """Return a DataFrame on the memory of a matrix."""
        return pd.DataFrame(matrix, columns=list(names), index=self.row_names, copy=False)

    def _set(self, attribute: str, value: Any) -> None:
        object.__setattr__(self, attribute, value)

    def _set_optional(self, n: int, k: int) -> None:
        if self.folds is not None:
            folds = _numbers(self.folds, "folds", np.int64)
            by_repetition = folds if folds.ndim > 1 else folds.reshape(-1, 1)
            self._set("folds", _shaped(by_repetition, "folds", n, by_repetition.shape[1]))
        if self.weights is not None:
            weights = _shaped(_numbers(self.weights, "weights"), "weights", n)
            wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
            if wrong.size:
                raise ValueError(
                    f"row {wrong[0]}: weight {weights[wrong[0]]}; weights are finite and "
                    "not negative"
                )
            self._set("weights", weights)
        for name in ("values", "spread", "replicates"):
            if getattr(self, name) is not None:
                self._set(name, _shaped(_numbers(getattr(self, name), name), name, n, k))
        for name, what in (("row_names", "row names"), ("groups", "groups")):
            if getattr(self, name) is not None:
                names = tuple(check_names(name, getattr(self, name)))
                if len(names) != n:
                    raise ValueError(f"{len(names)} {what} for {n} rows; give one per row")
                refuse_halves(names, what.removesuffix("s"))
                self._set(name, names)
        if self.lines is not None:
            self._set("lines", _shaped(_numbers(self.lines, "lines", np.int64), "lines", n))

    def __iter__(self) -> Iterator[pd.DataFrame]:
        yield self.X
        yield self.Y

    def __len__(self) -> int:
        return len(self.features)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.features.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns of `X`."""
        return int(self.features.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of labels that are ranked."""
        return int(self.ranks.shape[1])

    def splits(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return the dataset's own (train, test) row numbers, one pair per fold and repetition.

        Examples
        --------
        >>> Dataset([[0.0], [1.0]], [[1, 2], [2, 1]], folds=[1, 2]).splits()
        [(array([1]), array([0])), (array([0]), array([1]))]
        """
        if self.folds is None:
            raise ValueError(
                f"dataset {self.name!r} brings no folds; use sklearn.model_selection.KFold"
            )
        return [
            (np.flatnonzero(column != fold), np.flatnonzero(column == fold))
            for column in self.folds.T
            for fold in np.unique(column)
        ]

    def take(self, rows: ArrayLike) -> Dataset:
        """Return some of the rows, with everything that belongs to them.

        Parameters
        ----------
        rows : array-like of int or bool
            Rows by number, or a mask.

        Examples
        --------
        >>> drinks = Dataset([[8.0], [17.0]], [[1, 2], [2, 1]], row_names=["Ann", "Bob"])
        >>> drinks.take([1]).row_names
        ('Bob',)
        """
        n = len(self)
        try:
            which = np.asarray(rows)
        except Exception as error:  # of whatever container this is
            raise TypeError(f"rows: {error}; give rows by number, or a mask") from error
        which = which.astype(np.intp) if which.shape == (0,) else which
        if which.dtype.kind in "iu" and which.ndim == 1:
            which = np.where((which < 0) & (which >= -n), which + n, which)  # from the end
        check_rows("rows", which, n)
        which = np.arange(n)[which]
        parts: dict[str, Any] = {}
        for name in _BY_ROW:
            part = getattr(self, _ARRAY_OF.get(name, name))
            if isinstance(part, tuple):
                parts[name] = tuple(part[i] for i in which)
            elif part is not None:
                parts[name] = part[which]
        # What is left is not what the file holds.
        return replace(self, **parts, sha256="")

    @property
    def has_costs(self) -> bool:
        """Whether it is known what a choice costs: values, and which of them are better."""
        return self.values is not None and self.higher_is_better is not None

    def pooled_spread(self) -> float:
        """Return the standard deviation of replicates, pooled over all cells; NaN without any.

        Examples
        --------
        >>> yields = Dataset([[1.0]], [[1, 2]], values=[[70, 50]], spread=[[3, 1]],
        ...                  replicates=[[3, 3]])
        >>> round(yields.pooled_spread(), 3)
        2.236
        """
        if self.spread is None or self.replicates is None:
            return float("nan")
        return pooled_deviation(self.spread, self.replicates)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return visible(
            f"<Dataset{name}: {shape_text(*self._shape)}: {list_some(self.label_names)}>"
        )

    @property
    def _shape(self) -> tuple[int, int, int]:
        return self.n_samples, self.n_features, self.n_labels

    def _repr_html_(self) -> str:
        shape = shape_text(*self._shape)
        name = tag("b", self.name or "Dataset")
        columns, rows = self._head()
        notes = (tag("li", remark) for remark in self.notes)
        listed = tag("ul", join(notes), class_="soft") if self.notes else ""
        more = f"the first {len(rows)} of {self.n_samples:,} rows" if len(rows) < len(self) else ""
        return notebook(
            tag("p", join([name, shape], ": ")),
            table(columns, rows),
            tag("p", more, class_="soft") if more else "",
            listed,
        )

    def _head(self) -> tuple[list[str], list[list[Any]]]:
        """Heads and cells of the first rows: names, the ranks, and the first features."""
        features = self.feature_names[:_FEATURES_SHOWN]
        labels = self.label_names[:_LABELS_SHOWN]
        # ranks first: where a page has no room for all columns, these are what it is about
        heads = [
            *(f"rank of {label}" for label in labels),
            *(["…"] if len(labels) < self.n_labels else []),
            *features,
            *(["…"] if len(features) < self.n_features else []),
        ]
        rows = []
        for i in range(min(_ROWS_SHOWN, len(self))):
            cells = [_shown(y) for y in self.ranks[i, : len(labels)]]
            cells += [None] * (len(labels) < self.n_labels)
            cells += [_shown(x) for x in self.features[i, : len(features)]]
            cells += [None] * (len(features) < self.n_features)
            rows.append([str(i) if self.row_names is None else self.row_names[i], *cells])
        return ["row", *heads], rows

    def columns_recipe(self) -> Recipe:
        """Return how features were made of the columns of a table; plain numbers where nobody said.

        Examples
        --------
        >>> Dataset([[8.0], [17.0]], [[1, 2], [2, 1]]).columns_recipe().feature_names
        ['A1']
        """
        return self.recipe or Recipe(tuple(Column(name) for name in self.feature_names))

    def row_titles(self) -> list[str]:
        """Return what rows are called: by their source, by the line they stand on, or by number from 1.

        Examples
        --------
        >>> Dataset([[8.0], [17.0]], [[1, 2], [2, 1]], lines=[2, 5]).row_titles()
        ['on line 2', 'on line 5']
        """
        if self.row_names is not None:
            return list(self.row_names)
        if self.lines is not None:
            return [f"on line {line}" for line in self.lines]
        return [str(i) for i in range(1, len(self) + 1)]

    def to_frame(self, *, label_prefix: str = "") -> pd.DataFrame:
        """Return one DataFrame: features, then one column of ranks per label."""
        refuse_halves([label_prefix], "label_prefix")
        columns = [*self.feature_names, *(label_prefix + label for label in self.label_names)]
        doubled = set(columns[: self.n_features]) & set(columns[self.n_features :])
        if doubled:
            raise ValueError(
                f"{min(doubled)!r} names a feature and a label; set the labels off with "
                "label_prefix='rank_'"
            )
        return pd.DataFrame(
            np.hstack([self.features, self.ranks]), columns=columns, index=self.row_names
        )


def _shown(cell: float) -> Number | None:
    return None if np.isnan(cell) else Number(f"{cell:.6g}")


def _names(names: Any, letter: str, size: int, what: str) -> tuple[str, ...]:
    result = tuple(names) or tuple(f"{letter}{j + 1}" for j in range(size))
    if len(result) != size:
        raise ValueError(f"{len(result)} {what} names for {size} {what}s; give one name per column")
    if "" in result:
        raise ValueError(f"a {what} has an empty name; name every {what}")
    refuse_halves(result, what)
    if len(set(result)) < size:
        doubled = next(name for i, name in enumerate(result) if name in result[:i])
        raise ValueError(f"two {what}s are called {doubled!r}; rename one of them")
    return result


def _numbers(cells: Any, name: str, dtype: type = np.float64) -> np.ndarray:
    try:
        return np.asarray(cells, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name}: {error}; give numbers") from None


def _shaped(array: np.ndarray, what: str, *sizes: int) -> np.ndarray:
    if array.shape != sizes:
        wanted = " and ".join(
            f"{size} {of}" for size, of in zip(sizes, ("rows", "columns"), strict=False)
        )
        raise ValueError(f"{what} has shape {array.shape}; expected {wanted}, as X and Y have")
    return array
