"""A learner: a name, what it is, how its estimator is made, and what data it takes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from rankwise._arguments import check_arguments
from rankwise._naming import shown

# Values that are worth a try, of every learner that has such a parameter.
GRID: dict[str, tuple[Any, ...]] = {
    "min_samples_leaf": (1, 5, 25, 100),
    "max_features": (0.33, 1.0),
    "splitter": ("best", "random"),
    "n_neighbors": (1, 3, 5, 10, 20, 50),
    "scale": (False, True),
    "C": (0.01, 0.1, 1.0, 10.0, 100.0),
    "width": (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0),
}


@check_arguments
class Takes(NamedTuple):
    """What data an estimator takes beside complete rankings and features without gaps."""

    missing_labels: bool
    ties: bool
    weights: bool
    missing_features: bool


@check_arguments
@dataclass(frozen=True)
class Learner:
    """A learner that is known by name.

    Parameters
    ----------
    name : str
        As it stands in tables.
    description : str
        What it is, in a line.
    make : callable
        Returns a fresh estimator.
    parameters : dict
        Parameters that differ from those of `make`.
    aliases : tuple of str
        Other names for it.
    seconds : (float, float)
        Rough time of a fit on one core: at least, and for each million of rows times features
        times labels.
    in_all : bool
        Whether it takes part where all learners are asked for.
    fills_gaps : bool
        Whether it fills missing features by a step of a pipeline, which does not say so.
    is_foreign : bool
        Whether the estimator is not one of this package.
    by_cost : bool
        Whether it is given the values that the ranks were made of, where they are known: so that
        large differences count for more, or to tell what to expect of each label.
    shorthands : dict
        Short names of parameters that lie deep inside of the estimator.
    """

    name: str
    description: str
    make: Callable[[], Any]
    parameters: dict[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    seconds: tuple[float, float] = (0.1, 10.0)
    in_all: bool = True
    fills_gaps: bool = False
    is_foreign: bool = False
    by_cost: bool = False
    shorthands: dict[str, str] = field(default_factory=dict)

    def cost(self, n_samples: int, n_features: int, n_labels: int) -> float:
        """Return roughly how many seconds a fit to so large a data set takes."""
        least, slope = self.seconds
        return least + slope * n_samples * n_features * n_labels * 1e-6

    def estimator(self, seed: int | None = None, **parameters: Any) -> Any:
        """Return a fresh estimator.

        Parameters
        ----------
        seed : int, optional
            Fixes whatever it draws at random.
        **parameters
            Further parameters, which go before its own.

        Examples
        --------
        >>> from rankwise.learners import find_learner
        >>> find_learner("Tree").estimator(seed=0, max_depth=3)
        TreeRanker(max_depth=3, random_state=0)
        """
        model = self.make()
        known = model.get_params()
        given = self.parameters | parameters
        chosen = {self.shorthands.get(name, name): value for name, value in given.items()}
        for name in chosen:
            if name not in known:
                raise ValueError(
                    f"learner {self.name}: there is no parameter {name!r}; known are "
                    f"{', '.join(sorted({*known, *self.shorthands}))}"
                )
        model.set_params(**chosen)
        if seed is not None and model.get_params().get("random_state", 0) is None:
            model.set_params(random_state=seed)
        return model

    def variants(self, grid: str | None = None) -> list[str]:
        """Return the learner with all combinations of some values of parameters, as texts.

        Parameters
        ----------
        grid : str, optional
            Such as ``"C=0.1,1; aggregation='borda','copeland'"``; by default what is usual.

        Examples
        --------
        >>> from rankwise.learners import find_learner
        >>> find_learner("Tree").variants("max_depth=3,None; min_samples_leaf=5")
        ['Tree(max_depth=3, min_samples_leaf=5)', 'Tree(max_depth=None, min_samples_leaf=5)']
        """
        known = {*self.estimator().get_params(), *self.shorthands}
        own = {name: values for name, values in GRID.items() if name in known}
        values = own if grid is None else _parse_grid(grid)
        if not values:
            raise ValueError(
                f"learner {self.name} has no list of parameters to try; say which, as in "
                "'max_depth=3,5,9; min_samples_leaf=1,5'"
            )
        head = self.name.partition("(")[0]
        found = []
        for combination in product(*values.values()):
            given = self.parameters | dict(zip(values, combination, strict=True))
            self.estimator(**given)  # a slip shows before anything is tried
            shown = ", ".join(f"{name}={value!r}" for name, value in given.items())
            found.append(f"{head}({shown})")
        return found

    @property
    def takes(self) -> Takes:
        """What data its estimator takes."""
        found = takes_of(self.estimator())
        return found._replace(missing_features=found.missing_features or self.fills_gaps)


def _parse_grid(text: str) -> dict[str, tuple[Any, ...]]:
    """Read ``"C=0.1,1; scale=True"``."""
    found = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, _, values = (piece.strip() for piece in part.partition("="))
        try:
            parsed = ast.literal_eval(f"({values},)")
        except (SyntaxError, ValueError):
            parsed = ()
        if not name.isidentifier() or not parsed:
            raise ValueError(
                f"grid {part!r}: write NAME=VALUE,VALUE with numbers, quoted texts, True, False or "
                "None as values, and ; between parameters"
            )
        found[name] = parsed
    return found


def takes_of(ranker: Any) -> Takes:
    """Return what data an estimator takes, as it says itself.

    Examples
    --------
    >>> from rankwise.baselines import LRRF
    >>> takes_of(LRRF())
    Takes(missing_labels=True, ties=False, weights=True, missing_features=True)
    """
    # Imported here: a list of names needs no scikit-learn.
    from sklearn.utils import get_tags
    from sklearn.utils.validation import has_fit_parameter

    return Takes(
        missing_labels=getattr(ranker, "_takes_missing_labels", True),
        ties=getattr(ranker, "_takes_ties", True),
        weights=has_fit_parameter(ranker, "sample_weight")
        and getattr(ranker, "_takes_weights", True),
        missing_features=hasattr(ranker, "__sklearn_tags__")
        and get_tags(ranker).input_tags.allow_nan,
    )


@check_arguments
def fit_ranker(ranker: Any, X: Any, y: Any, sample_weight: Any = None, values: Any = None) -> Any:
    """Fit a ranker, with weights where there are any; refuse them where it takes none.

    Parameters
    ----------
    ranker : estimator
        Unfitted.
    X, y : array-like
        Features and rankings.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    values : array-like of shape (n_samples, n_labels), optional
        What the ranks were made of, for a ranker that weighs pairs by it.

    Examples
    --------
    >>> from rankwise.baselines import KNNKemeny
    >>> fit_ranker(KNNKemeny(1), [[7], [17]], [[1, 2], [2, 1]], sample_weight=[1, 3])
    Traceback (most recent call last):
    ValueError: the rows have weights, which KNNKemeny does not take; choose another learner, or ...
    """
    if isinstance(ranker, type) or not hasattr(ranker, "fit"):
        raise TypeError(f"ranker is {shown(ranker)}; give an estimator such as ForestRanker()")
    known = {} if values is None else {"values": values}
    if sample_weight is None:
        return ranker.fit(X, y, **known)
    if not takes_of(ranker).weights:
        raise ValueError(
            f"the rows have weights, which {type(ranker).__name__} does not take; choose another "
            "learner, or leave the weights out"
        )
    return ranker.fit(X, y, sample_weight=sample_weight, **known)
