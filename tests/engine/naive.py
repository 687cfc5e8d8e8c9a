"""Plain twins of growing and descending trees.

While a tree grows, targets[r] is a tuple of whole numbers, None where not seen; a direction is (feature,
threshold, side of missing values); counts[r] is how often row r was drawn, weights[r] its weight.
A finished tree is a list of nodes, (None, value) in a leaf, else (feature, threshold, left, right, whether
a missing value goes left).
"""

import itertools
import math
from fractions import Fraction

# A number of cuts that no tree makes.
UNLIMITED = 1 << 30


def _is_missing(value):
    return value != value


def cut_rows(X, rows, direction):
    """Rows on the left (at most the threshold) and on the right of a direction."""
    f, threshold, missing_left = direction
    sides = [], []
    for r in rows:
        goes_left = missing_left if _is_missing(X[r][f]) else X[r][f] <= threshold
        sides[0 if goes_left else 1].append(r)
    return sides


def directions_of(X, rows, larger_side, order=None):
    """Every direction with a value on both sides, by feature, missing right first, threshold.

    Where no row misses the feature, `larger_side(feature, threshold)` is where a gap would go.
    """
    for f in order or range(len(X[0])):
        values = sorted({float(X[r][f]) for r in rows if not _is_missing(X[r][f])})
        missing = any(_is_missing(X[r][f]) for r in rows)
        thresholds = [half_way(low, high) for low, high in itertools.pairwise(values)]
        if not missing:
            yield from ((f, t, larger_side(f, t)) for t in thresholds)
        elif values:
            yield from ((f, t, False) for t in [*thresholds, math.inf])
            yield from ((f, t, True) for t in thresholds)


def half_way(low, high):
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def weight_of(weights, r, o):
    """The weight of target o in row r: that of the row, or its own."""
    return weights[r][o] if isinstance(weights[r], tuple) else weights[r]


def explained(rows, targets, weights):
    """The part of the sum of squares that the means of a cell explain; V_n is its sum over cells / n."""
    total = Fraction(0)
    for o in range(len(targets[0])):
        seen = [r for r in rows if targets[r][o] is not None]
        if seen:
            s = sum(weight_of(weights, r, o) * targets[r][o] for r in seen)
            total += Fraction(s * s) / sum(weight_of(weights, r, o) for r in seen)
    return total


def nothing_left_to_learn(rows, targets):
    return all(len({targets[r][o] for r in rows} - {None}) <= 1 for o in range(len(targets[0])))


def first_best(gain_of):
    """The first key of the largest value, and that value; None of nothing."""
    best = max(gain_of.values(), default=None)
    return next(((key, gain) for key, gain in gain_of.items() if gain == best), None)


def _left_is_larger(X, rows, counts, f, threshold):
    left = sum(counts[r] for r in rows if X[r][f] <= threshold)
    return 2 * left >= sum(counts[r] for r in rows)


def breiman_cut(
    X, targets, counts, weights, rows, held, min_leaf, stop_when_pure=False, order=None
):
    """The direction of a node that maximises V_n^l, among those that keep enough on both sides.

    Of an honest tree the held rows are what fills the sides, and a threshold lies between any two
    values of either; unless `stop_when_pure`, the rows that choose may all be on one side.
    """
    gains, whole = {}, explained(rows, targets, weights)
    only_held_count = held is not None and not stop_when_pure
    seen = [*rows, *(held or ())]

    def larger_side(f, threshold):
        return _left_is_larger(X, rows, counts, f, threshold)

    for direction in directions_of(X, seen, larger_side, order):
        sides = cut_rows(X, rows, direction)
        filling = sides if held is None else cut_rows(X, held, direction)
        if not only_held_count and not all(sides):
            continue
        if all(sum(counts[r] for r in side) >= min_leaf for side in filling):
            gains[direction] = sum(explained(side, targets, weights) for side in sides) - whole
    return first_best(gains)


