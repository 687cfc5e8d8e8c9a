"""Split one ranking text such as ``a > b ~ 'c, d'`` into labels and the signs between them."""

from __future__ import annotations

import re
from typing import NamedTuple

from rankwise._arguments import check_arguments

SIGNS = ">~=,"
QUOTES = "'\""
BETWEEN = re.compile(f"[{SIGNS}]")
NEEDS_A_WALK = re.compile(f"[<{QUOTES}]|->")


class Tokens(NamedTuple):
    """Labels of one text and the signs between them: ``signs[i]`` stands after ``labels[i]``."""

    labels: list[str]
    signs: list[str]


@check_arguments
def split_text(text: str) -> Tokens:
    """Split one ranking text into its labels and the signs between them.

    Parameters
    ----------
    text : str
        As `parse_rankings` takes it; not empty.

    Returns
    -------
    Tokens
        ``labels`` and ``signs``, one of ``>``, ``~``, ``=`` and ``,`` after each label but the last.

    Raises
    ------
    ValueError
        What is wrong, and in which column of the text (from 1).

    Examples
    --------
    >>> split_text("tea > 'milk, hot' ~ water")
    Tokens(labels=['tea', 'milk, hot', 'water'], signs=['>', '~'])
    """
    if not NEEDS_A_WALK.search(text):
        labels = [label.strip() for label in BETWEEN.split(text)]
        if all(labels) and len(set(labels)) == len(labels):
            return Tokens(labels, BETWEEN.findall(text))
    return walk_text(text)


def walk_text(text: str) -> Tokens:
    """Split any text sign by sign, slowly, and find the first fault if it has one."""
    found: dict[str, int] = {}
    signs: list[str] = []
    at = 0
    while True:
        start = _skip_space(text, at)
        quoted = start < len(text) and text[start] in QUOTES
        label, at = _quoted_label(text, start) if quoted else _bare_label(text, start)
        if label in found:
            first = found[label] + 1
            raise _fault(text, start, f"label {label!r} stands in column {first} already; keep one")
        found[label] = start
        if at == len(text):
            return Tokens(list(found), signs)
        signs.append(text[at])
        at += 1


def quote_label(label: str) -> str:
    """Write a label so that `split_text` reads it back: quoted only where it must be."""
    bare = (
        label
        and label == label.strip()
        and not label.endswith("-")
        and not any(c in label for c in SIGNS + QUOTES + "<")
    )
    return label if bare else "'" + label.replace("'", "''") + "'"


def _fault(text: str, at: int, reason: str) -> ValueError:
    """Return an error about the character at index `at`."""
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return ValueError(f"column {at + 1} of {shown!r}: {reason}")


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _quoted_label(text: str, start: int) -> tuple[str, int]:
    quote = text[start]
    parts = []
    at = start + 1
    while True:
        end = text.find(quote, at)
        if end < 0:
            raise _fault(text, start, f"the quote {quote} is never closed; close it, or double it")
        parts.append(text[at:end])
        if text[end + 1 : end + 2] != quote:
            break
        parts.append(quote)
        at = end + 2
    at = _skip_space(text, end + 1)
    if at < len(text) and text[at] not in SIGNS:
        raise _fault(text, at, "text after a closing quote; quote the whole label")
    return "".join(parts), at


def _bare_label(text: str, start: int) -> tuple[str, int]:
    at = start
    while at < len(text) and text[at] not in SIGNS:
        if text[at] == "<":
            raise _fault(text, at, "'<' is not read; write 'a>b' for 'b<a', or quote the label")
        # Within a word a quote is an apostrophe; after a space it may open a quoted part.
        if text[at] in QUOTES and text[at - 1].isspace():
            raise _fault(text, at, "a quote within a label; quote the whole label")
        at += 1
    if text[at - 1 : at + 1] == "->":
        raise _fault(text, at - 1, "an arrow '->' is not read; write '>', or quote the label")
    label = text[start:at].strip()
    if not label:
        where = "before this sign" if at < len(text) else "at the end"
        raise _fault(text, at, f"a label is missing {where}; remove the sign or name the label")
    return label, at
