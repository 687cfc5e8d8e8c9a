"""Pair lists: one line per comparison, the better label and the worse one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise.rankings._columns import named_frame, read_column, read_ids, read_labels, read_table
from rankwise.rankings._labels import check_labels
from rankwise.rankings._long import named_ranks


@check_arguments
def ranks_from_pairs(
    table: Any,
    *,
    row: Any = "row",
    better: Any = "better",
    worse: Any = "worse",
    labels: Sequence[Any] | None = None,
    split: bool = False,
) -> Any:
    """Turn a list of comparisons into ranks.

    The comparisons of a row, with all that follows from them, must amount to a ranking with ties:
    labels that they never relate become tied only where no other order is thereby invented.

    Parameters
    ----------
    table : DataFrame, dict of columns, or list of dicts
        One line per comparison. Lines may repeat.
    row, better, worse : column name
        The columns of the row and of its two labels.
    labels : sequence, optional
        All labels, in the order of the columns wanted. By default those found, naturally sorted.
    split : bool
        Whether to give one row of ranks per comparison instead, its row id repeated; any
        comparisons will do then, also contradictory ones.

    Returns
    -------
    DataFrame of shape (n_samples, n_labels)
        Row ids in order of appearance; labels that a row never compares are missing.

    Examples
    --------
    >>> table = {"row": [7, 7], "better": ["tea", "tea"], "worse": ["coffee", "water"]}
    >>> ranks_from_pairs(table)
         coffee  tea  water
    row
    7       2.0  1.0    2.0
    """
    frame = read_table(table)
    ids_column = read_column(frame, row, "row")
    codes, ids = read_ids(ids_column, "row id")
    sides = [read_column(frame, better, "better"), read_column(frame, worse, "worse")]
    (winners, losers), names = read_labels(sides, ["better label", "worse label"], labels)
    _check_two_labels(winners, losers, codes, ids, names)
    if split:
        lines = np.arange(len(winners))
        ranks = np.full((len(lines), len(names)), np.nan)
        ranks[lines, winners] = 1
        ranks[lines, losers] = 2
        return named_frame(ranks, ids_column, names, row_name=row)
    ranks = np.full((len(ids), len(names)), np.nan)
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(ids)))
    for i, lines in enumerate(np.split(order, ends[:-1])):
        above = _labels_above(winners[lines].tolist(), losers[lines].tolist(), ids[i], names)
        _check_weak_order(above, ids[i], names)
        levels = sorted({mask.bit_count() for mask in above.values()})
        for j, mask in above.items():
            ranks[i, j] = levels.index(mask.bit_count()) + 1
    return named_frame(ranks, ids, names, row_name=row)


@check_arguments
def pairs_from_ranks(
    ranks: Any,
    labels: Sequence[Any] | None = None,
    *,
    row: Any = "row",
    better: Any = "better",
    worse: Any = "worse",
) -> Any:
    """Turn ranks into the list of all comparisons that they hold.

    Parameters
    ----------
    ranks : array-like of shape (n_samples, n_labels)
        As `check_rankings` takes them. Tied and missing labels are not compared.
    labels : sequence, optional
        Label names; by default the columns of a DataFrame, else 0, 1, ...
    row, better, worse : column name
        What to call the columns of the table.

    Returns
    -------
    DataFrame with columns `row`, `better` and `worse`

    Examples
    --------
    >>> pairs_from_ranks([[2, 1, 2]], labels=["coffee", "tea", "water"])
       row better   worse
    0    0    tea  coffee
    1    0    tea   water
    """
    # Imported here: only a table with named columns needs pandas.
    import pandas as pd

    check_labels([row, better, worse], "the column names")
    matrix, ids, names = named_ranks(ranks, labels)
    rows, winners, losers = np.nonzero(matrix[:, :, None] < matrix[:, None, :])
    return pd.DataFrame({row: ids[rows], better: names[winners], worse: names[losers]})


def _check_two_labels(
    winners: np.ndarray, losers: np.ndarray, codes: np.ndarray, ids: list[Any], labels: list[Any]
) -> None:
    same = np.flatnonzero(winners == losers)
    if same.size:
        line = int(same[0])
        label = labels[winners[line]]
        raise ValueError(
            f"table, row {ids[codes[line]]!r}: {label} > {label} (line {line}) compares a label "
            "with itself; drop the line"
        )


def _labels_above(
    winners: list[int], losers: list[int], row_id: Any, labels: list[Any]
) -> dict[int, int]:
    """Return, for each label, the set of labels above it as the bits of an integer.

    Labels are settled from the top, each once all labels directly above it are (Kahn's algorithm).
    """
    parents: dict[int, set[int]] = {j: set() for j in winners}
    children: dict[int, list[int]] = {}
    for a, b in set(zip(winners, losers, strict=True)):
        parents.setdefault(b, set()).add(a)
        children.setdefault(a, []).append(b)
    waiting = {j: len(above) for j, above in parents.items()}
    ready = [j for j, count in waiting.items() if count == 0]
    above: dict[int, int] = {}
    while ready:
        j = ready.pop()
        above[j] = 0
        for a in parents[j]:
            above[j] |= above[a] | 1 << a
        for b in children.get(j, ()):
            waiting[b] -= 1
            if waiting[b] == 0:
                ready.append(b)
    if len(above) < len(parents):
        cycle = _find_cycle({j: p - above.keys() for j, p in parents.items() if j not in above})
        raise ValueError(
            f"table, row {row_id!r}: {' > '.join(str(labels[j]) for j in cycle)} is a cycle, so no "
            "ranking agrees with it; drop a comparison, or use split=True to keep each on its own"
        )
    return above


def _find_cycle(parents: dict[int, set[int]]) -> list[int]:
    """Walk upwards until a label comes back; every label here has a label above it."""
    j = min(parents)
    walk: list[int] = []
    while j not in walk:
        walk.append(j)
        j = min(parents[j])
    cycle = walk[walk.index(j) :][::-1]
    start = cycle.index(min(cycle))
    return [*cycle[start:], *cycle[: start + 1]]


def _check_weak_order(above: dict[int, int], row_id: Any, labels: list[Any]) -> None:
    # A partial order is a ranking with ties exactly where every label has above it all labels that
    # have fewer labels above them than it has.
    for j, mask in above.items():
        for other, other_mask in above.items():
            if other_mask.bit_count() < mask.bit_count() and not mask >> other & 1:
                raise ValueError(
                    f"table, row {row_id!r}: labels {labels[other]!r} and {labels[j]!r} were never "
                    "related, and a ranking would invent an order; add comparisons, or use "
                    "split=True for one row per comparison"
                )
