"""What all hypothesis classes share: two classes, the 0/1 risk, and a bound that proves it least."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, check_X_y

from rankwise._parameters import check_seconds, draw_integer
from rankwise._saved_state import Saved
from rankwise.ranker import at_most_64_bits, check_table, is_sparse, refuse_bad_numbers
from rankwise.theory import vc_dimension


class Hypothesis(Saved, ClassifierMixin, BaseEstimator, ABC):
    """Base of the classes: a subclass has a `_class_name`; what it writes is marked abstract.

    `_minimise(X, signs)` gets the classes as -1 and +1, stores the hypothesis and returns how many
    mistakes every hypothesis of the class makes at least.
    """

    _class_name: str  # in `rankwise.theory.vc_dimension`
    time_limit: float | None

    def __init__(self, *, time_limit: float | None = 1.0, random_state: Any = 0) -> None:
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the hypothesis with the fewest mistakes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Two classes of any type.
        """
        self._check_parameters()
        rows, y = check_X_y(self._rows(X, reset=True), _as_array(y), estimator=type(self).__name__)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}; give two classes"
            )
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only, {self.classes_.tolist()[0]!r}; a hypothesis is chosen by the "
                "rows of two"
            )
        signs = np.where(codes == 1, 1.0, -1.0)
        bound = max(self._minimise(rows, signs), contradictions(rows, signs))
        mistakes = count_mistakes(self._decide(rows), signs)
        self.empirical_risk_ = mistakes / len(rows)
        self.lower_bound_ = min(bound, mistakes) / len(rows)
        self.exact_ = bool(bound >= mistakes)
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return a number per row: above 0 for the second of `classes_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.
        """
        check_is_fitted(self)
        return self._decide(self._rows(X, reset=False))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows.
        """
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.int64)]

    def _rows(self, X: Any, *, reset: bool) -> NDArray[np.float64]:
        checked = check_table(self, X, reset=reset)
        refuse_bad_numbers(checked, getattr(self, "feature_names_in_", None), False)
        rows: NDArray[np.float64] = at_most_64_bits(checked).astype(np.float64)
        return rows

    def vc_dimension(self, n_features: int) -> int:
        """Return the VC dimension of the class, as in the paper's table.

        d + 1 for half-spaces and balls, 2 d for rectangles, where d is `n_features`. Of networks the
        order of the bound: M log M with sign units and M² N² with sigmoid units, where M is the number
        of parameters and N that of neurons.

        Parameters
        ----------
        n_features : int
            How many features the rows have.

        Examples
        --------
        >>> from rankwise.hypotheses import Ball, Halfspace, Rectangle, SigmoidNetwork, SignNetwork
        >>> [kind().vc_dimension(3) for kind in (Halfspace, Rectangle, Ball)]
        [4, 6, 4]
        >>> [kind(2).vc_dimension(1) for kind in (SignNetwork, SigmoidNetwork)]
        [14, 441]
        """
        return vc_dimension(self._class_name, **self._class_sizes(n_features))

    def _class_sizes(self, n_features: int) -> dict[str, int]:
        """What `rankwise.theory.vc_dimension` asks of the class."""
        return {"d": n_features}

    @abstractmethod
    def _minimise(self, X: NDArray[np.float64], signs: NDArray[np.float64]) -> int:
        """Find the parameters of fewest mistakes; return how many mistakes are proven unavoidable."""

    @abstractmethod
    def _decide(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers that are positive where the second class is predicted."""

    @abstractmethod
    def _shapes(self, n_features: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the arrays that `_minimise` leaves, by name."""

    def _check_found(self, n_features: int) -> None:
        """Raise a ValueError unless the parameters, out of a file, are such as `_minimise` leaves."""
        for name, shape in self._shapes(n_features).items():
            divides = name in ("_spread", "_scale")
            (self._saved_spread if divides else self._saved_numbers)(name, shape)

    def _check_parameters(self) -> None:
        check_seconds("time_limit", self.time_limit)

    def _check_state(self) -> None:
        state = vars(self)
        if set(state) <= set(self.get_params(deep=False)):
            return  # one that is a parameter of a ranker has learned nothing
        d, classes = state.get("n_features_in_"), state.get("classes_")
        if type(d) is not int or d < 1:
            raise ValueError(f"its {type(self).__name__} classifies by no features")
        is_pair = isinstance(classes, np.ndarray) and classes.shape == (2,)
        if classes is None or not is_pair or classes[0] == classes[1]:
            raise ValueError(f"its {type(self).__name__} does not know two classes")
        self._check_found(d)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _as_array(y: Any) -> Any:
    """The classes in an array, or an error that says what they are instead."""
    if y is None:
        return y  # of which scikit-learn has words
    try:
        if is_sparse(y):
            raise TypeError("which is sparse")
        classes = np.asarray(y)
        if classes.dtype.kind == "T":  # texts of any length, which scikit-learn does not know
            classes = classes.astype(object)
    except Exception as error:  # of whatever container this is
        raise TypeError(f"y is a {type(y).__name__} ({error}); give one class per row") from error
    if classes.dtype.kind not in "biufOSU":
        raise TypeError(
            f"y has dtype {classes.dtype}; give one class per row, as a number or a text"
        )
    return classes


def count_mistakes(values: NDArray[np.float64], signs: NDArray[np.float64]) -> int:
    """Return how many rows fall on the wrong side; 0 is the negative side."""
    return int(np.count_nonzero((values > 0) != (signs > 0)))


def contradictions(X: NDArray[np.float64], signs: NDArray[np.float64]) -> int:
    """Return the mistakes that no function of X avoids: equal rows of unequal classes."""
    _, group = np.unique(X, axis=0, return_inverse=True)
    group = group.reshape(-1)
    positive = np.bincount(group[signs > 0], minlength=group.max() + 1)
    return int(np.minimum(positive, np.bincount(group) - positive).sum())


def make_generator(random_state: Any) -> np.random.Generator:
    """Return a generator from whatever scikit-learn takes as `random_state`."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(draw_integer(random_state))
