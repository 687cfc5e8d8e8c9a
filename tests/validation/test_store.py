"""The store: what is put is found again, whole, and under its own configuration only."""

import errno
import json
import math
import os
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise
from rankwise._replacing import write_whole
from rankwise.validation._json import decode, encode, plain
from rankwise.validation.running import Store

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def only_file(store):
    (path,) = store.folder.glob("??/*.json")
    return path


def alike(a, b):
    return repr(a) == repr(b)


@given(value=VALUES)
def test_json_gives_back_what_was_encoded_and_is_strict(value):
    text = encode({"value": value})
    json.loads(text, parse_constant=lambda name: pytest.fail(name))
    sorted_again = decode(encode(decode(text)))
    assert alike(sorted_again, decode(text))
    assert encode(decode(text)) == text


def test_nan_and_infinities_survive(tmp_path):
    store = Store(tmp_path)
    store.put({"a": 1}, {"x": [math.nan, math.inf, -math.inf], "y": np.float64("nan")})
    result = store.get({"a": 1})
    assert np.isnan(result["x"][0])
    assert result["x"][1:] == [math.inf, -math.inf]
    assert math.isnan(result["y"])


def test_numbers_of_numpy_are_numbers(tmp_path):
    store = Store(tmp_path)
    store.put({"n": np.int64(3)}, {"taus": np.array([0.5, 1.0]), "ok": np.bool_(True)})
    assert store.get({"n": 3}) == {"taus": [0.5, 1.0], "ok": True}


def test_order_of_keys_does_not_matter_and_every_value_does(tmp_path):
    store = Store(tmp_path)
    key = store.key({"a": 1, "b": [1, 2], "c": {"d": None}})
    assert store.key({"c": {"d": None}, "b": (1, 2), "a": 1}) == key
    others = [
        {"a": 2, "b": [1, 2], "c": {"d": None}},
        {"a": 1, "b": [2, 1], "c": {"d": None}},
        {"a": 1, "b": [1, 2], "c": {"d": 0}},
        {"a": 1, "b": [1, 2]},
        {"a": True, "b": [1, 2], "c": {"d": None}},
        {"a": "1", "b": [1, 2], "c": {"d": None}},
    ]
    assert len({key, *map(store.key, others)}) == 7


def test_another_version_does_not_reuse_results(tmp_path, monkeypatch):
    store = Store(tmp_path)
    store.put({"a": 1}, {"tau": 1.0})
    monkeypatch.setattr(rankwise, "__version__", "99")
    assert store.get({"a": 1}) is None
    assert list(store.configs()) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: text.replace("0.25", "0.75"),
        lambda text: "[1, 2]",
        lambda text: '{"body": {}, "sha256": ""}',
        lambda text: "\x00" * 40,
        lambda text: "[" * 100_000,
    ],
)
def test_a_damaged_file_counts_as_absent_and_is_reported_once(tmp_path, damage):
    store = Store(tmp_path)
    store.put({"a": 1}, {"tau": 0.25})
    path = only_file(store)
    path.write_text(damage(path.read_text()))
    with pytest.warns(UserWarning, match="counts as absent") as shown:
        found = [store.get({"a": 1}) for _ in range(2)]
    assert found == [None, None]
    assert len(shown) == 1
    assert path.name in str(shown[0].message)
    store.put({"a": 1}, {"tau": 0.5})
    assert store.get({"a": 1}) == {"tau": 0.5}


def test_a_file_moved_to_another_name_is_not_taken_for_it(tmp_path):
    store = Store(tmp_path)
    store.put({"a": 1}, {"tau": 0.25})
    source = only_file(store)
    store.put({"a": 2}, {"tau": 0.5})
    (target,) = set(store.folder.glob("??/*.json")) - {source}
    os.replace(source, target)
    with pytest.warns(UserWarning, match="another configuration"):
        assert store.get({"a": 2}) is None
    with pytest.warns(UserWarning, match="does not carry"):
        assert list(Store(tmp_path).configs()) == []


def test_configs_lists_what_was_put_once_and_skips_unfinished_files(tmp_path):
    store = Store(tmp_path)
    configs = [{"value": value} for value in range(5)]
    for config in [*configs, *configs]:
        store.put(config, {})
    (only := next(store.folder.glob("??/*.json"))).with_suffix(".part").write_text("half")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = list(Store(tmp_path).configs())
    assert sorted(found, key=lambda config: config["value"]) == configs
    assert only.exists()


def test_files_left_by_killed_processes_are_removed_when_old(tmp_path):
    store = Store(tmp_path)
    store.put({"a": 1}, {})
    fresh, old = (only_file(store).with_name(name) for name in ("fresh.part", "old.part"))
    for path in (fresh, old):
        path.write_text("half")
    os.utime(old, (time.time() - 10_000,) * 2)
    Store(tmp_path)
    assert fresh.exists()
    assert not old.exists()


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    write_whole(path, "old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_names_the_file(tmp_path, monkeypatch):
    def fail(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"table\.csv"):
        write_whole(tmp_path / "table.csv", "new")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [{1, 2}, object(), {"$number": 1}, {1: 2}])
def test_what_a_file_cannot_hold_is_refused_by_name(tmp_path, value):
    with pytest.raises(TypeError, match=r"'tau'"):
        Store(tmp_path).put({"a": 1}, {"tau": value})
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path):
    (tmp_path / "runs").touch()
    with pytest.raises(ValueError, match="is a file"):
        Store(tmp_path / "runs")


def test_processes_that_write_the_same_results_at_once_do_not_harm_them(tmp_path):
    script = (
        "import sys; from rankwise.validation.running import Store; store = Store(sys.argv[1])\n"
        "for _ in range(10):\n"
        "    for value in range(5):\n"
        "        store.put({'value': value}, {'list': [value] * 2000})\n"
        "        assert store.get({'value': value}) == {'list': [value] * 2000}\n"
    )
    command = [sys.executable, "-W", "error", "-c", script, str(tmp_path)]
    writers = [subprocess.Popen(command) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert len(list(Store(tmp_path).configs())) == 5
    assert not list(tmp_path.glob("??/*.part"))


def test_a_result_is_written_as_canonical_json_and_read_again():
    text = '{"label":"tea","tau":{"$number":"nan"}}'
    assert encode({"tau": math.nan, "label": "tea"}) == text
    assert repr(decode(text)) == "{'label': 'tea', 'tau': nan}"
    assert plain({"ranks": np.array([1, 2])}) == {"ranks": [1, 2]}
