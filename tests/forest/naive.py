"""The plain twin of the votes of the nearest rows."""

import math


def votes(rows, rankings, weights, x, n_near):
    """(k, k) share of the nearest rows that put the row label strictly before the column label.

    Each counts by its weight and the inverse cube of its distance; features have mean 0 and variance
    1 over the rows, and are 0 where they are missing.
    """
    columns = [[v for v in column if not math.isnan(v)] for column in zip(*rows, strict=True)]
    means = [sum(c) / len(c) for c in columns]
    spreads = [
        0.0 if len({*c}) == 1 else math.sqrt(sum((v - m) ** 2 for v in c) / len(c))
        for c, m in zip(columns, means, strict=True)
    ]

    def scaled(row):
        return [
            0.0 if math.isnan(v) else (v - m) / (s or 1.0)
            for v, m, s in zip(row, means, spreads, strict=True)
        ]

    distances = [math.dist(scaled(x), scaled(row)) for row in rows]
    nearest = sorted(range(len(rows)), key=distances.__getitem__)[:n_near]
    amounts = [weights[i] / max(distances[i], 1e-6) ** 3 for i in nearest]
    k = len(rankings[0])
    return [
        [
            sum(w for w, i in zip(amounts, nearest, strict=True) if rankings[i][a] < rankings[i][b])
            / sum(amounts)
            for b in range(k)
        ]
        for a in range(k)
    ]
