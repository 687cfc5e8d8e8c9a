"""Ridge regression on a kernel, and what it predicts of training rows that are left out, in closed form."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

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


def solve_ridge(
    kernel: Floats, targets: Floats, weights: Floats, ridge: float
) -> tuple[Floats, Floats]:
    """Return coefficients of the kernel, and what is predicted of each row without it.

    A weight may be 0: such a row has no say.

    Examples
    --------
    >>> kernel = np.eye(3) + 1.0
    >>> coefficients, left_out = solve_ridge(kernel, np.array([[1.0], [1], [-1]]), np.ones(3), 1.0)
    >>> np.round(left_out.T, 2)
    array([[0. , 0. , 0.5]])
    """
    root = np.sqrt(weights)
    inverse = np.linalg.inv(kernel * np.outer(root, root) + ridge * np.eye(len(root)))
    coefficients = root[:, None] * (inverse @ (root[:, None] * targets))
    # how little a row says about itself
    rest = (ridge * np.diag(inverse))[:, None]
    left_out: Floats = targets + (kernel @ coefficients - targets) / rest
    return coefficients, left_out
