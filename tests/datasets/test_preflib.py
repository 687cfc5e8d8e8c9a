"""PrefLib's ordinal formats."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rankwise.datasets import DataFileError, read

HEADER = (
    "# FILE NAME: drinks\n# TITLE: Drinks\n# NUMBER ALTERNATIVES: 3\n"
    "# ALTERNATIVE NAME 1: tea\n# ALTERNATIVE NAME 2: coffee\n# ALTERNATIVE NAME 3: water\n"
)


@pytest.fixture
def preflib(tmp_path):
    def make(rows, kind="toi", header=HEADER):
        path = tmp_path / f"drinks.{kind}"
        path.write_text(header + rows)
        return path

    return make


def test_orders_become_ranks_and_counts_become_weights(preflib):
    dataset = read(preflib("12: 2,1,3\n3: 1,{2,3}\n1: {3, 1}\n"))
    assert dataset.name == "Drinks"
    assert dataset.label_names == ("tea", "coffee", "water")
    assert_array_equal(dataset.ranks, [[2, 1, 3], [1, 2, 2], [1, np.nan, 1]])
    assert_array_equal(dataset.weights, [12, 3, 1])
    assert dataset.features.shape == (3, 0)


BROKEN = {
    "tie": ("soc", "1: 1,{2,3}\n", 7, "ties [2, 3]"),
    "missing": ("soc", "1: 1,2,3\n1: 1,2\n", 8, "does not rank alternative 3"),
    "twice": ("soi", "1: 1,1\n", 7, "ranks alternative 1 twice"),
    "unknown": ("soi", "1: 1,4\n", 7, "ranks alternative 4, which the header does not name"),
    "old format": ("soc", "3\n1,tea\n", 7, "format before 2022"),
    "huge count": ("soc", "9" * 5000 + ": 1,2,3\n", 7, "expected 'count"),
    "no rows": ("soc", "", None, "no rows"),
    "renamed": ("soc", "# ALTERNATIVE NAME 4: tea\n", 7, "named twice"),
    "uncounted": (
        "soc",
        "# ALTERNATIVE NAME 4: milk\n1: 1,2,3,4\n",
        None,
        "announces 3 alternatives but names 4",
    ),
}


@pytest.mark.parametrize("case", list(BROKEN))
def test_broken_files_are_refused_with_their_line(case, preflib):
    kind, rows, line, reason = BROKEN[case]
    with pytest.raises(DataFileError) as caught:
        read(preflib(rows, kind))
    assert caught.value.line == line
    assert reason in caught.value.reason


def test_a_file_without_alternatives_is_refused(preflib):
    with pytest.raises(DataFileError, match="ranks alternative 1, which the header does not name"):
        read(preflib("1: 1,2\n", header="# TITLE: t\n"))
