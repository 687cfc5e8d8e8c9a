"""A ranker with what belongs to it where the input is a table: columns, certainty, what is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments
from rankwise._cells import is_frame, is_polars
from rankwise._fitted import find_ranker
from rankwise._naming import refuse_halves, shown
from rankwise.datasets.tables import Column, Recipe
from rankwise.ranker import BaseRanker, Certainty, ExpectsValues, top_places
from rankwise.rankings import format_rankings
from rankwise.tables import TableRanker


@check_arguments
@dataclass(frozen=True)
class TablePrediction:
    """Predictions for some rows, one entry per row.

    Parameters
    ----------
    ranks : ndarray of shape (n_rows, n_labels)
        Position of each label, 1 = first; tied labels share one.
    texts : list of str
        The same as ``a>b>c``, or ``a>b~c`` where b and c are tied.
    first_before_second, first_of_all : ndarray of shape (n_rows,)
        Chances that the label named first stands before the second, and before all others.
    values, spread : ndarray of shape (n_rows, n_labels), optional
        The expected value of each label and its standard deviation, where values were given.
    """

    ranks: NDArray[np.int64]
    texts: list[str]
    first_before_second: NDArray[np.float64]
    first_of_all: NDArray[np.float64]
    values: NDArray[np.float64] | None = None
    spread: NDArray[np.float64] | None = None

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the cells that the prediction adds to each row of a table."""
        return zip(*self.columns(), strict=True)

    def columns(self) -> list[list[Any]]:
        """Return the same cells, column by column."""
        chances = np.round([self.first_before_second, self.first_of_all], 3)
        columns: list[list[Any]] = [self.texts, *self.ranks.T.tolist(), *chances.tolist()]
        if self.values is not None and self.spread is not None:
            pairs = np.stack([self.values, self.spread], axis=2).reshape(len(self.texts), -1)
            columns += [list(map(_figures, column)) for column in pairs.T.tolist()]
        return columns


