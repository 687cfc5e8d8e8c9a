"""The base learner of the decompositions: logistic regression that is next to unregularised."""

from __future__ import annotations

from typing import Any

from rankwise.classifiers import default_classifier

# Published figures come from WEKA's logistic regression, with a ridge of 1e-8. That has no finite
# solution where two classes can be separated; this keeps one, and the figures.
C = 100.0


def nearly_free_logistic() -> Any:
    """Return logistic regression on standardised features, as the publications use it."""
    # second order: with so little regularisation lbfgs takes up to forty times as long
    return default_classifier(C=C, solver="newton-cholesky")
