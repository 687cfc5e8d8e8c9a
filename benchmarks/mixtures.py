"""How AutoRanker weighs its learners, on made-up problems, beside the best of them after the fact.

    python benchmarks/mixtures.py --seeds 6,7,8      # 18 problems, minutes

Each problem has few training rows and many new ones. Learners are tried as `AutoRanker` tries them; then
only the rule is changed by which their predictions are mixed. Nothing is written.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankwise import ranks_from_scores
from rankwise.auto import _mixture
from rankwise.auto._candidates import find_candidates
from rankwise.auto._choice import Choice
from rankwise.auto._search import Problem, Search, Stage
from rankwise.metrics import kendall_tau
from rankwise.ranker import ranks_by_position
from rankwise.validation import quiet

N_NEW, N_FEATURES = 1500, 8
SIZES = ((150, 4), (250, 6), (500, 5))  # rows and labels, by the seed
KINDS = ("lines", "weak", "steps", "bumps", "waves", "classes")
# Share of the weight that goes alike to all that are as good as the best.
ALIKE = {"by greedy selection alone": 0.0, "half of it alike": _mixture.ALIKE, "alike alone": 1.0}
NEAR = 0.005


class Drawn(NamedTuple):
    """Training rows, and new ones with their whole rankings."""

    name: str
    X: np.ndarray
    Y: np.ndarray
    X_new: np.ndarray
    Y_new: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="6,7,8", metavar="A,B")
    parser.add_argument("--missing", type=float, default=0.45, help="share of labels deleted")
    asked = parser.parse_args()
    behind: dict[str, list[float]] = {}
    for drawn in problems([int(seed) for seed in asked.seeds.split(",")], asked.missing):
        found = judge(drawn)
        best = found.pop("best")
        for rule, tau in found.items():
            behind.setdefault(rule, []).append(best - tau)
        print(f"{drawn.name}: {best:.3f}; " + ", ".join(f"{tau:.3f}" for tau in found.values()))
    print(f"\n{'tau behind the best learner after the fact':44} mean   worst  within {NEAR}")
    for rule, losses in behind.items():
        near = sum(loss <= NEAR for loss in losses)
        print(f"{rule:44} {np.mean(losses):.4f} {max(losses):.3f}  {near} of {len(losses)}")


def judge(drawn: Drawn) -> dict[str, float]:
    """Tau on new rows: of the best learner, of the best on rows left out, and of mixtures by each rule."""
    problem = Problem(drawn.X, drawn.Y, None, None, "kendall_tau", tied=False)
    candidates = find_candidates("auto", drawn.X, drawn.Y, None, tied=False)
    seeds = {candidate.name: i for i, candidate in enumerate(candidates)}
    search = Search(
        problem, candidates, seeds, np.random.default_rng(0), 1, 0.0, np.inf, shown=False
    )
    with quiet():
        stage = search.run()
        new = [
            t.candidate.make(t.seed, "never").fit(drawn.X, drawn.Y).predict_positions(drawn.X_new)
            for t in stage.trials
        ]
    alone = [tau_of(drawn, positions) for positions in new]
    leader = int(np.argmax([trial.score[0] for trial in stage.trials]))
    found = {"best": max(alone), "the best on rows left out": alone[leader]}
    return found | {rule: tau_of(drawn, mixed(stage, new, alike)) for rule, alike in ALIKE.items()}


def mixed(stage: Stage, new: list[np.ndarray], alike: float) -> np.ndarray:
    """Predicted positions of new rows, by weights that are found with another share."""
    usual, _mixture.ALIKE = _mixture.ALIKE, alike
    try:
        weights = Choice.of(stage, np.random.default_rng(0)).weights
    finally:
        _mixture.ALIKE = usual
    return np.tensordot(weights, new, 1)


def tau_of(drawn: Drawn, positions: np.ndarray) -> float:
    return float(kendall_tau(drawn.Y_new, ranks_by_position(positions)))


def problems(seeds: list[int], missing: float) -> Iterator[Drawn]:
    """Yield one problem of each kind for each seed."""
    for seed in seeds:
        for number, kind in enumerate(KINDS):
            n, k = SIZES[seed % len(SIZES)]
            rng = np.random.default_rng([seed, number])
            X, scores, noise = globals()[f"_{kind}"](rng, n + N_NEW, k)
            Y = ranks_from_scores(scores + noise * rng.normal(size=scores.shape))
            known = np.where(rng.random((n, k)) < missing, np.nan, Y[:n])
            rows = np.flatnonzero((~np.isnan(known)).sum(axis=1) > 1)
            yield Drawn(f"{kind}, {n} rows, {k} labels", X[rows], known[rows], X[n:], Y[n:])


def _lines(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    X = rng.normal(size=(n, N_FEATURES))
    return X, X @ rng.normal(size=(N_FEATURES, k)), 1.0


def _weak(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    X, scores, _ = _lines(rng, n, k)
    return X, scores, 6.0


def _steps(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    X = rng.normal(size=(n, N_FEATURES))
    both = ((X[:, 0] > 0) & (X[:, 1] > 0))[:, None] * rng.normal(size=k)
    return X, 1.5 * (X[:, :4] > 0) @ rng.normal(size=(4, k)) + 2 * both, 0.6


def _bumps(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    X, centres = rng.normal(size=(n, N_FEATURES)), rng.normal(size=(6, 4))
    squared = ((X[:, None, :4] - centres) ** 2).sum(axis=2)
    return X, 4 * np.exp(-squared / 3) @ rng.normal(size=(6, k)), 0.3


def _waves(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    X = rng.normal(size=(n, N_FEATURES))
    return X, 1.5 * np.sin(1.5 * X[:, :4]) @ rng.normal(size=(4, k)), 0.5


def _classes(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    centres = 1.2 * rng.normal(size=(k, N_FEATURES))
    X = centres[rng.integers(0, k, n)] + rng.normal(size=(n, N_FEATURES))
    return X, -((X[:, None] - centres) ** 2).sum(axis=2), 0.3


if __name__ == "__main__":
    main()
