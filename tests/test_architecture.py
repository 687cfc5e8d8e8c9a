"""The walk through the code that docs/architecture.md describes is the code's."""

import re
from pathlib import Path

import pytest

import rankwise

ROOT = Path(rankwise.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| `(.+?\.py)` \| (.+?) \|$", TEXT, flags=re.MULTILINE)


@pytest.mark.parametrize(("step", "file", "names"), ROWS, ids=[file for _, file, _ in ROWS])
def test_every_file_of_the_walk_defines_what_the_page_says(step, file, names):
    source = (ROOT / file).read_text(encoding="utf-8")
    for name in re.findall(r"`(\w+)`", names):
        assert re.search(rf"^(?:def|class) {name}\b", source, flags=re.MULTILINE), f"{file}: {name}"


def test_no_file_is_met_twice_and_every_file_named_exists():
    walk = [file for _, file, _ in ROWS]
    assert len(walk) > 25
    assert len(set(walk)) == len(walk)
    for file in re.findall(r"`([\w/]+\.py)`", TEXT):
        assert (ROOT / file).exists() or (PAGE.parents[1] / file).exists(), file
