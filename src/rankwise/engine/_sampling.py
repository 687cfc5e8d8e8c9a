"""How rows count and how many are drawn: weights, sizes of samples, features for a cut, seeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankwise._naming import shown
from rankwise._parameters import is_real, is_whole
from rankwise.engine.kernels.drawing import list_drawn

# Whole weights that add up to more are taken as fractions.
MOST_ROWS = 1_000_000_000
# Of the largest weight: a row that counts at all keeps a weight above 0.
LEAST_FRACTION = 2.0**-500


def whole_weights(weights: np.ndarray | None, n: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Split weights into how often a row counts, and fractions where they are no whole numbers."""
    if weights is None:
        return np.ones(n, dtype=np.int32), None
    largest = weights.max()
    # looked at first: the sum of larger weights may be no float
    whole = largest < MOST_ROWS and bool((weights == np.round(weights)).all())
    if whole and weights.sum() < MOST_ROWS:
        return weights.astype(np.int32), None
    counts = weights > 0
    return counts.astype(np.int32), np.maximum(weights / largest, LEAST_FRACTION * counts)


class Drawn(NamedTuple):
    """The rows of one sample."""

    bag: np.ndarray  # how often it has each row, in the smallest type: those of all trees are kept
    counts: np.ndarray  # the same as int32, for the kernels
    rows: np.ndarray  # those that it has, int32


def _listed(times: np.ndarray) -> Drawn:
    """A sample that has each row so many times."""
    counts, rows = np.empty(len(times), np.int32), np.empty(len(times), np.int32)
    n_rows, most = list_drawn(times.astype(np.int64, copy=False), counts, rows)
    return Drawn(times.astype(np.min_scalar_type(most)), counts, rows[:n_rows])


@dataclass(frozen=True)
class Bags:
    """What samples of the rows are drawn from, and how."""

    counts: np.ndarray  # row i is there so many times
    size: int
    replace: bool

    def __reduce__(self) -> tuple[Any, ...]:
        # one number that stands for all rows would be sent as often as there are rows
        given = self.counts, self.size, self.replace
        if len(self.counts) and self.counts.strides[0] == 0:
            return _even_bags, (self.counts[0], len(self.counts), *given[1:])
        return Bags, given

    def draw(self, seed: np.random.SeedSequence) -> Drawn:
        """Draw a sample."""
        return _listed(self._times(np.random.default_rng(seed)))

    def draw_rows(self, seed: np.random.SeedSequence) -> tuple[np.ndarray, np.ndarray]:
        """The rows of the same sample, ascending, and how often it has each of them.

        Needs memory for the rows that are drawn alone, where all rows count once.
        """
        if not self._is_even or (self.size == len(self.counts) and not self.replace):
            times = self._times(np.random.default_rng(seed))
            rows = np.flatnonzero(times > 0)
            times = times[rows]
        else:
            drawn = np.random.default_rng(seed).choice(
                len(self.counts), self.size, replace=self.replace
            )
            if not self.replace:
                return np.sort(drawn), np.ones(self.size, np.uint8)
            rows, times = np.unique(drawn, return_counts=True)
        return rows, times.astype(np.min_scalar_type(int(times.max())))

    @cached_property
    def _is_even(self) -> bool:
        """Whether every row is there once; one number may stand for all of them."""
        counts = self.counts
        only = counts[:1] if counts.strides[0] == 0 else counts
        return bool(only.min() == only.max() == 1)

    @cached_property
    def _total(self) -> int:
        return int(self.counts.sum())

    def _times(self, rng: np.random.Generator) -> np.ndarray:
        """How often a sample has each row."""
        counts, size = self.counts, self.size
        if size == self._total and not self.replace:
            return counts  # nothing is left to chance where every row is drawn
        if self._is_even:
            n = len(counts)
            return np.bincount(rng.choice(n, size, replace=self.replace), minlength=n)
        # weights may be in the millions: rows are never repeated in memory
        if self.replace:
            return rng.multinomial(size, counts / self._total)
        return rng.multivariate_hypergeometric(counts, size)


def _even_bags(count: np.ndarray, n: int, size: int, replace: bool) -> Bags:
    return Bags(np.broadcast_to(count, n), size, replace)


class DrawnBag(NamedTuple):
    """A sample that was drawn before, of rows of which nothing else is at hand."""

    counts: np.ndarray

    def draw(self, seed: np.random.SeedSequence) -> Drawn:
        """The same sample each time."""
        return _listed(self.counts)


def n_rows_drawn(max_samples: Any, n: int) -> int:
    """How many rows a tree draws: a number, a share, or None for as many as there are."""
    if max_samples is None:
        return n
    if is_whole(max_samples):
        if 1 <= int(max_samples) <= n:
            return int(max_samples)
    elif is_real(max_samples) and 0 < max_samples <= 1:
        return max(1, round(float(max_samples) * n))
    raise ValueError(
        f"max_samples must be a whole number from 1 to {n} (the number of rows), a share in (0, 1], "
        f"'theory' or None, got {shown(max_samples)}"
    )


def n_features_drawn(max_features: Any, n_features: int) -> int:
    """How many features compete for a cut: a share, a number, "sqrt", "log2" or None for all."""
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        if max_features == "sqrt":
            return max(1, int(np.sqrt(n_features)))
        if max_features == "log2":
            return max(1, int(np.log2(n_features)))
    elif is_whole(max_features):
        if 1 <= int(max_features) <= n_features:
            return int(max_features)
    elif is_real(max_features) and 0 < max_features <= 1:
        return max(1, int(float(max_features) * n_features))
    raise ValueError(
        f"max_features must be a share in (0, 1], a whole number from 1 to {n_features} (the number of "
        f"features), 'sqrt', 'log2' or None, got {shown(max_features)}"
    )


def seed_entropy(random_state: Any) -> int | None:
    """A seed for numpy's SeedSequence from any random_state that scikit-learn takes."""
    if random_state is None:
        return None
    if is_whole(random_state) and random_state >= 0:
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(1 << 62))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1 << 30))
    raise ValueError(
        "random_state must be None, a whole number from 0 up, a Generator or a RandomState, got "
        f"{random_state!r}"
    )
