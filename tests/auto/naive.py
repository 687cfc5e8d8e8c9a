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


def weights(alone, greedy, alike, few):
    """Half by greedy counts, half alike to the few best, or to the better half of fewer."""
    few = min(few, max(1, len(alone) // 2))
    best = sorted(range(len(alone)), key=lambda m: -alone[m])[:few]
    return [
        (1 - alike) * greedy[m] / sum(greedy) + (alike / few if m in best else 0)
        for m in range(len(alone))
    ]


def closeness(ranks, shares):
    """The mean square, below 0, of shares held against the order of two labels; None of no pair."""
    squares, at = [], 0
    for i in range(len(ranks)):
        for j in range(i + 1, len(ranks)):
            a, b = ranks[i], ranks[j]
            if a == a and b == b:
                squares.append((shares[at] - (1 if a < b else 0 if a > b else 0.5)) ** 2)
            at += 1
    return -mean(squares) if squares else None
