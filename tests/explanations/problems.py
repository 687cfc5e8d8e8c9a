"""Small problems with ties, missing features and missing labels, and trees as the twins read them."""

import numpy as np
from hypothesis import strategies as st

DECOMPOSITIONS = ("labelwise", "joint", "pairwise", "joint_pairwise", "mixed")


@st.composite
def problems(draw):
    """X, complete ranks, a new row, and rows that need not be those of training."""
    n, d, k = draw(st.integers(4, 14)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_values = draw(st.sampled_from([2, 5]))
    X = rng.integers(0, n_values, (n + 4, d)).astype(float)
    if draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    Y = np.argsort(rng.random((n, k)), axis=1) + 1.0
    if draw(st.booleans()):
        Y[rng.random(Y.shape) < 0.2] = 1
    return X[:n], Y, X[n], X[n + 1 :]


def tree_of(trees, number, value_of_leaf):
    """Tree `number` of the flat arrays of a model, as a list of nodes."""
    ends = [*trees.roots[1:], len(trees.feature)]
    root = trees.roots[number]
    nodes = []
    for i in range(root, ends[number]):
        if trees.feature[i] < 0:
            nodes.append((None, value_of_leaf(trees.values[trees.value_row[i]])))
        else:
            left = int(trees.left[i] - root)
            nodes.append(
                (
                    int(trees.feature[i]),
                    trees.threshold[i],
                    left,
                    left + 1,
                    bool(trees.missing_left[i]),
                )
            )
    return nodes
