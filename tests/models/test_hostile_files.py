"""Files that are damaged or crafted are refused with a reason, and nothing else happens."""

import io
import stat
import struct
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise as rw
from models.hostile import array_of, fitted_of, pack, seal, set_entry, trees_of, unpack
from rankwise.baselines import (
    LRRF,
    LRT,
    LWD,
    BoostLR,
    Consensus,
    InstanceMallows,
    InstancePlackettLuce,
    KernelRidgeKemeny,
    KNNKemeny,
    PLRTree,
)
from rankwise.hypotheses import Ball, Halfspace, Rectangle, SigmoidNetwork, SignNetwork
from rankwise.models import ModelFileError

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.argsort(np.argsort(X + 0.3, axis=1), axis=1) + 1.0
NEW = np.random.default_rng(1).normal(size=(20, 3))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def model(folder):
    return rw.ForestRanker(3, max_depth=4, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def good(model, folder):
    rw.save_model(model, folder / "good.rankwise")
    return (folder / "good.rankwise").read_bytes()


def load_bytes(data, folder):
    path = folder / "given.rankwise"
    path.write_bytes(data)
    return rw.load_model(path)


def refused(data, folder, reason):
    with pytest.raises(ModelFileError, match=reason) as caught:
        load_bytes(data, folder)
    assert "given.rankwise" in str(caught.value)


def test_what_the_helpers_pack_unchanged_is_loaded(good, folder, model):
    assert (load_bytes(pack(*unpack(good)), folder).predict(NEW) == model.predict(NEW)).all()


@pytest.mark.parametrize("step", [1, 7, 100, 1000])
def test_truncated_files_are_refused(good, folder, step):
    for end in {0, 3, 4, 30, len(good) // 2, len(good) - step}:
        refused(good[:end], folder, "damaged|truncated|not a rankwise model file")


@given(data=st.data())
def test_flipped_bytes_are_refused_or_change_no_prediction(data, good, folder, model):
    changed = bytearray(good)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(good) - 1))
        changed[place] ^= data.draw(st.integers(1, 255))
    _same_or_refused(bytes(changed), folder, model)


@given(data=st.data())
def test_flips_near_the_zip_directory_are_refused_or_change_nothing(data, good, folder, model):
    changed = bytearray(good)
    start = good.index(b"PK\x01\x02")
    place = data.draw(st.integers(start, len(good) - 1))
    changed[place] ^= data.draw(st.integers(1, 255))
    _same_or_refused(bytes(changed), folder, model)


@given(noise=st.binary(max_size=300), with_head=st.booleans())
def test_noise_is_refused(noise, with_head, folder):
    data = (b"PK\x03\x04" if with_head else b"") + noise
    refused(data, folder, "not a rankwise model file|damaged")


def _same_or_refused(data, folder, model):
    try:
        loaded = load_bytes(data, folder)
    except ModelFileError:
        return
    assert (loaded.predict(NEW) == model.predict(NEW)).all()
    assert (loaded.predict_pairwise(NEW) == model.predict_pairwise(NEW)).all()


def test_what_is_no_file_is_named(folder):
    with pytest.raises(ModelFileError, match="no such file"):
        rw.load_model(folder / "nowhere")
    with pytest.raises(ModelFileError, match="is a folder"):
        rw.load_model(folder)
    with pytest.raises(ModelFileError, match="pipe or a device"):
        rw.load_model("/dev/null")


def test_another_zip_is_no_model(folder):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("arrays/0000.bin", "hello")
    refused(target.getvalue(), folder, "holds no manifest.json")


@pytest.mark.parametrize(
    "name",
    [
        "../evil.bin",
        "/etc/passwd",
        "arrays/../../x.bin",
        "arrays/",
        "arrays\\0001.bin",
        "C:/x.bin",
        "arrays/1.bin",
        "model.pkl",
        "",
    ],
)
def test_odd_names_are_refused(good, folder, name):
    refused(
        pack(*unpack(good), infos=[(zipfile.ZipInfo(name), b"x")]), folder, "no model has|twice"
    )


def test_a_name_with_a_zero_byte_is_refused(good, folder):
    data = pack(*unpack(good), infos=[(zipfile.ZipInfo("arrays/0998.binXtxt"), b"x")])
    refused(data.replace(b"binXtxt", b"bin\0txt"), folder, "no model has")


def test_the_same_name_twice_is_refused(good, folder):
    with pytest.warns(UserWarning, match="Duplicate"):
        data = pack(*unpack(good), infos=[(zipfile.ZipInfo("arrays/0000.bin"), b"x")])
    refused(data, folder, "twice")


