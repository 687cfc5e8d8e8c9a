"""Rows in parts: larger than memory, or on many machines; opened where they are needed.

`rankwise.ForestRanker.fit_parts` grows forests from them.
"""

from rankwise.parts._arrays import array_parts
from rankwise.parts._block import Parts
from rankwise.parts._files import open_parts

__all__ = ["Parts", "array_parts", "open_parts"]
