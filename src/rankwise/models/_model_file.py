"""Save a fitted ranker, and load it again: exactly, and without executing anything in the file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rankwise._parameters import check_names
from rankwise._paths import checked_path, path_fault, short
from rankwise.models._allowed_classes import known_kinds
from rankwise.models._archive import PARTS, POOL, Archive, sha256_of, write_archive
from rankwise.models._arrays import as_bytes, describe, read_array
from rankwise.models._codec import Decoder, Encoder
from rankwise.models._errors import ModelFileError, RefusedError
from rankwise.models._wrapped import dump_parts, load_parts, try_out

FORMAT = "rankwise-model"
FORMAT_VERSION = 1


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted ranker to a file that is safe to share.

    Parameters
    ----------
    model : ranker
        A fitted estimator of this package (a ranker, a baseline or a hypothesis class), a scikit-learn
        pipeline that ends in a ranker, or a `TableModel`.
    path : path-like
        The file, usually ``*.rankwise``; one that exists is replaced, wholly or not at all.

    See Also
    --------
    load_model

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankwise as rw
    >>> X, Y = [[8], [9], [17], [18]], [[2, 1, 3], [2, 1, 3], [1, 3, 2], [1, 3, 2]]
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.rankwise")
    >>> rw.save_model(rw.TreeRanker().fit(X, Y), path)
    >>> rw.load_model(path).predict([[7], [16]])
    array([[2, 1, 3],
           [1, 3, 2]])
    """
    encoder = Encoder(known_kinds())
    kind = type(model).__name__
    if not any(entry.alone and entry.keeps(model) for entry in encoder.kinds.values()):
        known = ", ".join(name for name, entry in encoder.kinds.items() if entry.alone)
        if hasattr(type(model), "model_"):
            raise TypeError(f"this {kind} is for a cluster; save its model_, an ordinary {kind}")
        raise TypeError(f"a {kind} cannot be saved; what can be: {known}")
    if hasattr(model, "fit"):
        check_is_fitted(model)
    encoded = encoder.encode(model, kind)
    if encoder.pool:
        encoder.arrays[POOL] = np.frombuffer(encoder.pool, dtype=np.uint8)
    members: dict[str, Any] = {name: as_bytes(array) for name, array in encoder.arrays.items()}
    entries = {name: describe(array) for name, array in encoder.arrays.items()}
    if encoder.parts:
        data = dump_parts(encoder.parts)
        members[PARTS], entries[PARTS] = data, {"sha256": sha256_of(data)}
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "written_by": f"rankwise {version('rankwise')}",
        "model": encoded,
        "members": entries,
    }
    text = json.dumps(manifest, indent=1, allow_nan=False, ensure_ascii=False)
    path = checked_path(path)
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}; make it first")
    write_archive(path, text.encode("utf-8", "surrogatepass"), members)


def load_model(path: str | os.PathLike[str], *, trusted: Iterable[str] = ()) -> Any:
    """Load a ranker that `save_model` or ``rankwise fit`` wrote.

    Nothing in the file is executed. Arrays and settings are read and checked; a file that is
    damaged, truncated, too new or crafted is refused.

    Parameters
    ----------
    path : path-like
        The file.
    trusted : iterable of str
        Classes of scikit-learn parts to accept beyond those that are harmless in any file, for
        example ``["sklearn.tree._tree.Tree"]``. Name only what a file of your own needs.

    Returns
    -------
    ranker or TableModel
        As it was saved: equal parameters, attributes and predictions.

    Raises
    ------
    ModelFileError
        Where the file cannot be trusted or read; it says why.
    """
    if (fault := path_fault(path)) is not None:
        raise ModelFileError(short(path), fault)
    path, trusted = Path(path), check_names("trusted", trusted)
    try:
        with Archive(path) as archive:
            return _read_model(archive, _read_manifest(archive), trusted)
    except RefusedError as refusal:
        raise ModelFileError(path, str(refusal)) from None


def _read_manifest(archive: Archive) -> dict[str, Any]:
    data = archive.manifest()
    try:
        manifest = json.loads(data, parse_constant=_no_constant, object_pairs_hook=_no_doubles)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise RefusedError(f"its manifest is no JSON that rankwise writes ({reason})") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise RefusedError("is a zip but not a rankwise model file")
    number = manifest.get("format_version")
    if type(number) is not int or number < 1:
        raise RefusedError(f"has the format version {str(number)[:40]!r}, which is none")
    if number > FORMAT_VERSION:
        raise RefusedError(
            f"has format version {number}, written by {str(manifest.get('written_by'))[:60]}; this is "
            f"rankwise {version('rankwise')}, which reads up to {FORMAT_VERSION}: install a newer rankwise"
        )
    if set(manifest) != {"format", "format_version", "written_by", "model", "members"}:
        raise RefusedError("its manifest lacks a part, or has one too many")
    return manifest


def _read_model(archive: Archive, manifest: dict[str, Any], trusted: list[str]) -> Any:
    entries = manifest["members"]
    if not isinstance(entries, dict):
        raise RefusedError("its manifest has no list of members")
    archive.check_members(set(entries))
    arrays = {
        name: read_array(archive, name, entry) for name, entry in entries.items() if name != PARTS
    }
    parts = _read_parts(archive, entries[PARTS], trusted) if PARTS in entries else []
    model = manifest["model"]
    kinds = known_kinds(_names_of_objects(model))
    name = model.get("object") if isinstance(model, dict) else None
    if not isinstance(name, str):
        raise RefusedError("its manifest describes no ranker")
    known = kinds if name in kinds else known_kinds()  # to tell a part from what is not known
    if name in known and not known[name].alone:
        raise RefusedError("its manifest describes no ranker")
    loaded = Decoder(kinds, arrays, parts).decode(model)
    # Who vouches for parts may have some that take tables of texts, and stumble over zeros.
    foreign = [name for name in (PARTS, POOL) if name in entries]
    if foreign and not trusted:
        try_out(loaded, sum(map(archive.size, foreign)))
    return loaded


def _names_of_objects(value: Any) -> set[str]:
    """Return what a manifest calls the objects in it, at any depth."""
    names, waiting = set(), [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if isinstance(name := value.get("object"), str):
                names.add(name)
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return names


def _read_parts(archive: Archive, entry: Any, trusted: Iterable[str]) -> list[Any]:
    sha256 = entry.get("sha256") if isinstance(entry, dict) else None
    if not isinstance(sha256, str):
        raise RefusedError(f"its member {PARTS!r} has no checksum")
    data = bytearray(archive.size(PARTS))
    archive.read_into(PARTS, memoryview(data), sha256)
    return load_parts(bytes(data), trusted)


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key stands there twice")
    return result