@dataclass(frozen=True)
class TableModel:
    """What ``rankwise fit`` writes: a fitted ranker, the recipe of its columns, and its certainty.

    Parameters
    ----------
    ranker : estimator
        The fitted ranker; its features are `recipe.feature_names`.
    recipe : Recipe
        How features are made of columns.
    label_names : tuple of str
        Names of the labels, in the order of the ranker's columns.
    certainty : Certainty
        How shares of trees become chances.
    facts : dict
        What was measured at fitting: rows, tau of the cross-validation, the consensus, and so on.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankwise as rw
    >>> X, Y = [[8], [9], [17], [18]], [[2, 1, 3], [2, 1, 3], [1, 3, 2], [1, 3, 2]]
    >>> model = TableModel(rw.TreeRanker().fit(X, Y), Recipe((Column("hour"),)),
    ...                    label_names=("tea", "coffee", "water"))
    >>> model.predict_table(pd.DataFrame({"hour": [7, 16]}))["ranking"].tolist()
    ['coffee>tea>water', 'tea>water>coffee']
    >>> model.output_columns()[1:4]
    ['position_tea', 'position_coffee', 'position_water']
    """

    ranker: Any
    recipe: Recipe
    label_names: tuple[str, ...]
    certainty: Certainty = field(default_factory=Certainty)
    facts: dict[str, Any] = field(default_factory=dict)

    def predict(self, X: NDArray[np.float64], top: int | None = None) -> TablePrediction:
        """Rank the labels of rows whose features were made by the recipe.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            As the recipe makes them; NaN = missing.
        top : int, optional
            How many places to fill: labels behind them are tied in the place that follows.

        Returns
        -------
        TablePrediction
        """
        if is_frame(X) or is_polars(X):
            raise TypeError(
                "X is a DataFrame, and this takes features as the recipe makes them; give it to "
                "predict_table, or to predict of model.table"
            )
        ranks, shares = self.ranks_and_shares(X)
        before_second, first_of_all = self.certainty.of_order(shares, ranks)
        ranks = ranks if top is None else top_places(ranks, top)
        texts = list(format_rankings(ranks, labels=list(self.label_names)))
        return TablePrediction(
            ranks, texts, before_second, first_of_all, *(self.predict_values(X) or ())
        )

    def predict_values(self, X: NDArray[np.float64]) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the expected value of each label and its spread; None where no values were given.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            As the recipe makes them; NaN = missing.

        Returns
        -------
        expected, spread : ndarray of shape (n_samples, n_labels)
            As `predict_values` of the ranker gives them.
        """
        if not self._knows_values:
            return None
        return self.table._predict_values(X)

    @property
    def _knows_values(self) -> bool:
        ranker = find_ranker(self.ranker)
        return isinstance(ranker, ExpectsValues) and ranker._knows_values

    def ranks_and_shares(self, X: NDArray[np.float64]) -> tuple[np.ndarray, np.ndarray]:
        """Return the ranks of some rows and the shares behind them, by one descent of the trees.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            As the recipe makes them; NaN = missing.

        Returns
        -------
        ranks : ndarray of shape (n_samples, n_labels)
        shares : ndarray of shape (n_samples, n_labels, n_labels)
            As `predict_pairwise` gives them.
        """
        ranks, shares = self.table._ranks_and_shares(X)
        return ranks.astype(np.int64), shares

    def frame(self, X: NDArray[np.float64]) -> Any:
        """Return the features as the ranker was fitted to them: with names, and gaps filled if need be.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            As the recipe makes them; NaN = missing.

        Returns
        -------
        ndarray or DataFrame
        """
        return self.table._for_ranker(X)

    @classmethod
    def of(cls, model: TableRanker) -> Self:
        """Return a record of a `TableRanker`, of whose fitting nothing else is known.

        Parameters
        ----------
        model : TableRanker
            Fitted.
        """
        labels = tuple(str(label) for label in model.labels_)
        means = model.gap_means_
        facts = {} if means is None else {"gap_means": means.tolist()}
        return cls(model.ranker_, model.recipe_, labels, facts=facts)

    @cached_property
    def table(self) -> TableRanker:
        """The same as an estimator: DataFrames in, ranks and shares out."""
        means = self.facts.get("gap_means")
        return TableRanker.of(self.ranker, self.recipe, self.label_names, means)

    def predict_table(self, frame: Any) -> Any:
        """Rank the labels of the rows of a DataFrame; columns are matched by name.

        Parameters
        ----------
        frame : DataFrame of pandas or polars
            New rows, with the columns that the model was fitted on, in any order.

        Returns
        -------
        DataFrame of the same kind
            Ranking, position of each label, and the two chances, under the index of `frame`.
        """
        if not (is_frame(frame) or is_polars(frame)):
            raise TypeError(f"frame is {shown(frame)}; give a DataFrame of pandas or polars")
        rows = list(self.predict(self.table.encode(frame)).rows()) if len(frame) else []
        if is_polars(frame):
            columns = zip(*rows, strict=True) if rows else [[]] * len(self.output_columns())
            return type(frame)(dict(zip(self.output_columns(), columns, strict=True)))
        # imported here: only this method needs it
        import pandas as pd

        return pd.DataFrame(rows, columns=self.output_columns(), index=frame.index)

    @check_arguments
    def output_columns(self, prefix: str = "") -> list[str]:
        """Return the names of the columns that a prediction adds to a table.

        Parameters
        ----------
        prefix : str
            Put before each name.
        """
        names = ["ranking", *(f"position_{label}" for label in self.label_names)]
        names += ["first_before_second", "first_of_all"]
        if self._knows_values:
            kinds = ("value", "spread")
            names += [f"{kind}_{label}" for label in self.label_names for kind in kinds]
        return [prefix + name for name in names]

    def _saved_state(self) -> dict[str, Any]:
        columns = [
            [c.name, None if c.categories is None else list(c.categories)]
            for c in self.recipe.columns
        ]
        return {
            "ranker": self.ranker,
            "columns": columns,
            "label_names": list(self.label_names),
            "certainty": self.certainty,
            "facts": self.facts,
        }

    @classmethod
    def _from_state(cls, state: dict[str, Any]) -> Self:
        if set(state) != {"ranker", "columns", "label_names", "certainty", "facts"}:
            raise ValueError("its TableModel lacks a part, or has one too many")
        if not isinstance(state["columns"], list) or not isinstance(state["facts"], dict):
            raise ValueError("its TableModel has no columns or no facts")
        columns = []
        for entry in state.pop("columns"):
            if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)):
                raise ValueError("its TableModel has a column without a name")
            name, categories = entry
            if categories is not None and not _are_texts(categories):
                raise ValueError(f"its column {name[:60]!r} has categories that are no texts")
            columns.append(Column(name, None if categories is None else tuple(categories)))
        if not _are_texts(labels := state.pop("label_names")):
            raise ValueError("its TableModel has labels that are no texts")
        return cls(**state, recipe=Recipe(tuple(columns)), label_names=tuple(labels))

    def _check_state(self) -> None:
        ranker, columns = self.ranker, self.recipe.columns
        if not isinstance(ranker, BaseRanker):
            raise ValueError("its TableModel holds no ranker")
        if not isinstance(self.certainty, Certainty):
            raise ValueError("its TableModel does not say how sure it is")
        names, k = self.recipe.feature_names, ranker.n_labels_
        if len(names) != ranker.n_features_in_ or len({c.name for c in columns}) != len(columns):
            raise ValueError("its columns do not make the features of its ranker")
        refuse_halves(names, "column")
        refuse_halves(self.label_names, "label")
        means = self.facts.get("gap_means")
        if means is not None and not _are_numbers(means, len(names)):
            raise ValueError("its means of features are no numbers, or not one for each feature")
        if not _are_counts(self.facts.get("leaf_rows", [])):
            raise ValueError("its counts of rows in leaves are no whole numbers")
        if len(self.label_names) != k or len(set(self.label_names)) != k:
            raise ValueError(f"it has no {k} different labels")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _are_numbers(value: Any, n: int) -> bool:
    numbers = value if isinstance(value, list) else []
    return len(numbers) == n and all(
        type(x) in (int, float) and -np.inf < x < np.inf for x in numbers
    )


def _are_counts(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(counts, np.ndarray) and counts.dtype.kind == "u" and counts.ndim == 1
        for counts in value
    )


def _figures(number: float) -> float | None:
    """Return a number by four figures; None where it is not known."""
    return None if np.isnan(number) else float(f"{number:.4g}")
