"""Rankings as text: ``a>b~c``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._cells import is_missing
from rankwise._naming import index_of, more_text, row_text, shown
from rankwise._parameters import check_choice
from rankwise.rankings._check import check_rankings
from rankwise.rankings._columns import named_frame
from rankwise.rankings._labels import Groups, check_labels, label_names, labels_found
from rankwise.rankings._lists import ranks_of_rows
from rankwise.rankings._tokens import Tokens, quote_label, split_text

Comma = Literal["tied", "then"]


def parse_rankings(
    texts: Iterable[str | None],
    labels: Sequence[Any] | None = None,
    *,
    comma: Comma | None = None,
    unlisted: Literal["missing", "last"] = "missing",
) -> tuple[Any, list[Any]]:
    """Read texts such as ``tea > coffee ~ water`` into ranks.

    Parameters
    ----------
    texts : list or Series of str
        ``>`` means before, ``~`` and ``=`` mean tied; spaces are free. A label that contains one of
        these signs stands in single or double quotes, and a quote within it is doubled. None, NaN
        and empty texts say nothing: all labels are missing.
    labels : sequence, optional
        All labels, in the order of the columns wanted. By default those found, naturally sorted
        (L2 before L10).
    comma : {"tied", "then"}, optional
        What a comma means. By default it ties labels in texts with ``>``; where no text has
        ``>``, it lists labels in order of preference; a mixture is an error.
    unlisted : {"missing", "last"}
        Whether labels that a text leaves out are missing, or tied after all that it lists.

    Returns
    -------
    ranks : ndarray or DataFrame of shape (n_samples, n_labels)
        A Series gives a DataFrame with its index and the labels as columns.
    labels : list
        The label of each column.

    Examples
    --------
    >>> ranks, labels = parse_rankings(["tea > coffee ~ water", "water > tea"])
    >>> labels
    ['coffee', 'tea', 'water']
    >>> ranks
    array([[ 2.,  1.,  2.],
           [nan,  2.,  1.]])
    """
    check_choice("comma", comma, (None, "tied", "then"))
    check_choice("unlisted", unlisted, ("missing", "last"))
    rows = _group_all(_split_all(texts), comma, texts)
    names = labels_found(rows, labels, "texts", "separate labels by '>' or '~', or ")
    written = check_labels([str(name) for name in names])
    ranks = ranks_of_rows(rows, written, texts, "texts", unlisted_last=unlisted == "last")
    check_rankings(ranks, labels=names, name="texts")
    index = index_of(texts)
    if index is None:
        return ranks, names
    return named_frame(ranks, index, names), names


@check_arguments
def format_rankings(ranks: Any, labels: Sequence[Any] | None = None) -> list[str]:
    """Write ranks as texts such as ``tea>coffee~water``, which `parse_rankings` reads back.

    Parameters
    ----------
    ranks : array-like of shape (n_samples, n_labels)
        As `check_rankings` takes them. Missing labels are left out.
    labels : sequence, optional
        Label names; by default the columns of a DataFrame, else ``0``, ``1``, ...

    Returns
    -------
    list of str

    Examples
    --------
    >>> format_rankings([[2, 1, 2], [None, 2, 1]], labels=["coffee", "tea", "water"])
    ['tea>coffee~water', 'water>tea']
    """
    matrix = check_rankings(ranks, labels=labels, name="ranks", warn=False)
    names: Sequence[Any] | None = label_names(ranks) if labels is None else check_labels(labels)
    texts = [str(name) for name in (range(matrix.shape[1]) if names is None else names)]
    quoted = [quote_label(text) for text in check_labels(texts)]
    # Few different rankings fill most tables: each one is written once.
    matrix = np.ascontiguousarray(matrix)
    size = matrix.shape[1] * matrix.itemsize
    content = matrix.tobytes()
    keys = [content[i * size : (i + 1) * size] for i in range(len(matrix))]
    first = {key: i for i, key in enumerate(keys)}
    different = matrix[list(first.values())]
    order = np.argsort(different, axis=1, kind="stable")
    in_order = np.take_along_axis(different, order, axis=1)
    rows = zip(first, order.tolist(), in_order.tolist(), strict=True)
    written = {key: _format_row(one, ranks_, quoted) for key, one, ranks_ in rows}
    return [written[key] for key in keys]


def _format_row(order: list[int], ranks: list[float], quoted: list[str]) -> str:
    """Join the labels of one row; `ranks` stand in this order, missing ones last."""
    parts: list[str] = []
    for p, j in enumerate(order):
        if ranks[p] != ranks[p]:
            break
        if p > 0:
            parts.append("~" if ranks[p] == ranks[p - 1] else ">")
        parts.append(quoted[j])
    return "".join(parts)


def _split_all(texts: Any) -> list[Tokens | None]:
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"texts is the single text {texts!r}; give a list of texts, [{texts!r}]")
    unordered = isinstance(texts, (dict, set, frozenset))
    if unordered or not hasattr(texts, "__iter__") or getattr(texts, "ndim", 1) != 1:
        raise TypeError(f"texts is a {type(texts).__name__}; give a list or one column of texts")
    rows: list[Tokens | None] = []
    for i, text in enumerate(texts):
        if is_missing(text):
            rows.append(None)
            continue
        if not isinstance(text, str):
            raise ValueError(
                f"texts, {row_text(texts, i)}: expected a text such as 'a>b~c', got {shown(text)}"
            )
        try:
            rows.append(split_text(text) if text.strip() else None)
        except ValueError as error:
            raise ValueError(f"texts, {row_text(texts, i)}, {error}") from None
    if not rows:
        raise ValueError("texts is empty; give at least one text")
    return rows


def _group_all(rows: list[Tokens | None], comma: Comma | None, texts: Any) -> list[Groups]:
    """Turn each row into groups of tied labels, best group first."""
    strict = [row is not None and ">" in row.signs for row in rows]
    unclear = [
        i for i, row in enumerate(rows) if row is not None and "," in row.signs and not strict[i]
    ]
    if comma is None and unclear and any(strict):
        raise ValueError(
            f"texts, {row_text(texts, unclear[0])}: a list with commas only, while other texts use "
            '\'>\'; say comma="then" if it is in order of preference, or comma="tied" if its '
            f"labels are tied{more_text(len(unclear))}"
        )
    meaning = comma or ("tied" if any(strict) else "then")
    before = ">," if meaning == "then" else ">"
    return [[] if row is None else _groups(row, before) for row in rows]


def _groups(row: Tokens, before: str) -> Groups:
    groups = [[row.labels[0]]]
    for sign, label in zip(row.signs, row.labels[1:], strict=True):
        if sign in before:
            groups.append([label])
        else:
            groups[-1].append(label)
    return groups
