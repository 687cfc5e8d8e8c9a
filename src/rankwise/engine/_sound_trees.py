"""Flat trees that came out of a file: what must hold before a kernel without bounds walks down them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.engine._targets import PAIRWISE
from rankwise.engine.kernels.tree_depths import tree_depths

if TYPE_CHECKING:
    from rankwise.engine._trees import Trees

# name -> dtypes, number of dimensions
_ARRAYS = {
    "feature": (("int32",), 1),
    "missing_left": (("uint8",), 1),
    "left": (("int32",), 1),
    "roots": (("int64",), 1),
    "depths": (("int64",), 1),
    "value_row": (("int32",), 1),
    "values": (("float32", "float64"), 2),
}
# Sums in another order may leave the range by a rounding error.
_SLACK = 1e-3


def check_trees(trees: Trees) -> None:
    """Refuse trees that a row could leave, walk round for ever, or end in without a value."""
    for name, (dtypes, n_dimensions) in _ARRAYS.items():
        _check_array(name, getattr(trees, name), dtypes, n_dimensions)
    n, roots = len(trees.feature), trees.roots
    of_nodes = ["missing_left", "left", "value_row"]
    if trees.boolean_thresholds is None:
        _check_array("own_threshold", trees.own_threshold, ("float64",), 1)
        of_nodes.append("own_threshold")
    else:
        _check_array("boolean_thresholds", trees.boolean_thresholds, ("float64",), 1)
        if trees.own_threshold is not None:
            raise ValueError("its trees are cut at thresholds of features and of nodes")
    for name in of_nodes:
        if len(getattr(trees, name)) != n:
            raise ValueError(f"its trees have {n} nodes, but {name} is of another length")
    if not len(roots) or roots[0] != 0 or roots[-1] >= n or (np.diff(roots) <= 0).any():
        raise ValueError("its trees do not follow one another")
    if len(trees.depths) != len(roots):
        raise ValueError("its trees have roots and depths of different number")
    inner = np.flatnonzero(trees.feature >= 0)
    _refuse(trees.feature < -1, "has a negative feature")
    ends = np.append(roots[1:], n)[np.searchsorted(roots, inner, side="right") - 1]
    left = trees.left[inner].astype(np.int64)
    _refuse(
        (left <= inner) | (left + 1 >= ends), "has a child outside its tree or before it", inner
    )
    times = np.bincount(np.concatenate([left, left + 1, roots]), minlength=n)
    _refuse(times != 1, "has no parent, or several")
    if trees.own_threshold is not None:
        _refuse(np.isnan(trees.own_threshold[inner]), "is cut at NaN", inner)
    rows = trees.value_row
    leaves = trees.feature < 0
    _refuse(leaves & ((rows < 0) | (rows >= len(trees.values))), "has a value that is not there")
    _refuse(~leaves & (rows != -1), "is cut and has a value all the same")
    # kernels add it to the number of a child
    _refuse(trees.missing_left > 1, "sends rows with a gap neither left nor right")
    if not np.isfinite(trees.values).all():
        raise ValueError("its trees hold values that are not finite")
    depths = np.empty(len(roots), dtype=np.int64)
    tree_depths(trees.feature, trees.left, roots, depths)
    if (depths != trees.depths).any():
        raise ValueError("its trees are not as deep as it says")


def check_tree_meaning(
    trees: Trees, n_features: int, n_labels: int, decomposition: str, keeps_ties: bool = False
) -> None:
    """Refuse trees that do not fit the features, the labels or the way they are put together."""
    if int(trees.feature.max()) >= n_features:
        raise ValueError(f"its trees ask for feature {trees.feature.max()} of {n_features}")
    thresholds = trees.boolean_thresholds
    if thresholds is not None and (len(thresholds) != n_features or np.isnan(thresholds).any()):
        raise ValueError("its trees of Boolean features have no threshold for each feature")
    n_pairs = n_labels * (n_labels - 1) // (1 if keeps_ties else 2)
    width = {"joint": n_labels, "joint_pairwise": n_pairs}.get(decomposition, 1)
    together = {"labelwise": n_labels, "pairwise": n_pairs}.get(decomposition, 1)
    n_rankings, rest = divmod(len(trees.roots), together)
    if trees.values.shape[1] != width or rest or not n_rankings:
        raise ValueError(f"its trees do not make {decomposition} rankings of {n_labels} labels")
    low, high = (-1, 1) if decomposition in PAIRWISE else (1, n_labels)
    if trees.values.min() < low - _SLACK or trees.values.max() > high + _SLACK:
        raise ValueError(f"its trees hold values outside {low} to {high}")


def _check_array(name: str, array: Any, dtypes: tuple[str, ...], n_dimensions: int) -> None:
    if not isinstance(array, np.ndarray):
        raise ValueError(f"its trees have no array {name}")
    fits = array.dtype.name in dtypes and array.ndim == n_dimensions
    if not fits or not array.flags.c_contiguous:
        raise ValueError(
            f"its trees have {name} as {array.ndim}-D {array.dtype}, not {n_dimensions}-D {dtypes[0]}"
        )


def _refuse(wrong: np.ndarray, what: str, nodes: np.ndarray | None = None) -> None:
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"its node {first if nodes is None else int(nodes[first])} {what}")
