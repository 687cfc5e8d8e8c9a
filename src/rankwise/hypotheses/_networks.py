"""Networks with one hidden layer."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from rankwise._parameters import check_integer, check_size
from rankwise.hypotheses._descent import descend, surrogate
from rankwise.hypotheses._hypothesis import Hypothesis, count_mistakes, make_generator
from rankwise.hypotheses._scale import middle_and_spread, scaled, shrink_far_rows

Array = NDArray[np.float64]

# Rounds over the hidden units of a sign network, at most.
MAX_ROUNDS = 10
# Where training no longer sees how far out a row is, in units of the spread.
FARTHEST = 30.0


class _Network(Hypothesis):
    """One hidden layer of `hidden` units and a sign at the end, on standardised features."""

    time_limit = None

    def __init__(self, hidden: int = 8, *, max_iter: int = 300, random_state: Any = 0) -> None:
        self.hidden = hidden
        self.max_iter = max_iter
        self.random_state = random_state

    def _class_sizes(self, n_features: int) -> dict[str, int]:
        self._check_parameters()
        n_inputs = check_integer("n_features", n_features, 1) + 1
        parameters = self.hidden * n_inputs + self.hidden + 1
        return {"n_parameters": parameters, "n_neurons": self.hidden + 1}

    def _check_parameters(self) -> None:
        check_integer("hidden", self.hidden, 1)
        check_integer("max_iter", self.max_iter, 1)

    def _shapes(self, n_features: int) -> dict[str, tuple[int, ...]]:
        weights = {"hidden_weights_": (n_features + 1, self.hidden)}
        scales = {"_middle": (n_features,), "_spread": (n_features,)}
        return {**scales, **weights, "output_weights_": (self.hidden + 1,)}

    def _minimise(self, X: Array, signs: Array) -> int:
        # training keeps some thirty vectors of all parameters, and what each unit gives for each row
        floats = 30 * (X.shape[1] + 2) + 4 * len(X)
        check_size("hidden", self.hidden, 1, bytes_each=8 * floats)
        rng = make_generator(self.random_state)
        self._middle, self._spread = middle_and_spread(X)
        Z = self._standardise(X)
        network = _train(Z, signs, self.hidden, self.max_iter, rng)
        self.n_iter_ = network.n_iter_
        hidden = np.vstack([network.coefs_[0], network.intercepts_[0]])
        trained = hidden, np.append(network.coefs_[1][:, 0], network.intercepts_[1])
        near = shrink_far_rows(Z)
        linear = _as_network(descend(near, signs, surrogate(near, signs), rng), hidden)
        starts = (trained, linear)
        improved = [self._improve(Z, signs, first, last, rng) for first, last in starts]
        self.hidden_weights_, self.output_weights_ = min(
            improved, key=lambda found: count_mistakes(self._layer(Z, found[0]) @ found[1], signs)
        )
        return 0

    @abstractmethod
    def _improve(
        self, Z: Array, signs: Array, hidden: Array, output: Array, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return hidden and output weights with no more mistakes on the 0/1 loss."""

    @abstractmethod
    def _activate(self, inputs: Array) -> Array:
        """What a hidden unit gives for its input."""

    def _standardise(self, X: Array) -> Array:
        return np.column_stack([scaled(X, self._middle, self._spread), np.ones(len(X))])

    def _layer(self, Z: Array, hidden: Array) -> Array:
        return np.column_stack([self._activate(Z @ hidden), np.ones(len(Z))])

    def _decide(self, X: Array) -> Array:
        return self._layer(self._standardise(X), self.hidden_weights_) @ self.output_weights_


