"""Crafted model files: what they may not set, and that no byte of one can change unseen."""

import numpy as np
import pytest

import rankwise as rw
from models.hostile import array_of, pack, set_entry, unpack
from rankwise.models import ModelFileError

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.argsort(np.argsort(X + 0.3, axis=1), axis=1) + 1.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


def saved(model, folder):
    rw.save_model(model, folder / "saved.rankwise")
    return (folder / "saved.rankwise").read_bytes()


@pytest.fixture(scope="module")
def good(folder):
    return saved(rw.ForestRanker(3, max_depth=4, random_state=0).fit(X, Y), folder)


def load_bytes(data, folder):
    (folder / "given.rankwise").write_bytes(data)
    return rw.load_model(folder / "given.rankwise")


@pytest.mark.parametrize("n_jobs", [3000, 2**31, 2**70, -(2**40), 2, -2])
def test_how_many_threads_is_not_for_a_file_to_say(good, folder, n_jobs):
    manifest, members = unpack(good)
    set_entry(manifest["model"]["state"]["params"]["dict"], "n_jobs", n_jobs)
    model = load_bytes(pack(manifest, members), folder)
    assert model.n_jobs is None
    assert model.predict(X[:1]).shape == (1, 3)


def test_settings_of_a_machine_are_left_out_of_parts_too(folder):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps = make_pipeline(StandardScaler(), LogisticRegression(), memory=str(folder / "cache"))
    model = rw.PairwiseRanker(steps).fit(X, Y).set_params(n_jobs=2)
    data = saved(model, folder)
    assert model.n_jobs == 2
    loaded = load_bytes(data, folder)
    assert loaded.n_jobs is None
    assert loaded.estimator.memory is None
    assert (loaded.predict(X) == model.predict(X)).all()


def test_all_processors_is_what_every_machine_has(folder):
    model = rw.ForestRanker(2, n_jobs=-1, random_state=0).fit(X, Y)
    assert load_bytes(saved(model, folder), folder).n_jobs == -1


@pytest.mark.parametrize("value", [10**6, 0, -2])
def test_a_node_that_is_cut_has_no_value(good, folder, value):
    manifest, members = unpack(good)
    name, rows = array_of(manifest, members, "value_row")
    rows[0] = value
    members[name] = rows.tobytes()
    with pytest.raises(ModelFileError, match="node 0 is cut and has a value"):
        load_bytes(pack(manifest, members), folder)


def test_no_bit_of_a_file_changes_unseen(folder):
    """Dates, modes and versions of members included, which no checksum of a content covers."""
    good = saved(rw.TreeRanker(max_depth=1).fit(X, Y), folder)
    assert load_bytes(good, folder).predict(X[:1]).shape == (1, 3)
    directory = good.index(b"PK\x01\x02")
    heads = [i for i in range(directory) if good[i : i + 4] == b"PK\x03\x04"]
    near = {*range(46), *range(heads[-1], heads[-1] + 46), *range(directory, directory + 60)}
    end = range(good.rindex(b"PK\x05\x06"), len(good), 3)
    for place in sorted({*near, *end, *range(46, directory, 151)}):
        changed = bytearray(good)
        changed[place] ^= 1 << place % 8
        with pytest.raises(ModelFileError):
            load_bytes(bytes(changed), folder)
