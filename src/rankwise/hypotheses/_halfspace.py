"""Half-spaces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.hypotheses._descent import surrogate
from rankwise.hypotheses._linear import LinearHypothesis

Array = NDArray[np.float64]


class Halfspace(LinearHypothesis):
    """The half-space with the fewest mistakes on the training rows.

    Logistic regression is improved by exact line searches on the 0/1 loss, and on few rows by
    trying all half-spaces that touch as many rows as they can. Then an integer program (a set cover
    over small sets of rows that no half-space separates) looks for better, or proves that there is
    none, as long as time permits.

    Parameters
    ----------
    time_limit : float or None
        Seconds for the integer program; 0 leaves it out, None lets it end. If time runs out, the
        result may depend on the machine's speed, `exact_` is False, and `lower_bound_` shows the gap.
    random_state : int, RandomState or None
        For directions of search.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (1, n_features), (1,)
        The second of `classes_` is where ``coef_ @ x + intercept_ > 0``.
    empirical_risk_, lower_bound_ : float
        Share of mistakes, and what no half-space goes below.
    exact_ : bool
        Whether the two are equal: the risk is proven to be the least. Separation by less than
        1e-12 of the features' spread is rounding and does not count.

    Examples
    --------
    Is tea before coffee, by the hour of the day?

    >>> from rankwise.hypotheses import Halfspace
    >>> model = Halfspace().fit([[7], [8], [9], [15], [16], [17]], [0, 0, 1, 1, 0, 1])
    >>> round(model.empirical_risk_ * 6), model.exact_, model.vc_dimension(1)
    (1, True, 2)
    """

    _class_name = "halfspace"

    def _shapes(self, n_features: int) -> dict[str, tuple[int, ...]]:
        scales = {"_middle": (n_features,), "_scale": (n_features,), "_weights": (n_features + 1,)}
        return {**scales, "coef_": (1, n_features), "intercept_": (1,)}

    def _scale_by(self, spread: Array) -> Array:
        return spread

    def _lift(self, X: Array) -> Array:
        return np.column_stack([self._scaled(X), np.ones(len(X))])

    def _starts(self, F: Array, signs: Array) -> list[Array]:
        return [surrogate(F, signs)]

    def _describe(self, F: Array) -> None:
        self.coef_ = (self._weights[:-1] / self._scale)[None, :]
        self.intercept_ = self._weights[-1:] - self.coef_ @ self._middle
