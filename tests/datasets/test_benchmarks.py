"""The published files: shapes, corrections, and agreement with their XARFF counterparts."""

import hashlib
import shutil

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from datasets import naive
from rankwise.datasets import DataFileError, available, load, read
from rankwise.datasets._catalogue import CATALOGUE

pytestmark = pytest.mark.data

INVERTED = ["cold", "diau", "dtt", "heat", "spo"]


@pytest.fixture(autouse=True)
def _use_the_data_folder(data_folder, monkeypatch):
    monkeypatch.setenv("RANKWISE_DATA", str(data_folder))


def test_there_are_21_complete_and_8_tied_sets():
    assert len(available("complete")) == 21
    assert len(available("partial")) == 8


@pytest.mark.parametrize("name", [*available("complete"), *available("partial")])
def test_every_set_loads_with_its_listed_shape(name, data_folder):
    dataset, entry = load(name), CATALOGUE[name]
    content = (data_folder / entry.file).read_bytes()
    assert dataset.sha256 == hashlib.sha256(content).hexdigest() == entry.sha256
    assert dataset.features.shape == (entry.n_samples, entry.n_features)
    assert dataset.ranks.shape == (entry.n_samples, entry.n_labels)
    assert not np.isnan(dataset.ranks).any()
    assert dataset.name == name
    assert dataset.licence
    assert dataset.source
    in_order = np.sort(dataset.ranks, axis=1)
    is_tied = bool((np.diff(in_order, axis=1) == 0).any())
    assert is_tied == (entry.kind == "partial")


@pytest.mark.parametrize("name", [*INVERTED, "iris", "glass"])
def test_positions_equal_those_of_the_xarff_file_row_by_row(name, data_folder):
    loaded, twin = load(name), read(data_folder / "xarff" / f"{name}.xarff")
    assert_array_equal(loaded.ranks, twin.ranks)
    assert_array_equal(loaded.features, twin.features)


@pytest.mark.parametrize("name", INVERTED)
def test_the_raw_file_holds_the_orders_that_give_these_positions(name):
    loaded, raw = load(name), load(name, raw=True)
    assert any("turned into positions" in note for note in loaded.notes)
    assert any("as published" in note for note in raw.notes)
    for positions, order in zip(loaded.ranks[:200], raw.ranks[:200], strict=True):
        assert positions.tolist() == naive.positions_of_order(order.tolist())


def test_raw_changes_nothing_where_the_file_is_right():
    assert_array_equal(load("iris").ranks, load("iris", raw=True).ranks)


def test_the_papers_names_are_understood():
    assert load("cpu-small").name == "cpu"
    assert load("DDT").name == "dtt"


def test_an_altered_file_is_told_and_never_inverted_on_a_guess(data_folder, tmp_path, monkeypatch):
    (tmp_path / "lr").mkdir()
    for name in ("iris", "cold"):
        shutil.copyfile(data_folder / "lr" / f"{name}.csv", tmp_path / "lr" / f"{name}.csv")
        with open(tmp_path / "lr" / f"{name}.csv", "a") as handle:
            handle.write("\n")
    monkeypatch.setenv("RANKWISE_DATA", str(tmp_path))
    assert any("checksum differs" in note for note in load("iris").notes)
    with pytest.raises(DataFileError, match="not known whether it holds orders"):
        load("cold")
    assert len(load("cold", raw=True)) == 2465


def test_the_sushi_file_loads_with_its_regions_encoded(data_folder):
    dataset = read(data_folder / "xarff" / "sushi_mini.xarff")
    assert dataset.label_names == tuple("abcdefghij")
    assert dataset.n_samples == 13
    assert dataset.feature_names[:3] == ("sex", "age", "answer_duration")
    region = [j for j, f in enumerate(dataset.feature_names) if f.startswith("lives_in_region=")]
    assert len(region) == 11
    assert_array_equal(dataset.features[:, region].sum(axis=1), 1)
    assert_array_equal(np.argsort(dataset.ranks[0]), [5, 0, 3, 4, 6, 9, 8, 1, 7, 2])


def test_the_aslib_scenario_loads_with_folds_and_failures(data_folder):
    dataset = read(data_folder / "aslib" / "CPMP-2015")
    assert dataset.features.shape == (527, 22)
    assert dataset.ranks.shape == (527, 4)
    assert not np.isnan(dataset.ranks).any()
    failed = dataset.values == 10 * 3600
    assert failed.sum() == 371 + 211
    worst = dataset.ranks.max(axis=1, keepdims=True) == dataset.ranks
    assert worst[failed].all()
    assert len(dataset.splits()) == 10
    tests = np.concatenate([test for _, test in dataset.splits()])
    assert_array_equal(np.sort(tests), np.arange(527))
