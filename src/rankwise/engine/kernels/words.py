"""Weight and weighted target of a row in one 64-bit word, so that one addition updates both.

word:  | target sum : 32, signed | weight : 32 |
"""

from __future__ import annotations

import numpy as np

from rankwise._jit import jit

SUM_SHIFT = 32
WEIGHT_MASK = (1 << SUM_SHIFT) - 1

# Words looked at together: one loop of vector instructions.
STRETCH = 32

# Two gains that differ by less than this share are one gain rounded in two ways.
SAME = 1.0 + 1e-12


@jit(allocates=False)
def write_words(stats, words):
    """Write the word of each row; the last two statistics are its weight and its weighted target."""
    last = stats.shape[1] - 1
    for r in range(stats.shape[0]):
        words[r] = np.int64(stats[r, last - 1]) + (np.int64(stats[r, last]) << SUM_SHIFT)


@jit(allocates=False, inner=True, forceinline=True)
def weight_of(word):
    """The weight in a word or a sum of words."""
    return np.float64(np.int32(word & WEIGHT_MASK))


@jit(allocates=False, inner=True, forceinline=True)
def sum_of(word):
    """The target sum in a word or a sum of words."""
    return np.float64(np.int32(word >> SUM_SHIFT))


@jit(allocates=False, inner=True, forceinline=True)
def is_allowed(left, n, min_leaf):
    """Whether both sides have weight enough, where `left` is cut off from a weight of n."""
    n1 = left & WEIGHT_MASK
    return (n1 >= min_leaf) & (n1 <= n - min_leaf)


@jit(allocates=False, inner=True, forceinline=True)
def floor_of(best, best_feature, feature, shuffle):
    """What a feature must beat: of equal gains the lower feature's wins, or with `shuffle` the first."""
    if shuffle or feature > best_feature:
        return best
    return best / (SAME * SAME) if best > 0.0 else -1.0


@jit(allocates=False, inner=True, forceinline=True)
def best_position(stretches, size, n, s, floor):
    """The best cut that beats `floor`: its gain times n, and its position + 1 (0: none).

    `stretches` holds the sums left of each position, STRETCH to a row; 0 where no cut may be made.
    Gains are compared as fractions, so that only a better cut costs a division.
    """
    best = floor
    cut = 0
    for b in range((size + STRETCH - 1) // STRETCH):
        hits = np.int32(0)
        for i in range(STRETCH):
            n1 = weight_of(stretches[b, i])
            difference = n * sum_of(stretches[b, i]) - n1 * s
            hits |= np.int32(difference * difference > best * (n1 * (n - n1)))
        if hits == 0 and best >= 0.0:
            continue
        for i in range(min(STRETCH, size - b * STRETCH)):
            n1 = weight_of(stretches[b, i])
            difference = n * sum_of(stretches[b, i]) - n1 * s
            square, product = difference * difference, n1 * (n - n1)
            if product > 0.0 and square > best * product:
                best = square / product * SAME
                cut = b * STRETCH + i + 1
    return best, cut
