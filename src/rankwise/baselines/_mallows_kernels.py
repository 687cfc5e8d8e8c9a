"""Jitted loops of Mallows fits: Borda's centre, likeliest completions, the spread.

`observed[r, j]` is the place of label j among the labels observed in row r, 1 = first, and 0 where
it was not observed. A group is a run of `rows` from starts[g] to ends[g].
"""

from __future__ import annotations

import math

import numpy as np

from rankwise._jit import jit

# Mean positions that differ by less are one number, summed in two ways.
SAME = 1e-9

# Rounds of completion after which a centre that still moves is taken as it is.
MOST_ROUNDS = 100

# No theta is larger: the expected distance would be less than the least number above 0.
LARGEST = 1e3

# A step of theta by less than this share is rounding.
EXACT = 1e-14

# Steps after which theta is taken as it is; halving alone would need no more.
MOST_STEPS = 100


@jit(allocates=False)
def fit_groups(observed, rows, weights, starts, ends, centers, distances, sums, room):
    """Write the centre of each group (positions of labels) and the mean distance of its rows.

    Incomplete rows are completed by the likeliest extension under the centre, the centre is taken
    anew from the completions, and so on while the sum of distances falls. `sums` (k,) and `room`
    (4, k) are worked on.
    """
    previous, completed, order, missing = room[0], room[1], room[2], room[3]
    for g in range(starts.shape[0]):
        start, end = starts[g], ends[g]
        center = centers[g]
        total, is_complete = first_sums(observed, rows, weights, start, end, sums)
        rank_sums(sums, total, order, center)
        if is_complete:
            distance = sum_distances(observed, rows, weights, start, end, center)
        else:
            distance = complete_rows(
                observed, rows, weights, start, end, center, sums, completed, order, missing
            )
        for _ in range(0 if is_complete else MOST_ROUNDS):
            for j in range(center.shape[0]):
                previous[j] = center[j]
            rank_sums(sums, total, order, center)
            nearer = complete_rows(
                observed, rows, weights, start, end, center, sums, completed, order, missing
            )
            if not nearer < distance * (1.0 - SAME):
                for j in range(center.shape[0]):
                    center[j] = previous[j]
                break
            distance = nearer
        distances[g] = distance / total if total > 0.0 else 0.0


@jit(allocates=False, forceinline=True)
def first_sums(observed, rows, weights, start, end, sums):
    """Sum the positions of labels over the rows of a group; return its weight, and if all is complete.

    The i-th of m observed labels counts as position i (k + 1) / (m + 1), its mean over all
    completions; a missing label as the middle.
    """
    k = observed.shape[1]
    total = 0.0
    is_complete = True
    for j in range(k):
        sums[j] = 0.0
    for p in range(start, end):
        r, w = rows[p], weights[p]
        m = 0
        for j in range(k):
            m += observed[r, j] > 0
        total += w
        is_complete &= m == k
        for j in range(k):
            place = observed[r, j]
            sums[j] += w * (place * (k + 1) / (m + 1) if place > 0 else (k + 1) / 2)
    return total, is_complete


@jit(allocates=False, forceinline=True)
def rank_sums(sums, total, order, center):
    """Write the positions of labels by rising sums; equal sums go to the lower label."""
    k = sums.shape[0]
    same = SAME * total
    for j in range(k):
        p = j
        while p > 0 and sums[order[p - 1]] > sums[j] + same:
            order[p] = order[p - 1]
            p -= 1
        order[p] = j
    for p in range(k):
        center[order[p]] = p + 1


@jit(allocates=False, forceinline=True)
def sum_distances(observed, rows, weights, start, end, center):
    """The sum of the Kendall distances of complete rows from the centre."""
    k = center.shape[0]
    distance = 0.0
    for p in range(start, end):
        places = observed[np.uint64(rows[p])]
        n = 0
        for i in range(k):
            for j in range(i):
                n += (places[j] < places[i]) != (center[j] < center[i])
        distance += weights[p] * n
    return distance


@jit(allocates=False)
def complete_rows(
    observed, rows, weights, start, end, center, sums, completed, order, missing
):  # fmt: skip
    """Sum the positions of the rows' likeliest completions; return the sum of their distances."""
    k = observed.shape[1]
    distance = 0.0
    for j in range(k):
        sums[j] = 0.0
    for p in range(start, end):
        r, w = rows[p], weights[p]
        distance += w * complete(observed[r], center, completed, order, missing)
        for j in range(k):
            sums[j] += w * completed[j]
    return distance


