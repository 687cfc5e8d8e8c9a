"""Plain twins of the tests of methods over data sets."""

import itertools


def friedman_ranks_and_statistic(scores):
    """Average ranks (1 = highest, ties share) and Friedman's chi square, corrected for ties."""
    n, k = len(scores), len(scores[0])
    ranks = [
        [1 + sum(b > a for b in row) + (sum(b == a for b in row) - 1) / 2 for a in row]
        for row in scores
    ]
    means = [sum(row[j] for row in ranks) / n for j in range(k)]
    spread = sum((rank - (k + 1) / 2) ** 2 for row in ranks for rank in row) / (n * (k - 1))
    return means, n * sum((mean - (k + 1) / 2) ** 2 for mean in means) / spread


def signed_rank_p_value(gaps):
    """Two-sided p-value of Wilcoxon's test: all ways to give the sizes of the gaps their signs."""
    sizes = [abs(gap) for gap in gaps]
    ranks = [sum(b < a for b in sizes) + 1 for a in sizes]
    total = sum(ranks)
    extreme = abs(2 * sum(r for r, gap in zip(ranks, gaps, strict=True) if gap > 0) - total)
    sums = [
        sum(r for r, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product((0, 1), repeat=len(gaps))
    ]
    return sum(abs(2 * s - total) >= extreme for s in sums) / len(sums)


def holm_rejects(p_values, alpha):
    """Which hypotheses Holm's step-down procedure rejects."""
    rejected = set()
    for step, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if p_values[i] > alpha / (len(p_values) - step):
            break
        rejected.add(i)
    return rejected