def test_links_and_folders_are_refused(good, folder):
    for kind in (stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO):
        info = zipfile.ZipInfo("arrays/0999.bin")
        info.external_attr = (kind | 0o777) << 16
        refused(pack(*unpack(good), infos=[(info, b"/etc/passwd")]), folder, "no plain file")


def test_members_missing_or_too_many_are_refused(good, folder):
    manifest, members = unpack(good)
    extra = pack(manifest, {**members, "arrays/0999.bin": b"x"})
    refused(extra, folder, "which its manifest does not know")
    name = next(iter(members))
    refused(pack(manifest, {k: v for k, v in members.items() if k != name}), folder, "lacks")


def test_a_zip_bomb_is_refused_before_it_is_read(good, folder):
    manifest, members = unpack(good)
    info = zipfile.ZipInfo("arrays/0999.bin")
    info.compress_type = zipfile.ZIP_DEFLATED
    bomb = pack(manifest, members, infos=[(info, bytes(50_000_000))])
    assert len(bomb) < 200_000
    refused(bomb, folder, "compressed")


def test_sizes_that_the_file_does_not_have_are_refused(good, folder):
    data = bytearray(good)
    start = data.index(b"PK\x01\x02")
    for offset in (20, 24):  # compressed and real size in the directory
        data[start + offset : start + offset + 4] = struct.pack("<I", 3_000_000_000)
    refused(bytes(data), folder, "more data than the file is large")


def test_many_entries_over_the_same_bytes_are_refused(good, folder):
    """Members that overlap would let a small file unfold into a large one."""
    start, end = good.index(b"PK\x01\x02"), good.rindex(b"PK\x05\x06")
    entries = []
    for number in range(300):
        entry = bytearray(good[start:end])
        cut = entry.index(b"PK\x01\x02", 4)
        single = entry[:cut].replace(b"manifest.json", f"arrays/{number:04d}.bin"[:13].encode())
        entries.append(bytes(single))
    directory = b"".join(entries)
    tail = bytearray(good[end:])
    tail[8:16] = struct.pack("<HHI", 300, 300, len(directory))
    refused(good[:start] + directory + bytes(tail), folder, "twice|no model has")


@pytest.mark.parametrize("number", [2, 99, 10**30])
def test_a_file_of_a_newer_format_asks_for_a_newer_rankwise(good, folder, number):
    manifest, members = unpack(good)
    manifest["format_version"] = number
    refused(pack(manifest, members), folder, "install a newer rankwise")


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "1", None])
def test_a_version_that_is_none_is_refused(good, folder, number):
    manifest, members = unpack(good)
    manifest["format_version"] = number
    refused(pack(manifest, members), folder, "format version")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"format": NaN}',
        b'{"format": 1, "format": 1}',
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b"9" * 10_000,
    ],
    ids=range(10),
)
def test_a_manifest_that_is_no_json_of_ours_is_refused(good, folder, text):
    refused(
        pack(*unpack(good), text=text),
        folder,
        "no JSON that rankwise writes|not a rankwise model file",
    )


def test_a_manifest_without_its_seal_is_refused(good, folder):
    manifest, members = unpack(good)
    data = pack(manifest, members)
    assert data.endswith(seal(zipfile.ZipFile(io.BytesIO(data)).read("manifest.json")))
    refused(data[:-1] + bytes([data[-1] ^ 1]), folder, "does not match its checksum")


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("shape", [-1], "impossible shape"),
        ("shape", [2**62, 4], "impossible shape"),
        ("shape", [2**40, 0], "impossible shape|bytes"),
        ("shape", [2**33], "bytes"),
        ("shape", [1.0], "impossible shape"),
        ("shape", [True], "impossible shape"),
        ("shape", "3", "impossible shape"),
        ("shape", [1] * 40, "impossible shape"),
        ("shape", None, "impossible shape"),
        ("dtype", "|O", "dtype"),
        ("dtype", "O8", "dtype"),
        ("dtype", ">f8", "dtype"),
        ("dtype", [["a", "<f8"]], "dtype"),
        ("dtype", "<U4", "dtype"),
        ("dtype", "|b1", "neither 0 nor 1|bytes|node|trees"),
    ],
)
def test_absurd_shapes_and_dtypes_are_refused(good, folder, field, value, reason):
    manifest, members = unpack(good)
    name = trees_of(manifest)["own_threshold"]["array"]
    manifest["members"][name][field] = value
    refused(pack(manifest, members), folder, reason)


