"""Tables that are paired row by row, and whose row names say that they should not be."""

from __future__ import annotations

from typing import Any

from rankwise._arguments import check_arguments
from rankwise._naming import index_of


@check_arguments
def check_row_order(table: Any, other: Any, names: tuple[str, str]) -> None:
    """Refuse two indexes that hold the same names in another order: rows are paired by place.

    Parameters
    ----------
    table, other : array-like
        Two tables of as many rows; only pandas objects have an index.
    names : (str, str)
        What to call them in the message.

    Examples
    --------
    >>> import pandas as pd
    >>> drinks = pd.DataFrame({"tea": [1, 2], "water": [2, 1]}, index=["ann", "bob"])
    >>> check_row_order(drinks, drinks[::-1], ("X", "y"))
    Traceback (most recent call last):
    ValueError: y, row 0: its index is 'bob' but that of X is 'ann'; rows are paired by place: ...
    """
    index, others = index_of(table), index_of(other)
    if index is None or others is None or index.equals(others):
        return
    if index.is_unique and others.is_unique and set(index) == set(others):
        ours, theirs = index.tolist(), others.tolist()
        i = next(i for i in range(len(ours)) if ours[i] != theirs[i])
        raise ValueError(
            f"{names[1]}, row {i}: its index is {theirs[i]!r} but that of {names[0]} is "
            f"{ours[i]!r}; rows are paired by place: sort both alike, e.g. with "
            f"{names[1]}.loc[{names[0]}.index]"
        )
