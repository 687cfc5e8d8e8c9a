"""The page of slips: each is there, and what it says of the benchmarks is what the files hold."""

import re
from pathlib import Path

import pytest

from rankwise.datasets import load
from rankwise.paper._protocol import SEMI_SYNTHETIC

PAGE = (Path(__file__).parents[2] / "docs" / "slips.md").read_text(encoding="utf-8")
# rows and labels in the paper's table of semi-synthetic benchmarks
SIZES = {
    "authorship": (841, 4), "bodyfat": (4522, 7), "calhousing": (37152, 4), "cpu": (14744, 5),
    "elevators": (29871, 9), "fried": (73376, 5), "glass": (214, 6), "housing": (906, 6),
    "iris": (150, 3), "pendigits": (10992, 10), "segment": (2310, 7), "stock": (1710, 5),
    "vehicle": (846, 14), "vowel": (528, 11), "wine": (178, 3), "wisconsin": (346, 16),
}  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "The sign of a comparison", "When L = 0, we observe a complete ranking", "One pass too many",
        "Sparsity of what is learned", "Sizes of the benchmarks", "`vehicle` has 4 labels, not 14",
        "The factor of Spearman's distance", "The base of the logarithm", "The noise levels",
    ],
)  # fmt: skip
def test_a_slip_that_the_code_resolves_is_told(words):
    assert words in PAGE


@pytest.mark.data
def test_the_benchmarks_whose_size_is_wrong_in_the_paper_are_listed_with_both(data_folder):
    expected = []
    for name in SEMI_SYNTHETIC:
        n, k = load(name).ranks.shape
        theirs, labels = SIZES[name]
        if (theirs, labels) != (n, k):
            expected.append(f"| {name} | {theirs} | {n} | {theirs / n:.1f} | {labels} | {k} |")
    assert re.findall(r"^\| [a-z]+ \| \d.*\|$", PAGE, re.M) == expected
