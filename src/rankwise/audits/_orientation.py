"""Do rows of permutations hold ranks, as they should, or orders? What the features show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, permutations

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments
from rankwise.metrics import kendall_tau

Matrix = NDArray[np.float64]

_MIN_ROWS = 30
_MAX_ROWS = 1500
# Rows x labels x labels cells are predicted; this bounds memory to a few arrays of 32 MB.
_MAX_CELLS = 4_000_000
_MAX_FEATURES = 2000
_N_COLUMN_ORDERS = 60
_PENALTIES = np.logspace(-2, 4, 13)
# In standard errors over rows: orders must predict better than ranks, and better than no features.
_MIN_ADVANTAGE = 3.0
_MIN_GAIN = 2.0
# Among shuffled orders of the columns, at most this share may do as well as the order given.
_MAX_AS_GOOD = 0.1


@check_arguments
@dataclass(frozen=True)
class OrdersEvidence:
    """What speaks for reading the rows as orders in place of ranks.

    Attributes
    ----------
    n_rows : int
        How many rows were looked at.
    tau_as_ranks, tau_as_orders : float
        Leave-one-out Kendall tau of one and the same learner, if ``Y[i, j]`` is the position of
        label j, and if it is the label at position j.
    advantage : float
        ``tau_as_orders - tau_as_ranks`` in standard errors over rows.
    gain : float
        What the features add to the mean ranking if rows are orders, in standard errors.
    as_good : float or None
        Share of shuffled orders of the columns in which rows make orders as predictable as in the
        order given. Where columns are labels their order is arbitrary, and this share is uniform;
        where they are positions it is next to 0. None where the rest settles it.
    looks_like_orders : bool
        All three speak for orders.
    """

    n_rows: int
    tau_as_ranks: float
    tau_as_orders: float
    advantage: float
    gain: float
    as_good: float | None
    looks_like_orders: bool


def orders_evidence(X: Matrix, ranks: Matrix, rng: np.random.Generator) -> OrdersEvidence | None:
    """Weigh both readings of permutations, or return None where the data shows nothing.

    A permutation is as good an order as it is a list of positions, so only the features can show which.
    The learner predicts, for each cell, the chance of each value; that is one tensor for both
    readings, so the learner favours neither. Positions are ordinal and labels are not, so the
    mean position predicts well in the true reading and poorly in the other.

    Examples
    --------
    Two labels: every permutation is its own inverse, and both readings are the same.

    >>> rng = np.random.default_rng(0)
    >>> orders_evidence(np.zeros((50, 1)), np.array([[1.0, 2.0]] * 50), rng) is None
    True
    """
    k = ranks.shape[1]
    if k < 3 or not (np.sort(ranks, axis=1) == np.arange(1, k + 1)).all():
        return None
    n_rows = min(_MAX_ROWS, _MAX_CELLS // k**2)
    if len(X) > n_rows:
        rows = np.sort(rng.choice(len(X), n_rows, replace=False))
        X, ranks = X[rows], ranks[rows]
    features = _standardised(X, rng)
    if len(X) < _MIN_ROWS or not features.shape[1]:
        return None
    orders = 1.0 + np.argsort(ranks, axis=1).astype(np.float64)
    if (orders == ranks).all():
        return None
    return _weigh(features, ranks, orders, rng)


def _weigh(
    features: Matrix, ranks: Matrix, orders: Matrix, rng: np.random.Generator
) -> OrdersEvidence:
    n, k = ranks.shape
    cells = (ranks[:, :, None] == np.arange(1, k + 1)).astype(np.float64)
    chances = _leave_one_out(features, cells.reshape(n, -1)).reshape(n, k, k)
    # A label's position, if column p holds the label at position p: the inverse of `ranks`.
    chances_of_label = chances.transpose(0, 2, 1)
    # The mean ranking may see the row itself: that makes it hard to beat by chance.
    mean_places = np.broadcast_to(orders.mean(axis=0), (n, k))
    places = np.arange(1, k + 1.0)
    as_ranks = _tau(ranks, chances @ places)
    as_orders = _tau(orders, chances_of_label @ places)
    advantage = _in_standard_errors(as_orders - as_ranks)
    gain = _in_standard_errors(as_orders - _tau(orders, mean_places))
    as_good = None
    if advantage >= _MIN_ADVANTAGE and gain >= _MIN_GAIN:
        reached = as_orders.mean() - 1e-9
        shuffled = [
            _tau(places_[orders.astype(np.int64) - 1], chances_of_label @ places_).mean() >= reached
            for places_ in _column_orders(k, rng)
        ]
        as_good = float(np.mean(shuffled))
    return OrdersEvidence(
        n_rows=n,
        tau_as_ranks=float(as_ranks.mean()),
        tau_as_orders=float(as_orders.mean()),
        advantage=advantage,
        gain=gain,
        as_good=as_good,
        looks_like_orders=as_good is not None and as_good <= _MAX_AS_GOOD,
    )


def _column_orders(k: int, rng: np.random.Generator) -> Iterator[Matrix]:
    """Yield orders of the columns besides the given one; an order and its reverse are one."""
    if k <= 4:
        every = (p for p in permutations(range(1, k + 1)) if p[0] < p[-1])
        yield from (np.array(p, dtype=np.float64) for p in islice(every, 1, None))
        return
    for _ in range(_N_COLUMN_ORDERS):
        yield rng.permutation(np.arange(1, k + 1.0))


def _standardised(X: Matrix, rng: np.random.Generator) -> Matrix:
    """Return features as normal ranks: outliers, infinities and units play no part."""
    if X.shape[1] > _MAX_FEATURES:
        X = X[:, np.sort(rng.choice(X.shape[1], _MAX_FEATURES, replace=False))]
    missing = np.isnan(X)
    # Imported here: scipy.stats takes longer to load than this package.
    from scipy.stats import rankdata

    columns = rankdata(np.where(missing, np.inf, X), axis=0)
    columns[missing] = 0.0
    count = (~missing).sum(axis=0)
    columns = np.where(missing, 0.0, columns - columns.sum(axis=0) / np.maximum(count, 1))
    spread = columns.std(axis=0)
    return columns[:, spread > 0] / spread[spread > 0]


def _leave_one_out(features: Matrix, targets: Matrix) -> Matrix:
    """Predict each row's targets from the other rows by kernel ridge regression.

    The kernel is linear plus Gaussian: it finds straight lines in many features and bends in few.
    The penalty is chosen by generalised cross-validation, which needs one eigendecomposition.
    """
    n, d = features.shape
    linear = features @ features.T / d
    norms = np.diag(linear)
    kernel = linear + np.exp(linear - (norms[:, None] + norms) / 2)
    kernel -= kernel.mean(axis=0)
    kernel -= kernel.mean(axis=1)[:, None]
    values, vectors = np.linalg.eigh(kernel)
    values = np.clip(values, 0.0, None)
    mean = targets.mean(axis=0)
    coefficients = vectors.T @ (targets - mean)
    energy = (coefficients**2).sum(axis=1)
    shrink = min(
        (values / (values + penalty) for penalty in _PENALTIES),
        key=lambda s: ((1 - s) ** 2 @ energy) / (1 - (1 + s.sum()) / n) ** 2,
    )
    fitted = mean + vectors @ (shrink[:, None] * coefficients)
    leverage = np.minimum(vectors**2 @ shrink + 1 / n, 1 - 1e-6)[:, None]
    return (fitted - leverage * targets) / (1 - leverage)


def _tau(true: Matrix, places: Matrix) -> Matrix:
    # Rounded, so that equal means are tied; shifted, because ranks start at 1.
    return np.asarray(
        kendall_tau(true, (places - places.min() + 1).round(9), average=False), dtype=np.float64
    )


def _in_standard_errors(differences: Matrix) -> float:
    error = differences.std() / np.sqrt(len(differences))
    return float(differences.mean() / error) if error > 0 else 0.0
