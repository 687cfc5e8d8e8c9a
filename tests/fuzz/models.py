"""Model files of every class that can be saved: mutated, with true checksums, and then used as any model."""

import contextlib
import io
import json
import shutil
import zipfile

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rankwise as rw
from fuzz.mutate import mutate_array, mutate_json, mutate_leaf, mutated, shuffle_array
from fuzz.worker import is_ours, raised_in
from models.hostile import pack, unpack
from rankwise import baselines, hypotheses, pairwise, tree
from rankwise.cli._app import app
from rankwise.cli._predictions import write_predictions
from rankwise.datasets import DataFileError
from rankwise.models import Column, ModelFileError, Recipe, TableModel
from rankwise.models._allowed_classes import model_classes
from rankwise.ranker import BaseRanker

NAME = "models"
RNG = np.random.default_rng(0)
REAL = RNG.normal(size=(40, 3))
BOOLEAN = RNG.integers(0, 2, size=(40, 3)).astype(float)
RANKS = np.argsort(np.argsort(REAL + RNG.normal(size=REAL.shape), axis=1), axis=1) + 1.0
INCOMPLETE = np.where(RNG.random(RANKS.shape) < 0.3, np.nan, RANKS)
TIED = np.minimum(RANKS, 2.0)
VALUES = RNG.normal(size=RANKS.shape)
NEW = np.vstack([RNG.normal(size=(6, 3)), [[0.0, 1.0, 1.0]]])
_files, _last = [], []


def fitted():
    """Yield models of every class in the table of those that can be saved."""
    small = {"n_estimators": 3, "random_state": 0}
    frame = pd.DataFrame(REAL, columns=["a", "b", "c"])
    named = pd.DataFrame(RANKS, columns=["tea", "coffee", "water"])
    yield rw.AutoRanker(candidates=["Tree", "Kernel"], random_state=0).fit(REAL, RANKS)
    yield rw.AutoRanker(candidates=["Forest", "Pairwise"], random_state=0).fit(REAL, INCOMPLETE)
    for X, Y in ((REAL, RANKS), (BOOLEAN, RANKS), (REAL, INCOMPLETE), (REAL, TIED)):
        yield rw.TreeRanker(max_depth=3).fit(X, Y)
        yield rw.ForestRanker(3, max_depth=3, random_state=0).fit(X, Y)
    yield rw.TreeRanker("level", max_splits=3, honest=True, random_state=1).fit(REAL, RANKS)
    yield rw.TreeRanker(decomposition="joint").fit(frame, named)
    yield rw.ForestRanker(3, random_state=0).fit(REAL, RANKS, values=VALUES)
    for decomposition in ("labelwise", "joint", "pairwise"):
        yield rw.ForestRanker(2, decomposition=decomposition, max_depth=2, random_state=0).fit(
            REAL, RANKS
        )
    yield tree.LabelwiseRanker(LinearRegression()).fit(REAL, RANKS)
    yield rw.PairwiseRanker().fit(REAL, RANKS)
    yield rw.PairwiseRanker(aggregation="kemeny").fit(REAL, INCOMPLETE)
    yield rw.PairwiseRanker(hypotheses.Halfspace(), random_state=0).fit(REAL, RANKS)
    for method in ("observed", "self-training", "coarse"):
        yield rw.PositionRanker(method=method).fit(REAL, RANKS)
    yield pairwise.KernelRanker().fit(REAL, RANKS)
    yield make_pipeline(StandardScaler(), rw.TreeRanker(max_depth=2)).fit(REAL, RANKS)
    yield make_pipeline(StandardScaler(), pairwise.KernelRanker()).fit(REAL, INCOMPLETE)
    for name in (
        "BoostLR", "Consensus", "LRRF", "LRT", "LWD", "RPC", "KNNKemeny", "InstanceMallows", "InstancePlackettLuce",
        "InstancePLR", "KernelRidgeKemeny", "PLRBagging", "PLRForest", "PLRTree",
    ):  # fmt: skip
        ranker = getattr(baselines, name)()
        known = ranker.get_params()
        yield ranker.set_params(**{k: v for k, v in small.items() if k in known}).fit(REAL, RANKS)
    for name in ("Ball", "Halfspace", "Rectangle", "SigmoidNetwork", "SignNetwork"):
        yield getattr(hypotheses, name)().fit(REAL, (REAL[:, 0] > 0).astype(int))
    table = frame.assign(d=["p", "q"] * 20)
    yield rw.TableRanker(rw.ForestRanker(3, random_state=0)).fit(table, named)
    yield rw.TableRanker(pairwise.KernelRanker()).fit(table, named)
    recipe = Recipe((Column("a"), Column("b"), Column("c")))
    yield TableModel(
        rw.ForestRanker(3, random_state=0).fit(frame, named), recipe, ("tea", "coffee", "water")
    )