@jit(allocates=False, forceinline=True)
def complete(places, center, completed, order, missing):
    """Write the completion of one row that is nearest to the centre; return its Kendall distance.

    Every missing label goes where it is out of order with the fewest observed labels, the first such
    gap; those in one gap follow the centre. A label that the centre puts later never gets an earlier
    gap, so no two missing labels are out of order.
    """
    k = places.shape[0]
    m = 0
    for j in range(k):
        completed[j] = places[j]
        if places[j] > 0:
            order[places[j] - 1] = j
            m += 1
    for c in range(k):
        missing[c] = -1
    for j in range(k):
        if places[j] == 0:
            missing[center[j] - 1] = j
    distance = 0
    for p in range(m):
        for q in range(p + 1, m):
            distance += center[order[p]] > center[order[q]]
    n_before = 0
    for c in range(k):
        a = missing[c]
        if a < 0:
            continue
        cost = 0
        for p in range(m):
            cost += center[order[p]] < c + 1
        best, gap = cost, 0
        for p in range(m):
            cost += 1 if center[order[p]] > c + 1 else -1
            if cost < best:
                best, gap = cost, p + 1
        distance += best
        completed[a] = gap + 1 + n_before
        n_before += 1
        for p in range(gap, m):
            completed[order[p]] += 1
    return distance


@jit(allocates=False, forceinline=True)
def expected_distance(theta, k):
    """Mean Kendall distance of a Mallows draw of k labels from its centre, and its slope in theta.

    The sum over i of 1 / (exp(theta) - 1) - i / (exp(i theta) - 1); where theta is small the terms
    cancel, and what they exceed a common part by is summed instead.
    """
    if theta == 0.0:
        return k * (k - 1) / 4.0, -k * (k - 1) * (2 * k + 5) / 72.0
    q = power = math.exp(-theta)
    odds = q / (1.0 - q)
    first, first_slope = excess(theta, q)
    total = slope = 0.0
    for i in range(2, k + 1):
        power *= q
        if theta < 1.0:
            value, value_slope = excess(i * theta, power)
            more = (first - value) / theta
            total += (i - 1) / 2.0 + more
            slope += (first_slope - i * value_slope - more) / theta
        else:
            power_odds = i * power / (1.0 - power)
            total += odds - power_odds
            slope += i * power_odds / (1.0 - power) - odds / (1.0 - q)
    return total, slope


@jit(allocates=False, forceinline=True)
def excess(y, q):
    """y/2 coth(y/2) - 1 and its slope, by series near 0, where terms cancel; q is exp(-y)."""
    if y < 0.05:
        square = y * y
        value = square / 12.0 * (1.0 - square / 60.0 * (1.0 - square / 42.0))
        return value, y / 6.0 * (1.0 - square / 30.0 * (1.0 - square / 28.0))
    coth = (1.0 + q) / (1.0 - q)
    return y / 2.0 * coth - 1.0, coth / 2.0 - y / 4.0 * (coth * coth - 1.0)


@jit(allocates=False)
def spread_of_distances(distances, k, thetas):
    """Write the theta at which each mean distance is the expected one.

    0 where the distance is at least that of the uniform distribution, infinity where it is 0. Newton's
    steps are taken in the logarithm, which is nearly straight where theta is large, and halve the
    interval of what is possible instead where they would leave it.
    """
    for g in range(distances.shape[0]):
        distance = distances[g]
        if distance <= 0.0:
            thetas[g] = np.inf
            continue
        if distance >= k * (k - 1) / 4.0:
            thetas[g] = 0.0
            continue
        low, high = 0.0, LARGEST
        # what theta would be if only neighbours changed places
        theta = min(math.log1p((k - 1) / distance), LARGEST)
        for _ in range(MOST_STEPS):
            expected, slope = expected_distance(theta, k)
            if expected > distance:
                low = theta
            else:
                high = theta
            before = theta
            # numpy, so that as plain Python too a distance of 0 gives -inf, and the interval is halved
            theta -= np.log(expected / distance) * expected / slope
            if not low < theta < high:
                theta = (low + high) / 2.0
            if abs(theta - before) <= EXACT * theta:
                break
        thetas[g] = theta


@jit(allocates=False)
def expected_distances(thetas, k, distances):
    """Write the mean Kendall distance from the centre at each theta."""
    for i in range(thetas.shape[0]):
        distances[i] = expected_distance(thetas[i], k)[0]
