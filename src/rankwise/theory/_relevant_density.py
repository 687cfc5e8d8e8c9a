"""The density that a Level-Splits forest needs: of the combinations that occur, of features that matter."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.theory._condition import Condition, judge
from rankwise.theory._density import SMALLEST_DENSITY, binomial_interval
from rankwise.theory._observations import Observations, halves, observe_labels
from rankwise.theory._parameters import check_random_state
from rankwise.theory._sparsity import greedy_path, split_rows


class _Rarest(NamedTuple):
    estimate: float
    low: float
    high: float
    features: list[str]
    rows: int
    of: int


def relevant_density(X: Any, Y: Any, *, on: str = "ranks", random_state: Any = 0) -> Condition:
    """Estimate zeta of a Level-Splits forest: no combination is rare that occurs at all.

    For the features R that matter to a label, and any of their 2^r combinations w, P(x_R = w) is not
    strictly between 0 and zeta / 2^r. That is what the theorem on forests by Level-Splits asks for;
    the one on Breiman's forests asks for more: of *any* r features, all combinations must occur
    (`marginal_density`). Two copies of one feature break that, and not this.

    Features that matter are those on the greedy path (`sparsity`). One half of the rows finds the
    path and the rarest combination that it shows; the other half measures it (Clopper-Pearson
    interval). For binned features 2^r is the number of their combinations.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    Y : array-like of shape (n_samples, n_labels)
        As in `sparsity`.
    on : {"ranks", "scores"}
        As in `sparsity`.
    random_state : int, Generator or None
        For the random halves of the rows and other draws.

    Returns
    -------
    Condition
        The estimate is zeta of the worst label. It fails where zeta is surely below 0.01, and holds
        where it is surely above. Details: per label the features and rows of its rarest combination.

    Examples
    --------
    >>> X = np.random.default_rng(0).integers(0, 2, (2000, 4))
    >>> X[:, 3] = X[:, 0]
    >>> Y = np.column_stack([X[:, 0] + 2 * X[:, 1], X[:, 2]])
    >>> relevant_density(X, Y, on="scores").verdict
    'holds'
    """
    data, by_label = observe_labels(X, Y, on)
    rng = check_random_state(random_state)
    found = {label: _of_label(data, y, len(by_label), rng) for label, y in by_label.items()}
    known = {label: rarest for label, rarest in found.items() if rarest is not None}
    details = {label: None if r is None else r._asdict() for label, r in found.items()}
    if not known:
        text = (
            f"no label has a feature that helps to predict held-out rows of {data.codes.shape[1]}"
        )
        unknown = (math.nan, 0.0, 1.0)
        return Condition("relevant density", "zeta", *unknown, "cannot tell", text, details)
    worst = min(known, key=lambda label: known[label].estimate)
    rarest = known[worst]
    low, high = (min(getattr(r, end) for r in known.values()) for end in ("low", "high"))
    verdict = judge(low, high, SMALLEST_DENSITY)
    if verdict == "holds" and len(known) < len(found):
        verdict = "cannot tell"
    values = f"the rarest values of {', '.join(map(repr, rarest.features))} that occur together"
    text = f"for {worst}, {values} are in {rarest.rows} of {rarest.of} rows that were held out"
    return Condition("relevant density", "zeta", rarest.estimate, low, high, verdict, text, details)


def _of_label(
    data: Observations, y: NDArray[np.float64], n_labels: int, rng: np.random.Generator
) -> _Rarest | None:
    choose, measure = split_rows(y, rng)
    grow, test = halves(len(choose), rng)
    features = greedy_path(data, y, choose[grow], choose[test]).features
    if not features:
        return None
    shape = tuple(int(data.n_bins[i]) for i in features)
    cells = np.ravel_multi_index(tuple(data.codes[i].astype(np.int64) for i in features), shape)
    occurring, counts = np.unique(cells[choose], return_counts=True)
    count = int((cells[measure] == occurring[counts.argmin()]).sum())
    scale, n = math.prod(shape), len(measure)
    low, high = (min(1.0, scale * end) for end in binomial_interval(count, n, n_labels))
    names = [data.feature_names[i] for i in features]
    return _Rarest(min(1.0, scale * count / n), low, high, names, count, n)
