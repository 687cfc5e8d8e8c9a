"""Take a model file apart, change something, and put it together so that all checksums hold."""

import hashlib
import io
import json
import zipfile

import numpy as np


def unpack(data):
    """Return manifest and members of a model file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(members.pop("manifest.json")), members


def seal(text):
    return b"rankwise-model sha256 " + hashlib.sha256(text).hexdigest().encode()


def pack(manifest, members, *, text=None, infos=()):
    """Return a model file with true checksums; `text` stands in for the manifest's JSON."""
    for name, data in members.items():
        if isinstance(manifest["members"].get(name), dict):
            manifest["members"][name]["sha256"] = hashlib.sha256(data).hexdigest()
    text = json.dumps(manifest).encode() if text is None else text
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("manifest.json", text)
        for name, data in members.items():
            archive.writestr(name, data)
        for info, data in infos:
            archive.writestr(info, data)
        archive.comment = seal(text)
    return target.getvalue()


def array_of(manifest, members, attribute):
    """Return the member and a writable copy of one array of the trees."""
    name = trees_of(manifest)[attribute]["array"]
    entry = manifest["members"][name]
    return name, np.frombuffer(members[name], entry["dtype"]).reshape(entry["shape"]).copy()


def fitted_of(manifest):
    """Return the fitted attributes of the ranker, as a dict of the manifest's own lists."""
    return dict(manifest["model"]["state"]["fitted"]["dict"])


def trees_of(manifest):
    return fitted_of(manifest)["_trees"]["state"]


def set_entry(pairs, key, value):
    """Change one entry of a table of pairs, or add it."""
    for pair in pairs:
        if pair[0] == key:
            pair[1] = value
            return
    pairs.append([key, value])
