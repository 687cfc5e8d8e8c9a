"""The interface of noise: given clean scores, draw one observed ranking per row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._naming import shown
from rankwise._parameters import check_flag
from rankwise.oracles._checks import check_matrices, check_shape
from rankwise.rankings import ranks_from_scores


@runtime_checkable
class Noise(Protocol):
    """What an oracle needs of its noise; `rank` is enough.

    A noise may also offer `pairwise(scores)`, the exact p_ij of each row, shape (n, k, k), and
    `match_probability(scores)`, the exact chance per row that the observed ranking is the clean
    one. What it does not offer, or answers with None, is simulated.
    """

    def rank(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw ranks of shape (n_samples, n_labels) around the clean scores."""
        ...


@check_arguments
class AdditiveNoise(ABC):
    """Noise xi that is added to the scores: the observed ranking is argsort(m(x) + xi).

    `draw` must give independent rows. The oracle Ex(m, E) of complete rankings asks for mean zero;
    the paper's generative processes of incomplete and of partial data ask nothing of E.

    Examples
    --------
    >>> class Coin(AdditiveNoise):
    ...     def draw(self, shape, rng):
    ...         return rng.choice([-0.1, 0.1], shape)
    >>> Coin().rank(np.array([[0.9, 0.5, 0.1]]), np.random.default_rng(0))
    array([[1., 2., 3.]])
    """

    @abstractmethod
    def draw(self, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
        """Draw xi of shape (n_samples, n_labels)."""

    def rank(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw the ranking of the noisy scores of each row."""
        check_matrices(scores=scores)
        return ranks_from_scores(scores + self.draw(scores.shape, rng))


class Noiseless:
    """No noise: the observed ranking is argsort(m(x)).

    Examples
    --------
    >>> Noiseless().rank(np.array([[0.2, 0.9, 0.5]]), np.random.default_rng(0))
    array([[3., 1., 2.]])
    """

    def __repr__(self) -> str:
        return "Noiseless()"

    def rank(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the clean ranks."""
        return ranks_from_scores(scores)

    def pairwise(self, scores: np.ndarray) -> np.ndarray:
        """Return 1 where the row label scores higher, 1/2 where equal."""
        return pairwise_from_gaps(scores, lambda gaps: 0.5 + 0.5 * np.sign(gaps))

    def match_probability(self, scores: np.ndarray) -> np.ndarray:
        """Return 1 for every row."""
        return np.ones(len(scores))


@check_arguments
class CallableNoise(AdditiveNoise):
    """Additive noise drawn by a function `draw(rng, shape)`.

    Parameters
    ----------
    function : callable
        Gets a numpy Generator and the shape (n_samples, n_labels), and must use that Generator for
        results to be reproducible.
    zero_mean : bool
        Whether to refuse a mean that is clearly not zero. With False the noise may be biased, as
        the paper's definitions of incomplete and of partial data allow: then the ranking that most
        draws show, `Oracle.median`, need not be that of the scores, `Oracle.truth`.

    Examples
    --------
    >>> noise = CallableNoise(lambda rng, shape: rng.laplace(0, 0.05, shape))
    >>> noise.draw((2, 3), np.random.default_rng(0)).shape
    (2, 3)

    A bias for the last label:

    >>> lift = np.array([0.0, 0.0, 0.2])
    >>> biased = CallableNoise(lambda rng, shape: rng.normal(lift, 0.01, shape), zero_mean=False)
    >>> biased.rank(np.array([[0.9, 0.51, 0.5]]), np.random.default_rng(0))
    array([[1., 3., 2.]])
    """

    _PROBE_ROWS = 4096

    def __init__(
        self,
        function: Callable[[np.random.Generator, tuple[int, int]], Any],
        *,
        zero_mean: bool = True,
    ) -> None:
        if not callable(function):
            raise TypeError(f"noise is {shown(function)}; use a noise object or draw(rng, shape)")
        self.function = function
        self.zero_mean = check_flag("zero_mean", zero_mean)
        self._probed: set[int] = set()

    def __repr__(self) -> str:
        return f"CallableNoise({getattr(self.function, '__name__', repr(self.function))})"

    def draw(self, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
        """Draw xi of shape (n_samples, n_labels), refusing a mean that should be zero and is not."""
        shape = check_shape(shape)
        if self.zero_mean and shape[1] not in self._probed:
            self._probe(shape[1])
        return self._call(shape, rng)

    def _call(self, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
        try:
            xi = np.asarray(self.function(rng, shape), dtype=np.float64)
        except TypeError as error:
            raise TypeError(
                f"noise: calling it as draw(rng, shape) failed ({error}); it must take a numpy "
                "Generator and the shape (n_samples, n_labels), and return numbers"
            ) from error
        if xi.shape != shape:
            raise ValueError(f"noise: draw(rng, {shape}) has shape {xi.shape}; expected {shape}")
        if not np.isfinite(xi).all():
            row, label = (int(axis[0]) for axis in np.nonzero(~np.isfinite(xi)))
            raise ValueError(
                f"noise: row {row}, label {label} is {xi[row, label]}; noise must be finite"
            )
        return xi

    def _probe(self, n_labels: int) -> None:
        # A fixed generator of its own: probing must not shift the caller's draws.
        xi = self._call((self._PROBE_ROWS, n_labels), np.random.default_rng(20220620))
        mean = xi.mean(axis=0)
        # Seven standard errors: never by chance, also for heavy tails, whose spread grows alike.
        limit = 7 * xi.std(axis=0) / np.sqrt(len(xi)) + 1e-12 * np.abs(xi).max(initial=1e-300)
        if (np.abs(mean) > limit).any():
            label = int(np.argmax(np.abs(mean) - limit))
            raise ValueError(
                f"noise: label {label} has mean {mean[label]:.3g} over {len(xi)} draws; an oracle "
                "needs zero-mean noise (subtract the mean, or say that it is biased: "
                "CallableNoise(draw, zero_mean=False))"
            )
        self._probed.add(n_labels)


def as_noise(noise: Any) -> Noise:
    """Return the noise object behind what a user gives: an object, a function or None."""
    if noise is None:
        return Noiseless()
    if isinstance(noise, type):
        raise TypeError(f"noise is the class {noise.__name__}; give an instance of it")
    # tables and columns can rank too
    if hasattr(noise, "columns") or type(noise).__module__.split(".")[0] in ("pandas", "polars"):
        raise TypeError(f"noise is a {type(noise).__name__}; give a noise object or a function")
    return noise if isinstance(noise, Noise) else CallableNoise(noise)


def pairwise_from_gaps(
    scores: np.ndarray, probability: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Fill p[:, i, j] = probability(score i - score j) for i < j, and its complement below.

    Examples
    --------
    >>> pairwise_from_gaps(np.array([[0.6, 0.4]]), lambda gap: 0.5 + gap)[0].round(6)
    array([[0.5, 0.7],
           [0.3, 0.5]])
    """
    check_matrices(scores=scores)
    n_samples, n_labels = scores.shape
    first, second = np.triu_indices(n_labels, 1)
    p = np.full((n_samples, n_labels, n_labels), 0.5)
    upper = probability(scores[:, first] - scores[:, second])
    p[:, first, second] = upper
    p[:, second, first] = 1 - upper
    return p
