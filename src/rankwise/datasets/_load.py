"""Load a benchmark by name, with the known faults of its file put right."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from rankwise._parameters import check_flag
from rankwise.datasets._bundled import load_solvents
from rankwise.datasets._catalogue import COMMIT, LICENCE, REPOSITORY, find
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._fetch import locate
from rankwise.datasets._files import read
from rankwise.datasets._generated import GENERATORS
from rankwise.datasets._text import DataFileError
from rankwise.rankings import ranks_from_orders


def load(
    name: str,
    *,
    raw: bool = False,
    published_only: bool = False,
    cache: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    progress: bool | None = None,
) -> Dataset:
    """Load a benchmark.

    The file is looked for in the folder that ``RANKWISE_DATA`` names, then in the user's cache
    (``RANKWISE_CACHE`` moves it), and is else downloaded and checked, for which the extra
    ``rankwise[data]`` is needed. Names that start with ``generated/`` need no file, and ``solvents``
    comes with the package.

    Parameters
    ----------
    name : str
        One of `available`: ``"iris"``, ``"partial/iris"`` (with ties), ``"generated/iris"``,
        ``"solvents"`` (made up). The paper's names ``cpu-small`` and ``ddt`` are understood.
    raw : bool
        Give the file as published. ``cold``, ``diau``, ``dtt``, ``heat`` and ``spo`` are published
        with orders in place of positions; without `raw` they come out as positions, as all others.
    published_only : bool
        Refuse a file in ``RANKWISE_DATA`` that is not, byte for byte, the one that was published.
    cache : path-like, optional
        The cache folder.
    base_url : str, optional
        Where to download from: a server with the same folders, ``lr/`` and ``partial/``. By default
        what ``RANKWISE_DATA_URL`` says, else the place of publication.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.

    Returns
    -------
    Dataset
        `notes` says what was corrected.

    Examples
    --------
    >>> X, Y = load("generated/iris")
    >>> X.shape, Y.shape
    ((150, 4), (150, 3))
    """
    check_flag("raw", raw)
    check_flag("published_only", published_only)
    entry = find(name)
    if entry.kind == "bundled":
        return load_solvents()
    if entry.kind == "generated":
        return GENERATORS[entry.name]()
    path = locate(entry, cache=cache, base_url=base_url, progress=progress)
    found = read(path, format="scikit-lr")
    is_published = found.sha256 == entry.sha256
    changes: dict[str, Any] = {}
    notes = list(found.notes)
    if published_only and not is_published:
        raise DataFileError(
            path,
            f"is not the file that was published (its sha256 is not {entry.sha256}), and figures "
            "were asked for that are about that one; replace it",
        )
    if not is_published:
        notes.append(f"{path.name} is not the published file (checksum differs)")
    if entry.inverted and raw:
        notes.append("as published: Y holds orders (the label at each position), not positions")
    elif entry.inverted and not is_published:
        raise DataFileError(
            path,
            f"is not the published {entry.name}.csv (its sha256 is not {entry.sha256}), so it is not "
            "known whether it holds orders, as that one does, or positions; replace it, or read it "
            f"as it is: load({entry.name!r}, raw=True)",
        )
    elif entry.inverted:
        changes["Y"] = ranks_from_orders(found.ranks.astype(np.int64) - 1, n_labels=found.n_labels)
        notes.append(
            "the published file holds orders (the label at each position); turned into positions"
        )
    source = f"{REPOSITORY}, commit {COMMIT[:12]}, {entry.file}"
    return replace(
        found, name=entry.name, source=source, licence=LICENCE, notes=tuple(notes), **changes
    )