def of_the_command(folder):
    """Yield models as `rankwise fit` writes them, with all that it keeps of its file."""
    (folder / "data.csv").write_text("a,b,ranking\n" + "".join(
        f"{i % 7},{'pq'[i % 2]},{'tea>coffee>water' if i % 7 > 3 else 'water>tea~coffee'}\n" for i in range(30)
    ))  # fmt: skip
    (folder / "long.csv").write_text("row,label,value,a,b\n" + "".join(
        f"r{i},{label},{(i * j) % 5 + 0.5},{i},{i % 3}\n" for i in range(20) for j, label in enumerate(["tea", "coffee"])
    ))  # fmt: skip
    for name, options in (
        ("data.csv", ["Forest"]),
        ("data.csv", ["Kernel"]),
        ("long.csv", ["Tree", "--higher-is-better"]),
    ):
        target = str(folder / "fitted.rankwise")
        command = [
            "fit",
            str(folder / name),
            "--folds",
            "2",
            "--force",
            "-o",
            target,
            "--learner",
            *options,
        ]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            app(command, standalone_mode=False)
        yield rw.load_model(target)


def prepare(folder):
    for model in [*fitted(), *of_the_command(folder)]:
        rw.save_model(model, folder / "intact.rankwise")
        data = (folder / "intact.rankwise").read_bytes()
        _use(rw.load_model(folder / "intact.rankwise"), folder, plots=True)
        _files.append((type(model).__name__, data))
    lost = {cls.__name__ for cls in model_classes()} - {name for name, _ in _files}
    assert not lost, lost


def case(rng, number, folder):
    name, data = _files[number % len(_files)]
    path = folder / "case.rankwise"
    path.write_bytes(_changed(data, rng))
    _last[:] = [path]

    def act():
        model = rw.load_model(path)
        _last.append("loaded")
        _use(model, folder, plots=rng.random() < 0.02)

    return name, act


def is_named(error):
    if isinstance(error, (ModelFileError, DataFileError, NotFittedError)):
        return isinstance(error, ModelFileError) or "loaded" in _last
    if "loaded" not in _last:
        return False
    named = is_ours(error) or "sklearn/utils/validation" in raised_in(error)
    return type(error) in (ValueError, TypeError) and named


def keep(folder, name):
    (folder / "found").mkdir(exist_ok=True)
    shutil.copy(_last[0], folder / "found" / f"{name}.rankwise")


def _changed(data, rng):
    how = rng.random()
    if how < 0.03:
        return mutated(data, rng)
    manifest, members = unpack(data)
    if how < 0.35:
        mutate_leaf(manifest["model"], rng)
    elif how < 0.5:
        state = manifest["model"]["state"]
        mutate_json(
            rng.choice(
                [manifest["model"], state, state.get("fitted", state), state.get("params", state)]
            ),
            rng,
        )
    elif how < 0.53:
        mutate_json(manifest["members"], rng)
    elif "parts.skops" in members and how < 0.85:
        members["parts.skops"] = _changed_parts(members["parts.skops"], rng)
    else:
        arrays = [name for name, entry in manifest["members"].items() if "shape" in entry]
        for name in rng.sample(arrays, min(len(arrays), rng.choice([1, 1, 2]))):
            entry = manifest["members"][name]
            array = np.frombuffer(members[name], entry["dtype"]).reshape(entry["shape"]).copy()
            if rng.random() < 0.15 and array.ndim:
                array = np.ascontiguousarray(array[: rng.randrange(len(array) + 1)])
                entry["shape"] = list(array.shape)
            rng.choice([shuffle_array, shuffle_array, mutate_array])(array, rng)
            members[name] = array.tobytes()
    return pack(manifest, members)


