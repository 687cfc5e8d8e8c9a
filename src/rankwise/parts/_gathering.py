"""Samples of rows for trees: drawn over all parts, gathered as bytes from each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankwise.engine import Bags
from rankwise.parts._block import Block, Part, Parts, position_type
from rankwise.parts._coding import Coding, Question
from rankwise.parts._summary import Summary


def is_bytes(dtype: np.dtype[Any]) -> bool:
    """Whether features are bytes as they are: then they are gathered before their codes are known."""
    return dtype in (np.dtype(bool), np.dtype(np.uint8), np.dtype(np.int8))


@dataclass(frozen=True)
class Draws:
    """What samples are drawn from, and by which seeds: those of a forest in memory."""

    entropy: int
    bags: Bags

    def seed(self, tree: int) -> np.random.SeedSequence:
        """The seed of a sample, made anew: seeds that were used give others."""
        return np.random.SeedSequence(self.entropy, spawn_key=(tree,))

    def rows(self, tree: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows of a sample among all rows, ascending, and how often it has each."""
        return self.bags.draw_rows(self.seed(tree))


class Wanted(NamedTuple):
    """The rows that are wanted of one part, numbered from its first."""

    trees: list[tuple[np.ndarray, np.ndarray]]  # for each tree rows, and how often
    held: np.ndarray  # rows that are kept as they are, to ask trees about


class Piece(NamedTuple):
    """What one part gives to the sample of one tree."""

    codes: np.ndarray  # (m, d) unsigned; (m, bytes of d numbers) where these come as they are
    positions: np.ndarray  # (m, k)
    times: np.ndarray  # (m,)
    weights: np.ndarray | None

    @property
    def n_bytes(self) -> int:
        """How much is moved."""
        return sum(array.nbytes for array in self if array is not None)


class Drawing(NamedTuple):
    """Samples that were drawn."""

    wanted: list[Wanted]  # of each part
    left_out: np.ndarray  # (n_trees, n_held) whether a sample lacks a held row


class Gathered(NamedTuple):
    """What one part gives."""

    trees: list[Piece]
    held: Held


class Held(NamedTuple):
    """Rows that are kept as they are."""

    X: np.ndarray  # (m, d) float64
    positions: np.ndarray
    weights: np.ndarray | None


