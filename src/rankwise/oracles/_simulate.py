"""What a noise does on average: exact where the noise knows it, by Monte Carlo elsewhere."""

from __future__ import annotations

import numpy as np

from rankwise.metrics import inconsistency, tau_gap
from rankwise.oracles._noise import AdditiveNoise, Noise
from rankwise.rankings import check_rankings, ranks_from_scores

_DRAWN_CELLS = 1 << 22


def draw_ranks(noise: Noise, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw one complete ranking per row, refusing what a foreign noise object gets wrong."""
    ranks = check_rankings(noise.rank(scores, rng), allow_missing=False, name="noise.rank(scores)")
    if ranks.shape != scores.shape:
        raise ValueError(
            f"noise.rank(scores) has shape {ranks.shape}; expected {scores.shape}, like the scores"
        )
    return ranks


def pairwise_probabilities(
    noise: Noise, scores: np.ndarray, n_draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return p_ij per row and its standard error (0 where the noise knows p_ij exactly)."""
    p = _known(noise, "pairwise", scores)
    if p is not None:
        return p, np.zeros_like(p)
    if isinstance(noise, AdditiveNoise):
        wins = _additive_wins(noise, scores, n_draws, rng)
    else:
        wins = _counted_wins(noise, scores, n_draws, rng)
    p = wins / n_draws
    # One win and one loss more: what was never seen may still happen once in n_draws.
    smooth = (wins + 1) / (n_draws + 2)
    error = np.sqrt(smooth * (1 - smooth) / n_draws)
    diagonal = np.arange(scores.shape[1])
    p[:, diagonal, diagonal] = 0.5
    error[:, diagonal, diagonal] = 0.0
    return p, error


def inconsistency_per_row(
    noise: Noise, scores: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, bool]:
    """Return the chance per row that noise changes the ranking, and whether it is exact.

    Where the noise does not know it, the value is 0 or 1 for one simulated draw; NaN marks a row
    whose clean ranking is one tie.
    """
    clean = ranks_from_scores(scores)
    if (clean.max(axis=1) == scores.shape[1]).all():
        matches = _known(noise, "match_probability", scores)
        if matches is not None:
            return 1 - matches, True
    observed = draw_ranks(noise, scores, rng)
    return np.asarray(inconsistency(clean, observed, average=False)), False


def tau_per_row(
    noise: Noise, scores: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, bool]:
    """Return the mean Kendall tau per row of clean and observed ranking, and whether it is exact."""
    p = _known(noise, "pairwise", scores)
    if p is None:
        observed = draw_ranks(noise, scores, rng)
        return np.asarray(tau_gap(ranks_from_scores(scores), observed, average=False)), False
    first, second = np.triu_indices(scores.shape[1], 1)
    agreement = 2 * p[:, first, second] - 1
    direction = np.sign(scores[:, first] - scores[:, second])
    counted = np.abs(direction).sum(axis=1)
    tau = np.full(len(scores), np.nan)
    np.divide((agreement * direction).sum(axis=1), counted, out=tau, where=counted > 0)
    return tau, True


def _known(noise: Noise, what: str, scores: np.ndarray) -> np.ndarray | None:
    """Ask the noise for an exact answer; None where it has none."""
    method = getattr(noise, what, None)
    return None if method is None else method(scores)


def _additive_wins(
    noise: AdditiveNoise, scores: np.ndarray, n_draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Count, for each row and pair, in how many of the same draws i beats j; a tie is half a win.

    Noise does not depend on x: sorting its differences once answers every row by bisection.
    """
    xi = noise.draw((n_draws, scores.shape[1]), rng)
    wins = np.zeros((*scores.shape, scores.shape[1]))
    for i, j in zip(*np.triu_indices(scores.shape[1], 1), strict=True):
        needed = np.sort(xi[:, j] - xi[:, i])
        gap = scores[:, i] - scores[:, j]
        won = np.searchsorted(needed, gap, side="left") + np.searchsorted(needed, gap, side="right")
        wins[:, i, j] = won / 2
        wins[:, j, i] = n_draws - won / 2
    return wins


def _counted_wins(
    noise: Noise, scores: np.ndarray, n_draws: int, rng: np.random.Generator
) -> np.ndarray:
    n_samples, n_labels = scores.shape
    wins = np.zeros((n_samples, n_labels, n_labels))
    # Few rows are repeated, so that one call draws about as many rankings as memory likes.
    at_once = max(1, _DRAWN_CELLS // (n_samples * n_labels**2))
    for start in range(0, n_draws, at_once):
        repeats = min(at_once, n_draws - start)
        ranks = draw_ranks(noise, np.tile(scores, (repeats, 1)), rng)
        signs = np.sign(ranks[:, None, :] - ranks[:, :, None])
        wins += 0.5 * repeats + 0.5 * signs.reshape(repeats, *wins.shape).sum(axis=0)
    return wins
