"""Crafted model files: what they may not set, and that no byte of one can change unseen."""

import json

import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from models.hostile import array_of, fitted_of, pack, set_entry, unpack
from rankwise.baselines import LRRF, Consensus, KNNKemeny
from rankwise.hypotheses import Rectangle
from rankwise.models import Column, ModelFileError, Recipe, TableModel
from rankwise.pairwise import KernelRanker

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


@pytest.mark.parametrize("value", [2, 255])
def test_a_gap_goes_left_or_right(good, folder, value):
    """A kernel adds where it goes to the number of a child: this once read beyond the nodes."""
    manifest, members = unpack(good)
    name, missing = array_of(manifest, members, "missing_left")
    missing[0] = value
    members[name] = missing.tobytes()
    with pytest.raises(ModelFileError, match="node 0 sends rows with a gap neither left nor right"):
        load_bytes(pack(manifest, members), folder)


def test_rows_with_fewer_features_than_the_trees_ask_for_never_reach_a_kernel():
    trees = rw.TreeRanker().fit(X, Y)._trees
    boolean = rw.TreeRanker().fit((X > 0).astype(float), Y)._trees
    for found in (trees, boolean):
        with pytest.raises(ValueError, match="rows have 1 features, and the trees look at"):
            found.leaves(X[:, :1])


def test_a_tree_without_its_cuts_is_refused(folder):
    manifest, members = unpack(saved(rw.TreeRanker(max_depth=2).fit(X, Y), folder))
    pairs = manifest["model"]["state"]["fitted"]["dict"]
    pairs[:] = [pair for pair in pairs if pair[0] != "splits_"]
    with pytest.raises(ModelFileError, match="it has no list of its cuts"):
        load_bytes(pack(manifest, members), folder)


def test_scikit_learn_parts_that_stumble_are_refused(folder):
    """A class of a classifier is missing: it would end in an IndexError when it predicts."""
    import io
    import zipfile

    from sklearn.naive_bayes import GaussianNB

    manifest, members = unpack(saved(rw.PairwiseRanker(GaussianNB()).fit(X, Y), folder))
    with zipfile.ZipFile(io.BytesIO(members["parts.skops"])) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name in parts:
        if name.endswith(".npy"):
            target = io.BytesIO()
            np.save(target, np.load(io.BytesIO(parts[name])).reshape(-1)[:0])
            parts[name] = target.getvalue()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    members["parts.skops"] = packed.getvalue()
    with pytest.raises(ModelFileError, match="scikit-learn parts"):
        load_bytes(pack(manifest, members), folder)


def test_numbers_that_are_too_large_to_calculate_with_are_refused(folder):
    manifest, members = unpack(saved(KernelRanker().fit(X, Y), folder))
    fitted = dict(manifest["model"]["state"]["fitted"]["dict"])
    name = fitted["_centre"]["array"]
    members[name] = np.full(3, 1e308).tobytes()
    with pytest.raises(
        ModelFileError, match="_centre holds numbers that are not finite, too large"
    ):
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


@pytest.mark.parametrize("name", ["gap_means_", "_header"])
def test_a_model_of_tables_without_a_part_is_refused(name, folder):
    table = pd.DataFrame({"x": X[:, 0], "place": ["sea", "land"] * 20})
    manifest, members = unpack(saved(rw.TableRanker(rw.TreeRanker()).fit(table, Y), folder))
    fitted = manifest["model"]["state"]["fitted"]["dict"]
    fitted[:] = [pair for pair in fitted if pair[0] != name]
    with pytest.raises(ModelFileError):
        load_bytes(pack(manifest, members), folder)


@pytest.mark.parametrize("text", ["water", "hour"])
def test_names_of_half_a_character_are_refused(text, folder):
    named = pd.DataFrame(Y, columns=["tea", "water", "milk"])
    table = pd.DataFrame(X, columns=["hour", "day", "year"])
    ranker, recipe = rw.TreeRanker().fit(X, named), Recipe(tuple(map(Column, table)))
    models = [
        rw.TableRanker(rw.TreeRanker()).fit(table, named),
        TableModel(ranker, recipe, tuple(named)),
        *([ranker] if text == "water" else []),
    ]
    for model in models:
        manifest, members = unpack(saved(model, folder))
        changed = json.dumps(manifest).replace(f'"{text}"', '"\\ud800"').encode()
        with pytest.raises(ModelFileError, match="half of a character"):
            load_bytes(pack(manifest, members, text=changed), folder)