def _node(array, value):
    array[0] = value


@pytest.mark.parametrize(
    ("attribute", "value", "reason"),
    [
        ("left", 0, "child outside its tree or before it"),  # an endless walk
        ("left", -5, "child"),
        ("left", 2**31 - 1, "child"),
        ("left", 3, "no parent, or several"),
        ("feature", 3, "feature 3 of 3"),
        ("feature", 2**31 - 1, "asks? for feature"),
        ("feature", -7, "negative feature"),
        ("feature", -1, "no parent"),
        ("own_threshold", np.nan, "cut at NaN"),
        ("roots", 1, "follow"),
        ("roots", -1, "follow"),
        ("depths", 0, "not as deep"),
        ("depths", 2**62, "not as deep"),
        ("values", np.nan, "not finite"),
        ("values", np.inf, "not finite"),
        ("values", 1e9, "outside"),
    ],
)
def test_crafted_trees_are_refused(good, folder, attribute, value, reason):
    manifest, members = unpack(good)
    name, array = array_of(manifest, members, attribute)
    _node(array, value)
    members[name] = array.tobytes()
    refused(pack(manifest, members), folder, reason)


@pytest.mark.parametrize("value", [-1, 10**6])
def test_a_leaf_without_a_value_is_refused(good, folder, value):
    manifest, members = unpack(good)
    name, rows = array_of(manifest, members, "value_row")
    rows[np.flatnonzero(rows >= 0)[2]] = value
    members[name] = rows.tobytes()
    refused(pack(manifest, members), folder, "value that is not there")


@given(data=st.data())
def test_trees_of_random_numbers_are_refused_or_predict(data, good, folder):
    """Every file that is loaded predicts; it may be another model, never a crash."""
    manifest, members = unpack(good)
    attribute = data.draw(
        st.sampled_from(sorted(trees_of(manifest).keys() - {"boolean_thresholds"}))
    )
    name, array = array_of(manifest, members, attribute)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, array.size - 1))
        array.reshape(-1)[place] = data.draw(st.integers(0, 127))
    members[name] = array.tobytes()
    try:
        loaded = load_bytes(pack(manifest, members), folder)
    except ModelFileError:
        return
    assert loaded.predict(NEW).shape == (20, 3)
    assert np.isfinite(loaded.predict_pairwise(NEW)).all()


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("n_labels_", 4, "no 4 different labels"),
        ("n_labels_", 1, "ranks no labels"),
        ("n_labels_", "3", "ranks no labels"),
        ("n_features_in_", 2, "of 2|shape"),
        ("n_features_in_", 10**12, "shape"),
        ("labels_", {"texts": ["a", "a", "b"], "as": "str"}, "different labels"),
        ("labels_", [1, 2, 3], "different labels"),
        ("decomposition_", "joint_pairwise", "joint_pairwise rankings"),
        ("decomposition_", "joint", "joint rankings"),
        ("decomposition_", "magic", "what they are about"),
        ("_labels_are_named", 1, "names"),
        ("_trees", None, "no trees"),
        ("predict", "x", "replaced"),
        ("_takes_ties", True, "replaced"),
        ("n_jobs", 3, "replaced"),
        ("__class__", "x", "attribute"),
        ("feature_importances_", 0.5, "shape"),
        ("feature_names_in_", {"texts": ["a"], "as": "object"}, "names"),
        ("_output_container", "arrow", "container"),
        ("odd", {"object": "os.system", "state": {}}, "does not know"),
        ("odd", {"object": "Trees", "state": {}}, "lack"),
        ("odd", {"part": 0}, "part"),
        ("odd", {"array": "arrays/9999.bin"}, "not there"),
        ("odd", {"float": "1"}, "odd number"),
        ("odd", {"pickle": "gASV"}, "unknown kind"),
        ("odd", {"dict": [[[], 1]]}, "key"),
        ("odd", {"dict": [["a", 1], ["a", 2]]}, "twice"),
        ("odd", {"splits": [1, 2, 3]}, "cuts"),
        ("odd", {"texts": [1], "as": "str"}, "texts"),
    ],
)
def test_a_crafted_state_is_refused(good, folder, name, value, reason):
    manifest, members = unpack(good)
    set_entry(manifest["model"]["state"]["fitted"]["dict"], name, value)
    refused(pack(manifest, members), folder, reason)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("min_samples_leaf", "many", "not valid"),
        ("n_estimators", 1.5, "not valid"),
        ("criterion", ["level"], "not valid"),
        ("criterion", [{"dict": []}], "a list as criterion"),
        ("criterion", None, "not valid"),
        ("n_jobs", "all", "n_jobs"),
        ("wings", 2, "unknown here"),
        ("max_depth", {"float": "nan"}, "not valid"),
    ],
)
def test_crafted_parameters_are_refused(good, folder, name, value, reason):
    manifest, members = unpack(good)
    set_entry(manifest["model"]["state"]["params"]["dict"], name, value)
    refused(pack(manifest, members), folder, reason)


