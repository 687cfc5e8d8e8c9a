"""Jitted loops of Kemeny's rule: majority orders, programming over subsets, insertion search.

All of them work on costs: ``costs[i, j]`` is what an order pays for putting i before j beyond
the unavoidable, i.e. the margin by which j beats i, and 0 where i beats j or ties with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise._intrinsics import popcount
from rankwise._jit import jit
from rankwise.consensus._kernels import TIE

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Insertion search improves in every pass and ends by itself; this guards against slow creeping.
MAX_PASSES = 1000


@jit
def pair_costs(support: Floats, costs: Floats) -> None:
    """Fill `costs` from one problem's support (k, k)."""
    k = support.shape[0]
    for i in range(k):
        costs[i, i] = 0.0
        for j in range(k):
            margin = support[j, i] - support[i, j]
            # NaN (never compared) fails this test: such a pair costs nothing either way.
            strict = margin > TIE * (support[j, i] + support[i, j])
            costs[i, j] = margin if i != j and strict else 0.0


@jit
def majority_order(costs: Floats, order: Integers) -> bool:
    """Write the first order, by label index, that costs nothing; False where majorities cycle."""
    k = costs.shape[0]
    n_waiting_for = np.zeros(k, np.int64)
    for i in range(k):
        for j in range(k):
            if costs[i, j] > 0.0:
                n_waiting_for[i] += 1
    for position in range(k):
        first = -1
        for i in range(k):
            if n_waiting_for[i] == 0:
                first = i
                break
        if first < 0:
            return False
        order[position] = first
        n_waiting_for[first] = -1
        for i in range(k):
            if costs[i, first] > 0.0:
                n_waiting_for[i] -= 1
    return True


@jit(forceinline=True, inner=True)
def lowest(word: np.uint64) -> np.uint64:
    """The place of the lowest 1 of a word that is not 0."""
    one = np.uint64(1)
    return popcount((word ^ (word - one)) >> one)


@jit
def subset_order(costs: Floats, least: Floats, order: Integers) -> None:
    """Write the first order, by label index, among those of least cost.

    ``least[S]`` is the least cost of ordering the labels of bit set S: some label i comes first
    and pays ``sum(costs[i, j] for j in S)``, the others follow at ``least[S - {i}]``.
    O(2**k * k) time; `least` needs 2**k cells.
    """
    k = costs.shape[0]
    one = np.uint64(1)
    # pay[b, i] = cost of i before all of S, for the latest S whose lowest bit is b. Taking that
    # bit from S leaves a set that is still the latest of its own lowest bit.
    pay = np.zeros((k + 1, k))
    behind = costs.T.copy()
    least[0] = 0.0
    for number in range(1, 1 << k):
        subset = np.uint64(number)
        others = subset & (subset - one)
        low = lowest(subset)
        rest = lowest(others | (one << np.uint64(k)))
        for i in range(k):
            pay[low, i] = pay[rest, i] + behind[low, i]
        best = pay[low, low] + least[others]
        # members alone, one after the other: who asks each label whether it is one guesses in vain
        while others:
            i = lowest(others)
            best = min(best, pay[low, i] + least[subset ^ (one << i)])
            others &= others - one
        least[number] = best
    slack = TIE * costs.sum()
    left = (1 << k) - 1
    for position in range(k):
        for i in range(k):
            if (left >> i) & 1:
                total = least[left ^ (1 << i)]
                for j in range(k):
                    if (left >> j) & 1:
                        total += costs[i, j]
                if total <= least[left] + slack:
                    order[position] = i
                    left ^= 1 << i
                    break


@jit
def insertion_order(costs: Floats, order: Integers) -> None:
    """Improve `order` until no label gains by moving to another place."""
    k = costs.shape[0]
    slack = TIE * costs.sum()
    for _ in range(MAX_PASSES):
        improved = False
        for label in range(k):
            place = 0
            while order[place] != label:
                place += 1
            best, target = -slack, place
            change = 0.0
            for p in range(place - 1, -1, -1):
                change += costs[label, order[p]] - costs[order[p], label]
                if change < best:
                    best, target = change, p
            change = 0.0
            for p in range(place + 1, k):
                change += costs[order[p], label] - costs[label, order[p]]
                if change < best:
                    best, target = change, p
            if target != place:
                improved = True
                step = 1 if target > place else -1
                for p in range(place, target, step):
                    order[p] = order[p + step]
                order[target] = label
        if not improved:
            break


@jit
def order_cost(costs: Floats, order: Integers) -> float:
    """Cost of an order."""
    total = 0.0
    for p in range(order.size):
        for q in range(p + 1, order.size):
            total += costs[order[p], order[q]]
    return total


@jit
def packing_bound(costs: Floats) -> float:
    """Lower bound on the cost of any order, by a packing of cycles of three.

    Every order breaks a majority in every cycle; cycles that share no weight add up.
    """
    k = costs.shape[0]
    left = costs.copy()
    total = 0.0
    for a in range(k):
        for b in range(a + 1, k):
            for c in range(a + 1, k):
                # A cycle costs[a, b], costs[b, c], costs[c, a]; a is its smallest label.
                least = min(left[a, b], left[b, c], left[c, a])
                if least > 0.0:
                    total += least
                    left[a, b] -= least
                    left[b, c] -= least
                    left[c, a] -= least
                if left[a, b] <= 0.0:
                    break
    return total


@jit
def is_compared(support: Floats, label: int) -> bool:
    """Whether `label` has any comparison in one problem's support."""
    for j in range(support.shape[0]):
        if j != label and support[label, j] + support[j, label] > 0.0:
            return True
    return False


@jit
def exact_orders(support: Floats, orders: Integers) -> None:
    """Solve many problems of few labels; labels never compared go to the middle, by index."""
    n, k, _ = support.shape
    least = np.empty(1 << k)
    all_costs = np.empty((k, k))
    labels = np.empty(k, np.int64)
    for r in range(n):
        pair_costs(support[r], all_costs)
        m = 0
        n_silent = 0
        for i in range(k):
            if is_compared(support[r], i):
                labels[m] = i
                m += 1
            else:
                n_silent += 1
                labels[k - n_silent] = i
        costs = all_costs[labels[:m]][:, labels[:m]]
        order = np.empty(m, np.int64)
        if not majority_order(costs, order):
            subset_order(costs, least, order)
        half = m // 2
        orders[r, :half] = labels[order[:half]]
        orders[r, half : half + n_silent] = labels[m:][::-1]
        orders[r, half + n_silent :] = labels[order[half:]]


@jit
def insertion_orders(support: Floats, orders: Integers) -> None:
    """Improve one start order per problem by insertion."""
    n, k, _ = support.shape
    costs = np.empty((k, k))
    for r in range(n):
        pair_costs(support[r], costs)
        insertion_order(costs, orders[r])