def test_a_forest_of_top_labels_without_a_part_is_refused(folder):
    manifest, members = unpack(saved(LRRF(n_estimators=2, random_state=0).fit(X, Y), folder))
    text = json.dumps(manifest).replace('"_parts"', '"_other"').encode()
    with pytest.raises(ModelFileError):
        load_bytes(pack(manifest, members, text=text), folder)


def test_a_tree_that_does_not_say_whether_it_ties_has_no_ties(folder):
    model = rw.TreeRanker(ties="never").fit(X, Y)
    recipe = Recipe(tuple(map(Column, "abc")))
    manifest, members = unpack(saved(TableModel(model, recipe, ("p", "q", "r")), folder))
    text = json.dumps(manifest).replace('"ties_"', '"other_"').encode()
    loaded = load_bytes(pack(manifest, members, text=text), folder)
    np.testing.assert_array_equal(loaded.predict(X).ranks, model.predict(X))


@pytest.mark.parametrize("place", ["true", "1.0"])
def test_a_pair_of_something_that_equals_a_number_is_refused(place, folder):
    manifest, members = unpack(saved(rw.PairwiseRanker().fit(X, Y), folder))
    text = json.dumps(manifest)
    assert "[1, 2]" in text
    changed = text.replace("[1, 2]", f"[{place}, 2]").encode()
    with pytest.raises(ModelFileError, match="no pair of its labels"):
        load_bytes(pack(manifest, members, text=changed), folder)


def test_half_a_character_in_the_columns_of_the_ranker_inside_is_refused(folder):
    # found by the fuzzer, in the ranker and not in the recipe of its table: predicting failed
    table = pd.DataFrame(X, columns=["hour", "place", "day"])
    manifest, members = unpack(saved(KernelRanker().fit(table, Y), folder))
    changed = json.dumps(manifest).replace('"place"', '"\\ud800"').encode()
    with pytest.raises(ModelFileError, match=r"a column is called .* half of a character"):
        load_bytes(pack(manifest, members, text=changed), folder)


@pytest.mark.parametrize(("name", "share"), [("_shares", 0.2), ("_before", 0.8)])
def test_shares_of_a_pair_that_are_no_chances_of_one_another_are_refused(name, share, folder):
    manifest, members = unpack(saved(Consensus().fit(X, Y), folder))
    members[fitted_of(manifest)[name]["array"]] = np.full((3, 3), share).tobytes()
    with pytest.raises(ModelFileError, match="shares of a pair do not add up to 1"):
        load_bytes(pack(manifest, members), folder)


@pytest.mark.parametrize(
    ("classes", "message"),
    [([1, 1], "does not know two classes"), ([0, 2], r"classifier of \(0, 1\) knows ties")],
)
def test_classes_that_no_pair_has_are_refused(classes, message, folder):
    # with ties that no row has, neither label of a pair stood before the other
    model = rw.PairwiseRanker(Rectangle(random_state=0)).fit(X[:, :1], Y)
    manifest, members = unpack(saved(model, folder))
    first = fitted_of(manifest)["estimators_"]["dict"][0][1]["state"]["fitted"]["dict"]
    members[dict(first)["classes_"]["array"]] = np.array(classes).tobytes()
    with pytest.raises(ModelFileError, match=message):
        load_bytes(pack(manifest, members), folder)


def test_a_share_of_a_label_before_itself_that_is_not_a_half_is_refused(folder):
    model = Consensus().fit([[0.0], [1.0]], [[1, 2, 3], [1, 3, 2]])
    model._shares = model._shares.copy()
    model._shares[1, 1] = 0.25
    with pytest.raises(ModelFileError, match="share of a label before itself is not 1/2"):
        load_bytes(saved(model, folder), folder)


def test_a_scale_by_which_no_distance_can_be_taken_names_the_row(folder):
    model = KNNKemeny(n_neighbors=1, scale=True)
    model.fit([[0.0], [1e-160], [0.0]], [[1, 2], [2, 1], [1, 2]])
    message = "row 1: a feature is too far from the rows of training"
    with pytest.raises(ValueError, match=message):
        model.predict([[0.0], [1e150]])
    model.fit([[0.0], [1.0], [2.0]], [[1, 2], [2, 1], [1, 2]])
    model._spread = np.array([5e-324])  # as of a file
    with pytest.raises(ValueError, match=message):
        load_bytes(saved(model, folder), folder).predict([model._centre, [0.0]])
