"""Any ranker: what a feature does to the lead, by putting it into other rows.

A row of X becomes x one feature at a time, in random order; each change of the lead is credited to the
feature that was put in. Averages over many rows and orders estimate Shapley's values (Štrumbelj and
Kononenko's sampling). In each draw the changes add up to the lead at x minus that at the row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.explanations._paths import Credits
from rankwise.pairwise import PairwiseRanker

# Each row drawn is turned into x twice, in an order and in its reverse.
N_DRAWS = 50
# Rows of one call hold about this many cells.
CELLS = 1 << 20


def replacement_credits(model: Any, x: Any, a: int, b: int, X: Any) -> Credits:
    """Credit the lead of label a over label b at x to the features, against the rows of `X`."""
    return credit_changes(lambda rows: lead(model, rows, a, b), x, X)


def credit_changes(lead_of: Callable[[Any], np.ndarray], x: Any, X: Any) -> Credits:
    """Credit what a function says of the row x to the features, against the rows of `X`.

    Rows and orders are drawn from a fixed seed, so that the answer is always the same.
    """
    rng = np.random.default_rng(0)
    n, d = X.shape
    # a small X is used whole, as often as it takes
    drawn = np.resize(rng.permutation(n), N_DRAWS)
    there = [(row, rng.permutation(d)) for row in drawn]
    orders = [pair for row, order in there for pair in ((row, order), (row, order[::-1]))]
    together = max(1, CELLS // (d * (d + 1)))
    table = _with_last_row(X, x)
    base, by_feature = 0.0, np.zeros(d)
    for start in range(0, len(orders), together):
        batch = orders[start : start + together]
        sources = np.concatenate([_sources(row, n, order) for row, order in batch])
        leads = lead_of(_mixed(table, sources)).reshape(len(batch), d + 1)
        base += leads[:, 0].sum()
        for (_, order), steps in zip(batch, np.diff(leads, axis=1), strict=True):
            by_feature[order] += steps
    return Credits(base / len(orders), by_feature / len(orders))


def speaks_of_certainty(model: Any) -> bool:
    """Whether the lead is a certainty of the pair; else it is a difference of positions."""
    pairwise = getattr(model, "decomposition_", None) in ("pairwise", "joint_pairwise", "mixed")
    return pairwise or isinstance(model, PairwiseRanker)


def lead(model: Any, rows: Any, a: int, b: int) -> np.ndarray:
    """Position of b minus position of a, or the certainty of a before b minus 1/2."""
    if speaks_of_certainty(model):
        return np.asarray(model.predict_pairwise(rows))[:, a, b] - 0.5
    positions = np.asarray(model.predict_positions(rows))
    return positions[:, b] - positions[:, a]


def _sources(start: int, end: int, order: np.ndarray) -> np.ndarray:
    """From which row each cell comes on the way from row start to row end, (d + 1, d)."""
    is_replaced = np.argsort(order) < np.arange(len(order) + 1)[:, None]
    return np.where(is_replaced, end, start)


def _with_last_row(X: Any, x: Any) -> Any:
    if not hasattr(X, "iloc"):
        return np.concatenate([X, x])
    import pandas as pd

    row = x if hasattr(x, "iloc") else pd.DataFrame(x, columns=X.columns)
    return pd.concat([X, row], ignore_index=True)


def _mixed(table: Any, sources: np.ndarray) -> Any:
    """Rows whose cells come from the given rows of a table; columns keep their dtype."""
    if not hasattr(table, "iloc"):
        return table[sources, np.arange(table.shape[1])]
    import pandas as pd

    columns = [table.iloc[:, f].take(rows).array for f, rows in enumerate(sources.T)]
    return pd.DataFrame(dict(zip(table.columns, columns, strict=True)))
