"""Flat trees in a model file: what must hold before a kernel without bounds walks down them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.engine import Trees
from rankwise.models._errors import RefusedError
from rankwise.models._kernels import tree_depths

# name -> dtypes, number of dimensions
_ARRAYS = {
    "feature": (("int32",), 1),
    "threshold": (("float64",), 1),
    "missing_left": (("uint8",), 1),
    "left": (("int32",), 1),
    "roots": (("int64",), 1),
    "depths": (("int64",), 1),
    "value_row": (("int32",), 1),
    "values": (("float32", "float64"), 2),
}
# Sums in another order may leave the range by a rounding error.
_SLACK = 1e-3


def take_trees_apart(trees: Trees) -> dict[str, Any]:
    """Return the arrays of flat trees."""
    arrays = {name: getattr(trees, name) for name in _ARRAYS}
    return {**arrays, "boolean_thresholds": trees.boolean_thresholds}


def put_trees_together(state: dict[str, Any]) -> Trees:
    """Return flat trees of the arrays in a file; each has the dtype and shape that kernels expect."""
    if set(state) != {*_ARRAYS, "boolean_thresholds"}:
        raise RefusedError("its trees lack an array, or have one too many")
    for name, (dtypes, n_dimensions) in _ARRAYS.items():
        _check_array(name, state[name], dtypes, n_dimensions)
    if state["boolean_thresholds"] is not None:
        _check_array("boolean_thresholds", state["boolean_thresholds"], ("float64",), 1)
    return Trees(**state)


def check_trees(trees: Trees) -> None:
    """Refuse trees that a row could leave, walk round for ever, or end in without a value."""
    n, roots = len(trees.feature), trees.roots
    for name in ("threshold", "missing_left", "left", "value_row"):
        if len(getattr(trees, name)) != n:
            raise RefusedError(f"its trees have {n} nodes, but {name} is of another length")
    if not len(roots) or roots[0] != 0 or roots[-1] >= n or (np.diff(roots) <= 0).any():
        raise RefusedError("its trees do not follow one another")
    if len(trees.depths) != len(roots):
        raise RefusedError("its trees have roots and depths of different number")
    inner = np.flatnonzero(trees.feature >= 0)
    _refuse(trees.feature < -1, "has a negative feature")
    ends = np.append(roots[1:], n)[np.searchsorted(roots, inner, side="right") - 1]
    left = trees.left[inner].astype(np.int64)
    _refuse(
        (left <= inner) | (left + 1 >= ends), "has a child outside its tree or before it", inner
    )
    times = np.bincount(np.concatenate([left, left + 1, roots]), minlength=n)
    _refuse(times != 1, "has no parent, or several")
    _refuse(np.isnan(trees.threshold[inner]), "is cut at NaN", inner)
    leaves = np.flatnonzero(trees.feature < 0)
    rows = trees.value_row[leaves]
    _refuse((rows < 0) | (rows >= len(trees.values)), "has a value that is not there", leaves)
    if not np.isfinite(trees.values).all():
        raise RefusedError("its trees hold values that are not finite")
    depths = np.empty(len(roots), dtype=np.int64)
    tree_depths(trees.feature, trees.left, roots, depths)
    if (depths != trees.depths).any():
        raise RefusedError("its trees are not as deep as it says")


def check_tree_meaning(trees: Trees, n_features: int, n_labels: int, decomposition: str) -> None:
    """Refuse trees that do not fit the features, the labels or the way they are put together."""
    if int(trees.feature.max()) >= n_features:
        raise RefusedError(f"its trees ask for feature {trees.feature.max()} of {n_features}")
    thresholds = trees.boolean_thresholds
    if thresholds is not None and (len(thresholds) != n_features or np.isnan(thresholds).any()):
        raise RefusedError("its trees of Boolean features have no threshold for each feature")
    n_pairs = n_labels * (n_labels - 1) // 2
    width = {"labelwise": 1, "joint": n_labels, "pairwise": n_pairs}[decomposition]
    n_rankings, rest = divmod(len(trees.roots), n_labels if decomposition == "labelwise" else 1)
    if trees.values.shape[1] != width or rest or not n_rankings:
        raise RefusedError(f"its trees do not make {decomposition} rankings of {n_labels} labels")
    low, high = (-1, 1) if decomposition == "pairwise" else (1, n_labels)
    if trees.values.min() < low - _SLACK or trees.values.max() > high + _SLACK:
        raise RefusedError(f"its trees hold values outside {low} to {high}")


def _check_array(name: str, array: Any, dtypes: tuple[str, ...], n_dimensions: int) -> None:
    if not isinstance(array, np.ndarray):
        raise RefusedError(f"its trees have no array {name}")
    fits = array.dtype.name in dtypes and array.ndim == n_dimensions
    if not fits or not array.flags.c_contiguous:
        raise RefusedError(
            f"its trees have {name} as {array.ndim}-D {array.dtype}, not {n_dimensions}-D {dtypes[0]}"
        )


def _refuse(wrong: np.ndarray, what: str, nodes: np.ndarray | None = None) -> None:
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise RefusedError(f"its node {first if nodes is None else int(nodes[first])} {what}")
