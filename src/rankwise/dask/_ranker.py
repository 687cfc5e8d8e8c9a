"""Estimators of Dask collections; what they have fitted is the ordinary estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rankwise._parameters import check_integer
from rankwise.dask._client import find_client
from rankwise.dask._collections import collection_parts
from rankwise.dask._lazy import LazyPredictions
from rankwise.dask._runner import DaskRunner
from rankwise.engine import seed_entropy
from rankwise.forest import ForestRanker as InMemoryForest
from rankwise.pairwise import PairwiseRanker as InMemoryPairwise
from rankwise.parts import Parts
from rankwise.tables import TableRanker


class ForestRanker(LazyPredictions, InMemoryForest):
    """A forest of Dask DataFrames and arrays, grown on a cluster.

    The parameters are those of `rankwise.ForestRanker`. Each tree draws its rows over all partitions,
    as a forest in memory does: with the same seed and rows it is the same forest, bit for bit, where no
    feature has more than four times `max_bins` values (`rankwise.ForestRanker.fit_parts` says what
    happens with more). It depends on neither partitions nor workers. Rows go as bytes to the worker
    that grows their tree; the client gets trees, weights and 4,096 rows that trees left out.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from rankwise.dask import ForestRanker
    >>> client = Client(processes=False, dashboard_address=None)  # doctest: +SKIP
    >>> X = da.random.random((10_000, 5), chunks=(1000, 5)) < 0.5  # doctest: +SKIP
    >>> y = da.where(X[:, :1], da.array([1, 2, 3]), da.array([3, 2, 1]))  # doctest: +SKIP
    >>> model = ForestRanker(max_samples=1000).fit(X, y).model_  # doctest: +SKIP
    """

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        client: Any = None,
        progress: bool | None = None,
        empty: str = "error",
    ) -> Self:
        """Learn from Dask collections.

        Parameters
        ----------
        X : Dask DataFrame or Array of shape (n_samples, n_features), or Parts
            Features; columns of texts and categories become features of 0 and 1. Files that all workers
            can read may be given as `rankwise.parts.open_parts` has them, without `y`.
        y : Dask DataFrame or Array of shape (n_samples, n_labels)
            Ranks, 1 = first, with the same partitions; NaN = not observed, equal = tied.
        sample_weight : Dask Series or Array of shape (n_samples,), optional
            Weights of the rows.
        client : distributed.Client or str, optional
            The client, or the address of its scheduler; by default the client that was made last, else
            what ``DASK_SCHEDULER_ADDRESS`` says.
        progress : bool, optional
            Whether to show progress; by default on a terminal.
        empty : {"error", "skip"}, default="error"
            What becomes of a partition without rows: it is refused by its number, or passed over.

        Returns
        -------
        Self
            The fitted estimator; `model_` is the same as an ordinary `rankwise.ForestRanker`.
        """
        client = find_client(client)
        if isinstance(X, Parts):
            if y is not None or sample_weight is not None:
                raise ValueError(
                    "X is Parts, which hold rankings and weights; leave the others out"
                )
            parts = X
        else:
            self._check_parameters()
            parts = collection_parts(client, X, y, sample_weight, empty)
        self._recipe_of_tables = parts.recipe
        self._fit_parts(parts, DaskRunner(client, progress))
        return self

    @property
    def model_(self) -> InMemoryForest:
        """The fitted forest as an ordinary `rankwise.ForestRanker`: saved and used as any other."""
        check_is_fitted(self)
        return _ordinary(self)

    @property
    def table_(self) -> TableRanker:
        """The forest with the recipe of its columns, where it was fitted to tables with names."""
        if self._recipe_of_tables is None:
            raise AttributeError("it was not fitted to columns of texts; take model_")
        return TableRanker.of(self.model_, self._recipe_of_tables)


def _ordinary(forest: InMemoryForest) -> InMemoryForest:
    """A fitted forest, and those that it is made of, without what is of Dask."""
    model = InMemoryForest(**forest.get_params())
    model.__dict__ |= {n: own for n, own in vars(forest).items() if n != "_recipe_of_tables"}
    model._parts = [_ordinary(part) for part in forest._parts]
    return model


class PairwiseRanker(LazyPredictions, InMemoryPairwise):
    """A classifier for each pair of labels, of Dask DataFrames and arrays, fitted on a cluster.

    Classifiers learn from a sample of the rows, drawn uniformly without replacement over all partitions
    and gathered on a worker, which shares out the pairs among the others; each of them gets the sample
    once. With `max_samples` of all rows the fitted model is that of `rankwise.PairwiseRanker`.

    Parameters
    ----------
    estimator : classifier, optional
        As in `rankwise.PairwiseRanker`, as are the others.
    aggregation : {"copeland", "borda", "kemeny"}, default="copeland"
        How shares become a ranking.
    break_ties : {"probability", "random"}, default="probability"
        How labels of equal wins are ordered.
    ties : {"auto", "never"} or float, default="auto"
        Whether predictions have ties.
    ties_for : str, default="tau_x"
        The measure that "auto" fits the threshold to.
    max_samples : int, default=100_000
        How many rows are drawn, at most.
    random_state : int, Generator or RandomState, optional
        Decides the sample, and what `rankwise.PairwiseRanker` draws.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        aggregation: str = "copeland",
        break_ties: str = "probability",
        ties: str | float = "auto",
        ties_for: str = "tau_x",
        max_samples: int = 100_000,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            aggregation=aggregation,
            break_ties=break_ties,
            ties=ties,
            ties_for=ties_for,
            random_state=random_state,
        )
        self.max_samples = max_samples

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        client: Any = None,
        empty: str = "error",
    ) -> Self:
        """Learn from Dask collections.

        Parameters
        ----------
        X : Dask DataFrame or Array of shape (n_samples, n_features), or Parts
            Features, as in `ForestRanker`.
        y : Dask DataFrame or Array of shape (n_samples, n_labels)
            Ranks, 1 = first, with the same partitions.
        sample_weight : Dask Series or Array of shape (n_samples,), optional
            Weights of the rows.
        client : distributed.Client or str, optional
            As in `ForestRanker`.
        empty : {"error", "skip"}, default="error"
            As in `ForestRanker`.

        Returns
        -------
        Self
            The fitted estimator; `model_` is the same as an ordinary `rankwise.PairwiseRanker`.
        """
        check_integer("max_samples", self.max_samples, 1)
        client = find_client(client)
        parts = X
        if not isinstance(X, Parts):
            parts = collection_parts(client, X, y, sample_weight, empty)
        self._recipe_of_tables = parts.recipe
        given = {n: value for n, value in self.get_params(deep=False).items() if n != "max_samples"}
        entropy = seed_entropy(self.random_state)
        rows = np.arange(parts.n_rows)
        if parts.n_rows > self.max_samples:
            rows = np.random.default_rng(entropy).choice(
                parts.n_rows, self.max_samples, replace=False
            )
        runner = DaskRunner(client)
        model = InMemoryPairwise(**given, n_jobs=-1)
        found = runner.fit_sample(parts, np.sort(rows), model)
        self._fitted = found.set_params(n_jobs=None)
        self.n_labels_, self.labels_ = found.n_labels_, found.labels_
        return self

    @property
    def model_(self) -> InMemoryPairwise:
        """The fitted model as an ordinary `rankwise.PairwiseRanker`: saved and used as any other."""
        check_is_fitted(self, "_fitted")
        return self._fitted
