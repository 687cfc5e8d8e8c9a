"""Half-spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rankwise.hypotheses._cover import fewest_mistakes
from rankwise.hypotheses._descent import descend, surrogate
from rankwise.hypotheses._hypothesis import Hypothesis
from rankwise.theory import vc_dimension


class Halfspace(Hypothesis):
    """The half-space with the fewest mistakes on the training rows.

    Logistic regression is improved by exact line searches on the 0/1 loss. Then an integer program
    (a set cover over small sets of rows that no half-space separates) looks for better, or
    proves that there is none, as long as time permits.

    Parameters
    ----------
    time_limit : float or None
        Seconds for the integer program; 0 leaves it out, None lets it end. If time runs out, the
        result may depend on the machine's speed, `exact_` is False, and `lower_bound_` tells the gap.
    random_state : int, RandomState or None
        For directions of search.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (1, n_features), (1,)
        The second of `classes_` is where ``coef_ @ x + intercept_ > 0``.
    empirical_risk_, lower_bound_ : float
        Share of mistakes, and what no half-space goes below.
    exact_ : bool
        Whether the two are equal: the risk is proven to be the least. Separation by less than a
        ten-millionth of the features' range does not count.

    Examples
    --------
    Is tea before coffee, by the hour of the day?

    >>> from rankwise.hypotheses import Halfspace
    >>> model = Halfspace().fit([[7], [8], [9], [15], [16], [17]], [0, 0, 1, 1, 0, 1])
    >>> round(model.empirical_risk_ * 6), model.exact_, model.vc_dimension(1)
    (1, True, 2)
    """

    def __init__(self, *, time_limit: float | None = 1.0, random_state: Any = 0) -> None:
        self.time_limit = time_limit
        self.random_state = random_state

    def vc_dimension(self, n_features: int) -> int:
        """Return d + 1.

        Examples
        --------
        >>> from rankwise.hypotheses import Halfspace
        >>> Halfspace().vc_dimension(3)
        4
        """
        return vc_dimension("halfspace", d=n_features)

    def _minimise(self, X: NDArray[np.float64], signs: NDArray[np.float64]) -> int:
        deadline = self._deadline()
        rng = make_generator(self.random_state)
        low, high = X.min(axis=0), X.max(axis=0)
        self._middle = low / 2 + high / 2
        half = high / 2 - low / 2
        self._scale = np.where(half > 0, half, 1.0)
        F = self._lift(X)
        found = descend(F, signs, surrogate(F, signs), rng)
        self._weights, bound = fewest_mistakes(F, signs, found, deadline, rng)
        self.coef_ = (self._weights[:-1] / self._scale)[None, :]
        self.intercept_ = self._weights[-1:] - self.coef_ @ self._middle
        return bound

    def _lift(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scale features to [-1, 1] on the training rows and add the constant."""
        return np.column_stack([(X - self._middle) / self._scale, np.ones(len(X))])

    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._lift(X) @ self._weights


def make_generator(random_state: Any) -> np.random.Generator:
    """Return a generator from whatever scikit-learn takes as `random_state`."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
