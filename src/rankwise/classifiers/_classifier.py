"""The classifier that a user gives: is it one, what can it do, and how it gets seeds and weights."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from rankwise._naming import shown
from rankwise._parameters import draw_integer


def check_classifier(estimator: Any) -> Any:
    """Return `estimator` if it can classify, the default for None, or say what to give instead."""
    if estimator is None:
        return default_classifier()
    is_estimator = hasattr(estimator, "fit") and hasattr(estimator, "get_params")
    kind = None
    if is_estimator and not isinstance(estimator, type):
        tags = get_tags(estimator)
        # what predicts several columns, and no single one, is a ranker
        kind = tags.estimator_type if tags.target_tags.single_output else "ranker"
    # a stack of classifiers says that it is one, and can predict once it is fitted only
    if isinstance(estimator, type) or (kind is None and not hasattr(estimator, "predict")):
        raise TypeError(
            f"estimator is {shown(estimator)}; give a scikit-learn classifier, such as "
            "LogisticRegression()"
        )
    if kind not in (None, "classifier"):
        what = {"outlier_detector": "an outlier detector"}.get(kind, f"a {kind}")
        hint = ", and LabelwiseRanker takes regressors" if kind == "regressor" else ""
        raise TypeError(
            f"estimator {type(estimator).__name__} is {what}; a classifier is needed here{hint}"
        )
    return estimator


def default_classifier(**options: Any) -> Any:
    """Return logistic regression on standardised features: quick, and hard to misuse."""
    # imported here: importing the package must stay cheap
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(**options))


def require_probabilities(model: Any, purpose: str, otherwise: str) -> None:
    """Raise an error that says who needs `predict_proba` and what to do without.

    Some say what they can do once they are fitted only: they pass until then.
    """
    if hasattr(model, "predict") and not hasattr(model, "predict_proba"):
        raise TypeError(
            f"{purpose}, and {type(model).__name__} has no predict_proba; {otherwise}, or wrap the "
            "classifier in sklearn.calibration.CalibratedClassifierCV"
        )


def draw_seed(random_state: Any) -> int:
    """Return a whole number from an int, a Generator, a RandomState or None."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return draw_integer(random_state)


def spawn_seeds(seed: int, n: int) -> list[int]:
    """Return n seeds of their own for as many fits, whichever worker makes them.

    Examples
    --------
    >>> spawn_seeds(0, 2) == spawn_seeds(0, 3)[:2]
    True
    """
    return [int(state >> 1) for state in np.random.SeedSequence(seed).generate_state(n)]


def seeded_copies(estimator: Any) -> Callable[[int], Any]:
    """Return a function of a seed that makes unfitted copies, as `clone` does, but quicker.

    The seed goes to random parts of the estimator whose `random_state` the user left open.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> make = seeded_copies(DecisionTreeClassifier(max_depth=2))
    >>> make(7), make(8).random_state
    (DecisionTreeClassifier(max_depth=2, random_state=7), 8)
    """
    first, is_open = clone(estimator), _open_seeds(estimator)
    parts = [first, *(v for v in first.get_params(deep=True).values() if hasattr(v, "get_params"))]
    plain = BaseEstimator.__sklearn_clone__
    # a copy of what is unfitted is unfitted, at a sixth of the time of a clone
    quick = all(getattr(type(part), "__sklearn_clone__", None) is plain for part in parts)

    def make(seed: int) -> Any:
        model = copy.deepcopy(first) if quick else clone(first)
        if is_open == ["random_state"]:
            # what set_params comes to, at a tenth of its time
            model.random_state = seed
        elif is_open:
            model.set_params(**dict.fromkeys(is_open, seed))
        return model

    return make


def _open_seeds(estimator: Any) -> list[str]:
    """Return the parameters of random parts of `estimator` that the user left open."""
    params = estimator.get_params(deep=True)
    return [
        name
        for name, value in params.items()
        if value is None
        and (name == "random_state" or name.endswith("__random_state"))
        and not _draws_nothing(params.get(name[: -len("__random_state")], estimator))
    ]


def _draws_nothing(part: Any) -> bool:
    """Whether `part` is logistic regression with a solver that ignores its seed.

    To make a generator of a seed takes scikit-learn a fifteenth of the time of a small fit.
    """
    kind = type(part)
    is_logistic = kind.__name__ == "LogisticRegression" and kind.__module__.startswith("sklearn.")
    return is_logistic and part.solver in ("lbfgs", "newton-cg", "newton-cholesky")


def weight_keywords(estimator: Any, purpose: str) -> list[str]:
    """Return the keywords by which `fit` takes weights of rows.

    In a pipeline the weights go to every step that takes them, so that a row of weight 2 counts
    as two rows.

    Examples
    --------
    >>> weight_keywords(default_classifier(), "this example")
    ['standardscaler__sample_weight', 'logisticregression__sample_weight']
    """
    steps = list(_steps(estimator, ""))
    last = steps[-1][1] if steps else estimator
    if not has_fit_parameter(last, "sample_weight"):
        raise TypeError(
            f"{purpose} needs a classifier whose fit takes sample_weight, and "
            f"{type(last).__name__}'s does not; use another, such as LogisticRegression()"
        )
    if get_config()["enable_metadata_routing"]:
        # the steps have said themselves what they want
        return ["sample_weight"]
    return [
        f"{prefix}sample_weight"
        for prefix, step in steps
        if has_fit_parameter(step, "sample_weight")
    ]


def _steps(estimator: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield the steps of a pipeline, and of those inside it; any other estimator itself."""
    if not hasattr(estimator, "steps"):
        yield prefix, estimator
        return
    for name, step in estimator.steps:
        if step is not None and not isinstance(step, str):
            yield from _steps(step, f"{prefix}{name}__")


def label_probabilities(model: Any, X: Any, n_labels: int) -> NDArray[np.float64]:
    """Return the probability of each label, 0 for those that the classifier never saw, checked.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> label_probabilities(DummyClassifier().fit([[0], [0]], [0, 2]), np.zeros((1, 1)), 3)
    array([[0.5, 0. , 0.5]])
    """
    probabilities = np.zeros((X.shape[0], n_labels))
    probabilities[:, np.asarray(model.classes_, dtype=np.int64)] = model.predict_proba(X)
    check_probabilities(probabilities)
    return probabilities


def check_probabilities(probabilities: NDArray[np.float64]) -> None:
    """Raise an error that shows the first number that is no probability."""
    wrong = ~((probabilities >= 0) & (probabilities <= 1))
    if wrong.any():
        raise ValueError(f"gave the probability {probabilities[wrong][0]}")


def raise_naming(error: Exception, where: str, model: Any) -> Any:
    """Raise an error of `model` again, with what was being done."""
    if isinstance(error, ValueError | TypeError):
        kind = ValueError if isinstance(error, ValueError) else TypeError
        hint = ""
        if "could not convert string" in str(error):
            hint = "; a TableRanker around the ranker makes features of columns of texts"
        raise kind(f"{where}: {type(model).__name__}: {error}{hint}") from error
    error.add_note(where)
    raise error
