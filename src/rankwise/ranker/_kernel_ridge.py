"""Ridge regression on a kernel, and what it predicts of training rows that are left out, in closed form."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

Floats = NDArray[np.float64]


def ridge_left_out(
    kernel: Floats, targets: Floats, weights: Floats, ridges: tuple[float, ...]
) -> Iterator[Floats]:
    """Yield for each ridge what is predicted of each row without it: y - (G⁻¹ y) / diag(G⁻¹).

    G is the kernel plus the ridge, over the weight of each row, on the diagonal; no weight is 0.
    """
    root = np.sqrt(weights)
    values, basis = np.linalg.eigh(kernel * np.outer(root, root))
    values = np.maximum(values, 0)
    turned = basis.T @ (root[:, None] * targets)
    squares = basis**2
    for ridge in ridges:
        inverse = 1 / (values + ridge)
        errors = (basis @ (inverse[:, None] * turned)) / (squares @ inverse)[:, None]
        yield targets - errors / root[:, None]


def solve_ridge(kernel: Floats, targets: Floats, weights: Floats, ridge: float) -> Floats:
    """Return coefficients of the kernel. A weight may be 0: such a row has no say.

    Examples
    --------
    >>> np.round(solve_ridge(np.eye(3), np.array([[1.0], [1], [-1]]), np.ones(3), 1.0).T, 2)
    array([[ 0.5,  0.5, -0.5]])
    """
    root = np.sqrt(weights)
    system = kernel * np.outer(root, root) + ridge * np.eye(len(root))
    found: Floats = cho_solve(cho_factor(system, overwrite_a=True), root[:, None] * targets)
    return root[:, None] * found
