"""Plain twins of what an audit finds, one row at a time."""

from rankings.naive import counted_pairs


def contradictory_rows(X, ranks):
    """Rows that have equal features and rank two labels the other way round than another row."""

    def same(a, b):
        return all(x == y or (x != x and y != y) for x, y in zip(a, b, strict=True))

    def groupmates(r):
        return [s for s in range(len(X)) if same(X[r], X[s])]

    def at_odds(rows):
        pairs = {pair for r in rows for pair in counted_pairs(ranks[r])}
        return any((j, i) in pairs for i, j in pairs)

    return [r for r in range(len(X)) if at_odds(groupmates(r))]


def mean_place(ranks, label):
    places = []
    for row in ranks:
        others = [rank for j, rank in enumerate(row) if j != label and rank == rank]
        if row[label] == row[label] and others:
            before = sum(rank < row[label] for rank in others)
            tied = sum(rank == row[label] for rank in others)
            places.append((before + tied / 2) / len(others))
    return sum(places) / len(places) if places else None


def tied_rows(ranks, label):
    return sum(any(rank == row[label] for j, rank in enumerate(row) if j != label) for row in ranks)


def linked(ranks, n_labels, directed):
    """Pairs (i, j) such that a chain of comparisons leads from i to j."""
    pairs = {pair for row in ranks for pair in counted_pairs(row)}
    if not directed:
        pairs |= {(j, i) for i, j in pairs}
    pairs |= {(i, i) for i in range(n_labels)}
    while True:
        longer = {(i, m) for i, j in pairs for other, m in pairs if other == j}
        if longer <= pairs:
            return pairs
        pairs |= longer
