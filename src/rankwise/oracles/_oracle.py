"""The example oracles Ex(m), Ex(m, E) and Ex(m, E, M): features, scores, noise, mechanism."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._naming import shown
from rankwise._parameters import check_integer
from rankwise.oracles._checks import check_features
from rankwise.oracles._features import BooleanFeatures, Features, GivenFeatures
from rankwise.oracles._median import median_ranks
from rankwise.oracles._noise import as_noise
from rankwise.oracles._random import RandomState, streams
from rankwise.oracles._scores import Scores, SparseLinear, evaluate_scores
from rankwise.oracles._simulate import (
    draw_ranks,
    inconsistency_per_row,
    pairwise_probabilities,
    tau_per_row,
)
from rankwise.oracles._survival import Mechanism
from rankwise.rankings import ranks_from_scores


@check_arguments
class Oracle:
    """Draws labelled examples: x from D_x, scores m(x), noise E, and a mechanism M that hides.

    Parameters
    ----------
    scores : SparseLinear or function m(X) -> (n_samples, n_labels)
        High = preferred. A function gets blocks of rows as float64 and must treat rows one by one.
    features : features object or matrix, optional
        Where X is drawn from; a matrix is drawn from with replacement. With `SparseLinear` the
        default is fair independent Boolean features.
    noise : noise object, function or None
        On scores: `TruncatedGaussian`, `UniformNoise`, a zero-mean function draw(rng, shape), or
        one with a bias, as `CallableNoise`.
        On rankings: `Mallows`, `PlackettLuce`.
    mechanism : mechanism object, a sequence of them, or None
        `Survival`, `RandomSubset`, `MissingByRank`, `Partition`, `TopK`; several act in turn.

    Examples
    --------
    >>> from rankwise.oracles import Survival, TruncatedGaussian
    >>> oracle = Oracle(SparseLinear(6, 3, 2), noise=TruncatedGaussian(0.05),
    ...                 mechanism=Survival(0.7))
    >>> X, Y = oracle.sample(100, random_state=1)
    >>> X.shape, Y.shape
    ((100, 6), (100, 3))
    """

    def __init__(
        self,
        scores: Scores,
        *,
        features: Any = None,
        noise: Any = None,
        mechanism: Mechanism | Sequence[Mechanism] | None = None,
    ) -> None:
        if not callable(scores):
            raise TypeError(f"scores is {shown(scores)}; use SparseLinear or a function m(X)")
        self.scores = scores
        self.features = _as_features(features, scores)
        self.noise = as_noise(noise)
        self.mechanisms = _as_mechanisms(mechanism)

    def __repr__(self) -> str:
        return (
            f"Oracle({self.scores!r}, features={self.features!r}, noise={self.noise!r}, "
            f"mechanism={list(self.mechanisms)!r})"
        )

    def sample(
        self, n_samples: int, *, random_state: RandomState = None, return_clean: bool = False
    ) -> tuple[np.ndarray, ...]:
        """Draw X and the observed ranks Y; with `return_clean` also the ranks of m(x) itself.

        X, noise and mechanism draw from streams of their own: the same `random_state` gives the
        same X whatever the noise, and the same coins whatever both.

        Parameters
        ----------
        n_samples : int
            Number of rows.
        random_state : int, Generator, RandomState, SeedSequence or None
            For the draw.
        return_clean : bool, default False
            Whether to return the ranks without noise as well.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        Y : ndarray of shape (n_samples, n_labels)
            NaN = not observed, equal = tied.
        Y_clean : ndarray of shape (n_samples, n_labels)
            Only with `return_clean`.

        Examples
        --------
        >>> oracle = Oracle(SparseLinear(6, 3, 2))
        >>> X, Y, Y_clean = oracle.sample(5, random_state=0, return_clean=True)
        >>> bool((Y == Y_clean).all())
        True
        """
        n_samples = check_integer("n_samples", n_samples, 1)
        for_x, for_noise, for_mechanism = streams(random_state, 3)
        X = self._draw_features(n_samples, for_x)
        scores = evaluate_scores(self.scores, X)
        Y = self._observe(X, scores, for_noise, for_mechanism)
        return (X, Y, ranks_from_scores(scores)) if return_clean else (X, Y)

    def observe(self, X: Any, *, random_state: RandomState = None) -> np.ndarray:
        """Draw the observed ranks of given rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        random_state : int, Generator, RandomState, SeedSequence or None
            For the draw.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            With noise, and after the mechanism: NaN = not observed, equal = tied.

        Examples
        --------
        >>> Oracle(lambda X: X).observe([[0.2, 0.9, 0.5]])
        array([[3., 1., 2.]])
        """
        X, scores = self._evaluate(X)
        return self._observe(X, scores, *streams(random_state, 2))

    def truth(self, X: Any) -> np.ndarray:
        """Return h(x) = argsort m(x): the ranks without noise, complete.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)

        Examples
        --------
        >>> Oracle(lambda X: X).truth([[0.2, 0.9, 0.5]])
        array([[3., 1., 2.]])
        """
        return ranks_from_scores(self._evaluate(X)[1])

    def pairwise(
        self,
        X: Any,
        *,
        n_draws: int = 10_000,
        random_state: RandomState = 0,
        return_error: bool = False,
    ) -> Any:
        """Return p_ij(x): the chance that noise leaves label i before label j, (n, k, k).

        Exact for the named noises. For other noise it is simulated with `n_draws` draws; its
        standard error, at most 0.5 / sqrt(n_draws), is returned as well with `return_error`. A tie
        counts as half. The mechanism plays no part.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        n_draws : int, default 10000
            Draws per row where the chances must be simulated.
        random_state : int, Generator, RandomState, SeedSequence or None
            For the simulation.
        return_error : bool, default False
            Whether to return the standard error as well.

        Returns
        -------
        ndarray of shape (n_samples, n_labels, n_labels)
            1/2 on the diagonal. With `return_error` a pair: chances and standard errors.

        Examples
        --------
        >>> from rankwise.oracles import UniformNoise
        >>> Oracle(lambda X: X, noise=UniformNoise()).pairwise([[0.75, 0.5]])
        array([[[0.5  , 0.875],
                [0.125, 0.5  ]]])
        """
        check_integer("n_draws", n_draws, 1)
        (rng,) = streams(random_state, 1)
        p, error = pairwise_probabilities(self.noise, self._evaluate(X)[1], n_draws, rng)
        return (p, error) if return_error else p

    def median(
        self,
        X: Any,
        *,
        on_violation: str = "raise",
        n_draws: int = 10_000,
        random_state: RandomState = 0,
    ) -> np.ndarray:
        """Return h*(x), the ranking nearest to the observed ones in mean Kendall distance.

        By the Copeland formula, h*(x; i) = 1 + #{j : p_ij(x) < 1/2}, which is the unique median
        under strict stochastic transitivity. Where that fails an error names the row and the tie
        or cycle; `on_violation` may be "warn" or "ignore" instead.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        on_violation : {"raise", "warn", "ignore"}
            What to do where strict stochastic transitivity fails.
        n_draws : int, default 10000
            As in `pairwise`.
        random_state : int, Generator, RandomState, SeedSequence or None
            For the simulation.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)

        Raises
        ------
        ValueError
            Where transitivity fails; it names the row and the labels.

        Examples
        --------
        >>> from rankwise.oracles import Mallows
        >>> Oracle(lambda X: X, noise=Mallows(1.0)).median([[0.2, 0.9, 0.5]])
        array([[3., 1., 2.]])
        """
        p, error = self.pairwise(X, n_draws=n_draws, random_state=random_state, return_error=True)
        return median_ranks(p, error, on_violation=on_violation)

    def expected_inconsistency(
        self,
        X: Any = None,
        *,
        n_samples: int = 100_000,
        random_state: RandomState = 0,
        return_error: bool = False,
    ) -> Any:
        """Return alpha: the chance that noise changes the ranking.

        Averaged over the rows of `X`, or over `n_samples` drawn ones. Exact per row where the noise
        has a closed form (Mallows, Plackett-Luce), simulated otherwise, with about `n_samples`
        draws in all. `return_error` adds the standard error. The mechanism plays no part.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), optional
            Rows to average over; by default drawn ones.
        n_samples : int, default 100000
            How many rows, or draws in all, to average over.
        random_state : int, Generator, RandomState, SeedSequence or None
            For the draws.
        return_error : bool, default False
            Whether to return the standard error as well.

        Returns
        -------
        float
            With `return_error` a pair: the estimate and its standard error.

        Examples
        --------
        >>> from rankwise.oracles import Mallows
        >>> Oracle(lambda X: X, noise=Mallows(0)).expected_inconsistency([[0.2, 0.9]])
        0.5
        """
        return self._expect(inconsistency_per_row, X, n_samples, random_state, return_error)

    def expected_tau_gap(
        self,
        X: Any = None,
        *,
        n_samples: int = 100_000,
        random_state: RandomState = 0,
        return_error: bool = False,
    ) -> Any:
        """Return beta: the mean Kendall tau of clean and observed ranking.

        Averaged as in `expected_inconsistency`; exact per row for every named noise, because the
        mean of tau needs p_ij alone.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), optional
            As in `expected_inconsistency`, and so are the others.
        n_samples : int, default 100000
            How many rows, or draws in all, to average over.
        random_state : int, Generator, RandomState, SeedSequence or None
            For the draws.
        return_error : bool, default False
            Whether to return the standard error as well.

        Returns
        -------
        float
            With `return_error` a pair: the estimate and its standard error.

        Examples
        --------
        >>> from rankwise.oracles import UniformNoise
        >>> Oracle(lambda X: X, noise=UniformNoise()).expected_tau_gap([[0.75, 0.5]])
        0.75
        """
        return self._expect(tau_per_row, X, n_samples, random_state, return_error)

    def _expect(
        self,
        per_row: Callable[..., tuple[np.ndarray, bool]],
        X: Any,
        n_samples: int,
        random_state: RandomState,
        return_error: bool,
    ) -> Any:
        n_samples = check_integer("n_samples", n_samples, 2)
        for_x, for_y = streams(random_state, 2)
        drawn = X is None
        X, scores = self._evaluate(self._draw_features(n_samples, for_x) if drawn else X)
        values, exact = per_row(self.noise, scores, for_y)
        if not exact and n_samples >= 2 * len(X):
            # A given X of few rows is repeated until the budget is spent.
            scores = np.tile(scores, (n_samples // len(X), 1))
            values, _ = per_row(self.noise, scores, for_y)
        values = values[~np.isnan(values)]
        if not len(values):
            raise ValueError("the scores of every row are all equal: there is no ranking to lose")
        spread = 0.0 if exact and not drawn else float(values.std() / np.sqrt(len(values)))
        return (float(values.mean()), spread) if return_error else float(values.mean())

    def _draw_features(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        if self.features is None:
            raise ValueError(
                "this oracle has no features to draw X from; give features=, for example "
                "BooleanFeatures(n_features) or a matrix"
            )
        return check_features(self.features.sample(n_samples, rng))

    def _evaluate(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        X = check_features(X)
        return X, evaluate_scores(self.scores, X)

    def _observe(
        self,
        X: np.ndarray,
        scores: np.ndarray,
        for_noise: np.random.Generator,
        for_mechanism: np.random.Generator,
    ) -> np.ndarray:
        ranks = draw_ranks(self.noise, scores, for_noise)
        for mechanism in self.mechanisms:
            ranks = mechanism.observe(X, ranks, for_mechanism)
            if np.shape(ranks) != scores.shape:
                raise ValueError(
                    f"{mechanism!r}: observe gave shape {np.shape(ranks)}; expected {scores.shape}"
                )
        return ranks


def _as_features(features: Any, scores: Scores) -> Features | None:
    if features is None:
        return BooleanFeatures(scores.n_features) if isinstance(scores, SparseLinear) else None
    if isinstance(features, type):
        raise TypeError(f"features is the class {features.__name__}; give an instance of it")
    if isinstance(features, Features) and not hasattr(features, "iloc"):
        return features
    return GivenFeatures(features)


def _as_mechanisms(mechanism: Any) -> tuple[Mechanism, ...]:
    if mechanism is None:
        return ()
    several = mechanism if isinstance(mechanism, list | tuple) else (mechanism,)
    for part in several:
        if isinstance(part, type) or not isinstance(part, Mechanism):
            raise TypeError(
                f"mechanism is {shown(part)}; use an object with observe(X, ranks, rng), "
                "such as Survival(0.7)"
            )
    return tuple(several)