def test_deep_nesting_is_refused(good, folder):
    manifest, members = unpack(good)
    value = 1
    for _ in range(100):
        value = [value]
    set_entry(manifest["model"]["state"]["fitted"]["dict"], "odd", value)
    refused(pack(manifest, members), folder, "nested deeper")


def test_a_file_whose_model_is_no_ranker_is_refused(good, folder):
    manifest, members = unpack(good)
    manifest["model"] = fitted_of(manifest)["_trees"]
    refused(pack(manifest, members), folder, "no ranker")


@pytest.mark.parametrize(
    ("ranker", "name", "value", "reason"),
    [
        (Consensus(), "ranks_", [1, 1, 3], "no rankings"),
        (Consensus(), "ranks_", [1, 2], "shape"),
        (Consensus(), "_shares", np.full((3, 3), 2.0), "between 0 and 1"),
        (LRT(), "centers_", None, "shape"),
        (LRT(), "thetas_", -1.0, "thetas_"),
        (LRT(), "thetas_", np.nan, "thetas_"),
        (PLRTree(), "shares_", None, "shape"),
        (PLRTree(), "shares_", 1.5, "shares_"),
        (BoostLR(2), "estimator_weights_", 0.0, "not positive"),
        (BoostLR(2), "estimator_weights_", np.inf, "not positive"),
        (KNNKemeny(3), "_kept_features", np.nan, "not finite"),
        (KNNKemeny(3), "_kept_features", np.zeros((0, 3)), "no rows"),
        (KNNKemeny(3), "_kept_features", np.zeros((40, 2)), "shape"),
        (KNNKemeny(3), "_ranks", 0.0, "rank 0"),
        (KNNKemeny(3), "_ranks", 1.0, "compare no labels"),
        (KNNKemeny(3), "_centre", np.inf, "not finite"),
        (
            KNNKemeny(3, embedding="hamming"),
            "_ranks",
            np.tile([1, 1, 2.0], (40, 1)),
            "tied at rank",
        ),
        (InstanceMallows(3), "_spread", 0.0, "positive"),
        (InstanceMallows(3), "_ranks", np.tile([1, 1, 2.0], (40, 1)), "tied at rank"),
        (InstancePlackettLuce(3), "_ranks", np.full((39, 3), 1.0), "shape"),
        (KernelRidgeKemeny(1, 1), "alpha_", -1.0, "above 0"),
        (KernelRidgeKemeny(1, 1), "gamma_", np.nan, "above 0"),
    ],
)
def test_crafted_baselines_are_refused(folder, ranker, name, value, reason):
    ranker.fit(X, Y)
    before = getattr(ranker, name)
    changed = np.full_like(before, value) if np.ndim(value) == 0 and value is not None else value
    if value is not None and isinstance(before, np.ndarray):
        changed = np.asarray(changed)
    elif value is not None:
        changed = value
    setattr(ranker, name, changed)
    rw.save_model(ranker, folder / "crafted.rankwise")
    with pytest.raises(ModelFileError, match=reason):
        rw.load_model(folder / "crafted.rankwise")


@pytest.mark.parametrize("leaf", [[2, 2, 3], [1, 1, 2], [1, 3, 3], [0, 2, 3], [1, np.nan, 3]])
def test_a_leaf_of_a_plr_tree_holds_a_ranking_of_all_labels(folder, leaf):
    ranker = PLRTree().fit(X, Y)
    leaves = np.tile(np.array(leaf, dtype=float), (len(ranker._trees.values), 1))
    ranker._trees = replace(ranker._trees, values=leaves)
    rw.save_model(ranker, folder / "crafted.rankwise")
    with pytest.raises(ModelFileError):
        rw.load_model(folder / "crafted.rankwise")


