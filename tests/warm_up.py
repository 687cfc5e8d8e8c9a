"""Kernels that nearly every test needs and that take long to compile, in shares of about equal time.

Workers that begin to test with no kernel compiled would all compile the same ones at the same time.
"""

import numpy as np

from rankwise.tree import TreeRanker


def warm_up(worker: int, n_workers: int) -> None:
    """Compile one worker's part."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    Y = np.where(X[:, :1] < 0, [[1.0, 2.0, 3.0]], [[3.0, 1.0, 2.0]])
    gaps = np.where(np.arange(20)[:, None] % 3 == [0, 1, 2], np.nan, Y)
    shares = (
        [("joint", X, Y), ("joint_pairwise", X, gaps)],
        [("labelwise", X, Y), ("labelwise", X < 0, Y)],
    )
    for share in shares[worker::n_workers]:
        for decomposition, features, ranks in share:
            TreeRanker(decomposition=decomposition).fit(features, ranks)
