"""All conditions of one data set at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from rankwise._parameters import check_flag, check_integer
from rankwise._progress import Progress
from rankwise.rankings import check_rankings
from rankwise.theory._condition import Condition, Report
from rankwise.theory._density import countable_order, feature_dependence, marginal_density
from rankwise.theory._gap import strong_sparsity
from rankwise.theory._margins import tsybakov
from rankwise.theory._noise import check_clean, noise_level
from rankwise.theory._observations import check_lengths, observe
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
        "marginal density", "independence", "transitivity", "Tsybakov noise", "deletion tolerance",
        "partial tolerance"; with `Y_clean` also "inconsistency" and "tau gap". It prints as text,
        and has `to_dict` and `plot`.

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
    X = observe(X)
    check_lengths(X.codes.shape[1], len(check_rankings(Y, warn=False)))
    if Y_clean is not None:
        check_clean(Y_clean, Y)
    shown = sys.stderr.isatty() if progress is None else check_flag("progress", progress)
    found: list[Condition] = []
    for _, step in _track(_steps(X, Y, Y_clean, random_state, found), shown):
        step()
    return Report(found)


_Step = tuple[str, Callable[[], None]]


def _steps(
    X: Any, Y: Any, Y_clean: Any, random_state: int | None, found: list[Condition]
) -> list[_Step]:
    def add(estimator: Callable[..., Condition], *arguments: Any) -> Callable[[], None]:
        return lambda: found.append(estimator(*arguments, random_state=random_state))

    def add_density() -> None:
        # The order of the density is the sparsity just found.
        r = countable_order(found[0].estimate, len(check_rankings(Y, warn=False)))
        found.append(marginal_density(X, r, random_state=random_state))

    steps: list[_Step] = [
        ("sparsity", add(sparsity, X, Y)),
        ("submodularity", add(submodularity, X, Y)),
        ("diminishing returns", add(diminishing_returns, X, Y)),
        ("strong sparsity", add(strong_sparsity, X, Y)),
        ("marginal density", add_density),
        ("independence", add(feature_dependence, X)),
        ("transitivity", add(transitivity, X, Y)),
        ("Tsybakov noise", add(tsybakov, X, Y)),
        ("deletion tolerance", add(deletion_tolerance, X, Y)),
        ("partial tolerance", add(partial_tolerance, X, Y)),
    ]
    if Y_clean is not None:
        steps.append(
            (
                "noise level",
                lambda: found.extend(noise_level(Y_clean, Y, random_state=random_state)),
            )
        )
    return steps


def _track(steps: list[_Step], shown: bool) -> Iterable[_Step]:
    if shown and not sys.stderr.isatty():
        # A bar would stay invisible in a file or a pipe.
        for number, step in enumerate(steps, 1):
            print(f"{number} of {len(steps)}: {step[0]}", file=sys.stderr, flush=True)
            yield step
        return
    with Progress(total=len(steps), shown=shown) as bar:
        for step in steps:
            bar.step(step[0])
            yield step
            bar.advance()
