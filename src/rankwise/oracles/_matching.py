"""Gaussian noise of a wanted strength: find the scale that gives a chosen alpha."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._parameters import check_numbers, check_positive
from rankwise.oracles._bounded import TruncatedGaussian
from rankwise.oracles._random import RandomState, streams
from rankwise.oracles._scores import check_scores


@check_arguments
def match_gaussian(
    scores: Any, alphas: Sequence[float], *, bound: float = 0.25, random_state: RandomState = 0
) -> list[TruncatedGaussian]:
    """Find, for each alpha, the truncated Gaussian that changes that share of the rankings.

    Root finding on alpha as a function of the scale, simulated with the same uniforms for every
    scale; its standard error is sqrt(alpha (1 - alpha) / n_samples).

    Parameters
    ----------
    scores : array of shape (n_samples, n_labels)
        Clean scores m(x) of a sample of rows.
    alphas : sequence of floats
        Wanted inconsistencies, from 0 up to what the flat (uniform) limit reaches.
    bound : float, default 1/4
        Of the noise, as in `TruncatedGaussian`.
    random_state : int, Generator, RandomState, SeedSequence or None, default 0
        For the noise that is tried.

    Returns
    -------
    list of TruncatedGaussian
        In the order of `alphas`.

    Examples
    --------
    >>> scores = np.tile([0.6, 0.5, 0.4], (1000, 1))
    >>> weak, strong = match_gaussian(scores, [0.1, 0.5])
    >>> weak.scale < strong.scale
    True
    """
    wanted = check_numbers("alphas", alphas, 1).tolist()
    simulated = _Inconsistency(check_scores(scores), check_positive("bound", bound), random_state)
    return [simulated.solve(alpha) for alpha in wanted]


def largest_inconsistency(
    scores: Any, *, bound: float = 0.25, random_state: RandomState = 0
) -> float:
    """Return the alpha of the flat limit, above which no Gaussian within the bound can reach."""
    return _Inconsistency(check_scores(scores), bound, random_state).most


class _Inconsistency:
    """Alpha of truncated Gaussian noise on fixed scores, as a function of its scale."""

    def __init__(self, scores: np.ndarray, bound: float, random_state: RandomState) -> None:
        if not len(scores):
            raise ValueError("scores has no rows; give the scores of a sample of rows")
        (rng,) = streams(random_state, 1)
        self._ordered = -np.sort(-scores, axis=1)
        self._uniforms = rng.random(scores.shape)
        self._bound = bound
        # From next to nothing to so far above the bound that the noise is flat: a coarse curve
        # that brackets every root at once.
        self._scales = bound * np.logspace(-9, 3, 41)
        self._curve = np.array([self(scale) for scale in self._scales])
        self.most = float(self._curve[-1])

    def __call__(self, scale: float) -> float:
        noisy = self._ordered + TruncatedGaussian(scale, self._bound).quantile(self._uniforms)
        # Column by column: numpy is slow at reducing along a short last axis.
        kept = noisy[:, 0] > noisy[:, 1]
        for p in range(1, noisy.shape[1] - 1):
            kept &= noisy[:, p] > noisy[:, p + 1]
        return 1 - float(kept.mean())

    def solve(self, alpha: float) -> TruncatedGaussian:
        from scipy.optimize import brentq  # slow to load, needed here alone

        if not self._curve[0] <= alpha <= self.most:
            raise ValueError(
                f"alpha is {alpha:g}; Gaussian noise within ±{self._bound:g} reaches "
                f"{self._curve[0]:.3f} to {self.most:.3f} on these scores"
            )
        above = int(np.argmax(self._curve >= alpha))
        if above == 0:
            return TruncatedGaussian(0.0, self._bound)
        ends = np.log(self._scales[above - 1 : above + 1])
        root = brentq(lambda t: self(float(np.exp(t))) - alpha, *ends, xtol=1e-3)
        return TruncatedGaussian(float(np.exp(root)), self._bound)
