"""How features are coded: by each of their values where these are few, else by bins of a sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.engine import (
    NARROWEST,
    BooleanFeatures,
    CodedFeatures,
    boolean_thresholds,
    codes_of,
    ends_of_codes,
    packed_features,
)
from rankwise.parts._summary import FeatureSummary, Summary, merged

# Bins are made of all rows up to so many, else of a sample: then a bin of 1/255 of the rows holds a
# share that is off by a sixteenth of itself, mostly.
BIN_ROWS = 65_536

# Numbers of the rows of that sample: 128 MB.
BIN_NUMBERS = 1 << 24

# As many values as two bytes tell apart, a gap among them, where every value has its own code.
MOST_CODES = 65_535


def n_bin_rows(n_rows: int, n_features: int) -> int:
    """How many rows bins are made of."""
    return min(n_rows, max(4096, min(BIN_ROWS, BIN_NUMBERS // n_features)))


@dataclass(frozen=True)
class Coding:
    """The codes of all features, by which any part is coded alike."""

    lowest: tuple[np.ndarray, ...]  # of each feature the lowest value of each code, ascending
    highest: tuple[np.ndarray, ...]
    missing: bool  # whether any value is
    exact: bool  # whether codes are those that all rows at once would get

    @property
    def is_boolean(self) -> bool:
        """Whether no feature has more than two values, and none is missing."""
        ends = zip(self.lowest, self.highest, strict=True)
        # a bin has two ends, and no value of its own
        return not self.missing and all(
            len(low) <= 2 and np.array_equal(low, high) for low, high in ends
        )

    def recoded(self, stored: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
        """The codes of rows whose features are bytes, as they are stored."""
        byte = np.arange(256, dtype=np.uint8)
        values = byte.view(dtype) if dtype == np.int8 else byte
        codes = None
        for j, own in enumerate(self.lowest):
            table = (np.searchsorted(own, values, side="right") - 1).clip(0).astype(np.uint8)
            if (table[own.astype(dtype).view(np.uint8)] == own.astype(dtype).view(np.uint8)).all():
                continue  # 0 and 1, mostly
            if codes is None:
                codes = stored.copy()
            codes[:, j] = table[stored[:, j]]
        return stored if codes is None else codes

    def codes(self, X: np.ndarray) -> np.ndarray:
        """Code some rows, in as few bytes as tell the codes apart: they may travel."""
        return codes_of(np.ascontiguousarray(X), self.lowest)

    def features(self, codes: np.ndarray) -> BooleanFeatures | CodedFeatures:
        """What trees grow from, of the codes of their rows."""
        if not self.is_boolean:
            wide = np.promote_types(codes.dtype, NARROWEST)
            return CodedFeatures(codes.astype(wide, copy=False), self.lowest, self.highest)
        low, high = (np.array([own[end] for own in self.lowest]) for end in (0, -1))
        return packed_features(codes, lambda rows: rows == 1, boolean_thresholds(low, high))


@dataclass(frozen=True)
class Question:
    """What is asked of all rows before trees grow."""

    n_features: int
    n_labels: int
    most: int  # values of a feature that are kept
    max_bins: int | None
    most_exact: int | None  # values up to which a feature is not cut into bins; None: never

    def empty(self) -> Summary:
        """What is known of no rows."""
        return Summary.empty(self.n_features, self.n_labels, self.most)

    def answer(self, summaries: Iterable[Summary]) -> tuple[Summary, Coding]:
        """What is known of all parts, given in order, and how features are coded."""
        known = merged(summaries, self.empty())
        coding = coding_of(known, self.max_bins, self.most_exact)
        # the codes are all that is needed of the rows and values that they were made of
        known.sample, known.features = [], []
        return known, coding


def coding_of(summary: Summary, max_bins: int | None, most_exact: int | None) -> Coding:
    """The coding of all rows.

    A feature of more than `most_exact` values is cut into `max_bins` bins; None: none is.
    """
    sample = np.concatenate(summary.sample) if summary.sample else np.empty((0, 0))
    whole = len(sample) == summary.n_rows
    ends, exact = [], True
    for j, feature in enumerate(summary.features):
        values = feature.values
        if values is not None and (most_exact is None or len(values) <= most_exact):
            ends.append((values, values))
        elif most_exact is None:
            raise ValueError(
                f"feature {j} has more than {MOST_CODES:,} values, and each would have a code of its "
                "own; set max_bins to a number up to 255 and criterion='breiman'"
            )
        else:
            own = ends_of_codes(sample[:, j], max_bins)
            ends.append(own if whole else _of_sample(own, feature))
            exact &= whole
    lowest, highest = zip(*ends, strict=True)
    missing = any(feature.missing for feature in summary.features)
    return Coding(lowest, highest, missing, exact)


def _of_sample(
    ends: tuple[np.ndarray, np.ndarray], feature: FeatureSummary
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of bins of a sample, so that each value of all rows lies in the bin that cuts say it does."""
    lowest = ends[0].copy()
    if not len(lowest):
        # the sample has none of the values that some rows have
        lowest = np.array([feature.low])
    lowest[0] = feature.low
    below = np.nextafter(lowest[1:], -np.inf)
    return lowest, np.append(below, feature.high)
