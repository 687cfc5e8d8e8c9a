"""Kernels that many tests need and that take long to compile, in shares of about equal time.

Workers that begin to test with no kernel compiled would all compile the same ones at the same time. What
is compiled for complete and incomplete rankings has parts in common that a worker compiles once.
"""

import numpy as np

from rankwise.baselines import PLRTree
from rankwise.tree import TreeRanker


def warm_up(worker: int, n_workers: int) -> None:
    """Compile one worker's part."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    Y = np.where(X[:, :1] < 0, [[1.0, 2.0, 3.0]], [[3.0, 1.0, 2.0]])
    gaps = np.where(np.arange(20)[:, None] % 3 == [0, 1, 2], np.nan, Y)
    labelwise = TreeRanker(decomposition="labelwise")
    shares = (
        [
            (TreeRanker(decomposition="joint"), X, Y),
            (TreeRanker(decomposition="joint_pairwise"), X, gaps),
            (labelwise, X < 0, Y),
        ],
        [(labelwise, X, Y), (TreeRanker("level"), X, Y), (PLRTree(), X, Y)],
    )
    for share in shares[worker::n_workers]:
        for ranker, features, ranks in share:
            ranker.fit(features, ranks)
