"""Which leaf each row falls into.

Rows go down in tiles of TILE rows, column by column. A column of Boolean features is a row of bits,
one for each row of the tile, 1 where the value is above the threshold; one of other features holds
the numbers. The last column of a tile is such that leaves, which look at it, send every row left, and
the left child of a leaf is itself: then all rows can take equally many steps.

The first levels of a tree are the same few tests for all rows, so that vector instructions find the
place of many rows at once; below, each row goes its own way, eight of them at a time. Nodes are counted
from the root of their tree: they fit 32 bits each, and what is read often stays in the nearest cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise._intrinsics import ROW_WORDS, merge_words, write_above
from rankwise._jit import jit

# Rows that go down together.
TILE = 64 * ROW_WORDS

# Bytes of a column of bits.
COLUMN_BYTES = TILE // 8

# Numbers of a column of numbers, a few of them unused: in columns of a power of two the numbers of a
# row would compete for the same lines of the cache.
COLUMN_NUMBERS = TILE + 8

# Levels that are read off for all rows at once: a place below them fits a byte.
TOP = 8

# The same for features of any kind, whose tests are many instructions each.
TOP_ANY = 5

# With fewer rows in a tile each of them goes its own way from the root.
FEW_ROWS = 64

# Steps of the rows that have not come to a leaf, before they are looked for again.
STRIDE = 4

ONE = np.uint64(1)


class Packed(NamedTuple):
    """The nodes of trees as prediction reads them."""

    nodes: np.ndarray  # left child << shift | first cell of the column in a tile; see `step_down`
    shift: np.uint64
    thresholds: np.ndarray  # (n_nodes,), empty for Boolean features
    columns: np.ndarray  # (n_trees, 2^levels - 1): those of the first levels, level by level
    column_thresholds: np.ndarray  # the same for their thresholds, empty for Boolean features
    ends: np.ndarray  # (n_trees, 2^levels): the nodes below the first levels
    usual: np.ndarray  # (n_trees,) how deep a row falls if the tree is balanced

    def of(self, trees: slice) -> Packed:
        """The same for some of the trees, whose roots stay where they are."""
        return self._replace(
            columns=self.columns[trees],
            column_thresholds=self.column_thresholds[trees],
            ends=self.ends[trees],
            usual=self.usual[trees],
        )


class Room(NamedTuple):
    """Memory for a tile."""

    tests: np.ndarray  # (2^TOP_ANY - 1, ROW_WORDS) results of the first tests
    each: np.ndarray  # 0, 1, 2, ...
    merged: np.ndarray  # (2^(TOP - 1), ROW_WORDS)
    decided: np.ndarray  # (TOP, ROW_WORDS) which way rows go at each level; 0 left
    places: np.ndarray  # (TILE,) uint8
    line: np.ndarray  # (TILE,) uint32, the node where each row stands
    rows: np.ndarray  # (TILE + 8,) uint32, the rows that have not come to a leaf


def new_room() -> Room:
    """Make memory for a tile."""
    return Room(
        tests=np.zeros(((1 << TOP_ANY) - 1, ROW_WORDS), np.uint64),
        each=np.arange((1 << TOP_ANY) - 1, dtype=np.uint32),
        merged=np.zeros((1 << (TOP - 1), ROW_WORDS), np.uint64),
        decided=np.zeros((TOP, ROW_WORDS), np.uint64),
        places=np.zeros(TILE, np.uint8),
        line=np.zeros(TILE, np.uint32),
        rows=np.zeros(TILE + 8, np.uint32),
    )


@jit(allocates=False)
def write_bits(cells, tiles):
    """Write cells of 0 or 1 (n_rows, n_features), eight rows to a byte, feature by feature."""
    n, d = cells.shape
    for r in range(0, n // 8 * 8, 8):
        column = tiles[r // TILE, :, r % TILE // 8]
        r0, r1, r2, r3 = cells[r], cells[r + 1], cells[r + 2], cells[r + 3]
        r4, r5, r6, r7 = cells[r + 4], cells[r + 5], cells[r + 6], cells[r + 7]
        for j in range(d):
            low = r0[j] | (r1[j] << 1) | (r2[j] << 2) | (r3[j] << 3)
            column[j] = low | (r4[j] << 4) | (r5[j] << 5) | (r6[j] << 6) | (r7[j] << 7)
    for r in range(n // 8 * 8, n):
        column = tiles[r // TILE, :, r % TILE // 8]
        for j in range(d):
            column[j] |= cells[r, j] << (r % 8)


@jit(allocates=False, inner=True)
def decide(words, columns, levels, first, merged, decided):
    """Write which way each row goes at each level, from `decided[first]` on.

    At a level stand tests in pairs: rows that went right at the level above take the second of a
    pair. That leaves half as many, which stand in pairs by the level above that one, and so on.
    """
    for level in range(np.uint64(levels)):
        n = (ONE << level) >> ONE
        if n == 0:
            only = np.uint64(columns[0])
            merge_words(decided, first, words, only, only, decided, first)
            continue
        above = first + level - ONE
        pairs = columns[n + n - ONE :]
        for p in range(n):
            left, right = np.uint64(pairs[p + p]), np.uint64(pairs[p + p + ONE])
            merge_words(decided, above, words, left, right, merged, p)
        while n > 1:
            n >>= ONE
            above -= ONE
            for p in range(n):
                merge_words(decided, above, merged, p + p, p + p + ONE, merged, p)
        merge_words(decided, first, merged, np.uint64(0), np.uint64(0), decided, first + level)


@jit(allocates=False, inner=True)
def find_places(decided, places):
    """Write the place of each row below the first levels: a bit for each level, the last one lowest.

    Eight rows are a square of eight by eight bits, which is mirrored at its diagonal.
    """
    ways, eights = decided.view(np.uint8), places.view(np.uint64)
    for g in range(eights.shape[0]):
        x = np.uint64(0)
        for level in range(TOP):
            x |= np.uint64(ways[TOP - 1 - level, g]) << np.uint64(8 * level)
        change = (x ^ (x >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
        x ^= change ^ (change << np.uint64(7))
        change = (x ^ (x >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
        x ^= change ^ (change << np.uint64(14))
        change = (x ^ (x >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
        eights[g] = x ^ change ^ (change << np.uint64(28))


@jit(allocates=False, forceinline=True, inner=True)
def step_down(nodes, shift, mask, node, bits, row):
    """The child of a node that a row falls into; `bits` are those of eight rows."""
    word = np.uint64(nodes[node])
    return (word >> shift) + ((np.uint64(bits[word & mask]) >> np.uint64(row)) & ONE)


@jit(allocates=False, inner=True)
def go_down(bits, nodes, shift, steps, line):
    """Take each row of `line` so many steps down from its node.

    Eight rows go together, each in a register: while one waits for memory the others go on. Unsigned
    numbers throughout: an index that may be negative costs a test.
    """
    s, m = shift, (ONE << shift) - ONE
    for r in range(np.uint64(0), np.uint64(line.shape[0]), np.uint64(8)):
        at, eight = bits[r >> np.uint64(3) :], line[r:]
        n0, n1, n2, n3 = eight[0], eight[1], eight[2], eight[3]
        n4, n5, n6, n7 = eight[4], eight[5], eight[6], eight[7]
        for _ in range(steps):
            n0, n1 = step_down(nodes, s, m, n0, at, 0), step_down(nodes, s, m, n1, at, 1)
            n2, n3 = step_down(nodes, s, m, n2, at, 2), step_down(nodes, s, m, n3, at, 3)
            n4, n5 = step_down(nodes, s, m, n4, at, 4), step_down(nodes, s, m, n5, at, 5)
            n6, n7 = step_down(nodes, s, m, n6, at, 6), step_down(nodes, s, m, n7, at, 7)
        eight[0], eight[1], eight[2], eight[3] = n0, n1, n2, n3
        eight[4], eight[5], eight[6], eight[7] = n4, n5, n6, n7


@jit(allocates=False)
def leaves_boolean(tiles, packed, roots, depths, room, leaves):
    """Write the leaf of every row in every tree, of tiles of bits as words."""
    line, first = room.line, np.uint64(0)
    for t in range(depths.shape[0]):
        nodes, ends = packed.nodes[roots[t] :], packed.ends[t]
        for b in range(tiles.shape[0]):
            out = leaves[t, b * TILE : (b + 1) * TILE]
            eights = (out.shape[0] + 7) // 8 * 8
            steps = depths[t]
            if out.shape[0] < FEW_ROWS:
                line[:eights] = 0
            else:
                decide(tiles[b], packed.columns[t], TOP, first, room.merged, room.decided)
                find_places(room.decided, room.places)
                for i in range(eights):
                    line[i] = ends[room.places[i]]
                steps -= TOP
            bits = tiles[b].reshape(-1).view(np.uint8)
            go_down(bits, nodes, packed.shift, steps, line[:eights])
            for i in range(out.shape[0]):
                out[i] = line[i] + roots[t]


@jit(allocates=False, forceinline=True, inner=True)
def step_any(nodes, thresholds, shift, mask, node, cells, row):
    """The child of a node that a row falls into, for features of any kind; NaN goes right."""
    word = np.uint64(nodes[node])
    goes_left = cells[(word & mask) + np.uint64(row)] <= thresholds[node]
    return (word >> shift) + (np.uint64(0) if goes_left else ONE)


@jit(allocates=False, inner=True)
def go_down_any(cells, nodes, thresholds, shift, steps, rows, line):
    """Take each of `rows` so many steps down from its node in `line`; see `go_down`."""
    x, h, s, m = nodes, thresholds, shift, (ONE << shift) - ONE
    for r in range(np.uint64(0), np.uint64(rows.shape[0]), np.uint64(8)):
        eight = rows[r:]
        r0, r1, r2, r3 = eight[0], eight[1], eight[2], eight[3]
        r4, r5, r6, r7 = eight[4], eight[5], eight[6], eight[7]
        n0, n1, n2, n3 = line[r0], line[r1], line[r2], line[r3]
        n4, n5, n6, n7 = line[r4], line[r5], line[r6], line[r7]
        for _ in range(steps):
            n0 = step_any(x, h, s, m, n0, cells, r0)
            n1 = step_any(x, h, s, m, n1, cells, r1)
            n2 = step_any(x, h, s, m, n2, cells, r2)
            n3 = step_any(x, h, s, m, n3, cells, r3)
            n4 = step_any(x, h, s, m, n4, cells, r4)
            n5 = step_any(x, h, s, m, n5, cells, r5)
            n6 = step_any(x, h, s, m, n6, cells, r6)
            n7 = step_any(x, h, s, m, n7, cells, r7)
        line[r0], line[r1], line[r2], line[r3] = n0, n1, n2, n3
        line[r4], line[r5], line[r6], line[r7] = n4, n5, n6, n7


@jit(allocates=False, inner=True)
def still_going(nodes, shift, rows, n, line):
    """Keep those of the first n of `rows` that stand in no leaf; returns how many there are.

    Behind them the first one is repeated: whole eights of rows go down, and a row that takes more
    steps than others comes to the same leaf.
    """
    kept = np.uint64(0)
    for i in range(n):
        row = np.uint64(rows[i])
        node = np.uint64(line[row])
        rows[kept] = row
        kept += np.uint64((np.uint64(nodes[node]) >> shift) != node)
    for i in range(kept, kept + np.uint64(7)):
        rows[i] = rows[0]
    return kept


@jit(allocates=False, inner=True)
def find_first_places(tile, columns, thresholds, room):
    """Write the place of each row below the first levels, for features of any kind."""
    for i in range(np.uint64(columns.shape[0])):
        write_above(tile, np.uint64(columns[i]), thresholds[i], room.tests, i)
    first = np.uint64(TOP - TOP_ANY)
    room.decided[:first] = 0
    decide(room.tests, room.each, TOP_ANY, first, room.merged, room.decided)
    find_places(room.decided, room.places)


@jit(allocates=False)
def leaves_any(tiles, packed, roots, depths, room, leaves):
    """Write the leaf of every row in every tree, for features of any kind.

    All rows go as deep as in a balanced tree, and then those that have not come to a leaf.
    """
    line, rows, shift = room.line, room.rows, packed.shift
    for t in range(depths.shape[0]):
        nodes, thresholds = packed.nodes[roots[t] :], packed.thresholds[roots[t] :]
        for b in range(tiles.shape[0]):
            out = leaves[t, b * TILE : (b + 1) * TILE]
            n = np.uint64(out.shape[0])
            depth = np.int64(0)
            if n < FEW_ROWS:
                line[:n] = 0
            else:
                find_first_places(tiles[b], packed.columns[t], packed.column_thresholds[t], room)
                for i in range(n):
                    line[i] = packed.ends[t, room.places[i]]
                depth += TOP_ANY
            for i in range(n + np.uint64(7)):
                rows[i] = i if i < n else 0
            cells = tiles[b].reshape(-1)
            steps = packed.usual[t] - depth
            while n > 0 and depth < depths[t]:
                eights = (n + np.uint64(7)) >> np.uint64(3) << np.uint64(3)
                go_down_any(cells, nodes, thresholds, shift, steps, rows[:eights], line)
                depth += steps
                steps = STRIDE
                n = still_going(nodes, shift, rows, n, line)
            for i in range(out.shape[0]):
                out[i] = line[i] + roots[t]


@jit(allocates=False, inner=True, forceinline=True)
def child_of(node, row, feature, threshold, left, missing_left):
    """The child of a node that a row falls into, for features of any kind."""
    x = row[feature[node]]
    if np.isnan(x):
        goes_left = missing_left[node] != 0
    else:
        goes_left = x <= threshold[node]
    return np.int64(left[node]) + (0 if goes_left else 1)


@jit(allocates=False)
def add_at_depths(X, feature, threshold, left, missing_left, means, depths, first, totals):
    """Add the means of the nodes where each row stands when the tree is cut at each depth.

    `depths` ascend; `totals` is (n_depths, n_rows, n_targets), of which those from `first` on are the
    tree's. One walk down serves all depths.
    """
    for r in range(X.shape[0]):
        node, depth = np.int64(0), np.int64(0)
        for d in range(depths.shape[0]):
            while depth < depths[d] and feature[node] >= 0:
                node = child_of(node, X[r], feature, threshold, left, missing_left)
                depth += 1
            for o in range(means.shape[1]):
                totals[d, r, first + o] += means[node, o]
