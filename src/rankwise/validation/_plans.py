"""Which folds a data set is validated by: its own, or folds that are drawn, groups kept whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._parameters import check_integer
from rankwise.datasets import Dataset
from rankwise.validation._cross_validation import Fold, draw_folds

OWN = "own"


@check_arguments
@dataclass(frozen=True)
class FoldPlan:
    """How often, and into how many folds, the rows of a data set are divided.

    Parameters
    ----------
    sizes : tuple of int
        Number of folds of each repetition.
    is_own : bool
        Whether the data set brings them.
    n_groups : int, optional
        How many groups are kept whole, where folds are drawn.

    Examples
    --------
    >>> data = Dataset([[0.0], [1.0], [2.0]], [[1, 2], [2, 1], [1, 2]], folds=[1, 2, 1])
    >>> plan = plan_folds(data)
    >>> str(plan), [test.tolist() for _, test in plan.splits(data)]
    ('its own 2 folds', [[0, 2], [1]])
    >>> str(plan_folds(data, 3, repeats=2))
    '3 folds, 2 times'
    """

    sizes: tuple[int, ...]
    is_own: bool = False
    n_groups: int | None = None

    @property
    def folds(self) -> int | str:
        """What `fold_of` takes: a number of folds, or that the data set brings them."""
        return OWN if self.is_own else self.sizes[0]

    def splits(self, data: Dataset, seed: int = 0) -> list[Fold]:
        """Return training and test rows of every fold of every repetition."""
        return [
            fold_of(data, self.folds, repetition, fold, seed)
            for repetition, size in enumerate(self.sizes)
            for fold in range(size)
        ]

    def __str__(self) -> str:
        times = f"{len(self.sizes)} time{'s' * (len(self.sizes) != 1)}"
        if self.is_own:
            return f"its own {sum(self.sizes)} folds" + (f" ({times})" if self.sizes[1:] else "")
        of = "" if self.n_groups is None else f" of {self.n_groups} groups"
        return f"{self.sizes[0]} folds{of}, {times}"


@check_arguments
def plan_folds(
    data: Dataset, folds: int | None = None, repeats: int | None = None, usual: int = 10
) -> FoldPlan:
    """Plan the folds of a data set: its own where it brings some and no number is asked for.

    Parameters
    ----------
    data : Dataset
        What to divide; `folds` and `groups` of it are heeded.
    folds, repeats : int, optional
        How many folds to draw, and how often.
    usual : int
        How many to draw where nothing is said.
    """
    for name, number, least in (("folds", folds, 2), ("repeats", repeats, 1)):
        if number is not None:
            check_integer(name, number, least)
    own = None
    if data.folds is not None:
        own = tuple(len(np.unique(column)) for column in data.folds.T)
    n_groups = None if data.groups is None else len(set(data.groups))
    return choose_plan(data.name, own, n_groups, folds, repeats, usual)


def choose_plan(
    name: str,
    own: tuple[int, ...] | None,
    n_groups: int | None,
    folds: int | None,
    repeats: int | None,
    usual: int = 10,
) -> FoldPlan:
    """Choose between the folds that a data set brings, `own` for each repetition, and drawn ones."""
    if folds is not None or own is None:
        return FoldPlan((folds or usual,) * (repeats or 1), n_groups=n_groups)
    if repeats not in (None, 1):
        raise ValueError(
            f"repeats is {repeats}, and {name or 'the data set'} brings its own folds; say how many "
            "folds to draw, or leave repeats out"
        )
    return FoldPlan(own, is_own=True)


def fold_of(data: Dataset, folds: int | str, repetition: int, fold: int, seed: int) -> Fold:
    """Return training and test rows of one fold."""
    if folds == OWN:
        assert data.folds is not None
        column = data.folds[:, repetition]
        is_test = column == np.unique(column)[fold]
        return np.flatnonzero(~is_test), np.flatnonzero(is_test)
    drawn = draw_folds(len(data), int(folds), repetition=repetition, seed=seed, groups=data.groups)
    return drawn[fold]
