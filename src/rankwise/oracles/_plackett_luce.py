"""Plackett-Luce noise: labels are picked one after the other, with chances given by scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from rankwise._arguments import check_arguments
from rankwise._parameters import check_number
from rankwise.oracles._checks import check_matrices
from rankwise.oracles._noise import pairwise_from_gaps
from rankwise.rankings import ranks_from_scores


@check_arguments
@dataclass(frozen=True)
class PlackettLuce:
    """Plackett-Luce model with weights exp(m(x) / scale).

    The first label is picked with chance proportional to its weight, the next one likewise among
    the rest, and so on. Pairs follow the Bradley-Terry model.

    Parameters
    ----------
    scale : float
        How much score makes a weight e times as large; large values are noisier.

    Examples
    --------
    >>> noise = PlackettLuce(0.1)
    >>> noise.pairwise(np.array([[0.6, 0.5, 0.5]]))[0, 0].round(3)
    array([0.5  , 0.731, 0.731])
    """

    scale: float

    def __post_init__(self) -> None:
        if check_number("scale", self.scale) == 0:
            raise ValueError("scale is 0; use a positive number, or noise=None for no noise")

    def rank(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw one ranking per row."""
        check_matrices(scores=scores)
        # The order of scores with Gumbel noise is a Plackett-Luce draw; adding the noise at the
        # scores' own size keeps a tiny scale from overflowing.
        return ranks_from_scores(scores + self.scale * rng.gumbel(size=scores.shape))

    def pairwise(self, scores: np.ndarray) -> np.ndarray:
        """Return p_ij = 1 / (1 + exp(-(m_i - m_j) / scale))."""
        with np.errstate(over="ignore"):
            return pairwise_from_gaps(scores, lambda gaps: expit(gaps / self.scale))

    def match_probability(self, scores: np.ndarray) -> np.ndarray:
        """Return the chance that all labels are picked in their clean order."""
        check_matrices(scores=scores)
        ordered = -np.sort(-scores, axis=1)
        log_chance = np.zeros(len(scores))
        with np.errstate(over="ignore"):
            for pick in range(scores.shape[1] - 1):
                rest = (ordered[:, pick:] - ordered[:, pick : pick + 1]) / self.scale
                log_chance -= np.log(np.exp(rest).sum(axis=1))
        return np.exp(log_chance)
