"""Files of every format: made of the format's own pieces, or intact ones with some bytes changed."""

import io
import shutil
import zipfile

import numpy as np

from datasets.test_fuzz import INTACT, OPTIONS, PIECES, SCENARIO, check_dataset
from fuzz.mutate import ODD_TEXTS, mutated
from rankwise.datasets import DataFileError, Dataset, read, write
from rankwise.rankings import format_rankings, parse_rankings

NAME = "readers"
FORMATS = ["csv", "xarff", "soc", "toi", "txt", "scenario", "xlsx", "parquet", "texts", "again"]
_intact, _last = {}, []


def prepare(folder):
    import scipy.stats  # noqa: F401 - imported when first needed, which takes seconds

    data = Dataset(
        [[8.5, 0, 1], [17.0, 1, 0], [np.nan, 0, 1]], [[1, 2, 2], [3, 1, 2], [1, np.nan, 2]],
        ["hour", "place", "x"], ["tea", "coffee", "water"], weights=[1, 2, 1], groups=["g", "h", "g"],
    )  # fmt: skip
    for ending in ("xlsx", "parquet"):
        write(data, folder / f"intact.{ending}")
        _intact[ending] = (folder / f"intact.{ending}").read_bytes()
    for name, text in INTACT.items():
        _intact[name] = text.encode()
    _intact["a.soc"] = _intact["a.toi"].replace(b"1,{2,3}", b"1,3,2").replace(b"3,1", b"3,1,2")
    _intact["a.txt"] = _intact["a.xarff"]
    (folder / "scenario").mkdir(exist_ok=True)


def case(rng, number, folder):
    kind = FORMATS[number % len(FORMATS)]
    _last.clear()
    return kind, {"scenario": _scenario, "xlsx": _workbook, "texts": _texts, "again": _again}.get(
        kind, _file
    )(rng, kind, folder)


def is_named(error):
    return isinstance(error, DataFileError) or (isinstance(error, ValueError) and bool(_last) and _last[0] == "texts"
                                                and not isinstance(error, UnicodeError))  # fmt: skip


def keep(folder, name):
    for path in _last[1:]:
        (folder / "found").mkdir(exist_ok=True)
        shutil.copy(path, folder / "found" / f"{name}-{path.name}")


def _file(rng, kind, folder):
    names = [name for name in _intact if name.endswith(f".{kind}")]
    tokens = [piece.encode("utf-8", "surrogatepass") for piece in PIECES.get(kind, PIECES["txt"])]
    if names and rng.random() < 0.75:
        content = mutated(_intact[rng.choice(names)], rng, tokens)
    else:
        content = b"".join(rng.choices(tokens, k=rng.choice([3, 10, 40, 200])))
        if rng.random() < 0.3:
            content = mutated(content, rng, tokens)
    path = folder / f"case.{kind}"
    path.write_bytes(content)
    _last[:] = [kind, path]
    return lambda: _read(path, rng.choice(OPTIONS.get(kind, [{}])), rng)


def _scenario(rng, kind, folder):
    for name, content in SCENARIO.items():
        (folder / "scenario" / name).write_bytes(content)
    chosen = rng.choice(list(SCENARIO))
    (folder / "scenario" / chosen).write_bytes(
        mutated(SCENARIO[chosen], rng, [b"*a", b"&a ", b"[", b"- ", b": "])
    )
    _last[:] = [kind, folder / "scenario" / chosen]
    return lambda: _read(folder / "scenario", {}, rng)


def _workbook(rng, kind, folder):
    """A workbook with a part of it mutated, packed anew; or its very bytes."""
    content = _intact["xlsx"]
    if rng.random() < 0.8:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        chosen = rng.choice(["xl/worksheets/sheet1.xml"] * 3 + list(parts))
        tokens = [
            b'<c r="A1"><v>1</v></c>',
            b'<mergeCell ref="A2:A9"/>',
            b"<row>",
            b't="s"',
            b"<f>1</f>",
            b'r="XFD9"',
        ]
        parts[chosen] = mutated(parts[chosen], rng, tokens)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, data in parts.items():
                archive.writestr(name, data)
        content = packed.getvalue()
    else:
        content = mutated(content, rng)
    path = folder / "case.xlsx"
    path.write_bytes(content)
    _last[:] = [kind, path]
    return lambda: _read(path, {}, rng)


def _texts(rng, kind, folder):
    pieces = ["a", "b", "c", ">", "~", "=", ",", " ", "'", '"', "<", "->", *ODD_TEXTS]
    texts = [
        "".join(rng.choices(pieces, k=rng.choice([1, 5, 20, 500])))
        for _ in range(rng.randrange(1, 4))
    ]
    _last[:] = ["texts"]

    def act():
        ranks, labels = parse_rankings(texts)
        back, names = parse_rankings(format_rankings(ranks, labels=labels), labels=labels)
        assert names == labels
        np.testing.assert_array_equal(back, ranks)

    return act


def _again(rng, kind, folder):
    """What was read is written in another format, and reads back with the same rankings."""
    name = rng.choice(
        [name for name in _intact if name[-4:] in (".csv", "xarf", "arff", ".toi", "xlsx")]
    )
    path = folder / f"case-{name}"
    path.write_bytes(mutated(_intact[name], rng))
    _last[:] = [kind, path]
    ending = rng.choice(["csv", "xlsx", "parquet", "xarff", "toi"])

    def act():
        data = _read(path, {}, rng)
        try:
            lost = write(data, folder / f"again.{ending}")
        except ValueError as error:
            assert not isinstance(error, UnicodeError), error
            return
        found = read(folder / f"again.{ending}")
        assert len(found) == len(data)
        if not any("rank" in part or "order" in part for part in lost):
            known = [found.label_names.index(label) for label in data.label_names]
            np.testing.assert_array_equal(found.ranks[:, known], data.ranks)

    return act


def _read(path, options, rng):
    data = read(path, **options)
    check_dataset(data)
    repr(data), str(data.notes)
    if rng.random() < 0.1:
        other = read(path, **options)
        np.testing.assert_array_equal(other.ranks, data.ranks)
        np.testing.assert_array_equal(other.features, data.features)
    return data