def are_left_out(rows: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Which held rows a sample lacks; both are rows among all rows, ascending."""
    at = np.minimum(np.searchsorted(rows, held), len(rows) - 1)
    return rows[at] != held


def split_by_part(
    starts: np.ndarray, samples: Sequence[tuple[np.ndarray, np.ndarray]], held: np.ndarray
) -> list[Wanted]:
    """What is wanted of each part, of samples and held rows among all rows."""
    cuts = [np.searchsorted(rows, starts) for rows, _ in samples]
    of_held = np.searchsorted(held, starts)
    small = np.uint32 if len(starts) < 2 or np.diff(starts).max() < 1 << 32 else np.uint64
    wanted = []
    for p, start in enumerate(starts[:-1]):
        trees = [
            ((rows[cut[p] : cut[p + 1]] - start).astype(small), times[cut[p] : cut[p + 1]])
            for (rows, times), cut in zip(samples, cuts, strict=True)
        ]
        wanted.append(Wanted(trees, held[of_held[p] : of_held[p + 1]] - start))
    return wanted


def look_at(
    part: Part, question: Question, sample: np.ndarray, wanted: Wanted | None = None
) -> tuple[Summary, Gathered | None]:
    """What is known of a part; with `wanted` also its rows, where features are gathered as they are.

    `sample` are those of its rows of which bins are made.
    """
    gathering = None if wanted is None else _Gathering(wanted, None)
    known, start = question.empty(), 0
    for block in part.blocks():
        known.add(block, _inside(sample, start, len(block.X)) - start)
        if gathering is not None:
            gathering.add(block, start)
        start += len(block.X)
    _check_length(part, start)
    return known, None if gathering is None else gathering.finish(question)


def gather(part: Part, question: Question, wanted: Wanted, coding: Coding | None) -> Gathered:
    """The wanted rows of a part, as codes, or without a coding as the bytes of their numbers."""
    gathering, start = _Gathering(wanted, coding), 0
    for block in part.blocks():
        gathering.add(block, start)
        start += len(block.X)
    _check_length(part, start)
    return gathering.finish(question)


class _Gathering:
    """Takes the wanted rows out of one block after the other."""

    def __init__(self, wanted: Wanted, coding: Coding | None) -> None:
        self._wanted, self._coding = wanted, coding
        self._trees: list[list[Piece]] = [[] for _ in wanted.trees]
        self._held: list[Held] = []

    def add(self, block: Block, start: int) -> None:
        n = len(block.X)
        cuts = [_between(rows, start, n) for rows, _ in self._wanted.trees]
        local = [
            rows[cut].astype(np.int64) - start
            for (rows, _), cut in zip(self._wanted.trees, cuts, strict=True)
        ]
        self._add_held(block, _inside(self._wanted.held, start, n) - start)
        if not sum(map(len, local)):
            return
        taken = np.concatenate(local)
        codes, positions = self._coded(block.X, taken), block.positions[taken]
        weights = None if block.weights is None else block.weights[taken]
        first = 0
        for tree, rows, cut in zip(range(len(local)), local, cuts, strict=True):
            own = slice(first, first + len(rows))
            times = self._wanted.trees[tree][1][cut]
            kept = None if weights is None else weights[own]
            self._trees[tree].append(Piece(codes[own], positions[own], times, kept))
            first += len(rows)

    def _coded(self, X: np.ndarray, rows: np.ndarray) -> np.ndarray:
        # column by column, as blocks of files are laid out
        taken = np.ascontiguousarray(X.T[:, rows].T) if X.flags.f_contiguous else X[rows]
        if self._coding is None:
            return taken.view(np.uint8)
        return self._coding.codes(taken)

    def _add_held(self, block: Block, rows: np.ndarray) -> None:
        if len(rows):
            weights = None if block.weights is None else block.weights[rows]
            X = block.X[rows].astype(np.float64)
            self._held.append(Held(X, block.positions[rows], weights))

    def finish(self, question: Question) -> Gathered:
        # parts without any of the wanted rows give arrays of none
        n_features, k = question.n_features, question.n_labels
        none = Piece(
            np.empty((0, n_features), np.uint8),
            np.empty((0, k), position_type(k)),
            np.empty(0, np.uint8),
            None,
        )
        held = Held(np.empty((0, n_features)), none.positions, None)
        trees = [joined(pieces or [none]) for pieces in self._trees]
        return Gathered(trees, joined_held(self._held or [held]))


def joined(pieces: Sequence[Piece]) -> Piece:
    """The pieces of one sample as one, in the order of rows."""
    pieces = [piece for piece in pieces if len(piece.codes)] or list(pieces[:1])
    return pieces[0] if len(pieces) == 1 else Piece(*map(_joined, zip(*pieces, strict=True)))


def joined_held(held: Sequence[Held]) -> Held:
    """Held rows of several blocks, or parts, as one."""
    held = [own for own in held if len(own.X)] or list(held[:1])
    return held[0] if len(held) == 1 else Held(*map(_joined, zip(*held, strict=True)))


def _joined(arrays: tuple[Any, ...]) -> Any:
    return None if arrays[0] is None else np.concatenate(arrays)


def _between(rows: np.ndarray, start: int, n: int) -> slice:
    return slice(*np.searchsorted(rows, np.array([start, start + n], dtype=rows.dtype)))


def _inside(rows: np.ndarray, start: int, n: int) -> np.ndarray:
    return rows[_between(rows, start, n)]


def _check_length(part: Part, n_rows: int) -> None:
    if n_rows != part.n_rows:
        raise ValueError(
            f"{part}: it has {n_rows:,} rows, and had {part.n_rows:,} when it was counted; rows must "
            "stay as they are until the forest is grown"
        )


def bin_sample(parts: Parts, entropy: int, n: int) -> np.ndarray:
    """The rows of which bins are made: so many of all rows, by a stream of random numbers of its own."""
    if n >= parts.n_rows:
        return np.arange(parts.n_rows)
    # trees are the first children of the seed: no forest has as many
    seed = np.random.SeedSequence(entropy, spawn_key=(1 << 31,))
    return np.sort(np.random.default_rng(seed).choice(parts.n_rows, n, replace=False))


def by_part(starts: np.ndarray, rows: np.ndarray) -> Iterator[np.ndarray]:
    """Rows among all rows, ascending, as rows of each part."""
    cuts = np.searchsorted(rows, starts)
    for p, start in enumerate(starts[:-1]):
        yield rows[cuts[p] : cuts[p + 1]] - start
