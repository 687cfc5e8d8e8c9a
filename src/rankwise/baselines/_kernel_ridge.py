"""Structured prediction by kernel ridge regression onto embedded rankings."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._naming import shown
from rankwise._parameters import is_real
from rankwise.baselines._embeddings import EmbeddedRanker
from rankwise.ranker import comparing_rows, ridge_left_out

Floats = NDArray[np.float64]

# The candidates of the publication: 1 and 5 times powers of ten.
GRID = tuple(sorted(m * 10.0**-e for e in range(6) for m in (1, 5)))
# Rows that are left out one at a time to choose parameters; each width costs an eigendecomposition.
CHOICE_ROWS = 500


class KernelRidgeKemeny(EmbeddedRanker):
    """Regress embedded rankings on features with a Gaussian kernel, and decode the prediction.

    Korba, Garcia and d'Alché-Buc, "A structured prediction approach for label ranking", NeurIPS
    (2018), with kernel ridge regression. Embeddings, decoding, and what rankings are taken are those
    of `KNNKemeny`, and so are the shares of pairs, made of the predicted vectors; coordinates outside of
    what a ranking can have are clipped. Weights are not taken. Memory grows with the square of the
    number of rows.

    The publication chooses the ridge and the width of the kernel by five-fold cross-validation over
    {1, 5} times 1 to 1e-5. Here the same candidates are compared by leaving one row out, in closed
    form, on 500 rows, evenly spaced by their features, where there are more.

    Parameters
    ----------
    alpha : float or "cv"
        Ridge; "cv" chooses it.
    gamma : float or "cv"
        Width of the kernel ``exp(-gamma |x - y|²)``; "cv" chooses it.
    embedding : {"kemeny", "hamming", "lehmer"}
        As in `KNNKemeny`.
    ties : {"never", "auto"} or float
        Whether predictions have ties, as in `rankwise.TreeRanker`: the share that a label must have
        before another. The publication has none.
    ties_for : {"tau_x", "tau_b", "exact_match", "kendall_tau", "spearman_rho"}
        The measure that "auto" fits the share to.

    Attributes
    ----------
    alpha_, gamma_ : float
        What was used.
    labels_, n_labels_, n_features_in_, feature_names_in_

    Examples
    --------
    Tea, coffee and water, by the hour of the day:

    >>> from rankwise.baselines import KernelRidgeKemeny
    >>> X = [[7], [8], [9], [16], [17], [18]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [3, 1, 2], [1, 2, 3], [1, 3, 2], [1, 3, 2]]
    >>> KernelRidgeKemeny(alpha=0.1, gamma=0.1).fit(X, Y).predict([[8], [17]])
    array([[2, 1, 3],
           [1, 3, 2]])
    """

    def __init__(
        self,
        alpha: float | str = "cv",
        gamma: float | str = "cv",
        *,
        embedding: str = "kemeny",
        ties: str | float = "never",
        ties_for: str = "tau_x",
    ) -> None:
        self.alpha = alpha
        self.gamma = gamma
        self.embedding = embedding
        self.ties = ties
        self.ties_for = ties_for

    def _fit(self, X: np.ndarray, ranks: np.ndarray, weights: np.ndarray | None) -> None:
        # imported here, as below: it takes long, and the other models of this package do without it
        from sklearn.kernel_ridge import KernelRidge

        kept = comparing_rows(ranks, ties_count=self._with_ties)
        features, vectors = X[kept], self._embedding.embed(ranks[kept])
        alphas, gammas = (_candidates(name, getattr(self, name)) for name in ("alpha", "gamma"))
        self.alpha_, self.gamma_ = choose_ridge(features, vectors, alphas, gammas)
        fitted = KernelRidge(alpha=self.alpha_, kernel="rbf", gamma=self.gamma_)
        self._kernel_rows = features
        self._kernel_weights: Floats = fitted.fit(features, vectors).dual_coef_

    def _check_state(self) -> None:
        super()._check_state()
        n, k = self._saved_rows("_kernel_rows"), self.n_labels_
        width = {"kemeny": k * (k - 1) // 2, "hamming": k * k, "lehmer": k}[self.embedding]
        self._saved_numbers("_kernel_rows", (n, self.n_features_in_))
        self._saved_numbers("_kernel_weights", (n, width))
        for name in ("alpha_", "gamma_"):
            number = vars(self).get(name)
            if type(number) is not float or not 0 < number < np.inf:
                raise ValueError(f"its {name} is {str(number)[:40]}, not a number above 0")

    def _predict_vectors(self, X: np.ndarray) -> Floats:
        from sklearn.metrics.pairwise import rbf_kernel

        predicted: Floats = (
            rbf_kernel(X, self._kernel_rows, gamma=self.gamma_) @ self._kernel_weights
        )
        return predicted

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("alpha", "gamma"):
            _candidates(name, getattr(self, name))


def choose_ridge(
    X: Floats, vectors: Floats, alphas: tuple[float, ...], gammas: tuple[float, ...]
) -> tuple[float, float]:
    """Return the ridge and width with the least squared error on rows left out one at a time.

    Examples
    --------
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> choose_ridge(X, np.sign(X - 0.5), (1e-3, 1e3), (1.0,))
    (0.001, 1.0)
    """
    if len(alphas) == len(gammas) == 1:
        return alphas[0], gammas[0]
    # Evenly spaced by features, and by rankings where these are equal: not by the order of rows.
    order = np.lexsort((*vectors.T[::-1], *X.T[::-1]))
    spaced = np.linspace(0, len(X) - 1, min(len(X), CHOICE_ROWS)).round().astype(int)
    rows = order[np.unique(spaced)]
    X, vectors = X[rows], vectors[rows]
    losses = {
        (alpha, gamma): loss
        for gamma in gammas
        for alpha, loss in zip(alphas, _losses_left_out(X, vectors, alphas, gamma), strict=True)
    }
    return min(losses, key=lambda pair: round(losses[pair], 12))


def _losses_left_out(
    X: Floats, vectors: Floats, alphas: tuple[float, ...], gamma: float
) -> list[float]:
    """Squared error of each ridge on rows left out one at a time."""
    from sklearn.metrics.pairwise import rbf_kernel

    left_out = ridge_left_out(rbf_kernel(X, gamma=gamma), vectors, np.ones(len(X)), alphas)
    return [float(((vectors - predicted) ** 2).mean()) for predicted in left_out]


def _candidates(name: str, value: Any) -> tuple[float, ...]:
    if isinstance(value, str) and value == "cv":
        return GRID
    if not is_real(value) or not 0 < value <= sys.float_info.max:
        raise ValueError(f"{name} is {shown(value)}; give a number above 0, or 'cv'")
    return (float(value),)
