"""Names as a terminal may show them: whatever they hold, it is seen and not obeyed."""

from __future__ import annotations

import re

# What moves the cursor, changes colours or the title of a window, or turns the order of letters round;
# and halves of characters, which no terminal takes.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return a text that a terminal shows and does not obey; names in files may be anything.

    Each sign that would act on the terminal is replaced by one that is seen. Line breaks and tabs stay.

    Examples
    --------
    >>> visible("tea\x1b[31m")
    'tea␛[31m'
    """
    return _HIDDEN.sub(_picture, text)


def visible_json(text: str) -> str:
    """Return JSON in which the same signs are written as JSON escapes them: nothing is lost."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
