"""Ridge regression of who goes before whom on a kernel of the features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from rankwise._naming import shown
from rankwise._parameters import check_integer, check_positive
from rankwise.metrics import kendall_tau
from rankwise.ranker import (
    BaseRanker,
    as_floats,
    comparing_rows,
    ranks_by_position,
    ridge_left_out,
)

Floats = NDArray[np.float64]

# Widths of the kernel, for features of variance 1: exp(-width |x - y|² / number of features).
WIDTHS = tuple(4.0**e for e in range(-3, 3))
RIDGES = tuple(10.0 ** (e / 2) for e in range(-8, 5))
# Rows that tell widths and ridges apart; each width costs two eigendecompositions of this size.
CHOICE_ROWS = 500
# Kernels are held for as many rows at a time as make this many numbers: 64 MB where each block is
# multiplied by large matrices, else 2 MB, which stay near the processor.
BLOCK_NUMBERS, NEAR_NUMBERS = 1 << 23, 1 << 18
# Directions in which the kernel says less than this share of the strongest are rounding errors.
LEAST_VARIANCE = 1e-10
# Unknown pairs are filled with what is predicted of them, so many times over.
FILLINGS = 10


class KernelRanker(BaseRanker):
    """Kernel ridge regression of pairs: what goes before what in rows like this one.

    Each pair of labels is a number, 1 where the first is before the second, -1 where it is behind, 0
    where both are tied, and is regressed on the features with a Gaussian kernel. Labels are ranked by
    the sums of their predicted numbers: for complete rankings that is kernel ridge regression of
    positions. It is smooth where trees have steps, and fits where features act together in a way that
    neither lines nor boxes have.

    Features are standardised; missing ones get the mean. Complete, incomplete and tied rankings are
    taken, and weights. A pair that a row does not know is filled with what the others say of it. The
    share of a pair is (1 + its predicted number) / 2, between 0 and 1.

    Parameters
    ----------
    ridge : float or "loo"
        How strongly predictions are drawn to the mean. "loo": the one with the highest Kendall tau on rows
        left out one at a time, which has a closed form (of 500 rows, evenly spaced by their features,
        where there are more).
    width : float or "loo"
        The kernel is ``exp(-width |x - y|² / n_features)``; "loo" chooses among powers of 4.
    n_landmarks : int
        Rows that stand for all in the kernel, where there are more (Nyström's approximation). Time
        grows with the rows times the square of this.
    ties : {"auto", "never"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`; here "auto" fits three more models
        to leave rows out.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}
        The measure that "auto" fits the threshold to.

    Attributes
    ----------
    ridge_, width_ : float
        What was used.
    loo_score_ : float
        Kendall tau on the rows left out one at a time, of that ridge and width.
    ties_ : float or None
        The threshold by which predictions have ties; None: they have none.
    labels_, n_labels_, n_features_in_, feature_names_in_

    Examples
    --------
    Tea, coffee and water, by the hour of the day:

    >>> from rankwise.pairwise import KernelRanker
    >>> X = [[7], [8], [9], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [3, 1, 2], [1, 2, 3], [1, 3, 2], [1, 3, 2]]
    >>> KernelRanker().fit(X, Y).predict([[8], [17]])
    array([[2, 1, 3],
           [1, 3, 2]])
    """

    _takes_missing_features = True

    def __init__(
        self,
        ridge: float | str = "loo",
        width: float | str = "loo",
        *,
        n_landmarks: int = 1000,
        ties: str | float = "auto",
        ties_for: str = "tau_x",
    ) -> None:
        self.ridge = ridge
        self.width = width
        self.n_landmarks = n_landmarks
        self.ties = ties
        self.ties_for = ties_for

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        # matrices of this size gain little by threads, and lose much where others use the cores
        with threadpool_limits(1, "blas"):
            self._learn(X, ranks, weights)

    def _learn(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        compare = comparing_rows(ranks, weights, ties_count=True)
        kept = np.flatnonzero(compare if weights is None else compare & (weights > 0))
        # in an order of their own, so that sums do not depend on the order of rows
        order = kept[np.lexsort((*ranks[kept].T[::-1], *np.nan_to_num(X[kept]).T[::-1]))]
        own = np.ones(len(order)) if weights is None else weights[order]
        self._centre, self._spread = _mean_and_spread(X[order], own)
        features, ranks = self._scaled(X[order]), ranks[order]
        some = _evenly(len(order), CHOICE_ROWS)
        grids = [
            _candidates(n, getattr(self, n), g) for n, g in (("ridge", RIDGES), ("width", WIDTHS))
        ]
        self.ridge_, self.width_, self.loo_score_ = choose_kernel(
            features[some], ranks[some], own[some], *grids
        )
        self._landmarks = features[_evenly(len(order), int(self.n_landmarks))]
        self._coefficients, self._offset = self._solve(features, pair_signs(ranks), own)

    def _solve(self, features: Floats, signs: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Coefficients (landmarks, pairs) of the kernel, and the mean of each pair."""
        known = ~np.isnan(signs)
        offset = _known_means(signs, weights)
        centred = np.where(known, signs - offset, 0.0)
        to_basis = _basis(gaussian_kernel(self._landmarks, self._landmarks, self._gamma))
        gram = np.zeros((to_basis.shape[1],) * 2)
        for rows, kernel in self._kernels(features):
            inner = kernel @ to_basis
            gram += inner.T @ (inner * weights[rows, None])
        gram[np.diag_indices_from(gram)] += self.ridge_
        inverse = to_basis @ np.linalg.solve(gram, to_basis.T)
        found: Floats = np.zeros((len(self._landmarks), signs.shape[1]))
        for _ in range(1 if known.all() else FILLINGS):
            sums = np.zeros_like(found)
            for rows, kernel in self._kernels(features):
                filled = np.where(known[rows], centred[rows], kernel @ found)
                sums += kernel.T @ (filled * weights[rows, None])
            found = inverse @ sums
        return found, offset

    def _check_features(self, X: ArrayLike, *, reset: bool) -> Floats:
        checked = super()._check_features(X, reset=reset)
        return as_floats(checked, getattr(self, "feature_names_in_", None))

    @property
    def _gamma(self) -> float:
        return self.width_ / self.n_features_in_

    def _kernels(
        self, features: Floats, numbers: int = BLOCK_NUMBERS
    ) -> Iterator[tuple[slice, Floats]]:
        step = max(1, numbers // len(self._landmarks))
        for start in range(0, len(features), step):
            rows = slice(start, start + step)
            yield rows, gaussian_kernel(features[rows], self._landmarks, self._gamma)

    def _scaled(self, X: np.ndarray) -> Floats:
        scaled = (X - self._centre) / self._spread
        return np.where(np.isnan(scaled), 0.0, scaled)

    def _signs(self, X: np.ndarray) -> Floats:
        kernels = self._kernels(self._scaled(X), NEAR_NUMBERS)
        parts = [kernel @ self._coefficients for _, kernel in kernels]
        signs: Floats = np.concatenate(parts) + self._offset
        return signs

    def _predict_positions(self, X: np.ndarray) -> Floats:
        return np.clip(positions_by_signs(self._signs(X), self.n_labels_), 1, self.n_labels_)

    def _predict_ranks(self, X: np.ndarray) -> np.ndarray:
        return ranks_by_position(positions_by_signs(self._signs(X), self.n_labels_))

    def _predict_shares(self, X: np.ndarray) -> Floats:
        return shares_by_signs(self._signs(X), self.n_labels_)

    def _ranks_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        signs, k = self._signs(X), self.n_labels_
        return ranks_by_position(positions_by_signs(signs, k)), shares_by_signs(signs, k)

    def _positions_and_shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        signs, k = self._signs(X), self.n_labels_
        return np.clip(positions_by_signs(signs, k), 1, k), shares_by_signs(signs, k)

    def _check_parameters(self) -> None:
        _candidates("ridge", self.ridge, RIDGES)
        _candidates("width", self.width, WIDTHS)
        check_integer("n_landmarks", self.n_landmarks, 1)

    def _check_state(self) -> None:
        super()._check_state()
        m, k, d = self._saved_rows("_landmarks"), self.n_labels_, self.n_features_in_
        self._saved_numbers("_landmarks", (m, d))
        self._saved_numbers("_coefficients", (m, k * (k - 1) // 2))
        self._saved_numbers("_offset", (k * (k - 1) // 2,))
        self._saved_numbers("_centre", (d,))
        spread = self._saved_spread("_spread", (d,))
        if not (np.abs(self._centre) <= _FARTHEST * spread).all():
            raise ValueError("its _centre is too far away for its _spread")
        for name in ("ridge_", "width_"):
            number = vars(self).get(name)
            if type(number) is not float or not 0 < number < np.inf:
                raise ValueError(f"its {name} is {str(number)[:40]}, not a number above 0")


# In spreads: squares of larger distances would be infinite.
_FARTHEST = 1e150


def gaussian_kernel(rows: Floats, others: Floats, gamma: float) -> Floats:
    """Return exp(-gamma |x - y|²) of each row x and each other y.

    Examples
    --------
    >>> gaussian_kernel(np.array([[0.0], [2.0]]), np.array([[0.0], [1.0]]), 1.0).round(3)
    array([[1.   , 0.368],
           [0.018, 0.368]])
    """
    # |x - y|² = |x|² - 2 x·y + |y|², of which one product of matrices makes the whole exponent
    # rows farther apart than floats reach have nothing in common; what is no number, callers refuse
    with np.errstate(over="ignore", invalid="ignore"):
        of_rows, of_others = (-gamma * (x**2).sum(axis=1, keepdims=True) for x in (rows, others))
        left = np.hstack([2 * gamma * rows, of_rows, np.ones_like(of_rows)])
        exponents = left @ np.hstack([others, np.ones_like(of_others), of_others]).T
    # a number above 0 is what rounding left of 0
    kernel: Floats = np.exp(np.minimum(exponents, 0.0, out=exponents), out=exponents)
    return kernel


class Choice(NamedTuple):
    """A ridge and a width, and Kendall tau on rows left out one at a time."""

    ridge: float
    width: float
    score: float


def choose_kernel(
    features: Floats,
    ranks: Floats,
    weights: Floats,
    ridges: tuple[float, ...],
    widths: tuple[float, ...],
) -> Choice:
    """Return the ridge and width with the highest tau on rows left out one at a time.

    Pairs that a row does not know count as tied here.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> ranks = np.where(X < 0, [[1.0, 2.0]], [[2.0, 1.0]])
    >>> choose_kernel(X, ranks, np.ones(20), (0.01, 1e4), (1.0,)).ridge
    0.01
    """
    signs = pair_signs(ranks)
    centred = np.nan_to_num(signs - (offset := _known_means(signs, weights)))
    found = []
    for width in widths:
        kernel = gaussian_kernel(features, features, width / features.shape[1])
        if not np.isfinite(kernel).all():
            raise ValueError(
                f"rows cannot be compared at the width {width:g}: distances are too large to calculate "
                "with; give a smaller width, or rescale the features"
            )
        left_out = ridge_left_out(kernel, centred, weights, ridges)
        for ridge, predicted in zip(ridges, left_out, strict=True):
            positions = positions_by_signs(predicted + offset, ranks.shape[1])
            tau = kendall_tau(ranks, ranks_by_position(positions), sample_weight=weights)
            found.append(Choice(ridge, width, float(np.nan_to_num(tau))))
    return max(found, key=lambda choice: round(choice.score, 12))


def pair_signs(ranks: Floats) -> Floats:
    """Each pair i < j: 1 if i is before j, -1 if behind, 0 if tied, NaN if not compared.

    Examples
    --------
    >>> pair_signs(np.array([[2.0, 1.0, np.nan], [1.0, 1.0, 2.0]]))
    array([[-1., nan, nan],
           [ 0.,  1.,  1.]])
    """
    i, j = np.triu_indices(ranks.shape[1], 1)
    signs: Floats = np.sign(ranks[:, j] - ranks[:, i])
    return signs


def positions_by_signs(signs: Floats, n_labels: int) -> Floats:
    """Expected positions from numbers of pairs: the middle, less half of what speaks for a label.

    Examples
    --------
    >>> positions_by_signs(np.array([[-1.0, 1.0, 1.0]]), 3)
    array([[2., 1., 3.]])
    """
    i, j = np.triu_indices(n_labels, 1)
    wins = np.zeros((len(i), n_labels))
    wins[range(len(i)), i], wins[range(len(i)), j] = 0.5, -0.5
    positions: Floats = (n_labels + 1) / 2 - signs @ wins
    return positions


def shares_by_signs(signs: Floats, n_labels: int) -> Floats:
    """Shares (n, k, k) from numbers of pairs; beyond -1 and 1 they are 0 and 1."""
    i, j = np.triu_indices(n_labels, 1)
    shares = np.full((len(signs), n_labels, n_labels), 0.5)
    shares[:, i, j] = (1 + np.clip(signs, -1, 1)) / 2
    shares[:, j, i] = 1 - shares[:, i, j]
    return shares


def _known_means(signs: Floats, weights: Floats) -> Floats:
    known = ~np.isnan(signs)
    total = weights @ known
    means: Floats = weights @ np.where(known, signs, 0.0) / np.where(total > 0, total, 1.0)
    return means


def _mean_and_spread(X: np.ndarray, weights: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the features where they are known; 0 and 1 where they do not vary."""
    known = ~np.isnan(X)
    total = np.maximum(weights @ known, np.finfo(float).tiny)
    centre = weights @ np.where(known, X, 0.0) / total
    deviations = np.where(known, X - centre, 0.0)
    spread = np.sqrt(weights @ deviations**2 / total)
    return centre, np.where(spread > 0, spread, 1.0)


def _basis(kernel: Floats) -> Floats:
    """The matrix that turns kernels with the landmarks into features whose product is the kernel."""
    values, vectors = np.linalg.eigh(kernel)
    kept = values > LEAST_VARIANCE * values[-1]
    basis: Floats = vectors[:, kept] / np.sqrt(values[kept])
    return basis


def _evenly(n: int, most: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64))


def _candidates(name: str, value: Any, grid: tuple[float, ...]) -> tuple[float, ...]:
    if isinstance(value, str) and value == "loo":
        return grid
    try:
        return (check_positive(name, value),)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {shown(value)}; give a number above 0, or 'loo'") from None
