"""Split one ranking text such as ``a > b ~ 'c, d'`` into labels and the signs between them."""

from __future__ import annotations

from typing import NamedTuple

SIGNS = ">~=,"
QUOTES = "'\""


class Tokens(NamedTuple):
    """Labels of one text and the signs between them: ``signs[i]`` stands after ``labels[i]``."""

    labels: list[str]
    signs: list[str]
    columns: list[int]  # where each label starts, from 0


def split_text(text: str) -> Tokens:
    """Split a text; a ValueError says what is wrong and in which column (from 1)."""
    labels: list[str] = []
    signs: list[str] = []
    columns: list[int] = []
    at = 0
    while True:
        at = _skip_space(text, at)
        columns.append(at)
        if at < len(text) and text[at] in QUOTES:
            label, at = _quoted_label(text, at)
        else:
            label, at = _bare_label(text, at)
        labels.append(label)
        if at == len(text):
            return Tokens(labels, signs, columns)
        signs.append(text[at])
        at += 1


def quote_label(label: str) -> str:
    """Write a label so that `split_text` reads it back: quoted only where it must be."""
    bare = label and label == label.strip() and not any(c in label for c in SIGNS + QUOTES + "<")
    return label if bare else "'" + label.replace("'", "''") + "'"


def fault(text: str, at: int, reason: str) -> ValueError:
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
            raise fault(text, start, f"the quote {quote} is never closed; close it, or double it")
        parts.append(text[at:end])
        if text[end + 1 : end + 2] != quote:
            break
        parts.append(quote)
        at = end + 2
    at = _skip_space(text, end + 1)
    if at < len(text) and text[at] not in SIGNS:
        raise fault(text, at, "text after a closing quote; quote the whole label")
    return "".join(parts), at


def _bare_label(text: str, start: int) -> tuple[str, int]:
    at = start
    while at < len(text) and text[at] not in SIGNS:
        if text[at] == "<":
            raise fault(text, at, "'<' is not read; write 'a>b' for 'b<a', or quote the label")
        # Within a word a quote is an apostrophe; after a space it may open a quoted part.
        if text[at] in QUOTES and text[at - 1].isspace():
            raise fault(text, at, "a quote within a label; quote the whole label")
        at += 1
    label = text[start:at].strip()
    if not label:
        where = "before this sign" if at < len(text) else "at the end"
        raise fault(text, at, f"a label is missing {where}; remove the sign or name the label")
    return label, at
