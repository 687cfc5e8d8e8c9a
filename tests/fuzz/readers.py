"""Files of every format: made by its rules and mostly right; some with bytes changed, some of its pieces alone."""

import io
import shutil
import zipfile

import numpy as np

from datasets.test_fuzz import OPTIONS, PIECES, check_dataset
from fuzz import formats, tables
from fuzz.mutate import mutated
from fuzz.worker import is_ours
from rankwise.cli._predictions import write_predictions
from rankwise.cli._reading import reading_of
from rankwise.datasets import DataFileError, _quick_table, read, write
from rankwise.models import TableModel
from rankwise.parts import open_parts
from rankwise.ranker import Certainty
from rankwise.rankings import format_rankings, parse_rankings

NAME = "readers"
KINDS = [
    "csv",
    "quick",
    "xarff",
    "preflib",
    "scenario",
    "xlsx",
    "parquet",
    "arrow",
    "parts",
    "stream",
    "texts",
    "new",
    "again",
]
# How often bytes of a file that was made are changed.
CHANGED = {"csv": 0.3, "xlsx": 0.3}
TOKENS = {
    kind: [piece.encode("utf-8", "surrogatepass") for piece in pieces] for kind, pieces in PIECES.items()
}  # fmt: skip
SHEET_TOKENS = [
    b'<c r="A1"><v>1</v></c>',
    b'<mergeCell ref="A2:A9"/>',
    b"<row>",
    b't="s"',
    b"<f>1</f>",
    b'r="XFD9"',
]
WRITTEN = ("csv", "xlsx", "parquet", "arrow", "xarff", "toi")
_last, _models = [], []


def prepare(folder):
    import scipy.stats  # noqa: F401 - imported when first needed, which takes seconds

    import rankwise as rw

    for name, text in (
        (
            "ranking",
            "hour,place,ranking\n8,home,tea>coffee\n9,work,coffee>tea\n17,home,tea~coffee\n",
        ),
        ("long", "row,label,value,hour\na,tea,1,8\na,coffee,2,8\nb,tea,3,9\nb,coffee,1,9\n"),
    ):
        path = folder / f"{name}.csv"
        path.write_text(text)
        data = read(path, **({"higher_is_better": True} if name == "long" else {}))
        ranker = rw.TreeRanker().fit(data.features, data.ranks)
        facts = {"reading": reading_of(data)}
        _models.append(TableModel(ranker, data.recipe, data.label_names, Certainty(), facts))
    (folder / "scenario").mkdir(exist_ok=True)
    for path in (folder / "warm.xlsx", folder / "warm.parquet", folder / "warm.arrow"):
        write(data, path)
        read(path)


def case(rng, number, folder):
    kind = KINDS[number % len(KINDS)]
    _last[:] = [kind]
    return kind, globals()["_" + kind](rng, folder)


def is_named(error):
    """Readers have one error; texts of rankings and predictions have a ValueError of rankwise."""
    if isinstance(error, DataFileError):
        return True
    plain = type(error) is ValueError and is_ours(error)
    return plain and _last[0] in ("texts", "new", "parts")


def keep(folder, name):
    for path in _last[1:]:
        (folder / "found").mkdir(exist_ok=True)
        shutil.copy(path, folder / "found" / f"{name}-{path.name}")


def _kept(path, content):
    path.write_bytes(content)
    _last.append(path)
    return path


def _changed(content, rng, kind):
    tokens = TOKENS.get(kind, TOKENS["txt"])
    return mutated(content, rng, tokens) if rng.random() < CHANGED.get(kind, 0.2) else content


def _soup(rng, kind):
    """Return pieces of a format in any order."""
    content = b"".join(rng.choices(TOKENS[kind], k=rng.choice([3, 10, 40, 200])))
    return mutated(content, rng, TOKENS[kind]) if rng.random() < 0.3 else content


def _text_table(rng, kind):
    if rng.random() < 0.05:
        return _soup(rng, "csv"), rng.choice(OPTIONS["csv"])
    made = tables.make_table(rng, rng.choice(tables.LAYOUTS[:-1]))
    return _changed(tables.as_csv(made, rng), rng, kind), _options(rng, made)


