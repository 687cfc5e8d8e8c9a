"""The container: a zip of stored members, written wholly or not at all, read with suspicion."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

from rankwise._replacing import replacing
from rankwise.models._errors import RefusedError

MANIFEST = "manifest.json"
PARTS = "parts.skops"
DAMAGED = "copy it again from where it came from, or save the model anew"

POOL = "arrays/pool.bin"
_ARRAY = re.compile(rf"arrays/[0-9]{{4,6}}\.bin|{re.escape(POOL)}")
_MAX_MEMBERS = 10_000
_MAX_MANIFEST = 32 << 20
# A fixed date, so that the same model gives the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)
_SEAL = b"rankwise-model sha256 "
_FRAME = b" frame "


def array_name(number: int) -> str:
    """Return the name of the member that holds an array, such as ``arrays/0003.bin``."""
    return f"arrays/{number:04d}.bin"


def write_archive(path: Path, manifest: bytes, members: Mapping[str, bytes | memoryview]) -> None:
    """Write the manifest and the members to a file, which appears once it is whole."""
    with replacing(path) as unfinished:
        with zipfile.ZipFile(unfinished, "w") as archive:
            for name, data in ((MANIFEST, manifest), *members.items()):
                info = zipfile.ZipInfo(name, _DATE)
                info.external_attr = (stat.S_IFREG | 0o644) << 16
                large = memoryview(data).nbytes >= 1 << 31
                with archive.open(info, "w", force_zip64=large) as member:
                    member.write(data)
            # the length of the comment is a part of the frame
            archive.comment = _seal(manifest, "0" * 64)
            infos = archive.infolist()
        with open(unfinished, "r+b") as handle:
            frame = frame_sha256(handle, infos)
            handle.seek(-64, os.SEEK_END)
            handle.write(frame.encode())


class Archive:
    """A model file that was opened; every member is checked before a byte of it is used.

    Members are stored and never compressed, so that no member can be larger than the file: a zip
    bomb has nowhere to hide.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise RefusedError(_why_no_file(path))
        try:
            self._handle = open(path, "rb")  # noqa: SIM115 - closed by __exit__
        except PermissionError:
            raise RefusedError("may not be read by you; check its permissions") from None
        self._infos: dict[str, zipfile.ZipInfo] = {}
        try:
            self._open()
        except BaseException:
            self._handle.close()
            raise

    def _open(self) -> None:
        if self._handle.read(4) != b"PK\x03\x04":
            raise RefusedError(
                "is not a rankwise model file, or its beginning is lost; give a file that "
                "rankwise.save_model or `rankwise fit` wrote"
            )
        try:
            self._zip = zipfile.ZipFile(self._handle)
        except Exception as error:  # what the parser raises on hostile bytes is not documented
            raise RefusedError(f"is damaged or truncated ({error}); {DAMAGED}") from None
        infos = self._zip.infolist()
        if len(infos) > _MAX_MEMBERS:
            raise RefusedError(
                f"holds {len(infos):,} members, more than any model has; do not use it"
            )
        for info in infos:
            _check_member(info)
            if info.filename in self._infos:
                raise RefusedError(f"holds {info.filename!r} twice; do not use it")
            self._infos[info.filename] = info
        if sum(info.file_size for info in infos) > os.fstat(self._handle.fileno()).st_size:
            raise RefusedError("declares more data than the file is large; do not use it")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.close()

    def manifest(self) -> bytes:
        """Return the manifest, checked against the seal in the file's comment."""
        info = self._infos.get(MANIFEST)
        if info is None:
            raise RefusedError(f"holds no {MANIFEST}, so it is a zip but not a rankwise model file")
        if info.file_size > _MAX_MANIFEST:
            raise RefusedError(f"has a {MANIFEST} of {info.file_size:,} bytes; do not use it")
        data = bytearray(info.file_size)
        self._fill(info, memoryview(data))
        # the first model files had no checksum of their frame
        if self._zip.comment == _seal(data):
            return bytes(data)
        if not self._zip.comment.startswith(_seal(data)):
            raise RefusedError(
                f"is damaged or truncated: {MANIFEST} does not match its checksum; {DAMAGED}"
            )
        try:
            frame = frame_sha256(self._handle, self._zip.infolist())
        except (OSError, ValueError, struct.error):  # a member before the file, or behind it
            frame = ""
        if self._zip.comment != _seal(data, frame):
            raise RefusedError(f"is damaged: its frame does not match its checksum; {DAMAGED}")
        return bytes(data)

    def check_members(self, expected: set[str]) -> None:
        """Refuse members that are missing, or that the manifest does not know."""
        found = set(self._infos) - {MANIFEST}
        if expected - found:
            raise RefusedError(f"lacks its member {min(expected - found)!r}; {DAMAGED}")
        if found - expected:
            raise RefusedError(f"holds {min(found - expected)!r}, which its manifest does not know")

    def size(self, name: str) -> int:
        """Return the number of bytes of a member."""
        return self._infos[name].file_size

    def read_into(self, name: str, target: memoryview, sha256: str) -> None:
        """Fill `target`, which has the size of the member, and check what was read."""
        self._fill(self._infos[name], target)
        if sha256_of(target) != sha256:
            raise RefusedError(f"is damaged: {name!r} does not match its checksum; {DAMAGED}")

    def _fill(self, info: zipfile.ZipInfo, target: memoryview) -> None:
        try:
            opened: Any = self._zip.open(info)
            with opened as member:
                done = 0
                while done < len(target) and (n := member.readinto(target[done:])):
                    done += n
                complete = done == len(target) and not member.read(1)
        except Exception as error:  # as in _open
            raise RefusedError(
                f"its member {info.filename!r} is damaged ({error}); {DAMAGED}"
            ) from None
        if not complete:
            raise RefusedError(f"its member {info.filename!r} is truncated; {DAMAGED}")


