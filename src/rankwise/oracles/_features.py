"""Where x comes from: the feature distribution D_x of an oracle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import ndtri

from rankwise._arguments import check_arguments
from rankwise._parameters import check_integer, check_number, check_numbers, check_size
from rankwise.oracles._checks import check_features, check_probabilities

# Rows are drawn in blocks of about this many cells, so that a million Boolean rows need one byte
# per cell and not eight.
_BLOCK_CELLS = 1 << 22


@runtime_checkable
class Features(Protocol):
    """A feature distribution: `sample` draws independent rows."""

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Draw X of shape (n_samples, n_features)."""
        ...


@check_arguments
@dataclass(frozen=True, eq=False)
class BooleanFeatures:
    """Independent Boolean features: feature j is true with probability `p` (or `p[j]`).

    Parameters
    ----------
    n_features : int
        Number of features.
    p : float or array of shape (n_features,), default 0.5
        Chance that a feature is true.

    Examples
    --------
    >>> BooleanFeatures(4, p=[0, 1, 0, 1]).sample(1, np.random.default_rng(0))
    array([[False,  True, False,  True]])
    """

    n_features: int
    p: Any = 0.5

    def __post_init__(self) -> None:
        check_size("n_features", self.n_features, 1, bytes_each=8)
        check_probabilities(self.p, "p", (self.n_features,), what="feature")

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Draw a Boolean X of shape (n_samples, n_features)."""
        n_samples = check_size("n_samples", n_samples, 0, 8.0 * self.n_features)
        p = check_probabilities(self.p, "p", (self.n_features,), what="feature")
        if (p == 0.5).all():
            return _fair_bits(n_samples, self.n_features, rng)
        X = np.empty((n_samples, self.n_features), dtype=bool)
        for rows in _row_blocks(n_samples, self.n_features):
            np.less(rng.random(X[rows].shape), p, out=X[rows])
        return X


@check_arguments
@dataclass(frozen=True, eq=False)
class CorrelatedBooleanFeatures:
    """Boolean features that share a hidden Gaussian factor; each is still true with chance `p`.

    The conditions of the theory on D_x (independence, approximate submodularity) fail on purpose.

    Parameters
    ----------
    n_features : int
        Number of features.
    correlation : float in [0, 1]
        Correlation of the hidden Gaussian values inside a group; 1 makes equal copies when p is
        one number.
    p : float or array of shape (n_features,)
        Chance that a feature is true.
    n_groups : int
        Features fall into this many groups of neighbours, each with a factor of its own.

    Examples
    --------
    >>> X = CorrelatedBooleanFeatures(3, correlation=1.0).sample(5, np.random.default_rng(0))
    >>> bool((X[:, 0] == X[:, 2]).all())
    True
    """

    n_features: int
    correlation: float
    p: Any = 0.5
    n_groups: int = 1

    def __post_init__(self) -> None:
        check_size("n_features", self.n_features, 1, bytes_each=8)
        check_number("correlation", self.correlation, high=1.0)
        check_probabilities(self.p, "p", (self.n_features,), what="feature")
        if check_integer("n_groups", self.n_groups, 1) > self.n_features:
            raise ValueError(f"n_groups is {self.n_groups}; there are {self.n_features} features")

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Draw a Boolean X of shape (n_samples, n_features)."""
        n_samples = check_size("n_samples", n_samples, 0, 8.0 * self.n_features)
        d = self.n_features
        threshold = ndtri(check_probabilities(self.p, "p", (d,), what="feature"))
        group = np.arange(d) * self.n_groups // d
        X = np.empty((n_samples, d), dtype=bool)
        for rows in _row_blocks(n_samples, d):
            factor = rng.standard_normal((X[rows].shape[0], self.n_groups))
            own = rng.standard_normal(X[rows].shape)
            own *= np.sqrt(1 - self.correlation)
            own += np.sqrt(self.correlation) * factor[:, group]
            np.less(own, threshold, out=X[rows])
        return X


