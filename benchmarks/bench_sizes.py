"""How long a fit takes, and how large its file is, by rows, labels and features; for docs/limits.md.

    python benchmarks/run.py sizes

Made-up rankings, features of many values, seconds of one core (processor time, so that other work beside it
does not count). The default of `rankwise fit` and a forest alone; some
with 30 % of the labels missing. There is no peer and no limit here: it is a table to plan by.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import rankwise as rw

# rows, features, labels, share of labels missing
SIZES = (
    (100, 20, 5, 0.0),
    (1_000, 20, 5, 0.0),
    (10_000, 20, 5, 0.0),
    (100_000, 20, 5, 0.0),
    (1_000, 200, 5, 0.0),
    (1_000, 20, 20, 0.0),
    (1_000, 20, 50, 0.0),
    (1_000, 20, 5, 0.3),
    (10_000, 20, 5, 0.3),
    (1_000, 20, 20, 0.3),
)
AUTO = SIZES[:3]
NEW_ROWS = 1_000


def draw(rows: int, features: int, labels: int, missing: float) -> tuple[np.ndarray, np.ndarray]:
    """Features of many values, and rankings by scores that are waves of three of them, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, features))
    weights = rng.normal(size=(3, labels))
    scores = np.sin(2 * X[:, :3]) @ weights + 0.3 * rng.normal(size=(rows, labels))
    scores[rng.random(scores.shape) < missing] = np.nan
    return X, rw.ranks_from_scores(scores)


def measure(learner: str, size: tuple[int, int, int, float]) -> dict[str, object]:
    """Fit once after a small fit that compiles; predict new rows; save."""
    rows, features, labels, missing = size
    make = rw.AutoRanker if learner == "AutoRanker" else rw.ForestRanker
    X, Y = draw(*size)
    make(random_state=0).fit(X[:80], Y[:80])
    start = time.process_time()
    model = make(random_state=0).fit(X, Y)
    fitted = time.process_time()
    new, _ = draw(NEW_ROWS, features, labels, 0.0)
    model.predict(new[:5])
    begun = time.process_time()
    model.predict(new)
    done = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.rankwise")
        rw.save_model(model, path)
        megabytes = path.stat().st_size / 1e6
    return {
        "bench": "size", "learner": learner, "rows": rows, "features": features, "labels": labels,
        "missing": missing, "fit": round(fitted - start, 3), "predict": round(done - begun, 4),
        "megabytes": round(megabytes, 2),
    }  # fmt: skip


def cases() -> Iterator[dict[str, object]]:
    """All sizes, by forests first."""
    yield from (measure("ForestRanker", size) for size in SIZES)
    yield from (measure("AutoRanker", size) for size in AUTO)


if __name__ == "__main__":
    for case in cases():
        print(json.dumps(case), flush=True)
