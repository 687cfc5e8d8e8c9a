"""All conditions of one data set at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from rankwise._parameters import check_flag, check_integer
from rankwise._progress import Progress
from rankwise.theory._condition import Condition, Report
from rankwise.theory._density import countable_order, feature_dependence, marginal_density
from rankwise.theory._gap import strong_sparsity
from rankwise.theory._margins import tsybakov
from rankwise.theory._noise import check_clean, noise_level
from rankwise.theory._observations import observe_rankings
from rankwise.theory._relevant_density import relevant_density
from rankwise.theory._returns import diminishing_returns, submodularity
from rankwise.theory._sparsity import sparsity
from rankwise.theory._tolerance import deletion_tolerance, partial_tolerance
from rankwise.theory._transitivity import transitivity


def diagnose(
    X: Any,
    Y: Any,
    *,
    Y_clean: Any = None,
    random_state: int | None = 0,
    progress: bool | None = None,
) -> Report:
    """Estimate every condition of the paper's theorems from data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers; features with more than four values are put into quarters.
    Y : array-like of shape (n_samples, n_labels)
        Ranks, 1 = first; NaN = not observed, equal = tied.
    Y_clean : array-like of shape (n_samples, n_labels), optional
        The same rankings without noise, where they are known: adds alpha and beta.
    random_state : int or None
        Each condition splits the rows by it: the same number gives the same report.
    progress : bool, optional
        Whether to show on standard error what is being estimated, as a bar on a terminal and by a
        line per condition elsewhere; by default only on a terminal.

    Returns
    -------
    Report
        Conditions by name: "sparsity", "submodularity", "diminishing returns", "strong sparsity",
        "marginal density", "relevant density", "independence", "transitivity", "Tsybakov noise",
        "deletion tolerance", "partial tolerance"; with `Y_clean` also "inconsistency" and "tau gap".
        It prints as text, and has `to_dict` and `plot`.

    Examples
    --------
    Tea, coffee and water, which depend on six features:

    >>> from rankwise.oracles import Oracle, SparseLinear
    >>> X, Y = Oracle(SparseLinear(6, 3, 2)).sample(500, random_state=0)
    >>> diagnose(X, Y)["deletion tolerance"].estimate
    1.0
    """
    if random_state is not None:
        random_state = check_integer("random_state", random_state, 0, why=" or None")
    X, _ = observe_rankings(X, Y)
    if Y_clean is not None:
        check_clean(Y_clean, Y)
    shown = sys.stderr.isatty() if progress is None else check_flag("progress", progress)
    found: list[Condition] = []
    for name in _track([*_ESTIMATORS, *(["noise level"] if Y_clean is not None else [])], shown):
        if name == "noise level":
            found += noise_level(Y_clean, Y, random_state=random_state)
        elif name == "marginal density":
            # Its order is the sparsity just found.
            r = countable_order(found[0].estimate, X.codes.shape[1])
            found.append(marginal_density(X, r, random_state=random_state))
        else:
            arguments = (X,) if name == "independence" else (X, Y)
            found.append(_ESTIMATORS[name](*arguments, random_state=random_state))
    return Report(found)


_ESTIMATORS: dict[str, Callable[..., Condition]] = {
    "sparsity": sparsity,
    "submodularity": submodularity,
    "diminishing returns": diminishing_returns,
    "strong sparsity": strong_sparsity,
    "marginal density": marginal_density,
    "relevant density": relevant_density,
    "independence": feature_dependence,
    "transitivity": transitivity,
    "Tsybakov noise": tsybakov,
    "deletion tolerance": deletion_tolerance,
    "partial tolerance": partial_tolerance,
}


def _track(names: list[str], shown: bool) -> Iterator[str]:
    """Yield each name when its turn has come, and show it."""
    is_bar = not shown or sys.stderr.isatty()
    with Progress(total=len(names), shown=shown and is_bar) as bar:
        for number, name in enumerate(names, 1):
            bar.step(name)
            if not is_bar:
                # A bar would stay invisible in a file or a pipe.
                print(f"{number} of {len(names)}: {name}", file=sys.stderr, flush=True)
            yield name
            bar.advance()
