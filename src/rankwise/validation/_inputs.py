"""Data sets of an experiment: by name, from a file or from memory, found again by any process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from rankwise._paths import checked_path
from rankwise._replacing import write_whole
from rankwise.datasets import Dataset, available, load, read
from rankwise.validation._json import decode, encode
from rankwise.validation._plans import plan_folds

# What a unit may need of a data set: what it is made of, and where the array stands.
_ARRAYS = {"X": "features", "Y": "ranks"} | {part: part for part in ("weights", "folds", "values")}
_ABOUT_VALUES = ("higher_is_better", "cutoff", "penalty", "unit")
_FACTS = ("label_names", "feature_names", "groups", "row_names", *_ABOUT_VALUES)
# What rows are called is kept, and is no part of what was compared.
_KEPT = _ARRAYS | {"lines": "lines"}


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
    own_folds : tuple of int, optional
        Number of folds of each repetition, where it brings some.
    n_groups : int, optional
        Number of groups of rows, where it has some.
    unit : str, optional
        Of its values, where it says what a choice costs; may be empty.
    """

    name: str
    config: dict[str, Any]
    n_samples: int
    n_features: int
    n_labels: int
    own_folds: tuple[int, ...] | None = None
    n_groups: int | None = None
    unit: str | None = None


def find_input(
    dataset: str | os.PathLike[str] | Dataset,
    folder: str | os.PathLike[str],
    options: Mapping[str, Any] | None = None,
) -> Input:
    """Load a data set, and return how any process loads it again.

    A benchmark is found by its name; what comes from a file, by `options` of `read`, or from memory
    is kept in the folder.

    Examples
    --------
    >>> find_input("generated/iris", "inputs").name
    'generated/iris'
    """
    if not isinstance(dataset, (str, os.PathLike, Dataset)):
        raise TypeError(
            f"a data set is a {type(dataset).__name__}; give a name, a file or a Dataset"
        )
    if not isinstance(dataset, Dataset) and checked_path(dataset).exists():
        dataset = replace(read(dataset, **(options or {})), name=Path(dataset).stem)
    if isinstance(dataset, Dataset):
        config = {"name": dataset.name or "data", "arrays": _keep(dataset, Path(folder))}
    else:
        config = {"name": _benchmark(str(dataset))}
    found = _load(**config)
    shape = found.n_samples, found.n_features, found.n_labels
    plan = plan_folds(found)
    own = plan.sizes if plan.is_own else None
    config = {**config, "sha256": _checksum(found)}
    unit = found.unit if found.has_costs else None
    return Input(config["name"], config, *shape, own, plan.n_groups, unit)


def load_input(config: Mapping[str, Any]) -> Dataset:
    """Load the data set of a configuration; within a process each is read once.

    Examples
    --------
    >>> load_input(find_input("generated/iris", "inputs").config).n_labels
    3
    """
    found = _load(**{key: value for key, value in config.items() if key != "sha256"})
    if _checksum(found) != config["sha256"]:
        raise ValueError(
            f"data set {config['name']} has changed since the run began; start it again"
        )
    return found


def _benchmark(name: str) -> str:
    if Path(name).suffix or os.sep in name.removeprefix("generated/").removeprefix("partial/"):
        raise ValueError(f"{name}: no such file; give a file, or the name of a benchmark")
    # The paper's names for a benchmark lead to ours.
    return name if name in available() else load(name).name


def _keep(dataset: Dataset, folder: Path) -> str:
    content = BytesIO()
    facts = {name: getattr(dataset, name) for name in _FACTS}
    arrays: dict[str, Any] = {"names": np.array(encode(facts))}
    arrays |= {
        name: part for name, own in _KEPT.items() if (part := getattr(dataset, own)) is not None
    }
    np.savez(content, **arrays)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder.resolve() / f"{_checksum(dataset)[:32]}.npz"
    if not path.exists():
        write_whole(path, content.getvalue())
    return str(path)


# A comparison goes through its data sets one after the other.
@lru_cache(maxsize=4)
def _load(name: str, arrays: str | None = None) -> Dataset:
    if arrays is None:
        dataset = load(name, progress=False)
    else:
        with np.load(arrays) as kept:
            found = {name: kept[name] for name in _KEPT if name in kept}
            dataset = Dataset(**found, **decode(str(kept["names"])))
    for array in _arrays(dataset):
        # All units of a process share it; none may change it.
        array.setflags(write=False)
    return replace(dataset, name=name)


@lru_cache(maxsize=4)
def _checksum(dataset: Dataset) -> str:
    digest = hashlib.sha256(encode(dataset.label_names).encode())
    about = {name: value for name in _ABOUT_VALUES if (value := getattr(dataset, name))}
    if about or dataset.groups is not None:
        digest.update(encode([about, dataset.groups]).encode())
    for array in _arrays(dataset):
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _arrays(dataset: Dataset) -> list[np.ndarray]:
    return [part for own in _ARRAYS.values() if (part := getattr(dataset, own)) is not None]
