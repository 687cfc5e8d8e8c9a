"""Mallows noise: rankings scatter around the clean one, less likely the farther they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._parameters import check_choice, check_integer, check_number, check_size
from rankwise.oracles._kernels import repeated_insertion
from rankwise.oracles._positions import strict_positions

# Below this theta, differences of nearly equal large terms are replaced by their expansion.
_SMALL = 1e-3


@check_arguments
@dataclass(frozen=True)
class Mallows:
    """Mallows model M(h(x), theta): P(ranking) is proportional to exp(-theta * d_KT).

    Drawn by repeated insertion, exact for any number of labels. The centre is the clean ranking
    of each row, which must have no ties.

    Parameters
    ----------
    theta : float
        Spread; 0 is the uniform distribution, large values stay close to the centre.
    on : {"ranks", "orders"}, default "ranks"
        What d_KT compares: positions per label, or the two label sequences, which is how the
        paper's programs take tau (``kendall_tau(..., on="orders")``). On orders the draw depends
        on how labels are numbered.

    Examples
    --------
    Around tea > coffee > water:

    >>> noise = Mallows(1.0)
    >>> noise.rank(np.array([[0.9, 0.5, 0.1]]), np.random.default_rng(0)).shape
    (1, 3)
    >>> noise.pairwise(np.array([[0.9, 0.5, 0.1]]))[0, 0].round(3)
    array([0.5  , 0.731, 0.844])
    """

    theta: float
    on: str = "ranks"

    def __post_init__(self) -> None:
        check_number("theta", self.theta)
        check_choice("on", self.on, ("ranks", "orders"))

    def rank(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw one ranking per row around the clean ranking."""
        positions = strict_positions(scores, needed_by="Mallows noise")
        if self.on == "ranks":
            return self._scatter(np.argsort(positions, axis=1), rng)
        # The label at a place takes the part of the position of a label: the draw is a sequence.
        sequences = self._scatter(positions.astype(np.int64) - 1, rng)
        return np.argsort(sequences, axis=1) + 1.0

    def _scatter(self, centre: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        out = np.empty(centre.shape)
        centre = np.ascontiguousarray(centre, dtype=np.int64)
        repeated_insertion(centre, rng.random(centre.shape), float(self.theta), out)
        return out

    def pairwise(self, scores: np.ndarray) -> np.ndarray | None:
        """Return p_ij, which depends on the distance of the two central positions alone.

        None on orders, where p_ij has no such form and is left to simulation.
        """
        if self.on == "orders":
            return None
        positions = strict_positions(scores, needed_by="Mallows noise").astype(np.int64)
        before = self._precedence(scores.shape[1])
        gap = positions[:, None, :] - positions[:, :, None]
        p = before[np.abs(gap)]
        return np.where(gap >= 0, p, 1 - p)

    def match_probability(self, scores: np.ndarray) -> np.ndarray:
        """Return the chance 1/Z of the centre itself, the same for every row."""
        strict_positions(scores, needed_by="Mallows noise")
        return np.full(len(scores), np.exp(-self.log_partition(scores.shape[1])))

    def log_partition(self, n_labels: int) -> float:
        """Return log Z, the logarithm of the sum of exp(-theta * d) over all rankings.

        Examples
        --------
        >>> round(float(np.exp(Mallows(0).log_partition(4))))
        24
        """
        i = np.arange(1, check_size("n_labels", n_labels, 1, bytes_each=64) + 1)
        if self.theta == 0:
            return float(np.log(i).sum())
        return float(np.log(np.expm1(-i * self.theta) / np.expm1(-self.theta)).sum())

    def expected_distance(self, n_labels: int) -> float:
        """Return the mean Kendall distance from the centre.

        Examples
        --------
        >>> Mallows(0).expected_distance(4)
        3.0
        """
        i = np.arange(1, check_size("n_labels", n_labels, 1, bytes_each=64) + 1)
        theta = float(self.theta)
        if theta == 0:
            return float((i - 1).sum() / 2)
        if theta < _SMALL:
            return float(((i - 1) / 2 + (_curve(theta) - _curve(i * theta)) / theta).sum())
        return float((_geometric(theta) - i * _geometric(i * theta)).sum())

    def expected_tau(self, n_labels: int) -> float:
        """Return the mean Kendall tau with the centre.

        Examples
        --------
        >>> Mallows(0).expected_tau(4)
        0.0
        """
        pairs = check_integer("n_labels", n_labels, 2) * (n_labels - 1) / 2
        return 1 - 2 * self.expected_distance(n_labels) / pairs

    def expected_inconsistency(self, n_labels: int) -> float:
        """Return the chance 1 - 1/Z of any other ranking than the centre.

        Examples
        --------
        >>> Mallows(0).expected_inconsistency(2)
        0.5
        """
        return float(-np.expm1(-self.log_partition(n_labels)))

    def _precedence(self, n_labels: int) -> np.ndarray:
        """P(a before b) for labels at central distance 0..k-1; 1/2 at distance 0.

        At distance d it is g(d+1) - g(d) with g(n) = n / (1 - exp(-n theta)).
        """
        theta, d = float(self.theta), np.arange(1, n_labels)
        if theta == 0:
            p = np.full(n_labels - 1, 0.5)
        elif theta < _SMALL:
            p = 0.5 + (_curve((d + 1) * theta) - _curve(d * theta)) / theta
        else:
            p = (d + 1) / -np.expm1(-(d + 1) * theta) - d / -np.expm1(-d * theta)
        return np.concatenate([[0.5], p])


def _geometric(y: np.ndarray | float) -> np.ndarray:
    """1 / (exp(y) - 1), without overflow."""
    return np.exp(-y) / -np.expm1(-y)


def _curve(y: np.ndarray | float) -> np.ndarray:
    """y/2 coth(y/2) - 1, by its series near 0, where the two terms cancel."""
    y = np.asarray(y, dtype=np.float64)
    square = y * y
    series = square / 12 * (1 - square / 60 * (1 - square / 42))
    return np.where(y < 0.05, series, y / 2 / np.tanh(np.maximum(y, 1e-9) / 2) - 1)
