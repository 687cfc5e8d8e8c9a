"""Look at data before learning from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise._naming import shown
from rankwise._parameters import as_list, check_flag, check_integer, check_names, is_list
from rankwise._progress import Progress
from rankwise.audits._comparisons import compare_labels
from rankwise.audits._features import read_features, summarise_features
from rankwise.audits._labels import summarise_labels
from rankwise.audits._orientation import orders_evidence
from rankwise.audits._repeats import find_repeats
from rankwise.audits._result import Audit
from rankwise.rankings import check_rankings, label_names


def audit(
    X: Any,
    Y: Any,
    *,
    labels: Sequence[Any] | None = None,
    features: Sequence[Any] | None = None,
    n_folds: int = 10,
    rows: Sequence[Any] | None = None,
    are_ranks: bool = False,
    progress: bool | None = None,
) -> Audit:
    """Look at features and rankings as a careful colleague would, before anything is learned.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or None
        Features; NaN = missing. Texts are reported, not refused.
    Y : array-like of shape (n_samples, n_labels)
        Ranks, 1 = first; NaN = not observed, equal = tied.
    labels, features : sequence of str, optional
        Their names; by default the columns of DataFrames, else their numbers.
    n_folds : int
        Folds of the cross-validation that is planned: labels too rare for it are named.
    rows : sequence, optional
        What rows are called where they are named, one for each; by default by number, from 0. The
        command line calls them by name, or by the line of the file they stand on.
    are_ranks : bool
        Whether `Y` is known to hold ranks, as it was made of values or of texts such as ``a>b``;
        otherwise it is looked at whether it may hold orders.
    progress : bool, optional
        Whether to say what is being done, after two seconds; by default on a terminal.

    Returns
    -------
    Audit
        Facts and `findings`. ``print`` it, show it in a notebook, or take `to_dict`.

    Notes
    -----
    Whether permutations are ranks or orders is reported where the features show it: see
    `OrdersEvidence`. The same input gives the same audit.

    Examples
    --------
    >>> report = audit([[8], [8], [17]], [[1, 2, None], [2, 1, None], [1, 2, None]],
    ...                labels=["tea", "coffee", "water"])
    >>> for finding in report.findings[:2]:
    ...     print(finding.severity, finding.message, sep=": ")
    serious: never observed: 'water'
    warning: 2 rows in 1 group have equal features and contradictory rankings (first: rows 0 and 1)
    """
    names = label_names(Y) if labels is None else check_names("labels", labels)
    ranks = check_rankings(Y, labels=names, warn=False)
    n, k = ranks.shape
    names = [str(j) for j in range(k)] if names is None else names
    matrix, feature_names, text = read_features(X, n, features)
    if rows is not None and not is_list(rows):
        raise TypeError(f"rows is {shown(rows)}; give a list with one name for each row")
    rows = None if rows is None else as_list("rows", rows)
    if rows is not None and len(rows) != n:
        raise ValueError(f"rows names {len(rows)} of {n} rows; give one name for each")
    n_folds = min(check_integer("n_folds", n_folds, 2), n)
    observed = (~np.isnan(ranks)).sum(axis=1)
    check_flag("are_ranks", are_ranks)
    if progress is not None:
        check_flag("progress", progress)
    with Progress(shown=progress) as steps:
        steps.step("Counting labels")
        summaries = summarise_labels(ranks, names, n_folds)
        steps.step("Comparing labels")
        comparisons = compare_labels(ranks, names)
        steps.step("Looking for repeated rows")
        repeats = find_repeats(matrix, ranks, rows)
        steps.step("Looking at features")
        about_features = summarise_features(matrix, feature_names, text)
        steps.step("Telling ranks from orders")
        numeric = [name not in text for name in feature_names]
        orders = None
        if not are_ranks:
            orders = orders_evidence(matrix[:, numeric], ranks, np.random.default_rng(0))
    return Audit(
        n_samples=n,
        n_features=matrix.shape[1],
        n_labels=k,
        labels=summaries,
        comparisons=comparisons,
        repeats=repeats,
        features=about_features,
        orders=orders,
        n_idle_rows=int((observed < 2).sum()),
        missing_rate=float(1 - observed.sum() / ranks.size),
        tie_rate=_tie_rate(ranks),
        largest_rank=0.0 if not observed.any() else float(np.nanmax(ranks)),
        n_folds=n_folds,
        are_ranks=are_ranks,
    )


def _tie_rate(ranks: np.ndarray) -> float:
    n_tied = 0
    step = max(1, 2_000_000 // ranks.shape[1])  # temporary arrays of some 16 MB
    for start in range(0, len(ranks), step):
        rising = np.sort(ranks[start : start + step], axis=1)
        n_tied += int((rising[:, 1:] == rising[:, :-1]).any(axis=1).sum())
    return n_tied / len(ranks)