def breiman_tree(
    X,
    targets,
    counts,
    weights,
    rows,
    held=None,
    min_leaf=1,
    max_depth=math.inf,
    max_splits=math.inf,
    stop_when_pure=False,
    order=None,
):
    """Algorithm Breiman-Algo: nodes in the order they were made, each cut at its own best direction.

    Of equal directions that of the first feature in `order` is taken.
    Where nothing is left to learn a node is a leaf, but in an honest tree only with `stop_when_pure`.
    """
    may_stop = held is None or stop_when_pure
    root = {"rows": list(rows), "held": held, "depth": 0}
    queue, n_cuts = [root], 0
    while queue and n_cuts < max_splits:
        node = queue.pop(0)
        if node["depth"] >= max_depth:
            continue
        if may_stop and nothing_left_to_learn(node["rows"], targets):
            continue
        best = breiman_cut(
            X, targets, counts, weights, node["rows"], node["held"], min_leaf, stop_when_pure, order
        )
        if best is None:
            continue
        node["direction"], node["gain"] = best
        sides = cut_rows(X, node["rows"], best[0])
        filling = (None, None) if held is None else cut_rows(X, node["held"], best[0])
        node["children"] = [
            {"rows": own, "held": own_held, "depth": node["depth"] + 1}
            for own, own_held in zip(sides, filling, strict=True)
        ]
        queue += node["children"]
        n_cuts += 1
    return root


class Stream:
    """The xorshift64* generator of the kernels: 53 bits at a time."""

    def __init__(self, seed):
        self.state = seed | 1

    def next(self):
        x = self.state
        x ^= x >> 12
        x = (x ^ (x << 25)) % 2**64
        x ^= x >> 27
        self.state = x
        return x * 2685821657736338717 % 2**64 >> 11


def shuffled(d, stream):
    order = list(range(d))
    for i in range(d - 1):
        swap = i + stream.next() % (d - i)
        order[i], order[swap] = order[swap], order[i]
    return order


def _drawn_direction(X, rows, f, drawn):
    """A threshold uniform between the lowest and the highest value, and a side for gaps; or None."""
    values = [float(X[r][f]) for r in rows if not _is_missing(X[r][f])]
    missing = len(values) < len(rows)
    if not values or (min(values) == max(values) and not missing):
        return None
    low, high = min(values), max(values)
    if low == high:
        return f, math.inf, False
    share = drawn / 2**53
    threshold = low * (1 - share) + high * share
    if not low <= threshold < high:
        threshold = low
    return f, threshold, drawn % 2 == 0 if missing else None


def random_cut(X, targets, counts, weights, rows, held, min_leaf, stop_when_pure, features, n_drawn,
               stream, streams):  # fmt: skip
    """The best of one direction drawn at random for each of `n_drawn` features that can be cut.

    Features are drawn from one stream; each has its own for what it draws. Of those that gain the same the
    first one in turn is taken.
    """
    seen, d, gains = [*rows, *(held or ())], len(X[0]), {}
    directions = [_drawn_direction(X, seen, f, own.next()) for f, own in enumerate(streams)]
    competing, first = {f for f in range(d) if directions[f]}, stream.next() % d
    if n_drawn < d:
        tried = set()
        for i in range(d):
            if len(tried & competing) < n_drawn:
                swap = i + stream.next() % (d - i)
                features[i], features[swap] = features[swap], features[i]
                tried.add(features[i])
        competing &= tried
    for f in [*range(first, d), *range(first)]:
        direction = directions[f]
        if f not in competing:
            continue
        sides = cut_rows(X, rows, direction)
        filling = sides if held is None else cut_rows(X, held, direction)
        if held is not None and stop_when_pure and not all(sides):
            continue
        if all(sum(counts[r] for r in side) >= min_leaf for side in filling):
            gains[direction] = sum(explained(s, targets, weights) for s in sides) - explained(
                rows, targets, weights
            )
    best = first_best(gains)
    if best is None or best[0][2] is not None:
        return best
    (f, threshold, _), gain = best
    return (f, threshold, _left_is_larger(X, rows, counts, f, threshold)), gain


