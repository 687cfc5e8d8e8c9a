"""What workers are asked to do: functions of what they have, without a state of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rankwise.parts.steps import (
    Coding,
    Drawing,
    Gathered,
    Grown,
    Growth,
    Held,
    Piece,
    Question,
    Samples,
    Summary,
    Wanted,
    gather,
    joined,
    joined_held,
    ranks_of,
)

# What a part gave: what is known of it, and its rows.
Look = tuple[Any, Any]


def fit_model(model: Any, sample: Held, names: tuple[Any, Any]) -> Any:
    """Fit a model to rows that are here; joblib gives the pairs of labels to all workers."""
    import joblib
    import pandas as pd

    features, labels = names
    X: Any = sample.X if features is None else pd.DataFrame(sample.X, columns=features)
    ranks: Any = ranks_of(sample.positions)
    ranks = ranks if labels is None else pd.DataFrame(ranks, columns=labels)
    with joblib.parallel_config(backend="dask"):
        return model.fit(X, ranks, sample.weights)


def known_of(look: Look) -> Summary:
    """What is known of a part."""
    known: Summary = look[0]
    return known


def answer(question: Question, *known: Summary) -> tuple[Summary, Coding]:
    """What is known of all parts, and how they are coded."""
    return question.answer(known)


def draw(samples: Samples, starts: np.ndarray, trees: range) -> Drawing:
    """The samples of some trees."""
    return samples.draw(starts, trees)


def wanted_of(drawing: Drawing, part: int) -> Wanted:
    """What some samples want of a part."""
    return drawing.wanted[part]


def all_wanted(*wanted: Wanted) -> Wanted:
    """What all samples want of a part; held rows are wanted with the first of them."""
    return Wanted([rows for own in wanted for rows in own.trees], wanted[0].held)


def left_out_of(*drawings: Drawing) -> np.ndarray:
    """The held rows that each sample lacks."""
    return np.concatenate([drawing.left_out for drawing in drawings])


def gather_rows(*given: Any) -> tuple[None, Gathered]:
    """As a look that has gathered rows and asked for nothing else."""
    return None, gather(*given)


def held_of(look: Look) -> Held:
    """The held rows of a part."""
    held: Held = look[1].held
    return held


def all_held(*held: Held) -> Held:
    """The held rows of all parts."""
    return joined_held(held)


class Share(NamedTuple):
    """What the parts of one worker give to the sample of one tree."""

    parts: list[int]
    lengths: list[int]  # rows of each of them
    piece: Piece  # all of these

    def by_part(self) -> Iterator[tuple[int, Piece]]:
        """Yield what each part gives."""
        start = 0
        for part, length in zip(self.parts, self.lengths, strict=True):
            rows = slice(start, start + length)
            codes, positions, times, weights = self.piece
            own = None if weights is None else weights[rows]
            yield part, Piece(codes[rows], positions[rows], times[rows], own)
            start += length


def pieces_of(trees: range, parts: list[int], *looks: Look) -> list[Share]:
    """What the parts of a worker give to some trees, put together so that it goes as one."""
    shares = []
    for t in trees:
        own = [look[1].trees[t] for look in looks]
        shares.append(Share(parts, [len(piece.codes) for piece in own], joined(own)))
    return shares


def grow_trees(
    growth: Growth, trees: range, held: np.ndarray, left_out: np.ndarray, *workers: list[Share]
) -> list[tuple[int, Grown, int]]:
    """What has grown of some samples, each with its number and how many bytes its rows were."""
    grown = []
    for t, tree in enumerate(trees):
        by_part = dict(own for shares in workers for own in shares[t].by_part())
        sample = joined([by_part[part] for part in sorted(by_part)])
        own = growth.grow(tree, [sample], held, left_out[t])
        grown.append((tree, own, sample.n_bytes))
    return grown
