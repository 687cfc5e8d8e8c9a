"""The steps over parts in threads of one machine: looking, gathering, growing, within a limit of memory."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs

from rankwise._naming import shown
from rankwise._parallel import in_threads
from rankwise._parameters import is_whole, memory_of_machine
from rankwise._progress import Progress
from rankwise.parts._block import Parts
from rankwise.parts._coding import Coding, Question
from rankwise.parts._gathering import (
    Drawing,
    Draws,
    Gathered,
    Wanted,
    are_left_out,
    by_part,
    gather,
    joined_held,
    look_at,
    split_by_part,
)
from rankwise.parts._growing import GrownForest, Growth
from rankwise.parts._summary import Summary

# Of the memory that is there, what is taken where nobody says.
SHARE_OF_MEMORY = 0.5

# The same where a system does not tell how much there is.
USUAL = 4 << 30

# What a thread needs to read and to grow, as so many times the rows of a sample.
TIMES_OF_A_SAMPLE = 8

# And for what its trees are about: bytes for each row, and for each row and target, as measured with
# trees that are fully grown. Trees on all pairs keep the sums of all of them in each node.
GROWING_ROW = 128
GROWING_TARGET = {"labelwise": 24, "joint": 32, "pairwise": 24, "joint_pairwise": 48}

# What Python, the kernels and open files take.
BASE = 400 << 20

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


class Runner(Protocol):
    """Who does the steps: threads here, or workers elsewhere."""

    def look(
        self, parts: Parts, question: Question, sample: np.ndarray, early: Samples | None
    ) -> tuple[Summary, Coding]:
        """What is known of all parts, and how they are coded; `early` may be gathered on the way."""

    def grow(
        self, parts: Parts, question: Question, growth: Growth, samples: Samples
    ) -> GrownForest:
        """The trees of all samples, and what they say of the held rows."""


class Samples:
    """The samples of a forest: what is drawn, for how many, and which rows are held."""

    def __init__(self, draws: Draws, n_samples: int, held: np.ndarray, bytes_of_row: int) -> None:
        self.draws, self.n_samples, self.held = draws, n_samples, held
        self.bytes_of_row = bytes_of_row
        self.growing_of_row = 0  # what a row takes beside that while trees grow

    def draw(self, starts: np.ndarray, trees: range) -> Drawing:
        """What some trees want of each part; held rows are wanted with the first."""
        drawn = [self.draws.rows(tree) for tree in trees]
        left_out = np.array([are_left_out(rows, self.held) for rows, _ in drawn])
        held = self.held if trees.start == 0 else self.held[:0]
        return Drawing(split_by_part(starts, drawn, held), left_out)

    @property
    def bytes_of_sample(self) -> int:
        """What the rows of one sample take at most."""
        return self.draws.bags.size * self.bytes_of_row

    def are_about(self, decomposition: str, n_labels: int, keeps_ties: bool) -> None:
        """Say what trees are about, which tells how much memory they need to grow."""
        pairs = n_labels * (n_labels - 1) // 2 * (2 if keeps_ties else 1)
        n_targets = pairs if decomposition.endswith("pairwise") else n_labels
        self.growing_of_row = GROWING_ROW + GROWING_TARGET[decomposition] * n_targets

    def rounds(self, limit: int, n_jobs: int) -> list[range]:
        """Which samples are gathered together, so that memory keeps to the limit."""
        n_jobs = min(n_jobs, self.n_samples)
        growing = TIMES_OF_A_SAMPLE * self.bytes_of_sample
        growing += self.growing_of_row * self.draws.bags.size
        together = max(0, limit - BASE - n_jobs * growing) // self.bytes_of_sample
        if not together:
            needed = BASE + n_jobs * growing + self.bytes_of_sample
            raise ValueError(
                f"a tree draws {self.draws.bags.size:,} rows, and growing {n_jobs} at a time needs "
                f"{needed / 1e9:.2f} GB, above the limit of {limit / 1e9:.2f} GB; draw fewer rows with "
                "max_samples, set n_jobs=1, or raise the limit"
            )
        return [
            range(start, min(start + together, self.n_samples))
            for start in range(0, self.n_samples, together)
        ]


class LocalRunner:
    """Threads of this machine, within a limit of memory.

    Parameters
    ----------
    n_jobs : int, optional
        Parts read, and samples grown, at a time.
    memory_limit : int or str, optional
        Bytes, or a text such as "4 GB"; by default half of the machine's memory.
    progress : bool, optional
        Whether to show progress; by default on a terminal.
    """

    def __init__(
        self,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        progress: bool | None = None,
    ) -> None:
        self._n_jobs, self._shown = effective_n_jobs(n_jobs), progress
        self._limit = memory_bytes(memory_limit)
        self._gathered: tuple[range, list[Gathered], np.ndarray] | None = None

    def look(
        self, parts: Parts, question: Question, sample: np.ndarray, early: Samples | None
    ) -> tuple[Summary, Coding]:
        """What is known of all parts, and how they are coded; the first samples are gathered on the way."""
        of_bins = list(by_part(parts.starts, sample))
        wanted: Sequence[Wanted | None] = [None] * len(parts.parts)
        if early is not None:
            trees = early.rounds(self._limit, self._n_jobs)[0]
            wanted, left_out = early.draw(parts.starts, trees)
        found = self._over_parts(
            "reading",
            lambda p: look_at(parts.parts[p], question, of_bins[p], wanted[p]),
            len(parts.parts),
        )
        if early is not None:
            self._gathered = trees, [gathered for _, gathered in found], left_out
        return question.answer(summary for summary, _ in found)

    def grow(
        self, parts: Parts, question: Question, growth: Growth, samples: Samples
    ) -> GrownForest:
        """The trees of all samples, and what they say of the held rows."""
        forest = GrownForest(samples.n_samples)
        for trees in samples.rounds(self._limit, self._n_jobs):
            gathered, left_out = self._gather(parts, question, growth, samples, trees)
            if forest.held is None:
                forest.held = joined_held([own.held for own in gathered])
            forest.left_out.append(left_out)
            pieces = [[own.trees[t] for own in gathered] for t in range(len(trees))]
            del gathered
            self._grow(growth, trees, pieces, forest)
        return forest

    def _gather(
        self,
        parts: Parts,
        question: Question,
        growth: Growth,
        samples: Samples,
        trees: range,
    ) -> tuple[list[Gathered], np.ndarray]:
        early, self._gathered = self._gathered, None
        if early is not None and early[0] == trees:
            return early[1:]
        del early
        wanted, left_out = samples.draw(parts.starts, trees)
        gathered = self._over_parts(
            "gathering rows",
            lambda p: gather(parts.parts[p], question, wanted[p], growth.gathers_by),
            len(parts.parts),
        )
        return gathered, left_out

    def _grow(
        self, growth: Growth, trees: range, pieces: list[list[Any]], forest: GrownForest
    ) -> None:
        n_samples, left_out = len(forest.trees), forest.left_out[-1]
        assert forest.held is not None
        held = forest.held.X
        with Progress("growing trees", n_samples, shown=self._shown) as progress:
            progress.report(trees.start, n_samples)

            def grow(tree: int) -> None:
                t = tree - trees.start
                own, pieces[t] = pieces[t], []
                forest.add(tree, growth.grow(tree, own, held, left_out[t]))
                progress.advance()

            in_threads(self._n_jobs, grow, trees, require="sharedmem")

    def _over_parts(self, title: str, function: Callable[[int], Any], n_parts: int) -> list[Any]:
        """Results for each part, in order; the first error stops the others."""
        with (
            Progress(title, n_parts, shown=self._shown) as progress,
            ThreadPoolExecutor(self._n_jobs) as pool,
        ):

            def counted(p: int) -> Any:
                result = function(p)
                progress.advance()
                return result

            try:
                return list(pool.map(counted, range(n_parts)))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


def memory_bytes(limit: int | str | None) -> int:
    """Return a limit of memory in bytes.

    Examples
    --------
    >>> memory_bytes("4 GB"), memory_bytes(1000)
    (4294967296, 1000)
    """
    if limit is None:
        memory = memory_of_machine()
        return USUAL if math.isinf(memory) else int(SHARE_OF_MEMORY * memory)
    if isinstance(limit, str):
        found = _SIZE.fullmatch(limit)
        if found is None:
            raise ValueError(
                f"the limit of memory is {shown(limit)}; give a number with a unit, such as '4 GB'"
            )
        return int(float(found[1]) * 1024 ** _POWERS[found[2].lower()])
    if not is_whole(limit) or limit <= 0:
        raise ValueError(
            f"the limit of memory is {shown(limit)}; give bytes, or a text such as '4 GB'"
        )
    return int(limit)
