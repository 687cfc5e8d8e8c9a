"""Plain twins of what readers make of orders and of runs of solvers."""

import math
import statistics


def positions_of_order(order):
    """Position of each label, from the labels in order of position; both start at 1."""
    return [order.index(label) + 1 for label in range(1, len(order) + 1)]


def ranks_of_runs(runs, algorithms, maximize):
    """Ranks of algorithms from (algorithm, performance, status) of one instance; failures last."""
    keys = {}
    for algorithm in algorithms:
        own = [(value, status) for name, value, status in runs if name == algorithm]
        good = [value for value, status in own if status == "ok"]
        if not own:
            keys[algorithm] = None
        elif len(own) - len(good) >= len(good):
            keys[algorithm] = (1, 0.0)
        else:
            mean = sum(good) / len(good)
            keys[algorithm] = (0, -mean if maximize else mean)
    seen = sorted({key for key in keys.values() if key is not None})
    return [float("nan") if keys[a] is None else seen.index(keys[a]) + 1 for a in algorithms]


def merged(measured, how):
    """Of each cell the mean or median of what was measured, its deviation, and how often it was."""
    result = {}
    for cell in {cell for cell, _ in measured}:
        values = [value for other, value in measured if other == cell and value == value]
        centre = getattr(statistics, how)(values) if values else math.nan
        spread = statistics.stdev(values) if len(values) > 1 else math.nan
        result[cell] = {"value": centre, "spread": spread, "count": len(values)}
    return result


def pooled(measured):
    """Root of the squared distances from the mean of a cell, over all degrees of freedom."""
    squares, free = 0.0, 0
    for cell in {cell for cell, _ in measured}:
        values = [value for other, value in measured if other == cell and value == value]
        if len(values) > 1:
            squares += (len(values) - 1) * statistics.variance(values)
            free += len(values) - 1
    return math.sqrt(squares / free) if free else math.nan