def _options(rng, made):
    """Return the options that fit a table, or in a few cases others."""
    options = rng.choice(OPTIONS["csv"]) if rng.random() < 0.05 else dict(made.options)
    names = [str(name) for name in made.header]
    if names and rng.random() < 0.05:
        options[rng.choice(["features", "drop", "nominal"])] = [rng.choice(names)]
    if rng.random() < 0.1:
        options["drop_names"] = True
    return options


def _csv(rng, folder):
    content, options = _text_table(rng, "csv")
    path = _kept(folder / f"case.{rng.choice(['csv', 'csv', 'txt', 'tsv', 'data'])}", content)
    return lambda: _read(path, options, rng)


def _quick(rng, folder):
    """What the quick reader of large files says, the careful one says too."""
    content, options = _text_table(rng, "quick")
    path = _kept(folder / "case.csv", content)

    def outcome(least):
        usual, _quick_table.LEAST_BYTES = _quick_table.LEAST_BYTES, least
        try:
            return _read(path, options, rng)
        except DataFileError as error:
            return error
        finally:
            _quick_table.LEAST_BYTES = usual

    def act():
        quick, careful = outcome(0), outcome(1 << 40)
        if isinstance(careful, DataFileError):
            assert str(quick) == str(careful)
            raise careful
        assert quick.feature_names == careful.feature_names
        assert quick.label_names == careful.label_names
        assert quick.notes == careful.notes
        np.testing.assert_array_equal(quick.features, careful.features)
        np.testing.assert_array_equal(quick.ranks, careful.ranks)

    return act


def _xarff(rng, folder):
    content = (
        _soup(rng, "xarff") if rng.random() < 0.05 else _changed(formats.xarff(rng), rng, "xarff")
    )
    path = _kept(folder / f"case.{rng.choice(['xarff', 'arff', 'txt'])}", content)
    return lambda: _read(path, rng.choice([{}] * 30 + OPTIONS["xarff"]), rng)


def _preflib(rng, folder):
    kind = rng.choice(["soc", "soi", "toc", "toi"])
    content = (
        _soup(rng, "soc")
        if rng.random() < 0.05
        else _changed(formats.preflib(rng, kind), rng, "soc")
    )
    path = _kept(folder / f"case.{kind}", content)
    return lambda: _read(path, {}, rng)


def _scenario(rng, folder):
    home = folder / "scenario"
    for path in home.iterdir():
        path.unlink()
    files = formats.scenario(rng)
    if rng.random() < 0.4:
        name = rng.choice(list(files))
        files[name] = mutated(files[name], rng, [b"*a", b"&a ", b"[", b"- ", b": ", b"?", b"{a}"])
    for name, content in files.items():
        _kept(home / name, content)
    return lambda: _read(home, {}, rng)


def _xlsx(rng, folder):
    """A workbook with, in a part of the cases, a part of it mutated and packed anew; or its very bytes."""
    made = tables.make_table(rng, rng.choice(tables.LAYOUTS[:-1]))
    content = tables.as_workbook(made, rng)
    if rng.random() < CHANGED["xlsx"]:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        chosen = rng.choice(["xl/worksheets/sheet1.xml"] * 5 + list(parts))
        parts[chosen] = mutated(parts[chosen], rng, SHEET_TOKENS)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, data in parts.items():
                archive.writestr(name, data)
        content = packed.getvalue()
    elif rng.random() < 0.05:
        content = mutated(content, rng)
    path = _kept(folder / "case.xlsx", content)
    return lambda: _read(path, _options(rng, made), rng)


def _parquet(rng, folder):
    made = tables.make_table(rng, rng.choice(tables.LAYOUTS[:-1]))
    path = _kept(folder / "case.parquet", _changed(tables.as_parquet(made, rng), rng, "parquet"))
    return lambda: _read(path, _options(rng, made), rng)


def _arrow(rng, folder):
    made = tables.make_table(rng, rng.choice(tables.LAYOUTS[:-1]))
    path = _kept(folder / "case.arrow", _changed(tables.as_arrow(made, rng), rng, "arrow"))
    return lambda: _read(path, _options(rng, made), rng)


