"""Greedy selection written out: lists, one model at a time, no samples of rows."""


def mean(numbers):
    return sum(numbers) / len(numbers)


def greedy(predictions, quality, rounds):
    """Return how often each model was added when the mixture was at its best.

    `predictions[m][i]` is one number; `quality` judges a list of mixed predictions.
    """
    added, best, kept = [], None, None
    for _ in range(rounds):
        tried = []
        for m in range(len(predictions)):
            members = [*added, m]
            mixed = [mean([predictions[j][i] for j in members]) for i in range(len(predictions[0]))]
            tried.append((round(quality(mixed), 12), added.count(m), m))
        value, _, m = max(tried)
        added.append(m)
        if best is None or value > best:
            best, kept = value, list(added)
    return [kept.count(m) for m in range(len(predictions))]


def near_best(values, share):
    """Which models are behind the best by no more than a standard error of the difference."""
    counted = [r for r in range(len(share)) if share[r] > 0]

    def average(numbers, rows):
        return sum(share[r] * numbers[r] for r in rows) / sum(share[r] for r in rows)

    means = [average(v, [r for r in counted if v[r] == v[r]]) for v in values]
    best = values[means.index(max(means))]
    near = []
    for model in values:
        rows = [r for r in counted if best[r] == best[r] and model[r] == model[r]]
        loss = {r: best[r] - model[r] for r in rows}
        total = sum(share[r] for r in rows)
        mean = average(loss, rows)
        error = sum((share[r] / total) ** 2 * (loss[r] - mean) ** 2 for r in rows) ** 0.5
        near.append(mean <= max(1e-9, error))
    return near
