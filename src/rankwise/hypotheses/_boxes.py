"""The box with the most rows of one class over those of the other: by ascent, and by enumeration."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.hypotheses._kernels import heaviest_slab

Array = NDArray[np.float64]

# Seconds per step of the sweep on a slow machine, to tell whether it can end in time.
STEP_SECONDS = 1e-8


@dataclass(frozen=True)
class Box:
    """Faces that rows inside touch, and how many more rows inside are positive than negative."""

    low: Array
    high: Array
    gain: int

    def holds(self, X: Array) -> NDArray[np.bool_]:
        """Return whether rows are inside, the faces included."""
        inside: NDArray[np.bool_] = np.all((self.low <= X) & (self.high >= X), axis=1)
        return inside


def empty_box(d: int) -> Box:
    """Return the box that holds nothing."""
    return Box(np.full(d, np.inf), np.full(d, -np.inf), 0)


def best_interval(values: Array, signs: Array) -> tuple[float, float, int]:
    """Return (low, high, gain) of the interval whose signs have the greatest sum."""
    distinct, group = np.unique(values, return_inverse=True)
    sums = np.concatenate([[0.0], np.cumsum(np.bincount(group.reshape(-1), weights=signs))])
    lowest = np.minimum.accumulate(sums)
    last = int(np.argmax(sums - lowest))
    gain = round(sums[last] - lowest[last])
    if gain <= 0:
        return math.inf, -math.inf, 0
    # the last of equal minima gives the tightest interval
    first = last - 1 - int(np.argmin(sums[:last][::-1]))
    return float(distinct[first]), float(distinct[last - 1]), gain


def ascend(X: Array, signs: Array, start: Box) -> Box:
    """Move the two faces of one feature at a time to their best places, until nothing is gained."""
    box = start
    while True:
        before = box.gain
        for j in range(X.shape[1]):
            others = np.delete(np.arange(X.shape[1]), j)
            rows = np.all((box.low <= X)[:, others] & (box.high >= X)[:, others], axis=1)
            if not rows.any():
                continue
            face = best_interval(X[rows, j], signs[rows])
            if face[2] > box.gain:
                box = _with_faces(box.low, box.high, j, *face)
        if box.gain == before:
            return box


def _with_faces(low: Array, high: Array, j: int, first: float, last: float, gain: int) -> Box:
    box = Box(low.copy(), high.copy(), gain)
    box.low[j], box.high[j] = first, last
    return box


class BoxSearch:
    """Enumeration of boxes with pruning: the first d - 2 features by pairs of faces, then a sweep.

    A best box can be shrunk until positive rows touch each face, so that only their coordinates are
    tried; and a box with fewer positive rows than the best gain so far is not looked into.
    """

    def __init__(self, X: Array, signs: Array, best: Box, deadline: float) -> None:
        self.X = X
        self.signs = signs
        self.best = best
        self.deadline = deadline
        self._complete = True

    def run(self) -> bool:
        """Search; return whether `best` is proven to be the best."""
        low, high = np.full(self.X.shape[1], -np.inf), np.full(self.X.shape[1], np.inf)
        self._search(np.arange(len(self.X)), 0, low, high)
        return self._complete

    def _search(self, rows: NDArray[np.int64], feature: int, low: Array, high: Array) -> None:
        left = self.X.shape[1] - feature
        if left <= 2:
            self._finish(rows, feature, low, high)
            return
        values = self.X[rows, feature]
        positive = self.signs[rows] > 0
        faces = np.unique(values[positive])
        for a, first in enumerate(faces):
            for last in faces[a:][::-1]:
                inside = (values >= first) & (values <= last)
                if np.count_nonzero(positive & inside) <= self.best.gain:
                    break
                if time.monotonic() > self.deadline:
                    self._complete = False
                    return
                low[feature], high[feature] = first, last
                self._search(rows[inside], feature + 1, low, high)
        low[feature], high[feature] = -np.inf, np.inf

    def _finish(self, rows: NDArray[np.int64], feature: int, low: Array, high: Array) -> None:
        """Solve the last one or two features exactly."""
        signs = self.signs[rows]
        d = self.X.shape[1]
        if d - feature == 2:
            values = self.X[rows, feature]
            if not self._in_time(values, signs):
                self._complete = False
                return
            slab = sweep(values, self.X[rows, feature + 1], signs, self.best.gain)
            if slab is None:
                return
            inside = (values >= slab[0]) & (values <= slab[1])
            rows, signs = rows[inside], signs[inside]
            low[feature], high[feature] = slab
        face = best_interval(self.X[rows, d - 1], signs)
        if face[2] > self.best.gain:
            self.best = _with_faces(low, high, d - 1, *face)

    def _in_time(self, values: Array, signs: Array) -> bool:
        if math.isinf(self.deadline):
            return True
        faces = len(np.unique(values[signs > 0]))
        steps = faces * len(values) * (1 + math.log2(len(values)))
        return time.monotonic() + steps * STEP_SECONDS <= self.deadline


def sweep(x: Array, y: Array, signs: Array, to_beat: int) -> tuple[float, float] | None:
    """Return the x-faces of the best rectangle in the plane, None if it does not beat `to_beat`."""
    order = np.argsort(x, kind="stable")
    distinct, starts = np.unique(x[order], return_index=True)
    weight = signs[order].astype(np.int64)
    levels, place = np.unique(y[order], return_inverse=True)
    positive = np.add.reduceat((weight > 0).astype(np.int64), starts)
    left_over = np.cumsum(positive[::-1])[::-1].copy()
    # at least two places: the root of the tree lies above them
    size = 1 << max(1, int(len(levels) - 1).bit_length())
    work = [np.empty(2 * size, dtype=np.int64) for _ in range(4)]
    gain, first, last = heaviest_slab(
        np.append(starts, len(x)).astype(np.int64),
        positive > 0,
        left_over,
        place.reshape(-1).astype(np.int64),
        weight,
        size,
        *work,
    )
    if gain <= to_beat:
        return None
    return float(distinct[first]), float(distinct[last])
