"""XARFF: the dialect of WEKA-LR, with its corners."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rankwise.datasets import DataFileError, read

NAN = np.nan
HEADER = (
    "% a comment\n@RELATION 'my data'\n\n@attribute hour NUMERIC\n@Attribute 'the place' "
    "{home, 'at work', pub}\n"
    "@attribute\tsex\t{m,f}\n@attribute L RANKING {tea,coffee,water}\n\n@DATA\n"
)


@pytest.fixture
def xarff(tmp_path):
    def make(rows, header=HEADER):
        path = tmp_path / "data.xarff"
        path.write_text(header + rows)
        return path

    return make


def reason_for(path):
    with pytest.raises(DataFileError) as caught:
        read(path)
    return caught.value


def test_comments_quotes_tabs_and_missing_cells_are_understood(xarff):
    path = xarff(
        "8,\t'at work',\tm,\ttea>coffee>water\n% none\n\n?,home,?,water>tea % late\n9.5,?,f,?\n"
    )
    dataset = read(path)
    assert dataset.name == "my data"
    assert dataset.label_names == ("tea", "coffee", "water")
    names = ("hour", "the place=home", "the place=at work", "the place=pub", "sex=f")
    assert dataset.feature_names == names
    assert_array_equal(
        dataset.features, [[8, 0, 1, 0, 0], [NAN, 1, 0, 0, NAN], [9.5, NAN, NAN, NAN, 1]]
    )
    assert_array_equal(dataset.ranks, [[1, 2, 3], [2, NAN, 1], [NAN, NAN, NAN]])
    assert dataset.weights is None


def test_weights_stand_in_braces(xarff):
    dataset = read(xarff("8,home,m,tea>coffee,{2.5}\n8,home,m,coffee>tea\n"))
    assert_array_equal(dataset.weights, [2.5, 1])


def test_several_chains_become_one_row_each_with_the_same_features(xarff):
    dataset = read(xarff("8,home,m,tea>coffee|water>coffee,{3}\n9,pub,f,water>tea\n"))
    assert_array_equal(dataset.ranks, [[1, 2, NAN], [NAN, 2, 1], [2, NAN, 1]])
    assert_array_equal(dataset.features[0], dataset.features[1])
    assert_array_equal(dataset.weights, [3, 3, 1])
    assert any(note.startswith("1 rows were added") for note in dataset.notes)


def test_quoted_labels_and_quoted_rankings_are_both_read(xarff):
    header = "@relation r\n@attribute L RANKING {'green tea',coffee}\n@data\n"
    dataset = read(
        xarff("'green tea'>coffee\n'coffee>green tea'\n'green tea'\ngreen tea~coffee\n", header)
    )
    assert_array_equal(dataset.ranks, [[1, 2], [2, 1], [1, NAN], [1, 1]])


def test_rows_may_be_separated_by_tabs_alone(xarff):
    assert_array_equal(read(xarff("8\thome\tm\ttea>coffee\n")).features[0, 0], 8)


def test_a_declared_list_of_thousands_of_categories_is_refused(xarff):
    values = ",".join(f"v{i}" for i in range(1001))
    header = f"@relation r\n@attribute id {{{values}}}\n@attribute L RANKING {{a,b}}\n@data\n"
    path = xarff("v1,a>b\n", header)
    assert "declares 1001 categories" in reason_for(path).reason
    assert read(path, features=[]).features.shape == (1, 0)
    with pytest.raises(DataFileError, match="nominal= names 'id'"):
        read(path, features=[], nominal=["id"])


BROKEN = {
    "cells": ("8,home,tea>coffee\n", 10, "has 3 cells but 4 attributes"),
    "category": ("8,moon,m,tea>coffee\n", 10, "'moon', which is not among its declared categories"),
    "number": ("eight,home,m,tea>coffee\n", 10, "'eight', which is no number"),
    "label": ("8,home,m,tea>milk\n", 10, "unknown label 'milk'"),
    "twice": ("8,home,m,tea>tea\n", 10, "label 'tea'"),
    "weight": ("8,home,m,tea>coffee,{-1}\n", 10, "weight '-1' in braces"),
    "sparse": ("{0 8, 3 tea>coffee}\n", 10, "sparse"),
    "quote": ("8,'home,m,tea>coffee\n", 10, "quote (') is not closed"),
    "contradiction": ("8,home,m,tea>coffee|coffee>tea\n", 10, "contradict each other"),
    "nothing": ("", None, "holds no rows"),
}


@pytest.mark.parametrize("case", list(BROKEN))
def test_broken_rows_are_refused_with_their_line(case, xarff):
    rows, line, reason = BROKEN[case]
    error = reason_for(xarff(rows))
    assert error.line == line
    assert reason in error.reason


HEADERS = {
    "empty": ("", None, "is empty"),
    "no data": ("@relation r\n@attribute L RANKING {a,b}\n", None, "ends before @data"),
    "no attribute": ("@relation r\n@data\n", 2, "declares no attribute"),
    "plain ARFF": (
        "@relation r\n@attribute x numeric\n@data\n1\n",
        None,
        "0 attributes of type RANKING",
    ),
    "one label": ("@relation r\n@attribute L RANKING {a}\n@data\na\n", None, "names one label"),
    "no braces": ("@relation r\n@attribute L RANKING a,b\n@data\n", 2, "type 'RANKING a,b'"),
    "unclosed": ("@relation r\n@attribute L RANKING {a,b\n@data\n", 2, "in braces, {a,b,c}"),
    "doubled": ("@relation r\n@attribute L RANKING {a,a}\n@data\n", 2, "one value twice"),
    "date": ("@relation r\n@attribute d date\n@data\n", 2, "type 'date'"),
    "two": ("@relation r\n@attribute x real\n@attribute x real\n@data\n", 3, "declared twice"),
    "junk": ("hello\n", 1, "expected @relation, @attribute or @data"),
}


@pytest.mark.parametrize("case", list(HEADERS))
def test_broken_headers_are_refused_with_their_line(case, xarff):
    header, line, reason = HEADERS[case]
    error = reason_for(xarff("", header))
    assert error.line == line
    assert reason in error.reason