@pytest.mark.parametrize("number", [0, 41, -1, 1.0, True, "3", None])
def test_numbers_of_neighbours_that_are_not_there_are_refused(folder, number):
    ranker = KNNKemeny(3).fit(X, Y)
    ranker.n_neighbors_ = number
    rw.save_model(ranker, folder / "crafted.rankwise")
    with pytest.raises(ModelFileError, match="neighbours"):
        rw.load_model(folder / "crafted.rankwise")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_kernel_rows", np.zeros((40, 2))),
        ("_kernel_rows", np.full((40, 3), np.nan)),
        ("_kernel_weights", X[:39]),
    ],
)
def test_crafted_rows_of_a_kernel_are_refused(folder, name, value):
    ranker = KernelRidgeKemeny(1, 1).fit(X, Y)
    setattr(ranker, name, value)
    rw.save_model(ranker, folder / "crafted.rankwise")
    with pytest.raises(ModelFileError, match=r"shape|not finite"):
        rw.load_model(folder / "crafted.rankwise")


def test_a_forest_of_other_labels_inside_another_model_is_refused(folder):
    ranker = LRRF(2, random_state=0).fit(X, Y)
    ranker._forest = LRRF(2, random_state=0).fit(X[:, :2], Y)._forest
    rw.save_model(ranker, folder / "crafted.rankwise")
    with pytest.raises(ModelFileError, match="other labels or features"):
        rw.load_model(folder / "crafted.rankwise")
    ranker._forest = rw.ForestRanker(2).fit(X, Y)
    rw.save_model(ranker, folder / "crafted.rankwise")
    with pytest.raises(ModelFileError, match="no forest"):
        rw.load_model(folder / "crafted.rankwise")


@pytest.mark.parametrize(
    ("entries", "reason"),
    [([[0.5, 0.5]] * 2, "no 2 classifiers"), ([[0.5, 2.0]] * 3, "probability"), (0.5, "no 2")],
)
def test_crafted_thresholds_are_refused(folder, entries, reason):
    ranker = LWD().fit(X, Y)
    ranker.estimators_ = entries
    rw.save_model(ranker, folder / "crafted.rankwise")
    with pytest.raises(ModelFileError, match=reason):
        rw.load_model(folder / "crafted.rankwise")


def test_thresholds_of_features_and_of_nodes_at_once_are_refused(folder):
    model = rw.TreeRanker(random_state=0).fit(X > 0, Y)
    trees = model._trees
    assert trees.own_threshold is None
    model._trees = replace(trees, own_threshold=trees.threshold)
    rw.save_model(model, folder / "crafted.rankwise")
    with pytest.raises(ModelFileError, match="thresholds of features and of nodes"):
        rw.load_model(folder / "crafted.rankwise")


@pytest.mark.parametrize(
    ("classifier", "name", "value", "reason"),
    [
        (Halfspace(time_limit=0), "_weights", np.ones(3), "shape"),
        (Halfspace(time_limit=0), "classes_", np.arange(3), "two classes"),
        (Halfspace(time_limit=0), "n_features_in_", 0, "no features"),
        (Ball(time_limit=0), "_scale", np.asarray(np.inf), "not finite"),
        (Ball(time_limit=0), "_scale", np.asarray(0.0), "not positive"),
        (Halfspace(time_limit=0), "_scale", np.array([1.0, 0.0, 1.0]), "not positive"),
        (SigmoidNetwork(2, max_iter=5), "_spread", np.array([1.0, -1.0, 1.0]), "not positive"),
        (Rectangle(time_limit=0), "low_", np.full(3, np.nan), "NaN"),
        (SignNetwork(2, max_iter=5), "hidden_weights_", np.ones((4, 3)), "shape"),
    ],
)
def test_crafted_hypotheses_are_refused(folder, classifier, name, value, reason):
    classifier.fit(X, X[:, 0] > 0)
    setattr(classifier, name, value)
    rw.save_model(classifier, folder / "crafted.rankwise")
    with pytest.raises(ModelFileError, match=reason):
        rw.load_model(folder / "crafted.rankwise")


def test_a_check_that_stumbles_over_a_crafted_state_refuses_it(good, folder, monkeypatch):
    def stumble(self):
        raise AttributeError("no such thing")

    monkeypatch.setattr(rw.ForestRanker, "_check_state", stumble)
    refused(good, folder, "ForestRanker is not sound .AttributeError: no such thing")


def test_trees_laid_out_by_columns_are_refused(good, folder):
    manifest, members = unpack(good)
    trees = trees_of(manifest)
    entry = manifest["members"][trees["values"]["array"]]
    trees["values"] = {"columns": trees["values"]["array"]}
    assert len(entry["shape"]) == 2
    # one column is contiguous either way, but of the wrong shape
    refused(pack(manifest, members), folder, r"rankings|values|2-D|value that is not there")