def sha256_of(data: Any) -> str:
    """Return the checksum that the manifest keeps of a member."""
    return hashlib.sha256(data).hexdigest()


def _check_member(info: zipfile.ZipInfo) -> None:
    name = info.filename
    if info.orig_filename != name or not (
        name in (MANIFEST, PARTS) or _ARRAY.fullmatch(name) is not None
    ):
        raise RefusedError(f"holds a member called {info.orig_filename!r}, which no model has")
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise RefusedError(f"its member {name!r} is no plain file; do not use it")
    if info.flag_bits & 0x1:
        raise RefusedError(f"its member {name!r} is encrypted; do not use it")
    if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
        raise RefusedError(
            f"its member {name!r} is compressed, which rankwise never does; if the file was packed "
            "anew, get the original"
        )


def frame_sha256(handle: BinaryIO, infos: list[zipfile.ZipInfo]) -> str:
    """Return the checksum of all that is no content of a member: heads, directory, dates, modes.

    Contents have checksums of their own in the manifest. The comment at the end is left out, for it
    holds this checksum; its length is known.
    """
    digest, at = hashlib.sha256(), 0
    end = handle.seek(0, os.SEEK_END) - len(_seal(b"", "0" * 64))
    for info in sorted(infos, key=lambda info: info.header_offset):
        handle.seek(info.header_offset + 26)
        n_name, n_extra = struct.unpack("<HH", handle.read(4))
        start = info.header_offset + 30 + n_name + n_extra
        handle.seek(at)
        digest.update(handle.read(max(0, start - at)))
        at = max(at, start + info.compress_size)
    handle.seek(at)
    digest.update(handle.read(max(0, end - at)))
    return digest.hexdigest()


def _seal(manifest: bytes | bytearray, frame: str = "") -> bytes:
    sealed = _SEAL + sha256_of(manifest).encode()
    return sealed + _FRAME + frame.encode() if frame else sealed


def _why_no_file(path: Path) -> str:
    if path.is_dir():
        return "is a folder; give the model file in it"
    if path.exists():
        return "is a pipe or a device; give a model file"
    return "there is no such file; check the path"
