"""Label names: read, check, sort and look up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

from rankwise._arguments import check_arguments
from rankwise._cells import is_missing
from rankwise._naming import name_some, python_value, refuse_halves, shown, suggest
from rankwise._parameters import as_list, is_list

# The labels of one row: groups of tied labels, the best group first.
Groups = list[list[Any]]


@check_arguments
def label_names(Y: Any) -> list[str] | None:
    """Return the label names that a container carries (DataFrame columns), else None.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_labels)
        Rankings in any container.

    Examples
    --------
    >>> import pandas as pd
    >>> label_names(pd.DataFrame([[1, 2, 3]], columns=["tea", "coffee", "water"]))
    ['tea', 'coffee', 'water']
    >>> label_names([[1, 2, 3]]) is None
    True
    """
    columns = getattr(Y, "columns", None)
    if columns is None or callable(columns):
        return None
    return check_labels([str(column) for column in columns], "the columns")


def check_labels(labels: Any, where: str = "labels") -> list[Any]:
    """Return `labels` as a list of distinct names, or say which one occurs twice."""
    if isinstance(labels, (str, bytes)):
        raise TypeError(f"{where} is the text {labels!r}; give a list of names, such as ['a', 'b']")
    if isinstance(labels, (set, frozenset)) or not (is_list(labels) or isinstance(labels, dict)):
        raise TypeError(
            f"{where} is {shown(labels)}; give a list of names, in the order of the columns"
        )
    names = [python_value(label) for label in as_list(where, labels)]
    seen: dict[Any, int] = {}
    for j, label in enumerate(names):
        try:
            hash(label)
        except (TypeError, ValueError):  # as of a block of bytes
            raise TypeError(
                f"{where}: label {j} is {shown(label)}; give a name, such as a text"
            ) from None
        if is_missing(label):
            raise ValueError(f"{where}: label {j} has no name ({label!r}); give it one")
        if label in seen:
            raise ValueError(
                f"{where}: label {label!r} occurs twice (at {seen[label]} and {j}); rename one"
            )
        seen[label] = j
    refuse_halves(names, "label")
    return names


def labels_found(
    rows: list[Groups], labels: Sequence[Any] | None, name: str, remedy: str = ""
) -> list[Any]:
    """Return the labels given, or those found in the rows; at least two."""
    found = {label for row in rows for group in row for label in group}
    names = natural_sorted(found) if labels is None else check_labels(labels)
    if len(names) < 2:
        raise ValueError(
            f"{name}: found {len(names)} label{'s' * (len(names) != 1)} {names}; a ranking needs at "
            f"least two: {remedy}name them all by labels="
        )
    return names


@check_arguments
def natural_sorted(labels: Iterable[Any]) -> list[Any]:
    """Sort label names so that L2 comes before L10; numbers sort as numbers.

    Parameters
    ----------
    labels : iterable
        Names or numbers.

    Returns
    -------
    list

    Examples
    --------
    >>> natural_sorted(["L10", "L2", "L1"])
    ['L1', 'L2', 'L10']
    """
    names = list(labels)
    if all(isinstance(name, Real) for name in names):
        return sorted(names)
    return sorted(names, key=_natural_key)


def _natural_key(label: Any) -> tuple[list[Any], str, str]:
    text = str(label)
    parts: list[Any] = re.split("([0-9]+)", text)
    for p in range(1, len(parts), 2):
        digits = parts[p].lstrip("0")
        # Compared as (length, digits): int() refuses very long numbers.
        parts[p] = (len(digits), digits)
    return parts, text, type(label).__name__


def positions_of(labels: Sequence[Any]) -> dict[Any, int]:
    """Return the column of each label."""
    return {label: j for j, label in enumerate(labels)}


def unknown_label_text(label: Any, labels: Iterable[Any]) -> str:
    """Say that `label` is not one of `labels`, and which of them are close to it."""
    hint = suggest(label, labels) or f"the labels are {name_some(map(str, labels), 8)}"
    return f"unknown label {label!r}; {hint}"