def _parts(rng, folder):
    """Two files of the same columns, opened as parts; one of them may be changed."""
    layout = rng.choice(["scikit-lr", "wide", "ranking"])
    state, paths = rng.getstate(), []
    ending = rng.choice(["parquet", "parquet", "arrow", "arrow", "csv"])
    for i in range(2):
        if rng.random() < 0.8:
            rng.setstate(state)  # the same table once more
        made = tables.make_table(rng, layout)
        writer = getattr(tables, f"as_{ending}")
        paths.append(_kept(folder / f"case{i}.{ending}", _changed(writer(made, rng), rng, ending)))

    def act():
        parts = open_parts(paths, **{k: v for k, v in made.options.items() if k != "unit"})
        for part in parts.parts:
            blocks = list(part.blocks())
            assert sum(len(block.positions) for block in blocks) == part.n_rows
            assert all(block.X.shape[1] == parts.n_features for block in blocks)

    return act


def _stream(rng, folder):
    """Bytes of any format that come in by a pipe: nothing but the content says what they are."""
    made = tables.make_table(rng, rng.choice(tables.LAYOUTS[:-1]))
    how = rng.choice(["csv", "csv", "xlsx", "parquet", "xarff", "soc"])
    content = {
        "csv": lambda: tables.as_csv(made, rng), "xlsx": lambda: tables.as_workbook(made, rng),
        "parquet": lambda: tables.as_parquet(made, rng), "xarff": lambda: formats.xarff(rng),
        "soc": lambda: formats.preflib(rng, "soc"),
    }[how]()  # fmt: skip
    options = dict(made.options) if how in ("csv", "xlsx", "parquet") else {}
    content = _changed(content, rng, how)
    _kept(folder / "case.bytes", content)
    return lambda: _read(io.BytesIO(content), options, rng)


def _texts(rng, folder):
    texts = formats.texts(rng)
    if rng.random() < 0.1:
        texts = ["".join(rng.choices(PIECES["txt"], k=rng.choice([1, 5, 20, 500])))]

    def act():
        ranks, labels = parse_rankings(texts)
        back, names = parse_rankings(format_rankings(ranks, labels=labels), labels=labels)
        assert names == labels
        np.testing.assert_array_equal(back, ranks)

    return act


def _new(rng, folder):
    """Rows without rankings, in a file of any kind, and what a model predicts for them."""
    model = rng.choice(_models)
    columns = [column.name for column in model.recipe.columns]
    more = [
        name
        for name in rng.sample(["x", "id", "name", "é"], rng.randrange(3))
        if name not in columns
    ]
    made = tables.make_table(
        rng, "new", rest=rng.sample([*columns, *more], len(columns) + len(more))
    )
    for row in made.rows:
        for j, name in enumerate(made.header[: len(row)]):
            if name in columns and rng.random() < 0.98:
                row[j] = (
                    rng.choice([8, 9.5, 17, None])
                    if name == "hour"
                    else rng.choice(["home", "work", "sea"])
                )
    ending = rng.choice(["csv", "csv", "xlsx", "parquet", "arrow", "arff"])
    writers = {
        "xlsx": tables.as_workbook, "parquet": tables.as_parquet, "arrow": tables.as_arrow,
        "arff": tables.as_arff,
    }  # fmt: skip
    content = _changed(writers.get(ending, tables.as_csv)(made, rng), rng, ending)
    path = _kept(folder / f"case.{ending}", content)
    target = folder / f"predicted.{rng.choice(['csv', 'csv', 'csv', 'xlsx', 'parquet', 'arrow'])}"
    target.unlink(missing_ok=True)

    def act():
        write_predictions(model, path, target, None, rng.choice(["", "p_"]), rng.choice([None, 1]))
        assert target.stat().st_size > 0

    return act


def _again(rng, folder):
    """What was read is written in another format, and reads back with the same rankings."""
    made = tables.make_table(rng, rng.choice(tables.LAYOUTS[:-1]))
    content = tables.as_csv(made, rng)
    ending = rng.choice(WRITTEN)
    if ending == "toi":
        content = formats.preflib(rng, "toi")
    path = _kept(
        folder / f"case.{'toi' if ending == 'toi' else 'csv'}", _changed(content, rng, "again")
    )

    def act():
        data = _read(path, {} if ending == "toi" else made.options, rng)
        try:
            lost = write(data, folder / f"again.{ending}")
        except ValueError as error:
            assert is_ours(error), error
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
    if rng.random() < 0.1 and not isinstance(path, io.BytesIO):
        other = read(path, **options)
        np.testing.assert_array_equal(other.ranks, data.ranks)
        np.testing.assert_array_equal(other.features, data.features)
    return data
