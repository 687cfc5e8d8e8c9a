"""Which labels meet: the comparison graph, its components, and the consensus that it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise._arguments import check_arguments
from rankwise.consensus import borda_batch, pairwise_matrix
from rankwise.metrics import kendall_tau

Matrix = NDArray[np.float64]
Names = tuple[str, ...]


@check_arguments
@dataclass(frozen=True)
class Comparisons:
    """How labels are compared with each other.

    Attributes
    ----------
    never_together : tuple of pairs of str
        Pairs of labels that no row observes together.
    only_tied : tuple of pairs of str
        Pairs that meet, but are tied in every row.
    groups : tuple of tuples of str
        Weak components: labels of different groups are not linked by any chain of comparisons.
    tiers : tuple of tuples of str
        Strong components, best first within a group: within a tier every label is ahead of every
        other by some chain of comparisons; no row puts a label of a later tier before an earlier
        one.
    consensus : dict of str to int
        Borda rank of every label.
    consensus_tau : float or None
        Mean Kendall tau of this one ranking with all rows: what is reached without features.
    """

    never_together: tuple[tuple[str, str], ...]
    only_tied: tuple[tuple[str, str], ...]
    groups: tuple[Names, ...]
    tiers: tuple[Names, ...]
    consensus: dict[str, int]
    consensus_tau: float | None


def compare_labels(ranks: Matrix, names: Sequence[str]) -> Comparisons:
    """Build the comparison graph of checked ranks.

    Examples
    --------
    Nobody ranks water:

    >>> ranks = np.array([[1.0, 2.0, np.nan], [2.0, 1.0, np.nan]])
    >>> compare_labels(ranks, ["tea", "coffee", "water"]).groups
    (('tea', 'coffee'), ('water',))
    """
    observed = ~np.isnan(ranks)
    # float32 counts are exact up to 2**24 rows per block and multiply fast.
    together = np.zeros((ranks.shape[1], ranks.shape[1]))
    for start in range(0, len(ranks), 1 << 16):
        block = observed[start : start + (1 << 16)].astype(np.float32)
        together += block.T @ block
    useful = ranks[observed.sum(axis=1) > 1]
    before = np.zeros_like(together)
    if len(useful):
        share, weight = pairwise_matrix(useful, return_weights=True)
        before = np.nan_to_num(share) * weight
    compared = before + before.T
    upper = np.triu(np.ones_like(together, dtype=bool), 1)
    consensus = borda_batch(before[None])[0]
    tau = None
    if compared.any():
        tau = float(kendall_tau(useful, np.broadcast_to(consensus.astype(float), useful.shape)))
    return Comparisons(
        never_together=_pairs(upper & (together == 0), names),
        only_tied=_pairs(upper & (together > 0) & (compared == 0), names),
        groups=_components(before, names, "weak"),
        tiers=_components(before, names, "strong"),
        consensus={name: int(rank) for name, rank in zip(names, consensus, strict=True)},
        consensus_tau=tau,
    )


def _pairs(cells: NDArray[np.bool_], names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((names[i], names[j]) for i, j in np.argwhere(cells))


def _components(before: Matrix, names: Sequence[str], connection: str) -> tuple[Names, ...]:
    # Imported here: only this function needs it, and it is slow to load.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n_found, component = connected_components(
        csr_array(before > 0), directed=True, connection=connection
    )
    members = sorted(
        (np.flatnonzero(component == c) for c in range(n_found)), key=lambda labels: labels[0]
    )
    if connection == "strong":
        # A label of an earlier tier reaches more labels; reachability sorts tiers topologically.
        reach = (before > 0) | np.eye(len(names), dtype=bool)
        for middle in range(len(names)):
            reach |= reach[:, middle, None] & reach[middle]
        members.sort(key=lambda labels: -int(reach[labels[0]].sum()))
    return tuple(tuple(names[int(j)] for j in labels) for labels in members)
