"""Axis-aligned rectangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise._parameters import deadline_in
from rankwise.hypotheses._boxes import Box, BoxSearch, ascend, empty_box
from rankwise.hypotheses._hypothesis import Hypothesis, make_generator


class Rectangle(Hypothesis):
    """The axis-aligned box with the fewest mistakes: the second of `classes_` inside.

    Boxes around the leaves of a small decision tree are improved face by face. Then all boxes are
    enumerated with pruning, the last two features by a sweep, as long as time permits: always in one
    dimension, thousands of rows in two, some hundred in three.

    Parameters
    ----------
    time_limit : float or None
        Seconds for the enumeration; 0 leaves it out, None lets it end. If time runs out, the result
        may depend on the machine's speed, and `exact_` is False.
    random_state : int, RandomState or None
        For the decision tree.

    Attributes
    ----------
    low_, high_ : ndarray of shape (n_features,)
        Faces, halfway to the next row outside, and infinite where there is none. No row is inside if
        `low_` is above `high_`.
    empirical_risk_, lower_bound_ : float
        Share of mistakes, and what no rectangle is known to go below.
    exact_ : bool
        Whether the two are equal: the risk is proven to be the least.

    Examples
    --------
    Tea is before coffee in the afternoon only:

    >>> from rankwise.hypotheses import Rectangle
    >>> model = Rectangle().fit([[8], [10], [14], [15], [20], [22]], [0, 0, 1, 1, 0, 0])
    >>> model.low_, model.high_, model.exact_
    (array([12.]), array([17.5]), True)
    """

    _class_name = "rectangle"

    def _minimise(self, X: NDArray[np.float64], signs: NDArray[np.float64]) -> int:
        end = deadline_in(self.time_limit)
        seed = int(make_generator(self.random_state).integers(2**31 - 1))
        starts = [around_rows(X, signs, rows) for rows in _guesses(X, signs, seed)]
        best = max([ascend(X, signs, box) for box in starts], key=lambda box: box.gain)
        if best.gain <= 0:
            best = empty_box(X.shape[1])
        search = BoxSearch(X, signs, best, end)
        proven = search.run()
        self.low_, self.high_ = _widen(X, search.best)
        return int(np.count_nonzero(signs > 0)) - search.best.gain if proven else 0

    def _shapes(self, n_features: int) -> dict[str, tuple[int, ...]]:
        return {"low_": (n_features,), "high_": (n_features,)}

    def _check_found(self, n_features: int) -> None:
        for name, shape in self._shapes(n_features).items():
            # a box may be open on a side
            if np.isnan(self._saved_array(name, shape)).any():
                raise ValueError(f"its {name} holds NaN")

    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        depth = np.minimum(X - self.low_, self.high_ - X).min(axis=1)
        return np.nan_to_num(depth, posinf=np.finfo(float).max, neginf=np.finfo(float).min)


def around_rows(X: NDArray[np.float64], signs: NDArray[np.float64], rows: NDArray[np.bool_]) -> Box:
    """Return the smallest box around some rows."""
    low, high = X[rows].min(axis=0), X[rows].max(axis=0)
    return Box(low, high, round(signs[Box(low, high, 0).holds(X)].sum()))


def _guesses(
    X: NDArray[np.float64], signs: NDArray[np.float64], seed: int
) -> list[NDArray[np.bool_]]:
    """Return sets of positive rows to start from: all, and those of each leaf of a small tree."""
    # imported here: importing the package must stay cheap
    from sklearn.tree import DecisionTreeClassifier

    positive = signs > 0
    # ranks: trees compute in single precision, and boxes depend on the order of values alone
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=seed).fit(ranks, signs)
    leaves = tree.apply(ranks)
    return [positive] + [positive & (leaves == leaf) for leaf in np.unique(leaves[positive])]


def _widen(X: NDArray[np.float64], box: Box) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Move each face halfway to the nearest coordinate beyond it; no row changes sides."""
    if box.gain <= 0:
        return box.low, box.high
    inner = X[box.holds(X)]
    return _beyond(X, inner.min(axis=0)), -_beyond(-X, -inner.max(axis=0))


def _beyond(X: NDArray[np.float64], face: NDArray[np.float64]) -> NDArray[np.float64]:
    below = np.where(face > X, X, -np.inf).max(axis=0)
    with np.errstate(invalid="ignore"):
        middle = below / 2 + face / 2
    # neighbouring floats have nothing in between
    return np.where(middle < face, middle, below)
