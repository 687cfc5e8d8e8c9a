"""Fingerprints of what estimators predict and of the files they are saved to.

    python tests/fingerprints.py            compare with tests/fingerprints.json; tells what differs
    python tests/fingerprints.py --write    write that file anew, after a change that is wanted

A change that only moves code leaves every one of them as it is. Numbers are rounded first, so that
another machine's last digits make no difference; model files are compared part by part.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import itertools
import json
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

import rankwise as rw
from rankwise import baselines
from rankwise.cli import main
from rankwise.oracles import make_family

KEPT = Path(__file__).with_suffix(".json")


def problems() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return small problems of every kind that the learners tell apart."""
    rng = np.random.default_rng(0)
    X, Y, _ = make_family("SFN", n_samples=160, random_state=0)
    X = X[:, :12].astype(np.float64)
    continuous = rng.normal(size=(160, 5))
    scores = continuous @ rng.normal(size=(5, 4)) + rng.normal(scale=0.5, size=(160, 4))
    ranks = rw.ranks_from_scores(scores)
    incomplete = np.where(rng.random(ranks.shape) < 0.3, np.nan, ranks)
    gaps = np.where(rng.random(continuous.shape) < 0.1, np.nan, continuous)
    tied = rw.ranks_from_scores(np.round(scores))
    return {
        "boolean": (X, Y),
        "continuous": (continuous, ranks),
        "incomplete": (continuous, incomplete),
        "boolean-incomplete": (X, np.where(rng.random(Y.shape) < 0.3, np.nan, Y)),
        "gaps": (gaps, ranks),
        "gaps-incomplete": (gaps, incomplete),
        "tied": (continuous, tied),
    }


def rankers() -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """Yield name, unfitted ranker and the problems it is tried on."""
    everything = tuple(problems())
    complete = ("boolean", "continuous", "gaps", "tied")
    for criterion, decomposition, honest in itertools.product(
        ("breiman", "level"), ("labelwise", "joint", "pairwise", "joint_pairwise"), (False, True)
    ):
        where = everything if "pairwise" in decomposition else complete
        shared = {"criterion": criterion, "decomposition": decomposition, "honest": honest}
        name = f"{criterion}-{decomposition}{'-honest' * honest}"
        yield f"tree-{name}", rw.TreeRanker(**shared, max_splits=6, random_state=0), where
        forest = rw.ForestRanker(5, **shared, max_features=0.5, oob_score=True, random_state=0)
        yield f"forest-{name}", forest, where
    yield "tree-auto", rw.TreeRanker(min_samples_leaf=3, random_state=0), everything
    borda = rw.ForestRanker(
        5, aggregation="borda", bootstrap=False, max_samples=0.5, random_state=1
    )
    yield "forest-borda", borda, everything
    for decomposition in ("labelwise", "joint", "pairwise", "joint_pairwise"):
        where = everything if "pairwise" in decomposition else complete
        shared = {"splitter": "random", "decomposition": decomposition, "random_state": 0}
        yield f"tree-random-{decomposition}", rw.TreeRanker(**shared), where
        yield f"forest-random-{decomposition}", rw.ForestRanker(3, **shared), where
    yield "forest-mixed", rw.ForestRanker(5, random_state=0), everything
    yield "tree-theory", rw.TreeRanker("level", max_splits="theory", random_state=0), ("boolean",)
    plain = ("continuous", "incomplete", "tied")
    for aggregation in ("copeland", "borda", "kemeny"):
        yield (
            f"pairwise-{aggregation}",
            rw.PairwiseRanker(aggregation=aggregation, random_state=0),
            plain,
        )
    for method in ("observed", "self-training", "coarse"):
        yield f"position-{method}", rw.PositionRanker(method=method), ("continuous",)
    yield "labelwise", rw.LabelwiseRanker(Ridge()), ("continuous",)
    for name in baselines.__all__:
        cls = getattr(baselines, name)
        if isinstance(cls, type) and hasattr(cls, "fit"):
            seed = {"random_state": 0} if "random_state" in cls._get_param_names() else {}
            yield name, cls(**seed), plain


def prediction(model: Any, X: np.ndarray) -> dict[str, str]:
    """Return a hash of each way to predict that the model has."""
    found = {}
    for method in ("predict", "predict_positions", "predict_pairwise"):
        if not hasattr(model, method):
            continue
        try:
            values = np.asarray(getattr(model, method)(X), dtype=np.float64)
        except (TypeError, NotImplementedError):
            continue
        # Adding 0 makes -0 a 0.
        found[method] = digest((np.round(values, 6) + 0.0).tobytes())
    for attribute in ("oob_score_", "feature_importances_", "label_importances_"):
        if hasattr(model, attribute):
            values = np.asarray(getattr(model, attribute), dtype=np.float64)
            found[attribute] = digest((np.round(values, 6) + 0.0).tobytes())
    return found