class SigmoidNetwork(_Network):
    """A network of sigmoid units, trained on the log-loss and improved on the 0/1 loss.

    The output unit is a half-space over the hidden units, and is moved by exact line searches, once
    from the trained network and once from logistic regression, which is a network too: the risk is
    never above that of either. It is a heuristic; only a risk that no function avoids is proven.

    Parameters
    ----------
    hidden : int
        Units of the hidden layer.
    max_iter : int
        Iterations of training.
    random_state : int, RandomState or None
        For first weights and directions of search.

    Attributes
    ----------
    hidden_weights_ : ndarray of shape (n_features + 1, hidden)
        For features less their median, in units of their spread; constants in the last row.
    output_weights_ : ndarray of shape (hidden + 1,)
    n_iter_ : int
        Iterations of training.
    empirical_risk_, lower_bound_ : float
        Share of mistakes, and what no function of the features goes below.
    exact_ : bool
        Whether the two are equal.

    Examples
    --------
    Tea is before coffee if exactly one of two things holds:

    >>> from rankwise.hypotheses import SigmoidNetwork
    >>> model = SigmoidNetwork(4).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> model.empirical_risk_, model.exact_
    (0.0, True)
    """

    _class_name = "sigmoid network"

    def _activate(self, inputs: Array) -> Array:
        return expit(inputs)

    def _improve(
        self, Z: Array, signs: Array, hidden: Array, output: Array, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        return hidden, descend(self._layer(Z, hidden), signs, output, rng)


class SignNetwork(_Network):
    """A network of sign units: a sigmoid network made hard, then improved unit by unit.

    With all others fixed, a hidden unit matters for some rows only, and is the half-space that puts
    as many of these as possible on the side they need. Logistic regression is a second start: the
    risk is never above its own. It is a heuristic; only a risk that no function avoids is proven.

    Parameters
    ----------
    hidden : int
        Units of the hidden layer.
    max_iter : int
        Iterations of training.
    random_state : int, RandomState or None
        For first weights and directions of search.

    Attributes
    ----------
    hidden_weights_, output_weights_, n_iter_, empirical_risk_, lower_bound_, exact_
        As for `SigmoidNetwork`.

    Examples
    --------
    Tea is before coffee if exactly one of two things holds:

    >>> from rankwise.hypotheses import SignNetwork
    >>> model = SignNetwork(4).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> model.empirical_risk_, model.exact_
    (0.0, True)
    """

    _class_name = "sign network"

    def _class_sizes(self, n_features: int) -> dict[str, int]:
        return {"n_parameters": super()._class_sizes(n_features)["n_parameters"]}

    def _activate(self, inputs: Array) -> Array:
        return (inputs > 0).astype(np.float64)

    def _improve(
        self, Z: Array, signs: Array, hidden: Array, output: Array, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        hidden = hidden.copy()
        layer = self._layer(Z, hidden)
        starts = [output, surrogate(layer, signs)]
        tried = [descend(layer, signs, start, rng) for start in starts]
        output = min(tried, key=lambda u: count_mistakes(layer @ u, signs))
        mistakes = count_mistakes(layer @ output, signs)
        for _ in range(MAX_ROUNDS):
            before = mistakes
            for unit in range(self.hidden):
                self._improve_unit(Z, signs, hidden, output, unit, rng)
            layer = self._layer(Z, hidden)
            output = descend(layer, signs, output, rng)
            mistakes = count_mistakes(layer @ output, signs)
            if mistakes in (0, before):
                break
        return hidden, output

    def _improve_unit(
        self,
        Z: Array,
        signs: Array,
        hidden: Array,
        output: Array,
        unit: int,
        rng: np.random.Generator,
    ) -> None:
        """Change one column of `hidden` in place."""
        weight = output[unit]
        layer = self._layer(Z, hidden)
        off = layer @ output - weight * layer[:, unit]
        matters = (off > 0) != (off + weight > 0)
        if not matters.any():
            return
        # where the unit decides, on is right for rows of the class that its weight speaks for
        wanted = signs[matters] * np.sign(weight)
        hidden[:, unit] = descend(shrink_far_rows(Z[matters]), wanted, hidden[:, unit], rng)


def _as_network(u: Array, hidden: Array) -> tuple[Array, Array]:
    """Return the half-space u as a network: its first unit decides, and the others wait."""
    hidden = hidden.copy()
    hidden[:, 0] = u
    return hidden, np.concatenate([[1.0], np.zeros(hidden.shape[1] - 1), [-0.5]])


def _train(Z: Array, signs: Array, hidden: int, max_iter: int, rng: np.random.Generator) -> Any:
    """Return a network of scikit-learn, trained on the log-loss."""
    # imported here: importing the package must stay cheap
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    network = MLPClassifier(
        (hidden,),
        activation="logistic",
        solver="lbfgs",
        max_iter=max_iter,
        random_state=int(rng.integers(2**31 - 1)),
    )
    with warnings.catch_warnings():
        # training goes on below, on the loss that counts
        warnings.simplefilter("ignore", ConvergenceWarning)
        # rows far out would be all that training sees
        return network.fit(np.clip(Z[:, :-1], -FARTHEST, FARTHEST), signs)
