"""The paper's score noises, bounded by 1/4: truncated Gaussian and uniform."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf, erfinv

from rankwise._arguments import check_arguments
from rankwise._parameters import check_number, check_numbers
from rankwise.oracles._checks import check_shape
from rankwise.oracles._noise import AdditiveNoise, pairwise_from_gaps

if TYPE_CHECKING:
    from scipy.interpolate import CubicHermiteSpline

# Beyond this ratio of scale to bound the truncated Gaussian is flat to fifteen digits.
_FLAT = 1e7
# Standard Gaussian mass beyond 9 is below the rounding of a float64 probability.
_TAIL = 9.0


class _KnownGaps(AdditiveNoise):
    """Noise of which the chance is known that it leaves a gap between two scores above 0."""

    def pairwise(self, scores: np.ndarray) -> np.ndarray:
        """Return p_ij: the chance that label i's noisy score is above label j's."""
        return pairwise_from_gaps(scores, self._gap_probability)

    @abstractmethod
    def _gap_probability(self, gaps: np.ndarray) -> np.ndarray: ...


@check_arguments
@dataclass(frozen=True)
class TruncatedGaussian(_KnownGaps):
    """Independent Gaussian noise of mean 0, kept within [-bound, bound].

    Parameters
    ----------
    scale : float
        Standard deviation before truncation; 0 means no noise.
    bound : float, default 1/4
        No score moves by more.

    Examples
    --------
    >>> noise = TruncatedGaussian(0.05)
    >>> noise.pairwise(np.array([[0.6, 0.5, 0.5]]))[0, 0].round(3)
    array([0.5  , 0.921, 0.921])
    """

    scale: float
    bound: float = 0.25

    def __post_init__(self) -> None:
        check_number("scale", self.scale)
        if check_number("bound", self.bound) == 0:
            raise ValueError("bound is 0; use a positive number, or noise=None for no noise")

    def draw(self, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
        """Draw noise of the given shape."""
        return self.quantile(rng.random(check_shape(shape)))

    def quantile(self, u: ArrayLike) -> np.ndarray:
        """Return the noise values at the probabilities `u` (equal `u` couple different scales)."""
        v = 2 * check_numbers("u", u) - 1
        if self.scale == 0:
            return np.zeros_like(v)
        if self.scale > _FLAT * self.bound:
            return v * self.bound
        spread = np.sqrt(2) * self.scale
        # erfinv is exact near 0, so that a wide Gaussian turns into the uniform without loss.
        with np.errstate(over="ignore"):
            xi = spread * erfinv(v * erf(self.bound / spread))
        return np.clip(xi, -self.bound, self.bound)

    def _gap_probability(self, gaps: np.ndarray) -> np.ndarray:
        if self.scale == 0:
            return 0.5 + 0.5 * np.sign(gaps)
        if self.scale > _FLAT * self.bound:
            return UniformNoise(self.bound)._gap_probability(gaps)
        spread = np.sqrt(2) * self.scale
        with np.errstate(over="ignore"):
            table = _difference_table(float(2 * self.bound / spread))
            z = np.minimum(np.abs(gaps) / spread, table.x[-1])
        return 0.5 + np.copysign(np.minimum(table(z), 0.5), gaps)


@check_arguments
@dataclass(frozen=True)
class UniformNoise(_KnownGaps):
    """Independent noise, uniform on [-bound, bound].

    Parameters
    ----------
    bound : float, default 1/4
        No score moves by more.

    Examples
    --------
    >>> UniformNoise().pairwise(np.array([[0.75, 0.5, 0.25]]))[0, 0]
    array([0.5  , 0.875, 1.   ])
    """

    bound: float = 0.25

    def __post_init__(self) -> None:
        check_number("bound", self.bound)

    def draw(self, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
        """Draw noise of the given shape."""
        return (2 * rng.random(check_shape(shape)) - 1) * self.bound

    def _gap_probability(self, gaps: np.ndarray) -> np.ndarray:
        if self.bound == 0:
            return 0.5 + 0.5 * np.sign(gaps)
        # The difference of two uniforms is triangular on [-2 bound, 2 bound]; written from the
        # middle outwards, so that a tiny gap still moves the probability off 1/2.
        share = np.minimum(np.abs(gaps) / (2 * self.bound), 1.0)
        return 0.5 + np.copysign(share * (1 - 0.5 * share), gaps)


@lru_cache(maxsize=256)
def _difference_table(h: float) -> CubicHermiteSpline:
    """P(0 < D < z) for the difference D of two truncated Gaussians, in units of its own spread.

    With h = sqrt(2) bound / scale, the density of D at z is proportional to
    exp(-z^2/2) erf((h - z) / sqrt(2)) for 0 < z < h: the product of the two Gaussian densities is
    Gaussian in the mean of the two values, which stays within (h - z). One-dimensional in z, so
    that a table with known slopes is exact to about 1e-13 and costs nothing per row.
    """
    # Imported here: it takes longer to load than the rest of this package.
    from scipy.interpolate import CubicHermiteSpline

    knots = np.linspace(0.0, min(h, _TAIL), 2049)
    nodes, weights = np.polynomial.legendre.leggauss(5)
    half = np.diff(knots)[:, None] / 2
    inside = knots[:-1, None] + half * (1 + nodes)
    cells = (half * weights * _density(inside, h)).sum(axis=1)
    mass = np.concatenate([[0.0], np.cumsum(cells)])
    return CubicHermiteSpline(knots, 0.5 * mass / mass[-1], 0.5 * _density(knots, h) / mass[-1])


def _density(z: np.ndarray, h: float) -> np.ndarray:
    return np.exp(-0.5 * z * z) * erf((h - z) / np.sqrt(2))
