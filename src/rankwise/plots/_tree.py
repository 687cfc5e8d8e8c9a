"""A drawing of one tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankwise._canvas import (
    COLOURS,
    get_axes,
    plain,
    room_for,
    rounded,
    shorten,
    shorten_all,
    text_colour,
)
from rankwise._fitted import check_ranker, checked_rows, feature_names, find_label, label_texts
from rankwise._naming import list_some
from rankwise._parameters import check_integer
from rankwise.plots._models import is_of_trees
from rankwise.ranker import positions_by_pairwise, ranks_with_ties

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

# Labels that a leaf lists.
MOST_LABELS = 4
# Space around a text in its box, in font sizes.
PAD = 0.35
FONT_SIZES = (10, 9, 8, 7, 6, 5, 4)
# Names are cut to the first of these lengths that leaves letters of a readable size, or to the last.
NAME_LENGTHS, READABLE = (40, 24, 16), 8
# Boxes side by side that a picture can hold.
MOST_LEAVES = 64


@dataclass(frozen=True)
class Node:
    """A node as drawn; `x` counts the boxes without children from the left."""

    x: float
    depth: int
    text: str
    kind: str  # "cut", "leaf" or "more"
    winner: int = -1  # the label that comes first in a leaf
    children: tuple[Node, ...] = ()

    def all(self) -> list[Node]:
        """The box itself and all below it."""
        return [self, *(box for child in self.children for box in child.all())]


def draw_tree(
    model: Any,
    label: Any = None,
    max_depth: int = 3,
    ax: Axes | None = None,
    *,
    X: ArrayLike | None = None,
    tree: int = 0,
) -> Axes:
    r"""Draw a tree: its cuts, and what its leaves predict.

    Rows that answer a cut with yes go left. Where a value is missing, the cut sends it to the side
    that it learned, which is not shown.

    Parameters
    ----------
    model : TreeRanker or ForestRanker
        A fitted model.
    label : label, optional
        Whose position to show. Labelwise models need it, as each label has its own tree; else leaves
        list the labels with their mean positions, the first on top; one that is predicted as tied with
        the label above it has a "~".
    max_depth : int, default=3
        Cuts below are not drawn, and the picture says so.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    X : array-like of shape (n_samples, n_features), optional
        The training rows: each box then says how many of them come to it and, where the tree is about
        all labels, which label comes first among these.
    tree : int, default=0
        Which tree of a forest.

    Returns
    -------
    matplotlib Axes
        Leaves about all labels with the same label in front have frames of the same colour.

    Examples
    --------
    >>> import rankwise as rw
    >>> from rankwise.plots import draw_tree
    >>> data = rw.datasets.load("solvents")
    >>> model = rw.TreeRanker(max_depth=2).fit(data.X, data.Y)
    >>> ax = draw_tree(model, X=data.X)
    >>> ax.texts[0].get_text()
    '80 rows, toluene first\ntemperature\n≤ 70?'
    """
    check_ranker(model)
    # a forest that mixes trees has its trees about whole rankings last
    model = model._members[-1] if is_of_trees(model) else model
    column, number = _check(model, label, max_depth, tree)
    n_leaves, depth = _size(model._trees, int(model._trees.roots[number]))
    values = _leaf_positions(model, column)
    counts = None if X is None else _rows_of_nodes(model, number, X)

    def boxes_with(length: int) -> list[Node]:
        return _boxes(model, number, values, int(max_depth), counts, length).all()

    boxes = boxes_with(NAME_LENGTHS[0])
    root = boxes[0]
    width = 1 + max(box.x for box in boxes)
    lines = [line for box in boxes for line in box.text.split("\n")]
    ax = get_axes(
        ax,
        float(np.clip((1.7 + room_for(lines)) * width, 5, 16)),
        1.2 + 1.15 * (1 + min(depth, max_depth)),
    )
    ax.set_axis_off()
    ax.set_xlim(-0.5, width - 0.5)
    ax.set_ylim(max(box.depth for box in boxes) + 0.5, -0.5)
    texts = [_draw_box(ax, box) for box in boxes]
    if root.children:
        _answer(ax, root)
    label = None if column is None else shorten(label_texts(model)[column])
    what = "Mean positions" if label is None else f"Position of {label}"
    drawn = sum(box.kind == "leaf" for box in boxes)
    cut = f"\ncut at depth {max_depth} of {depth}: {drawn} of {n_leaves} leaves are shown"
    ax.set_title(plain(what + (cut if depth > max_depth else "")), fontsize=10)
    _fit_names(ax, texts, boxes_with)
    return ax


def _check(model: Any, label: Any, max_depth: int, tree: int) -> tuple[int | None, int]:
    """The column of the label and the number of the tree among all trees of the model."""
    if not is_of_trees(model):
        raise TypeError(
            f"draw_tree draws TreeRanker and ForestRanker, got {type(model).__name__}, which has no "
            "tree of this package"
        )
    if model.decomposition_ == "pairwise":
        raise ValueError(
            "each tree of this model is about one pair of labels, and none about a ranking: fit it "
            "with decomposition='joint_pairwise' to draw one"
        )
    check_integer("max_depth", max_depth, 0)
    check_integer("tree", tree, 0, model._n_rankings() - 1)
    column = None if label is None else find_label(model, label, "label")
    if model.decomposition_ != "labelwise":
        return column, int(tree)
    if column is None:
        raise ValueError(
            "each label of this model has its own tree: pass label, one of "
            f"{list_some(map(str, model.labels_), 12)}"
        )
    return column, int(tree) * model.n_labels_ + column


def _leaf_positions(model: Any, column: int | None) -> np.ndarray:
    """Mean positions in each leaf: of one label (n_leaves, 1), or of all."""
    values = model._trees.values
    if model._compares:
        values = positions_by_pairwise(model._shares_of(values.astype(np.float64)))
    return values if column is None or values.shape[1] == 1 else values[:, [column]]


def _leaf_ranks(model: Any) -> np.ndarray | None:
    """What each leaf predicts, where predictions have ties and ask no other tree."""
    threshold = getattr(model, "ties_", None)
    if threshold is None or model.decomposition_ == "labelwise" or model._n_rankings() > 1:
        return None
    values = model._trees.values.astype(np.float64)
    return ranks_with_ties(model._ranks_of(values), model._before_of(values), threshold)


def _rows_of_nodes(model: Any, number: int, X: ArrayLike) -> dict[int, int]:
    """How many rows come to each node of one tree."""
    trees, found = model._trees, {}
    leaves, n = np.unique(
        trees.leaves(np.asarray(checked_rows(model, X), dtype=np.float64))[number],
        return_counts=True,
    )
    at_leaf = dict(zip(leaves.tolist(), n.tolist(), strict=True))

    def count(node: int) -> int:
        if trees.feature[node] < 0:
            found[node] = at_leaf.get(node, 0)
        else:
            left = int(trees.left[node])
            found[node] = count(left) + count(left + 1)
        return found[node]

    count(int(trees.roots[number]))
    return found


def _boxes(
    model: Any,
    number: int,
    values: np.ndarray,
    max_depth: int,
    counts: dict[int, int] | None,
    length: int,
) -> Node:
    """What is drawn of a tree, from its root; names have so many letters at most."""
    trees = model._trees
    ranks = _leaf_ranks(model)
    names = shorten_all(feature_names(model), length)
    labels = shorten_all(label_texts(model), length)
    root = int(trees.roots[number])
    n_side_by_side, _ = _size(trees, root, max_depth)
    if n_side_by_side > MOST_LEAVES:
        raise ValueError(
            f"down to depth {max_depth} this tree has {n_side_by_side} boxes side by side, and a "
            f"picture holds {MOST_LEAVES}; lower max_depth"
        )
    free = 0

    def total(node: int) -> np.ndarray:
        """Positions summed up over the rows that come to a node."""
        if trees.feature[node] < 0:
            return (counts or {}).get(node, 0) * values[trees.value_row[node]]
        left = int(trees.left[node])
        return np.asarray(total(left) + total(left + 1))

    def about(node: int) -> str:
        """How many rows come to a node, and which label is first among them."""
        if counts is None:
            return ""
        n = counts[node]
        rows = f"{n:,} row{'s' * (n != 1)}"
        if not n or values.shape[1] == 1 or trees.feature[node] < 0:
            return f"{rows}\n"
        return f"{rows}, {labels[_first(total(node) / n)]} first\n"

    def box_of(node: int, depth: int) -> Node:
        nonlocal free
        if trees.feature[node] < 0 or depth == max_depth:
            free += 1
            if trees.feature[node] >= 0:
                n_leaves, _ = _size(trees, node)
                return Node(free - 1, depth, f"…\n{about(node)}{n_leaves} leaves", "more")
            row = trees.value_row[node]
            leaf = values[row]
            winner = _first(leaf) if len(leaf) > 1 else -1
            text = _leaf_text(leaf, labels, None if ranks is None else ranks[row])
            return Node(free - 1, depth, about(node) + text, "leaf", winner)
        left = int(trees.left[node])
        children = (box_of(left, depth + 1), box_of(left + 1, depth + 1))
        text = about(node) + _cut_text(names[trees.feature[node]], float(trees.threshold[node]))
        place = (children[0].x + children[1].x) / 2
        return Node(place, depth, text, "cut", children=children)

    return box_of(root, 0)


def _first(positions: np.ndarray) -> int:
    return int(np.argmin(np.round(positions, 9)))


def _size(trees: Any, node: int, max_depth: float = np.inf) -> tuple[int, int]:
    """How many leaves are below a node, and how deep the deepest is, if growth ended at max_depth."""
    level, n_leaves, depth = np.array([node]), 0, 0
    while True:
        inner = level[trees.feature[level] >= 0]
        if depth == max_depth or not len(inner):
            return n_leaves + len(level), depth
        n_leaves += len(level) - len(inner)
        level, depth = np.concatenate([trees.left[inner], trees.left[inner] + 1]), depth + 1


def _cut_text(feature: str, threshold: float) -> str:
    # a cut between known and missing values has its threshold at infinity
    question = f"≤ {rounded(threshold)}?" if np.isfinite(threshold) else "is known?"
    return f"{feature}\n{question}"


def _leaf_text(positions: np.ndarray, labels: list[str], ranks: np.ndarray | None) -> str:
    if len(positions) == 1:
        return f"position\n{positions[0]:.2f}"
    order = np.argsort(np.round(positions, 9), kind="stable")
    if ranks is not None:
        order = order[np.argsort(ranks[order], kind="stable")]
    shown = order if len(order) <= MOST_LABELS + 1 else order[:MOST_LABELS]
    lines = [f"{labels[j]} {positions[j]:.1f}" for j in shown]
    if ranks is not None:
        is_tied = np.diff(ranks[shown], prepend=0) == 0
        lines = [f"~ {line}" if tied else line for line, tied in zip(lines, is_tied, strict=True)]
    more = len(order) - len(shown)
    return "\n".join([*lines, f"… {more} more"] if more else lines)


def _draw_box(ax: Axes, box: Node) -> Text:
    for child in box.children:
        line = ([box.x, child.x], [box.depth, child.depth])
        ax.plot(*line, color=COLOURS[5], linewidth=1, zorder=1)
    colour = {"cut": COLOURS[5], "leaf": COLOURS[2], "more": COLOURS[5]}[box.kind]
    if box.winner >= 0:
        colour = COLOURS[box.winner % (len(COLOURS) - 1)]
    frame: dict[str, Any] = {
        "boxstyle": f"round,pad={PAD}",
        "facecolor": ax.get_facecolor(),
        "edgecolor": colour,
        "linestyle": "--" if box.kind == "more" else "-",
        "linewidth": 1.0 if box.kind == "cut" else 1.8,
    }
    # boxes are fitted to the Axes, not the Axes to the boxes
    place: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 3, "in_layout": False}
    return ax.text(box.x, box.depth, plain(box.text), bbox=frame, **place)


def _answer(ax: Axes, root: Node) -> None:
    """Say on the first two branches which way is yes."""
    for child, answer in zip(root.children, ("yes", "no"), strict=True):
        ax.text(
            (root.x + child.x) / 2, (root.depth + child.depth) / 2, answer, ha="center",
            va="center", fontsize=8, color=text_colour(), zorder=2,
            bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 1},
        )  # fmt: skip


def _fit_names(ax: Axes, texts: list[Text], boxes_with: Callable[[int], list[Node]]) -> None:
    """Cut names no more than letters of a readable size ask for."""
    figure: Any = ax.get_figure(root=True)
    figure.draw_without_rendering()  # settles where the Axes are
    for length in NAME_LENGTHS:
        for text, box in zip(texts, boxes_with(length), strict=True):
            text.set_text(plain(box.text))
        is_last = length == NAME_LENGTHS[-1]
        sizes = [size for size in FONT_SIZES if is_last or size >= READABLE]
        if _shrink_to_fit(figure, texts, sizes):
            return


def _shrink_to_fit(figure: Any, texts: list[Text], sizes: Sequence[float]) -> bool:
    """Find the largest font with which no two boxes overlap; False where even the smallest is too large."""
    page = figure.bbox
    for size in sizes:
        for text in texts:
            text.set_fontsize(size)
        padding = (PAD + 0.1) * size * figure.dpi / 72
        boxes = [text.get_window_extent().padded(padding) for text in texts]
        inside = all(page.x0 <= box.x0 and box.x1 <= page.x1 for box in boxes)
        if inside and not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]):
            return True
    return False
