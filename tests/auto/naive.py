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
