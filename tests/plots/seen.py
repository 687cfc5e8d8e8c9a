"""What a picture shows, and the models that the pictures of these tests are of."""

from functools import cache

import numpy as np
import pandas as pd

import rankwise as rw

LONG = "variety number {} of the long-named trial"


def figure_of(ax):
    return ax.get_figure(root=True)


def _tick_labels(axis):
    low, high = sorted(axis.get_view_interval())
    marked = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
    return [label for place, label in marked if low <= place <= high]


def visible_texts(ax):
    """Texts of the picture, but for slanted ones, whose boxes overlap where their letters do not."""
    figure_of(ax).draw_without_rendering()
    ticks = [*_tick_labels(ax.xaxis), *_tick_labels(ax.yaxis)] if ax.axison else []
    all_texts = [*ticks, *ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label]
    return [t for t in all_texts if t.get_text() and t.get_visible() and t.get_rotation() % 90 == 0]


def misplaced(ax):
    """Texts that overlap, and those that reach beyond the figure by more than a pixel."""
    texts = visible_texts(ax)
    boxes = [text.get_window_extent() for text in texts]
    page = figure_of(ax).bbox
    overlapping = [
        (texts[i].get_text(), texts[j].get_text())
        for i in range(len(boxes))
        for j in range(i)
        if boxes[i].overlaps(boxes[j])
    ]
    cut_off = [
        text.get_text()
        for text, box in zip(texts, boxes, strict=True)
        if min(box.x0, box.y0) < -1 or box.x1 > page.width + 1 or box.y1 > page.height + 1
    ]
    return overlapping + cut_off


def names_of(k):
    return ["tea", "coffee", "water"] if k == 3 else [LONG.format(j) for j in range(k)]


@cache
def problem(k):
    rng = np.random.default_rng(k)
    X = pd.DataFrame(
        rng.integers(0, 2, (60, 6)).astype(float),
        columns=[f"temperature_of_zone_{f}_in_kelvin" for f in range(6)],
    )
    scores = X.to_numpy() @ rng.normal(size=(6, k)) + 0.3 * rng.normal(size=(60, k))
    Y = pd.DataFrame(np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0, columns=names_of(k))
    return X, Y


@cache
def model_of(k, kind):
    X, Y = problem(k)
    if kind == "forest":
        return rw.ForestRanker(5, random_state=0).fit(X, Y)
    if kind == "pairwise":
        return rw.ForestRanker(5, decomposition="joint_pairwise", random_state=0).fit(X, Y)
    if kind == "level":
        return rw.TreeRanker("level", max_splits=3, decomposition="joint").fit(X, Y)
    return rw.TreeRanker(decomposition=kind).fit(X, Y)