def _changed_parts(data, rng):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    arrays = [name for name in parts if name.endswith(".npy")]
    if arrays and rng.random() < 0.5:
        name = rng.choice(arrays)
        array = np.load(io.BytesIO(parts[name]))
        rng.choice([shuffle_array, mutate_array])(array, rng)
        if rng.random() < 0.2:
            array = array.reshape(-1)[: rng.randrange(array.size + 1)]
        target = io.BytesIO()
        np.save(target, array)
        parts[name] = target.getvalue()
    else:
        schema = json.loads(parts["schema.json"])
        rng.choice([mutate_leaf, mutate_json])(schema, rng)
        parts["schema.json"] = json.dumps(schema).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _use(model, folder, plots=False):
    if isinstance(model, TableModel):
        return _use_table(model, folder)
    if not isinstance(model, BaseRanker) and not hasattr(model, "steps"):
        found = model.predict(NEW)
        assert len(found) == len(NEW)
        return None
    X = NEW
    names = getattr(model, "feature_names_in_", None)
    if names is not None or isinstance(model, rw.TableRanker):
        names = ["a", "b", "c"] if names is None else list(names)
        X = pd.DataFrame({str(name): NEW[:, j % 3] for j, name in enumerate(names)})
    elif getattr(model, "n_features_in_", 3) != 3 and model.n_features_in_ < 1000:
        X = np.resize(NEW, (len(NEW), model.n_features_in_))
    ranks, pairs = np.asarray(model.predict(X)), None
    k = ranks.shape[1]
    assert ranks.shape == (len(NEW), k)
    assert ((ranks >= 1) & (ranks <= k)).all(), ranks
    np.testing.assert_array_equal(np.asarray(model.predict(X)), ranks)
    if hasattr(model, "predict_pairwise"):
        pairs = np.asarray(model.predict_pairwise(X))
        assert pairs.shape == (len(NEW), k, k)
        assert np.isfinite(pairs).all()
        assert pairs.min() >= -1e-6, pairs.min()
        assert pairs.max() <= 1 + 1e-6, pairs.max()
        positions = np.asarray(model.predict_positions(X))
        assert np.isfinite(positions).all()
    labels = getattr(model, "labels_", [0, 1])
    explanation = rw.explain(model, X[:1], labels[0], labels[1], X=X, Y=ranks)
    str(explanation), explanation.to_dict()
    repr(model)
    if plots:
        _draw(model, explanation)
    rw.save_model(model, folder / "again.rankwise")
    loaded = rw.load_model(folder / "again.rankwise")
    np.testing.assert_array_equal(np.asarray(loaded.predict(X)), ranks)
    return None


def _use_table(model, folder):
    names = [column.name for column in model.recipe.columns]
    frame = pd.DataFrame({name: NEW[:, j % 3] for j, name in enumerate(names)})
    found = model.predict_table(frame)
    assert len(found) == len(NEW)
    frame.to_csv(folder / "new.csv", index=False)
    write_predictions(model, folder / "new.csv", folder / "predicted.csv", None, "predicted_", None)
    rw.save_model(model, folder / "again.rankwise")
    assert model.predict_table(frame).equals(found)


def _draw(model, explanation):
    import matplotlib.pyplot as plt

    from rankwise import plots

    explanation.plot()
    explanation._repr_html_()
    if isinstance(model, rw.TreeRanker) and "pairwise" not in model.decomposition_:
        plots.draw_tree(model, model.labels_[0] if model.decomposition_ == "labelwise" else None)
    plt.close("all")