def model_file(model: Any) -> dict[str, str]:
    """Return a hash of the file the model is saved to; none if it cannot be saved."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.rankwise")
        try:
            rw.save_model(model, path)
        except TypeError:
            return {"file": "none"}
        return {"file": archive(path)}


def archive(path: Path) -> str:
    """Return a hash of a model file, but for its scikit-learn parts: skops names them by address."""
    with zipfile.ZipFile(path) as file:
        found = {name: file.read(name) for name in sorted(file.namelist())}
    manifest = json.loads(
        found.pop("manifest.json"), parse_float=lambda text: round(float(text), 6)
    )
    members = manifest.pop("members")
    pool = found.pop("arrays/pool.bin", b"")
    arrays = [
        rounded(data, members[name]["dtype"])
        for name, data in found.items()
        if not name.endswith(".skops")
    ]
    arrays += [rounded(pool[start:], dtype, shape) for start, dtype, shape in pooled(manifest)]
    return digest(json.dumps(manifest).encode() + b"".join(arrays))


def pooled(value: Any) -> Iterator[list[Any]]:
    """Yield place, type and shape of the small arrays that lie together in a model file."""
    if isinstance(value, dict) and isinstance(value.get("array"), list):
        yield value["array"]
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from pooled(part)


def rounded(data: bytes, dtype: str, shape: list[int] | None = None) -> bytes:
    """Return the bytes of an array, of as many numbers as there are or the shape has."""
    size = len(data) // np.dtype(dtype).itemsize if shape is None else int(np.prod(shape))
    array = np.frombuffer(data, dtype, size)
    return (np.round(array, 6) + 0.0 if array.dtype.kind == "f" else array).tobytes()


def commands() -> Iterator[tuple[str, str]]:
    """Yield what commands print and write for a table with texts, gaps and weights."""
    rng = np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as folder:
        data, model, out = (Path(folder, name) for name in ("d.csv", "d.rankwise", "out.csv"))
        with open(data, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["name", "soil", "dry", "rain", "@weight", "maize", "millet", "rice"])
            for i in range(60):
                rain, soil = rng.integers(2, 40), ("clay", "sand", "loam", "")[rng.integers(4)]
                scores = rng.normal(size=3) + np.array([rain / 10, 2, 3 * (soil == "clay")])
                ranks = rw.ranks_from_scores(scores[None])[0].astype(int)
                cells = [rank if rng.random() > 0.1 else "" for rank in ranks]
                dry = "yes" if rain < 20 else "no"
                weight = rng.integers(1, 4)
                writer.writerow([f"row {i}", soil, dry, rain, weight, *cells])
        labels = ["--labels", "maize,millet,rice", "--column", "weight=@weight"]
        fitted = json.loads(run("fit", data, *labels, "-o", model, "--trees", 10, "--json"))
        yield "fit", json.dumps([fitted[key] for key in ("check", "certainty", "columns")])
        yield "model file", archive(model)
        run("predict", model, data, "-o", out)
        yield "predict", out.read_text()
        for learner in ("forest", "tree"):
            options = ("--learner", learner, "--trees", 10, "--json")
            found = json.loads(run("evaluate", data, *labels, *options))
            yield f"evaluate {learner}", json.dumps(found["scores"])


def run(*arguments: Any) -> str:
    """Return what a command prints."""
    stdout = io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(io.StringIO()):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stop:
            if stop.code:
                raise RuntimeError(f"{arguments} failed") from stop
    return stdout.getvalue()


def digest(data: bytes) -> str:
    """Return a short hash."""
    return hashlib.sha256(data).hexdigest()[:16]


def fingerprints() -> dict[str, Any]:
    """Return name -> hashes."""
    found: dict[str, Any] = {}
    known = problems()
    rng = np.random.default_rng(1)
    for name, ranker, where in rankers():
        for problem in where:
            X, Y = known[problem]
            try:
                model = ranker.fit(X[:120], Y[:120])
            except ValueError:
                found[f"{name} on {problem}"] = "refused"
            else:
                found[f"{name} on {problem}"] = prediction(model, X[100:]) | model_file(model)
        if name.startswith(("tree", "forest")):
            for kind, weights in (
                ("whole", rng.integers(0, 4, 120)),
                ("fractional", rng.random(120)),
            ):
                X, Y = known[where[0]]
                model = ranker.fit(X[:120], Y[:120], sample_weight=weights)
                found[f"{name} with {kind} weights"] = prediction(model, X) | model_file(model)
    for name, text in commands():
        found[f"rankwise {name}"] = digest(text.encode())
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    found = fingerprints()
    if "--write" in sys.argv:
        KEPT.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
    kept = json.loads(KEPT.read_text())
    changed = sorted(name for name in kept | found if kept.get(name) != found.get(name))
    for name in changed:
        print(f"{name}: was {kept.get(name)}, is {found.get(name)}")
    print(f"{len(found)} fingerprints, {len(changed)} changed")
    sys.exit(bool(changed))
