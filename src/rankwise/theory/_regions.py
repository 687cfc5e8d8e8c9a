"""Regions of the feature space that differ in some outcome, described by features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._observations import Observations, halves


@dataclass(frozen=True)
class Regions:
    """The region of each row, and each region in words."""

    of_row: NDArray[np.int64]
    texts: list[str]


def find_regions(
    data: Observations,
    outcome: NDArray[np.float64],
    rows: NDArray[np.int64],
    most: int,
    rng: np.random.Generator,
    least_rows: int = 20,
) -> Regions:
    """Cut the space by a shallow tree on `rows`, as finely as a part of them confirms.

    Examples
    --------
    >>> from rankwise.theory._observations import observe
    >>> X = np.arange(400.0).reshape(-1, 1)
    >>> outcome = (X > 200) * 1.0
    >>> found = find_regions(observe(X), outcome, np.arange(400), 8, np.random.default_rng(0))
    >>> len(found.texts)
    2
    """
    # Imported here: it takes longer to load than the rest of this package.
    from sklearn.tree import DecisionTreeRegressor

    X = _ordinal(data.X)
    filled = np.where(np.isfinite(outcome), outcome, 0.0)

    def grown(rows: NDArray[np.int64], leaves: int, least: int) -> Any:
        tree = DecisionTreeRegressor(max_leaf_nodes=leaves, min_samples_leaf=least, random_state=0)
        return tree.fit(X[rows], filled[rows])

    grow, test = (rows[half] for half in halves(len(rows), rng))
    best_leaves = 1
    best_error = float(((filled[test] - filled[grow].mean(axis=0)) ** 2).sum(axis=1).mean())
    leaves = 2
    while leaves <= most:
        tree = grown(grow, leaves, max(5, least_rows // 2))
        predicted = tree.predict(X[test]).reshape(len(test), -1)
        error = float(((filled[test] - predicted) ** 2).sum(axis=1).mean())
        # Rounding alone is no improvement.
        if error < best_error * (1 - 1e-6):
            best_leaves, best_error = leaves, error
        elif leaves >= 4 * best_leaves:
            break
        leaves *= 2
    if best_leaves == 1:
        return Regions(np.zeros(len(X), dtype=np.int64), ["everywhere"])
    tree = grown(rows, best_leaves, least_rows)
    nodes, of_row = np.unique(tree.apply(X), return_inverse=True)
    texts = _texts(tree.tree_, data)
    return Regions(of_row.astype(np.int64), [texts[node] for node in nodes])


def _ordinal(X: NDArray[Any]) -> NDArray[np.float32]:
    """Replace values by their place in order: trees work in single precision, values need more."""
    if X.dtype == bool:
        return X.astype(np.float32)
    places = np.empty(X.shape, dtype=np.float32)
    for i in range(X.shape[1]):
        places[:, i] = np.unique(X[:, i], return_inverse=True)[1]
    return places


def _texts(tree: Any, data: Observations) -> dict[int, str]:
    """Say for every leaf which values of which features lead to it."""
    texts = {}
    stack: list[tuple[int, dict[tuple[int, str], float]]] = [(0, {})]
    while stack:
        node, limits = stack.pop()
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            texts[node] = " and ".join(_text(data, i, side, x) for (i, side), x in limits.items())
            texts[node] = f"where {texts[node]}" if limits else "everywhere"
            continue
        i, x = int(tree.feature[node]), float(tree.threshold[node])
        # A later limit on the same side is the tighter one.
        stack.append((left, {**limits, (i, "<="): x}))
        stack.append((right, {**limits, (i, ">"): x}))
    return texts


def _text(data: Observations, i: int, side: str, x: float) -> str:
    name = data.feature_names[i]
    values = np.unique(data.X[:, i])
    if values.dtype == bool or set(values) <= {0, 1}:
        return f"{name} = {int(side == '>')}"
    below, above = float(values[int(x)]), float(values[int(x) + 1])
    return f"{name} {side} {below / 2 + above / 2:.4g}"
