"""Neighbours of rows: the search, and the choice of their number by leaving one row out.

Training rows with the same features stand at one *place*. Which of them is the nearer cannot be said
without looking at their order in the file, so rows of a place are asked together; places at the same
distance follow one another by their features. So nothing depends on the order of rows, or of labels.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from joblib import cpu_count
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from rankwise._naming import RowError
from rankwise._parallel import no_more_than
from rankwise._parameters import check_integer
from rankwise.metrics import kendall_tau
from rankwise.ranker import (
    BaseRanker,
    ExpectsValues,
    as_floats,
    compares,
    comparing_rows,
    positions_by_pairwise,
)

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
# The rows of all groups, group after group, and where each group starts, then where the last ends.
Groups = tuple[Rows, Rows]

# Rows that are left out one at a time to choose the number of neighbours: the mean over so many
# tells the candidates apart, and more would cost more than the fit is worth. Of more rows, every
# second, third or so place is taken, with all its rows.
CHOICE_ROWS = 5000


class DistanceRanker(BaseRanker):
    """Base of the methods that take distances of rows, and know of pairs what they rank by."""

    _takes_weights = False

    def _check_features(self, X: ArrayLike, *, reset: bool) -> Floats:
        checked = super()._check_features(X, reset=reset)
        return as_floats(checked, getattr(self, "feature_names_in_", None))

    def _predict_positions(self, X: np.ndarray) -> Floats:
        return positions_by_pairwise(self._predict_shares(X))

    def _positions_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shares = self._predict_shares(X)
        return positions_by_pairwise(shares), shares


class NeighbourRanker(ExpectsValues, DistanceRanker):
    """Base of the methods that look at the rankings of the nearest training rows.

    A subclass sets `candidates` and `standardises`, and offers `_remember` and `_losses`. A model file
    holds the rows and rankings that are kept; the index and what `_remember` makes follow from them.
    Values change no ranking: what to expect of a label is their mean over the neighbours.
    """

    candidates: Sequence[int]
    standardises: bool

    n_neighbors: int | str
    n_jobs: int | None

    # whether a row that ties all its labels says something, or is left out
    _ties_count = False

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        self._check_n_neighbors(len(X))
        kept = comparing_rows(ranks, ties_count=self._ties_count or self._with_ties)
        # sums of sorted columns are the same for any order of rows
        columns = np.sort(X[kept], axis=0)
        # distances do not change with the origin, but lose digits far from it
        self._centre = columns.mean(axis=0)
        spread = columns.std(axis=0) if self.standardises else np.ones(X.shape[1])
        # a constant feature stays as it is: all rows agree on it
        self._spread = np.where(spread > 0, spread, 1.0)
        features = self._scaled(X[kept])
        order = np.lexsort(features.T[::-1])
        self._kept_features = features[order]
        self._ranks = ranks[kept][order]
        self.__dict__.pop("_kept_values", None)
        if "_values" in vars(self):
            self._kept_values = self._values[kept][order]
        self._restore()
        self.n_neighbors_ = self._choose()

    def _check_state(self) -> None:
        super()._check_state()
        n, d = self._saved_rows("_kept_features"), self.n_features_in_
        for name, shape in (("_kept_features", (n, d)), ("_centre", (d,)), ("_spread", (d,))):
            self._saved_numbers(name, shape)
        if not (self._spread > 0).all():
            raise ValueError("its _spread is not positive")
        self._check_rankings(self._saved_array("_ranks", (n, self.n_labels_)))
        if self._knows_values:
            values = self._saved_array("_kept_values", (n, self.n_labels_))
            if values.dtype != np.float64 or np.isinf(values).any():
                raise ValueError("its _kept_values are infinite, or of another type")
        if not compares(self._ranks, self._ties_count or self._with_ties).all():
            raise ValueError("it remembers rows that compare no labels")
        asked = vars(self).get("n_neighbors_")
        if type(asked) is not int or not 1 <= asked <= n:
            raise ValueError(f"it asks {str(asked)[:40]} of {n} neighbours")

    def _restore(self) -> None:
        # imported here: it takes long, and the other models of this package do without it
        from sklearn.neighbors import NearestNeighbors

        features = self._kept_features
        # rows of a place follow one another: where each place starts, then where the last ends
        moves = (features[1:] != features[:-1]).any(axis=1)
        self._starts = np.concatenate([[0], np.flatnonzero(moves) + 1, [len(features)]])
        # scikit-learn starts as many threads as it is told to
        n_jobs = no_more_than(cpu_count(), self.n_jobs)
        self._index = NearestNeighbors(n_jobs=n_jobs).fit(features[self._starts[:-1]])
        self._remember(self._ranks)

    @property
    def _knows_values(self) -> bool:
        return "_kept_values" in vars(self)

    def _expected_values(self, X: np.ndarray) -> tuple[Floats, Floats]:
        groups, values = self._neighbours(X), self._kept_values
        known = ~np.isnan(values)
        counts = group_sums(known.astype(np.float64), groups)
        centre = np.where(known, values, 0.0).sum(axis=0) / np.maximum(1, known.sum(axis=0))
        moved = np.where(known, values - centre, 0.0)
        with np.errstate(invalid="ignore"):
            mean, square = (group_sums(part, groups) / counts for part in (moved, moved**2))
        return mean + centre, np.sqrt(np.maximum(square - mean**2, 0.0))

    @abstractmethod
    def _remember(self, ranks: Floats) -> None:
        """Keep the rankings as predictions want them."""

    def _choose(self) -> int:
        """The number of neighbours: given, or the candidate of least loss on rows left out."""
        n = len(self._ranks)
        if self.n_neighbors != "cv":
            return min(int(self.n_neighbors), n)
        # a row left out has n - 1 others to ask
        candidates = [c for c in self.candidates if c < n] or [
            max(1, min(n - 1, self.candidates[0]))
        ]
        if len(candidates) == 1:
            return candidates[0]
        rows = self._rows_left_out()
        losses = self._losses(rows, self._others(rows, candidates))
        # equal up to rounding: the first
        return candidates[int(np.argmin(np.round(losses, 12)))]

    @abstractmethod
    def _losses(self, rows: Rows, groups: Sequence[Groups]) -> Sequence[float]:
        """Loss of each candidate when `rows` are predicted by its groups of neighbours."""

    def _rows_left_out(self) -> Rows:
        """All rows, or those of evenly spaced places that have `CHOICE_ROWS` together, or one has."""
        sizes = np.diff(self._starts)
        step = -(-len(self._ranks) // CHOICE_ROWS)
        while step < len(sizes) and sizes[::step].sum() > CHOICE_ROWS:
            step += 1
        places = np.arange(0, len(sizes), step)
        return _rows_of(self._starts[places], sizes[places])

    def _others(self, rows: Rows, counts: Sequence[int]) -> list[Groups]:
        """The nearest training rows of training rows, without themselves: so many, or more, each."""
        own = np.searchsorted(self._starts, rows, side="right") - 1
        asked, at = np.unique(own, return_inverse=True)
        # a place whose only row is left out has none to ask: one more
        features = self._kept_features[self._starts[asked]]
        found = self._nearest_places(features, max(counts) + 1)[at]
        is_own = (found == own[:, None]).astype(np.int64)
        groups = []
        for count in counts:
            members, starts = self._asked(found[:, : count + 1], count, is_own[:, : count + 1])
            is_other = members != np.repeat(rows, np.diff(starts))
            ends = np.concatenate([[0], np.cumsum(is_other)])
            groups.append((members[is_other], ends[starts]))
        return groups

    def _neighbours(self, X: np.ndarray) -> Groups:
        """The nearest `n_neighbors_` training rows of new rows, or more."""
        found = self._nearest_places(self._scaled(X), self.n_neighbors_)
        return self._asked(found, self.n_neighbors_, np.zeros_like(found))

    def _nearest_places(self, features: Floats, count: int) -> Rows:
        n_places = len(self._starts) - 1
        found: Rows = self._index.kneighbors(features, min(count, n_places), return_distance=False)
        return found

    def _asked(self, places: Rows, count: int, left_out: Rows) -> Groups:
        """Rows of the first places that have `count` rows together, beside those left out of each."""
        sizes = np.diff(self._starts)[places]
        counted = sizes - left_out
        needed = np.cumsum(counted, axis=1) - counted < count
        members = _rows_of(self._starts[places[needed]], sizes[needed])
        in_group = np.where(needed, sizes, 0).sum(axis=1)
        return members, np.concatenate([[0], np.cumsum(in_group)])

    def _scaled(self, features: Floats) -> Floats:
        with np.errstate(over="ignore"):
            scaled = np.ascontiguousarray((features - self._centre) / self._spread)
        far = np.flatnonzero(~np.isfinite(scaled).all(axis=1))
        if far.size:
            raise RowError(
                int(far[0]),
                "",
                ": a feature is too far from the rows of training, beside how little it varied there, to "
                "take distances; rescale it, or leave it out",
            )
        return scaled

    def _check_n_neighbors(self, n_rows: int) -> None:
        n = self.n_neighbors
        if isinstance(n, str) and n == "cv":
            return
        if check_integer("n_neighbors", n, 1, why=", or 'cv'") > n_rows:
            raise ValueError(
                f"n_neighbors is {n}, but X has n_samples = {n_rows} rows; give at most as many, or 'cv'"
            )


class InstanceRanker(NeighbourRanker):
    """Base of the methods of Cheng and others: a model of the neighbours' rankings, without ties."""

    _takes_ties = False
    candidates = (5, 10, 15, 20)
    standardises = True

    @abstractmethod
    def _ranks_by(self, groups: Groups) -> np.ndarray:
        """Rank the labels of rows whose neighbours these are."""

    def _tied_ranks_by(self, groups: Groups) -> np.ndarray:
        """The same, but for labels between which only their order in the file decides: these tie."""
        return self._ranks_by(groups)

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return self._ranks_by(self._neighbours(X))

    def _losses(self, rows: Rows, groups: Sequence[Groups]) -> Sequence[float]:
        return [-float(kendall_tau(self._ranks[rows], self._tied_ranks_by(g))) for g in groups]

    def __init__(
        self,
        n_neighbors: int | str = "cv",
        *,
        ties: str | float = "never",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.ties = ties
        self.n_jobs = n_jobs


def group_sums(vectors: Floats, groups: Groups) -> Floats:
    """Sums of the vectors of each group; of whole numbers they are exact.

    Examples
    --------
    >>> group_sums(np.array([[1.0, 2], [3, 4]]), (np.array([0, 0, 1]), np.array([0, 1, 3])))
    array([[1., 2.],
           [4., 6.]])
    """
    members, starts = groups
    asked = csr_array(
        (np.ones(len(members)), members, starts), shape=(len(starts) - 1, len(vectors))
    )
    sums: Floats = asked @ vectors
    return sums


def _rows_of(starts: Rows, sizes: Rows) -> Rows:
    """Runs of rows, one after the other.

    Examples
    --------
    >>> _rows_of(np.array([0, 7]), np.array([2, 3]))
    array([0, 1, 7, 8, 9])
    """
    ends = np.cumsum(sizes)
    return np.arange(sizes.sum()) + np.repeat(starts - (ends - sizes), sizes)
