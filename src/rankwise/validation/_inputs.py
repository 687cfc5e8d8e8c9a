"""Data sets of an experiment: by name, from a file or from memory, found again by any process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rankwise._replacing import write_whole
from rankwise.datasets import Dataset, available, load, read
from rankwise.validation._json import decode, encode


@dataclass(frozen=True)
class Input:
    """Where a data set comes from, in a form that a configuration can hold.

    Parameters
    ----------
    name : str
        As it stands in tables.
    config : dict
        What `load_input` needs to find it again, with a checksum of its content.
    n_samples, n_features, n_labels : int
        Its shape.
    """

    name: str
    config: dict[str, Any]
    n_samples: int
    n_features: int
    n_labels: int


def find_input(
    dataset: str | os.PathLike[str] | Dataset,
    *,
    options: Mapping[str, Any] | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Input:
    """Load a data set once, and return how to load it again.

    Parameters
    ----------
    dataset : str, path-like or Dataset
        The name of a benchmark, a file, or the data themselves.
    options : mapping, optional
        Options of `rankwise.datasets.read`, for files.
    folder : path-like, optional
        Where data from memory are written, so that other processes can read them.

    Examples
    --------
    >>> find_input("generated/iris").name
    'generated/iris'
    """
    if isinstance(dataset, Dataset):
        config = _keep(dataset, folder)
    elif isinstance(dataset, (str, os.PathLike)):
        config = _locate(dataset, options or {})
    else:
        raise TypeError(
            f"a data set is a {type(dataset).__name__}; give a name, a file or a Dataset"
        )
    found = _load(encode(config))
    config = {**config, "sha256": _checksum(found)}
    shape = found.n_samples, found.n_features, found.n_labels
    return Input(config["name"], config, *shape)


def load_input(config: Mapping[str, Any]) -> Dataset:
    """Load the data set of a configuration; within a process each is read once.

    Parameters
    ----------
    config : mapping
        As `find_input` gave it.

    Examples
    --------
    >>> load_input(find_input("generated/iris").config).n_labels
    3
    """
    where = {key: value for key, value in config.items() if key != "sha256"}
    found = _load(encode(where))
    if _checksum(found) != config["sha256"]:
        raise ValueError(
            f"data set {config['name']} has changed since the run began; start it again"
        )
    return found


def _locate(dataset: str | os.PathLike[str], options: Mapping[str, Any]) -> dict[str, Any]:
    path = Path(dataset)
    if path.exists():
        given = {key: value for key, value in options.items() if value is not None}
        return {"name": path.stem, "file": str(path.resolve()), "options": given}
    if path.suffix or os.sep in str(dataset).removeprefix("generated/").removeprefix("partial/"):
        raise ValueError(f"{path}: no such file; give a file, or the name of a benchmark")
    # The paper's names for a benchmark lead to ours.
    return {"name": load(str(dataset)).name if str(dataset) not in available() else str(dataset)}


def _keep(dataset: Dataset, folder: str | os.PathLike[str] | None) -> dict[str, Any]:
    if folder is None:
        raise ValueError("data from memory need a folder where other processes find them")
    from io import BytesIO

    content = BytesIO()
    names = {"label_names": dataset.label_names, "feature_names": dataset.feature_names}
    arrays: dict[str, Any] = {"X": dataset.X, "Y": dataset.Y, "names": np.array(encode(names))}
    if dataset.weights is not None:
        arrays["weights"] = dataset.weights
    np.savez(content, **arrays)
    Path(folder).mkdir(parents=True, exist_ok=True)
    path = Path(folder).resolve() / f"{_checksum(dataset)[:32]}.npz"
    if not path.exists():
        write_whole(path, content.getvalue())
    return {"name": dataset.name or "data", "arrays": str(path)}


# A comparison goes through its data sets one after the other.
@lru_cache(maxsize=4)
def _load(text: str) -> Dataset:
    config = decode(text)
    if "arrays" in config:
        with np.load(config["arrays"]) as arrays:
            names = decode(str(arrays["names"]))
            weights = arrays.get("weights")
            dataset = Dataset(arrays["X"], arrays["Y"], weights=weights, **names)
    elif "file" in config:
        dataset = read(config["file"], **config["options"])
    else:
        dataset = load(config["name"], progress=False)
    return _frozen(replace(dataset, name=config["name"]))


def _frozen(dataset: Dataset) -> Dataset:
    """Guard a data set that all units of a process share against being changed by one."""
    for array in _arrays(dataset):
        array.setflags(write=False)
    return dataset


@lru_cache(maxsize=4)
def _checksum(dataset: Dataset) -> str:
    digest = hashlib.sha256(encode(dataset.label_names).encode())
    for array in _arrays(dataset):
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _arrays(dataset: Dataset) -> list[np.ndarray]:
    return [*dataset, *([] if dataset.weights is None else [dataset.weights])]
