"""What following a prediction costs, in the user's unit, beside the single and the virtual best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise._arguments import check_arguments
from rankwise._parameters import check_numbers, check_rows
from rankwise.datasets import Dataset
from rankwise.metrics import chosen_value, regret
from rankwise.rankings import ranks_from_scores

# The label that is the best on average over the training rows, for every row; and the best of
# each row, which no learner knows.
SINGLE, VIRTUAL = "single_best", "virtual_best"
REFERENCES = (SINGLE, VIRTUAL)


@check_arguments
@dataclass(frozen=True)
class Costs:
    """What each label is worth in each row of a data set.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_labels)
        NaN = not measured.
    higher_is_better : bool
        Which values are better.
    top : int
        How many labels may be tried, for the second figure of what is lost.

    Examples
    --------
    >>> seconds = Costs(np.array([[1.0, 9.0], [2.0, 9.0], [7.0, 5.0]]), higher_is_better=False)
    >>> found = seconds.measure(np.array([0, 1]), np.array([2]), np.array([[2.0, 1.0]]))
    >>> found["prediction"]["regret"], found["single_best"]["regret"]
    (0.0, 2.0)
    """

    values: NDArray[np.float64]
    higher_is_better: bool
    top: int = 3

    @classmethod
    def of(cls, data: Dataset, top: int = 3) -> Costs | None:
        """Return the costs of a data set; None where it does not know any."""
        if data.values is None or data.higher_is_better is None:
            return None
        return cls(data.values, data.higher_is_better, top)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of what is measured."""
        # With two labels or fewer to leave out, trying so many would be trying all.
        several = ("regret_of_top",) if 1 < self.top < self.values.shape[1] else ()
        return ("regret", *several, "value", "gap_closed")

    def single_best(self, train: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the ranking by mean value over the training rows; labels never measured come last."""
        check_rows("train", train, len(self.values))
        rows = self.values[train]
        counts = (~np.isnan(rows)).sum(axis=0)
        means = np.nansum(rows, axis=0) / np.maximum(counts, 1)
        worst = -np.inf if self.higher_is_better else np.inf
        means = np.where(counts > 0, means, worst)
        return np.asarray(ranks_from_scores(means[None], higher_is_better=self.higher_is_better)[0])

    def gap_closed(
        self, asked: NDArray[np.int64]
    ) -> Callable[[NDArray[np.int64], NDArray[Any]], NDArray[np.float64]]:
        """Return a function of rows among those asked, and of their ranks, that says for each how good.

        The mean over all that are asked is the share of the gap closed, from the label that is best
        on average (0) to the best of each row (1).

        Examples
        --------
        >>> seconds = Costs(np.array([[1.0, 9.0], [2.0, 9.0], [7.0, 5.0]]), higher_is_better=False)
        >>> closed = seconds.gap_closed(np.arange(3))
        >>> closed(np.arange(3), np.array([[1, 2], [1, 2], [2, 1]]))
        array([1., 1., 1.])
        >>> closed(np.arange(3), np.array([[1, 2], [1, 2], [1, 2]])).mean().round(12)
        np.float64(0.0)
        """
        check_rows("asked", asked, len(self.values))
        values, known = self.values[asked], {"higher_is_better": self.higher_is_better}
        single = np.tile(self.single_best(np.arange(len(self.values))), (len(asked), 1))
        gap = _mean(np.asarray(regret(values, single, average=False, **known)))
        # where one label is the best of every row, what is lost counts as it is
        gap = gap if gap > 0 else 1.0

        def closed(rows: NDArray[np.int64], ranks: NDArray[Any]) -> NDArray[np.float64]:
            return 1 - np.asarray(regret(values[rows], ranks, average=False, **known)) / gap

        return closed

    def measure(
        self, train: NDArray[np.int64], test: NDArray[np.int64], predicted: NDArray[np.float64]
    ) -> dict[str, dict[str, float]]:
        """Return what the choices of a fold cost: those predicted, the single and the virtual best."""
        check_rows("test", test, len(self.values))
        of_test = replace(self, values=self.values[test])
        per_row = of_test._per_row({"prediction": predicted}, self.single_best(train))
        return {
            who: {metric: _mean(rows) for metric, rows in figures.items()}
            for who, figures in per_row.items()
        }

    def of_rows(
        self, predictions: Mapping[str, NDArray[np.float64]], single: NDArray[np.float64]
    ) -> dict[str, dict[str, NDArray[np.float64]]]:
        """Return what each row costs, by several predictions, the single and the virtual best."""
        found = self._per_row(predictions, single)
        known = ~np.isnan(found[SINGLE]["regret"])
        gaps, ones = found[SINGLE]["regret"][known], np.ones(int(known.sum()))
        for figures in found.values():
            shares = shares_closed(figures["regret"][known], gaps, ones)
            figures["gap_closed"] = np.array(shares)
        return found

    def _per_row(
        self, predictions: Mapping[str, NDArray[np.float64]], single: NDArray[np.float64]
    ) -> dict[str, dict[str, NDArray[np.float64]]]:
        known: dict[str, Any] = {"higher_is_better": self.higher_is_better, "average": False}
        # Each row ranked by its own values; what was not measured is passed over in any case.
        own = ranks_from_scores(self.values, higher_is_better=self.higher_is_better)
        own = np.where(np.isnan(own), self.values.shape[1] + 1.0, own)
        everyone = {**predictions, SINGLE: np.tile(single, (len(own), 1)), VIRTUAL: own}
        found: dict[str, dict[str, Any]] = {}
        for who, ranks in everyone.items():
            found[who] = {
                "regret": regret(self.values, ranks, **known),
                "value": chosen_value(self.values, ranks, **known),
            }
            if "regret_of_top" in self.metrics:
                found[who]["regret_of_top"] = regret(self.values, ranks, top=self.top, **known)
        return found


def _mean(rows: NDArray[np.float64]) -> float:
    known = rows[~np.isnan(rows)]
    return float(known.mean()) if known.size else float("nan")


@check_arguments
def shares_closed(lost: ArrayLike, gaps: ArrayLike, sizes: ArrayLike) -> list[float]:
    """Return one figure per fold whose mean is the share of the gap closed over all rows.

    The share is a ratio of sums, 1 - (lost) / (gap); a fold counts as the ratio with its
    deviation from it, in units of the mean gap, so that mean and deviation are those of the ratio.

    Parameters
    ----------
    lost, gaps : array-like of shape (n_folds,)
        Mean regret of each fold, of what is measured and of the single best label.
    sizes : array-like of shape (n_folds,)
        Rows of each fold.

    Examples
    --------
    >>> shares = shares_closed([1.0, 2.0], [4.0, 8.0], [10, 10])
    >>> [round(share, 3) for share in shares]
    [0.75, 0.75]
    """
    given = {"lost": lost, "gaps": gaps, "sizes": sizes}
    r, s, n = (check_numbers(name, part, 1) for name, part in given.items())
    if not len(r) == len(s) == len(n):
        raise ValueError(
            f"lost, gaps and sizes have {len(r)}, {len(s)} and {len(n)} numbers; give one of each per "
            "fold"
        )
    total = (n * s).sum()
    if not total > 0:
        return [float("nan")] * len(r)
    ratio = (n * r).sum() / total
    return [float(x) for x in 1.0 - ratio - n * (r - ratio * s) / (total / len(r))]


@check_arguments
def without_costly_ties(ranker: Any, costs: Costs | None) -> Any:
    """Return the ranker, or where values count a consensus that ties nothing unless it was told to.

    What is tied in front costs the mean of it.

    Examples
    --------
    >>> from rankwise.baselines import Consensus
    >>> without_costly_ties(Consensus(), Costs(np.ones((1, 2)), higher_is_better=True))
    Consensus(ties='never')
    """
    # imported here: reading results needs no scikit-learn
    from rankwise.baselines import Consensus

    if costs is not None and isinstance(ranker, Consensus) and ranker.ties == "auto":
        return ranker.set_params(ties="never")
    return ranker