def random_tree(X, targets, counts, weights, rows, held, min_leaf, max_depth, max_splits,
                stop_when_pure, n_drawn, stream):  # fmt: skip
    """Extremely randomised trees (Geurts et al. 2006); the node made last is cut first, left before
    right, unless there is a budget of cuts, which is spent breadth first."""
    may_stop = held is None or stop_when_pure
    root = {"rows": list(rows), "held": held, "depth": 0}
    waiting, n_cuts, features = [root], 0, list(range(len(X[0])))
    with_budget = max_splits < UNLIMITED
    streams = [Stream(stream.next()) for _ in features]
    while waiting and n_cuts < max_splits:
        node = waiting.pop(0 if with_budget else -1)
        rows, held = node["rows"], node["held"]
        n_filling = sum(counts[r] for r in (rows if held is None else held))
        if node["depth"] >= max_depth or n_filling < 2 * min_leaf:
            continue
        if len([*rows, *(held or ())]) < 2 or (may_stop and nothing_left_to_learn(rows, targets)):
            continue
        best = random_cut(X, targets, counts, weights, rows, held, min_leaf, stop_when_pure,
                          features, n_drawn, stream, streams)  # fmt: skip
        if best is None:
            continue
        node["direction"], node["gain"] = best
        filling = (None, None) if held is None else cut_rows(X, held, best[0])
        node["children"] = [
            {"rows": own, "held": own_held, "depth": node["depth"] + 1}
            for own, own_held in zip(cut_rows(X, rows, best[0]), filling, strict=True)
        ]
        waiting += node["children"] if with_budget else node["children"][::-1]
        n_cuts += 1
    return root


def level_directions(X, targets, counts, weights, rows, held=None, max_levels=math.inf):
    """Algorithm LevelSplits-Algo, its directions: each maximises V_n(S + {i}); with their gains.

    Where only held rows miss a feature they go to the larger side; None where no row misses it.
    """

    def larger_side(f, threshold):
        if any(_is_missing(X[r][f]) for r in rows):
            return False
        if any(_is_missing(X[r][f]) for r in held or ()):
            return _left_is_larger(X, rows, counts, f, threshold)
        return None

    cells, chosen = [list(rows)], []
    while len(chosen) < max_levels:
        cells_left = [c for c in cells if not nothing_left_to_learn(c, targets)]
        now = sum(explained(c, targets, weights) for c in cells_left)
        gains = {}
        for direction in directions_of(X, [r for c in cells_left for r in c], larger_side):
            cut = [cut_rows(X, c, direction) for c in cells_left]
            if any(left and right for left, right in cut):
                after = sum(explained(side, targets, weights) for both in cut for side in both)
                gains[direction] = after - now
        if not gains:
            break
        chosen.append(first_best(gains))
        cells = [side for c in cells for side in cut_rows(X, c, chosen[-1][0]) if side]
    return chosen


def level_tree(X, counts, rows, directions, min_leaf=1, depth=0):
    """Algorithm LevelSplits-Algo, its tree: a cell is cut only where both sides keep enough rows."""
    node = {"rows": list(rows), "held": None, "depth": depth}
    for level, direction in enumerate(directions):
        sides = cut_rows(X, rows, direction)
        if all(sum(counts[r] for r in side) >= min_leaf for side in sides):
            f, threshold, side = direction
            if side is None:
                side = _left_is_larger(X, rows, counts, f, threshold)
            node["direction"] = f, threshold, side
            node["children"] = [
                level_tree(X, counts, side, directions[level + 1 :], min_leaf, depth + 1)
                for side in sides
            ]
            break
    return node


def cell_means(node, targets, weights, above):
    """Mean of each target in a cell; what the cell never saw it takes from the cell `above`."""
    filling = node["rows"] if node["held"] is None else node["held"]
    means = []
    for o, inherited in enumerate(above):
        seen = [r for r in filling if targets[r][o] is not None]
        n = sum(weight_of(weights, r, o) for r in seen)
        means.append(
            Fraction(sum(weight_of(weights, r, o) * targets[r][o] for r in seen)) / n
            if seen
            else inherited
        )
    return means


def next_node(node, x):
    feature, threshold, left, right, missing_left = node
    goes_left = missing_left if _is_missing(x[feature]) else x[feature] <= threshold
    return left if goes_left else right


def nodes_passed(tree, x, root=0):
    passed = [root]
    while tree[passed[-1]][0] is not None:
        passed.append(next_node(tree[passed[-1]], x))
    return passed
