"""What must not stand in a page of the gallery, though Sphinx does not mind it.

``make docs`` ends with ``python docs/_ext/faults.py docs/_build/html/gallery``, which fails on such a page.
"""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image

IMAGE = re.compile(r'<img\s[^>]*?src="([^":]+\.png)"')


def faults(page: Path) -> list[str]:
    """Return what is wrong with a built page: pictures shown twice, and the text of an object."""
    text = page.read_text(encoding="utf-8")
    pictures = [page.parent / source for source in IMAGE.findall(text)]
    found = [
        f"{page.name}: {one.name} and {other.name} stand side by side and look the same"
        for one, other in pairwise(pictures)
        if look_the_same(one, other)
    ]
    if "&lt;Axes" in text or "<Axes" in text:
        found.append(f"{page.name}: shows <Axes ...>, which says nothing to a reader")
    return found


def look_the_same(one: Path, other: Path) -> bool:
    """Whether two pictures are one, drawn twice: a second drawing may shift a letter by a pixel."""
    with Image.open(one) as first, Image.open(other) as second:
        if first.size != second.size:
            return False
        small = [np.asarray(image.convert("L").resize((64, 64), Image.Resampling.BOX), dtype=int)
                 for image in (first, second)]  # fmt: skip
    return bool(np.abs(small[0] - small[1]).max() <= 2)


def main(folder: Path) -> None:
    """Print the faults of all pages of a folder; exit with 1 if there are any."""
    pages = sorted(folder.glob("*.html"))
    if not pages:
        sys.exit(f"{folder} holds no pages: has the gallery moved?")
    if found := [fault for page in pages for fault in faults(page)]:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
