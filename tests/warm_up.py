"""Kernels that many tests need and that take long to compile, in shares of about equal time.

Workers that begin to test with no kernel compiled would all compile the same ones at the same time. What
is compiled for codes of one byte and of two, or for complete and incomplete rankings, has parts in common
that a worker compiles once.
"""

import numpy as np

from rankwise.baselines import PLRTree
from rankwise.tree import TreeRanker


def warm_up(worker: int, n_workers: int) -> None:
    """Compile one worker's part."""
    X = np.random.default_rng(0).normal(size=(300, 2))
    Y = np.where(X[:, :1] < 0, [[1.0, 2.0, 3.0]], [[3.0, 1.0, 2.0]])
    gaps = np.where(np.arange(300)[:, None] % 3 == [0, 1, 2], np.nan, Y)
    few, many = slice(20), slice(300)  # values, which have codes of one byte or of two
    joint, labelwise = (TreeRanker(decomposition=name) for name in ("joint", "labelwise"))
    shares = (
        [
            (joint, X, Y, few),
            (joint, X, Y, many),
            (TreeRanker(decomposition="joint_pairwise"), X, gaps, few),
        ],
        [
            (labelwise, X, Y, few),
            (labelwise, X, Y, many),
            (labelwise, X < 0, Y, few),
            (TreeRanker("level"), X, Y, few),
            (PLRTree(), X, Y, few),
        ],
    )
    for share in shares[worker::n_workers]:
        for ranker, features, ranks, rows in share:
            ranker.fit(features[rows], ranks[rows])
