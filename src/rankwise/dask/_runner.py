"""The steps over parts as tasks of a Dask cluster: rows go from worker to worker, never to the client."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from rankwise._extras import require
from rankwise._progress import Progress
from rankwise.dask._client import (
    LONG_PATIENCE,
    can_reach_workers,
    is_loss,
    known_workers,
    naming_losses,
)
from rankwise.dask._tasks import (
    all_held,
    all_wanted,
    answer,
    draw,
    fit_model,
    gather_rows,
    grow_trees,
    held_of,
    known_of,
    left_out_of,
    pieces_of,
    wanted_of,
)
from rankwise.parts import Parts
from rankwise.parts.steps import (
    Coding,
    Grown,
    GrownForest,
    Growth,
    Question,
    Samples,
    Summary,
    Wanted,
    by_part,
    look_at,
    memory_bytes,
)

# Of the memory of all workers, what gathered rows may take; the rest is for reading and growing.
SHARE_OF_MEMORY = 0.3

# So many tasks pass pieces on, at most: a scheduler takes about a millisecond for each.
MOST_PIECES = 4000


# So many tasks draw samples, at most, so that several workers do: nothing is read before.
MOST_DRAWINGS = 8


class DaskRunner:
    """Tasks of a cluster.

    All of them are pure: what a worker has lost when it is killed is computed again, to the same bits.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    progress : bool, optional
        Whether to show progress; by default on a terminal.
    """

    def __init__(self, client: Any, progress: bool | None = None) -> None:
        self._client, self._shown = client, progress
        self._run = _new_name()
        # the first trees, what parts gave for them, and the held rows that their samples left out
        self._gathered: tuple[range, list[Any], np.ndarray] | None = None
        self.bytes_moved: list[int] = []  # of the pieces of each tree

    @naming_losses()
    def look(
        self, parts: Parts, question: Question, sample: np.ndarray, early: Samples | None
    ) -> tuple[Summary, Coding]:
        """What is known of all parts, and how they are coded; the first samples are gathered on the way."""
        asked = self._constant("question", question)
        wanted: Sequence[Any] = [None] * len(parts.parts)
        if early is not None:
            trees = next(self._rounds(early))
            wanted, left_out = self._drawn(parts, early, trees)
        looks = [
            self._task(look_at, "look", p, _handle(part), asked, own, wanted[p])
            for p, (part, own) in enumerate(
                zip(parts.parts, by_part(parts.starts, sample), strict=True)
            )
        ]
        if early is None:
            looks = self._kept("reading", looks, parts)
        else:
            looks, left_out = self._kept_with("reading", looks, parts, left_out)
            self._gathered = trees, looks, left_out
        homes = self._homes(looks)
        known = [
            self._task(known_of, "known", p, look, at=homes[p]) for p, look in enumerate(looks)
        ]
        (found,) = self._compute([self._task(answer, "answer", 0, asked, *known)])
        summary, coding = found
        return summary, coding

    @naming_losses()
    def grow(
        self, parts: Parts, question: Question, growth: Growth, samples: Samples
    ) -> GrownForest:
        """The trees of all samples, and what they say of the held rows."""
        self._run = _new_name()
        asked, how = self._constant("question", question), self._constant("growth", growth)
        by = self._constant("coding", growth.gathers_by)
        forest = GrownForest(samples.n_samples)
        early, self._gathered = self._gathered, None
        ahead = [] if early is None else [early[0]]
        for trees in chain(ahead, self._rounds(samples, ahead[0].stop if ahead else 0)):
            if early is not None:
                (_, gathered, left_out), early = early, None
            else:
                wanted, left_out = self._drawn(parts, samples, trees)
                gathered = [
                    self._task(
                        gather_rows, f"gather-{trees.start}", p, _handle(part), asked, own, by
                    )
                    for p, (part, own) in enumerate(zip(parts.parts, wanted, strict=True))
                ]
                gathered, left_out = self._kept_with("gathering rows", gathered, parts, left_out)
            homes = self._homes(gathered)
            if forest.held is None:
                (forest.held,) = self._compute([self._held(gathered, homes)])
                held = self._constant("held-rows", forest.held.X)
            forest.left_out.append(left_out)
            tasks = self._growing(how, trees, gathered, homes, held, left_out)
            self._compute(tasks, "growing trees", partial(self._add, forest))
        return forest

    def _add(self, forest: GrownForest, found: list[tuple[int, Grown, int]]) -> None:
        for sample, grown, n_bytes in found:
            forest.add(sample, grown)
            self.bytes_moved.append(n_bytes)

    @naming_losses()
    def fit_sample(self, parts: Parts, rows: np.ndarray, model: Any) -> Any:
        """Fit a model to some rows of all parts, gathered on a worker, which shares out its work."""
        question = Question(parts.n_features, parts.n_labels, 0, None, None)
        asked = self._constant("question", question)
        found = [
            self._task(gather_rows, "rows", p, _handle(part), asked, Wanted([], own), None)
            for p, (part, own) in enumerate(
                zip(parts.parts, by_part(parts.starts, rows), strict=True)
            )
        ]
        found = self._kept("gathering rows", found, parts)
        sample = self._held(found, self._homes(found))
        names = parts.feature_names, parts.label_names
        fit = self._task(fit_model, "fit", 0, model, sample, names)
        (fitted,) = self._compute([fit], "fitting pairs")
        return fitted

    def _held(self, gathered: list[Any], homes: list[list[str]]) -> Any:
        """A task that puts the held rows of all parts together."""
        rows = [self._task(held_of, "held", p, own, at=homes[p]) for p, own in enumerate(gathered)]
        return self._task(all_held, "all-held", 0, *rows)

    def _growing(
        self,
        how: Any,
        trees: range,
        gathered: list[Any],
        homes: list[list[str]],
        held: Any,
        left_out: np.ndarray,
    ) -> list[Any]:
        """Tasks that grow a few trees each, of what all parts gave to them."""
        groups: dict[str, list[int]] = {}
        for p, addresses in enumerate(homes):
            groups.setdefault(addresses[0] if addresses else "", []).append(p)
        together = min(
            -(-len(trees) * len(groups) // MOST_PIECES),
            max(1, len(trees) // (2 * len(groups))),
        )
        tasks = []
        for first in range(0, len(trees), together):
            own = range(first, min(first + together, len(trees)))
            name = f"{trees.start + first}"
            pieces = [
                self._task(
                    pieces_of, f"pieces-{name}", g, own, numbers, *(gathered[p] for p in numbers),
                    at=[home] if home else [],
                )
                for g, (home, numbers) in enumerate(groups.items())
            ]  # fmt: skip
            some = slice(own.start, own.stop)
            given = how, trees[some], held, left_out[some]
            tasks.append(self._task(grow_trees, f"grow-{name}", 0, *given, *pieces))
        return tasks

    def _homes(self, gathered: list[Any]) -> list[list[str]]:
        """The workers that have what parts gave: it is taken to pieces there, if they live.

        A scheduler that has not seen such tasks takes them to be long, and would move all of it.
        """
        where = self._client.who_has(gathered)
        return [list(where.get(own.key, ())) for own in gathered]

    def _drawn(self, parts: Parts, samples: Samples, trees: range) -> tuple[list[Any], Any]:
        """What some trees want of each part, and the held rows they left out, drawn once, by workers."""
        drawn, name = self._constant(f"samples-{trees.start}", samples), f"{trees.start}"
        step = -(-len(trees) // min(len(known_workers(self._client)), MOST_DRAWINGS))
        drawings = [
            self._task(
                draw, f"draw-{name}", first, drawn, parts.starts, trees[first : first + step]
            )
            for first in range(0, len(trees), step)
        ]
        # the part of a drawing is cut out where the drawing is, which is large
        wanted = [
            self._task(all_wanted, f"wanted-{name}", p, *(
                self._task(wanted_of, f"drawn-{name}-{i}", p, drawing, p)
                for i, drawing in enumerate(drawings)
            ))
            for p in range(len(parts.parts))
        ]  # fmt: skip
        return wanted, self._task(left_out_of, f"left-out-{name}", 0, *drawings)

    def _rounds(self, samples: Samples, start: int = 0) -> Iterator[range]:
        """The trees that grow together: as many as fit when it is their turn, for workers come and go."""
        while start < samples.n_samples:
            stop = min(start + self._together(samples), samples.n_samples)
            yield range(start, stop)
            start = stop

    def _together(self, samples: Samples) -> int:
        """So many samples fit into the memory of the workers that there are now."""
        workers = known_workers(self._client).values()
        room = sum(worker["memory_limit"] or memory_bytes(None) for worker in workers)
        together = int(SHARE_OF_MEMORY * room) // samples.bytes_of_sample
        if not together:
            raise ValueError(
                f"a tree draws {samples.draws.bags.size:,} rows, {samples.bytes_of_sample / 1e9:.1f} GB, "
                f"and the workers have {room / 1e9:.1f} GB between them; draw fewer rows with "
                "max_samples, or start more workers"
            )
        return together

    @cached_property
    def _direct(self) -> bool:
        """Whether trees come from their workers, and not twice as far, by way of the scheduler."""
        said: bool | None = self._client.direct_to_workers
        return can_reach_workers(self._client) if said is None else said

    def _task(
        self,
        function: Callable[..., Any],
        name: str,
        number: int,
        *given: Any,
        at: Sequence[str] = (),
    ) -> Any:
        """A task, with the workers that had better do it."""
        dask = require("dask", "a Dask cluster")
        task = dask.delayed(function, pure=False, traverse=False)
        where = dask.annotate(workers=list(at), allow_other_workers=True) if at else nullcontext()
        with where:
            return task(*given, dask_key_name=f"rankwise-{name}-{number}-{self._run}")

    def _constant(self, name: str, value: Any) -> Any:
        dask = require("dask", "a Dask cluster")
        return dask.delayed(value, name=f"rankwise-{name}-{self._run}", traverse=False)

    def _compute(
        self, tasks: list[Any], title: str | None = None, take: Callable[[Any], None] | None = None
    ) -> list[Any]:
        """Results of tasks in their order; those that are taken as they come are let go."""
        futures, results = self._client.compute(tasks, optimize_graph=False), {}

        def fetch(future: Any) -> None:
            # trees are fetched one after the other, and let go by their worker
            result = self._client.gather(future, direct=self._direct)
            if take is None:
                results[future.key] = result
            else:
                take(result)
                future.release()

        self._follow(futures, fetch, title)
        return [results[future.key] for future in futures if take is None]

    def _kept(self, title: str, tasks: list[Any], parts: Parts) -> list[Any]:
        """The same tasks, of a part each and perhaps others, when done; workers keep their results."""
        kept: list[Any] = self._client.persist(tasks, optimize_graph=False)
        part_of = dict(zip((task.key for task in kept), parts.parts, strict=False))

        def check(future: Any) -> None:
            if future.status == "lost":
                future.exception()  # waits until it is there again, and does not fetch it
            if future.status == "finished":
                return
            try:
                future.result()
            except Exception as error:
                find_cause = getattr(part_of.get(future.key), "find_cause", None)
                if find_cause is not None and not is_loss(error):
                    find_cause(self._client)
                raise

        self._follow(self._client.futures_of(kept), check, title)
        return kept

    def _kept_with(
        self, title: str, gathered: list[Any], parts: Parts, left_out: Any
    ) -> tuple[list[Any], np.ndarray]:
        """What parts gave, kept by workers, and the held rows that samples left out."""
        *kept, left_out = self._kept(title, [*gathered, left_out], parts)
        (found,) = self._compute([left_out])
        return kept, found

    def _follow(self, futures: list[Any], take: Callable[[Any], None], title: str | None) -> None:
        """Take what is done; the first error stops the others."""
        shown = self._shown if title else False
        with Progress(title or "", len(futures), shown=shown) as progress:
            try:
                for future in self._done(futures):
                    take(future)
                    progress.advance()
            except BaseException:
                # of a scheduler that is lost nothing can be taken back
                with suppress(Exception):
                    self._client.cancel(futures, force=True)
                raise

    def _done(self, futures: list[Any]) -> Iterator[Any]:
        """Yield futures as they are done; where no worker is left to do them, that is an error."""
        distributed = require("distributed", "a Dask cluster")
        waiting = {future.key: future for future in futures}
        while waiting:
            done = distributed.as_completed(
                list(waiting.values()), loop=self._client.loop, timeout=LONG_PATIENCE
            )
            with suppress(TimeoutError):
                for future in done:
                    del waiting[future.key]
                    yield future
            if waiting:
                known_workers(self._client)


def _new_name() -> str:
    """What names of tasks end with: results of another fit, or forest of a fit, are never taken for these.

    It comes last, since the scheduler learns by the beginnings of names how long tasks take, and what
    is worth to be moved.
    """
    return uuid.uuid4().hex[:12]


def _handle(part: Any) -> Any:
    """A part as workers open it, who are in other folders, or the task that makes it there."""
    if isinstance(getattr(part, "path", None), str):
        return replace(part, path=os.path.abspath(part.path))
    return getattr(part, "task", part)