@check_arguments
@dataclass(frozen=True, eq=False)
class GaussianFeatures:
    """Gaussian features with the given mean and covariance (default: independent, variance 1).

    Parameters
    ----------
    n_features : int
        Number of features.
    mean : float or array of shape (n_features,), default 0
        Of each feature.
    covariance : array of shape (n_features, n_features), optional
        By default the identity.

    Examples
    --------
    >>> GaussianFeatures(2).sample(3, np.random.default_rng(0)).shape
    (3, 2)
    """

    n_features: int
    mean: Any = 0.0
    covariance: Any = None
    _factor: np.ndarray | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        d = check_size("n_features", self.n_features, 1, bytes_each=8)
        mean = check_numbers("mean", self.mean)
        if mean.shape not in ((), (d,)) or not np.isfinite(mean).all():
            raise ValueError(f"mean must be a finite number or {d} of them, one per feature")
        if self.covariance is not None:
            object.__setattr__(self, "_factor", _square_root(self.covariance, d))

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Draw X of shape (n_samples, n_features)."""
        n_samples = check_size("n_samples", n_samples, 0, 8.0 * self.n_features)
        z = rng.standard_normal((n_samples, self.n_features))
        return (z if self._factor is None else z @ self._factor.T) + self.mean


@check_arguments
@dataclass(frozen=True, eq=False)
class UniformFeatures:
    """Independent features, uniform between `low` and `high`.

    Parameters
    ----------
    n_features : int
        Number of features.
    low, high : float, default 0 and 1
        Ends of the interval.

    Examples
    --------
    >>> UniformFeatures(2).sample(3, np.random.default_rng(0)).shape
    (3, 2)
    """

    n_features: int
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        check_size("n_features", self.n_features, 1, bytes_each=8)
        low = check_number("low", self.low, low=-np.inf)
        if check_number("high", self.high, low=-np.inf) <= low:
            raise ValueError(f"low is {self.low} and high is {self.high}; low must be smaller")

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Draw X of shape (n_samples, n_features)."""
        n_samples = check_size("n_samples", n_samples, 0, 8.0 * self.n_features)
        return rng.uniform(self.low, self.high, (n_samples, self.n_features))


@check_arguments
class GivenFeatures:
    """The rows of a given matrix, drawn with replacement.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        The rows to draw from.

    Examples
    --------
    >>> GivenFeatures([[5.0, 6.0]]).sample(2, np.random.default_rng(0))
    array([[5., 6.],
           [5., 6.]])
    """

    def __init__(self, X: Any) -> None:
        self.X = check_features(X)
        self.n_features = self.X.shape[1]

    def __repr__(self) -> str:
        return f"GivenFeatures(<{self.X.shape[0]} rows, {self.n_features} features>)"

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `n_samples` rows of the matrix."""
        n_samples = check_size("n_samples", n_samples, 0, 8.0 * self.n_features)
        return self.X[rng.integers(0, len(self.X), n_samples)]


def _fair_bits(n_samples: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """One random bit per cell: 30 times faster than comparing uniforms with 1/2."""
    cells = n_samples * n_features
    packed = rng.integers(0, 256, size=-(-cells // 8), dtype=np.uint8)
    bits = np.unpackbits(packed, count=cells)
    return bits.view(bool).reshape(n_samples, n_features)


def _row_blocks(n_samples: int, n_features: int) -> list[slice]:
    step = max(1, _BLOCK_CELLS // n_features)
    return [slice(start, start + step) for start in range(0, n_samples, step)]


def _square_root(covariance: Any, n_features: int) -> np.ndarray:
    """Return L with L @ L.T = covariance; singular covariances are allowed."""
    covariance = check_numbers("covariance", covariance)
    if covariance.shape != (n_features, n_features):
        raise ValueError(
            f"covariance has shape {covariance.shape}; expected {(n_features, n_features)}"
        )
    if not np.isfinite(covariance).all() or not np.allclose(covariance, covariance.T):
        raise ValueError("covariance must be finite and symmetric")
    values, vectors = np.linalg.eigh(covariance)
    if values[0] < -1e-9 * max(1.0, values[-1]):
        raise ValueError(f"covariance has the negative eigenvalue {values[0]:g}")
    return vectors * np.sqrt(np.clip(values, 0, None))
