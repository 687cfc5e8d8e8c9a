"""Tables made by the rules of their layout, mostly right, with here and there an odd cell, name or line."""

import contextlib
import csv
import datetime
import io
from typing import NamedTuple

from fuzz.mutate import ODD_NUMBERS, ODD_TEXTS
from rankwise.rankings._tokens import quote_label

LABELS = [
    "tea",
    "coffee",
    "water",
    "milk",
    "L1",
    "L2",
    "10",
    "2",
    "a b",
    "é",
    "o'clock",
    "x>y",
    "=1",
]
FEATURES = [
    "hour",
    "place",
    "A1",
    "A2",
    "x",
    "é",
    "a b",
    "size, cm",
    'quo"te',
    "=x0",
    "id",
    "weight",
    "Hour",
]
WORDS = [
    "home",
    "work",
    "é",
    "a b",
    "north, east",
    "yes",
    "no",
    "'",
    "NA",
    "n/a",
    "-",
    "?",
    "x" * 40,
    "1a",
]
NUMBERS = [0, 1, 2, 3.5, -1, 8, 17, 1e-3, 1e300, -1e300, 5e-324, 2**53 + 1, 10**15, 0.1, -0.0]
LAYOUTS = ("ranking", "scikit-lr", "wide", "long", "values", "new")


class Made(NamedTuple):
    """A table of texts, numbers and None, the options to read it by, and how it holds its rankings."""

    header: list
    rows: list
    options: dict
    layout: str


def make_table(rng, layout=None, n_rows=None, rest=()):
    """Make a table; `rest` are the columns that it must have."""
    layout = layout or rng.choice(LAYOUTS)
    n = n_rows or rng.choice([1, 2, 3, 5, 8, 12, 30])
    labels = rng.sample(LABELS, rng.choice([2, 3, 3, 4, 6]))
    names = list(rest) or rng.sample(FEATURES, rng.choice([0, 1, 2, 2, 3, 4]))
    columns = [[draw(rng) for _ in range(n)] for draw in (_column(rng) for _ in names)]
    options = {}
    if layout == "ranking":
        names, columns = _added(rng, names, columns, rng.choice(["ranking", "Ranking"]),
                                ranking_texts(rng, labels, n))  # fmt: skip
        options = rng.choice([{}, {}, {"labels": sorted(labels)}])
    elif layout in ("scikit-lr", "wide"):
        if layout == "scikit-lr":
            names = [f"A{j + 1}" for j in range(len(names))]
            labels = [f"L{j + 1}" for j in range(len(labels))]
        else:
            names = [name for name in names if name not in labels]
            columns = columns[: len(names)]
            options = {"labels": labels}
        ranks = list(zip(*(_ranks(rng, len(labels)) for _ in range(n)), strict=True))
        names, columns = [*names, *labels], [*columns, *map(list, ranks)]
        if rng.random() < 0.2:
            options["higher_is_better"] = rng.random() < 0.5
    elif layout in ("long", "values"):
        return _odd(rng, _long(rng, layout, labels, names, columns, n))
    for name, draw in (("@weight", lambda: rng.choice([1, 2, 0.5, 0])), ("@group", lambda: rng.choice("gh")),
                       ("@row", lambda: f"r{rng.randrange(10**6)}"), ("@fold", lambda: rng.randrange(3))):  # fmt: skip
        if layout != "new" and rng.random() < 0.15:
            names, columns = _added(rng, names, columns, name, [draw() for _ in range(n)])
    rows = [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(n)]
    return _odd(rng, Made(list(names), rows, options, layout))


def _long(rng, layout, labels, names, columns, n):
    amount = "rank" if layout == "long" else "value"
    taken = {"row", "label", "rank", "value"}
    kept = [
        (name, column) for name, column in zip(names, columns, strict=True) if name not in taken
    ]
    rows, options = [], {}
    for i in range(n):
        chosen = rng.sample(labels, rng.randrange(1, len(labels) + 1))
        for place, label in enumerate(chosen, 1):
            amounts = (
                [place]
                if layout == "long"
                else [rng.choice(NUMBERS) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
            )
            rows += [[f"r{i}", label, one, *(column[i] for _, column in kept)] for one in amounts]
    if layout == "values":
        options = {"higher_is_better": rng.random() < 0.5}
        options |= rng.choice([{}, {}, {"replicates": "median"}, {"within": "sd"}, {"within": 0.5}])
        if not options["higher_is_better"] and rng.random() < 0.3:
            options |= {"cutoff": 10.0}
    if rng.random() < 0.3:
        rng.shuffle(rows)
    return Made(["row", "label", amount, *(name for name, _ in kept)], rows, options, layout)


def _odd(rng, made):
    """Put in up to three odd things, in a third of the tables."""
    if rng.random() < 0.67:
        return made
    header, rows = list(made.header), [list(row) for row in made.rows]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        how = rng.randrange(6)
        if how < 3 and rows and (row := rng.choice(rows)):
            row[rng.randrange(len(row))] = rng.choice([*ODD_NUMBERS, *ODD_TEXTS, *WORDS, None, ""])
        elif how == 3 and header:
            header[rng.randrange(len(header))] = rng.choice(
                [*ODD_TEXTS, *FEATURES, *LABELS, *header]
            )
        elif how == 4 and rows:
            rows.insert(rng.randrange(len(rows) + 1), list(rng.choice(rows)))
        elif header:
            j = rng.randrange(len(header))
            header.insert(j, rng.choice([header[j], "", "more"]))
            for row in rows:
                row.insert(j, rng.choice([row[j], None, "7"]) if j < len(row) else None)
    return made._replace(header=header, rows=rows)


def _added(rng, names, columns, name, column):
    at = rng.randrange(len(names) + 1)
    return [*names[:at], name, *names[at:]], [*columns[:at], column, *columns[at:]]


def _column(rng):
    """Return what draws the cells of a column: numbers, words, days, or a mixture of them."""
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=d) for d in (0, 1, 400)]
    usual = [NUMBERS, NUMBERS, [0, 1], WORDS[:6], WORDS[:8], [True, False], [1, 2, None]]
    kind = rng.choice(usual * 4 + [days, WORDS, [*WORDS, *NUMBERS]])
    return lambda rng: rng.choice(kind)


def _ranks(rng, k):
    ranks = rng.sample(range(1, k + 1), k)
    how = rng.randrange(6)
    if how == 0:
        return [min(rank, 2) for rank in ranks]
    return [None if how == 1 and rng.random() < 0.4 else rank for rank in ranks]


def ranking_texts(rng, labels, n):
    """Write rankings of some labels as people write them, all of them in one way."""
    signs = rng.choice([">", ">", ">", " > ", ">~", ">=", ","])
    return [ranking_text(rng, labels, signs) for _ in range(n)]


def ranking_text(rng, labels, signs):
    chosen = rng.sample(
        labels, rng.randrange(1, len(labels) + 1) if rng.random() < 0.3 else len(labels)
    )
    text = ""
    for label in chosen:
        written = quote_label(label)
        if written == label and rng.random() < 0.1:
            written = rng.choice([f"'{label}'", f' "{label}" ', f" {label} "])
        text += (
            "" if not text else signs if signs in (" > ", ",") else rng.choice(signs)
        ) + written
    return text


def as_csv(made, rng):
    """Write a table as a text in one of the ways in which programs do."""
    delimiter = rng.choice([",", ",", ",", ";", "\t", "|"])
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=rng.choice(["\n", "\n", "\r\n", "\r"]),
                        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))  # fmt: skip
    comma = delimiter != "," and rng.random() < 0.3

    def text(cell):
        shown = "" if cell is None else repr(cell) if isinstance(cell, float) else str(cell)
        return shown.replace(".", ",") if comma and isinstance(cell, float) else shown

    writer.writerow(made.header)
    for row in made.rows:
        writer.writerow(map(text, row))
        if rng.random() < 0.02:
            out.write(rng.choice(["\n", delimiter + "\n", "  \n"]))
    found = out.getvalue()
    if rng.random() < 0.1:
        found = found.rstrip("\r\n")
    return rng.choice([b"", b"", b"", b"\xef\xbb\xbf"]) + found.encode("utf-8", "surrogatepass")


def as_workbook(made, rng):
    """Write a table as a workbook, in a part of the cases with blank rows, merged cells and more sheets."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for _ in range(rng.choice([0, 0, 0, 0, 2])):
        sheet.append([])
    left = [None] * rng.choice([0, 0, 0, 0, 1])
    for row in [made.header, *made.rows]:
        cells = [*left, *(_kept(cell) for cell in row)]
        sheet.append(cells)
        if rng.random() < 0.03:
            sheet.append([])
    if rng.random() < 0.1 and made.rows:
        top = rng.randrange(2, len(made.rows) + 2)
        sheet.merge_cells(start_row=top, end_row=top + rng.choice([1, 2, 9]), start_column=1,
                          end_column=rng.choice([1, 1, 1, 2]))  # fmt: skip
    if rng.random() < 0.1:
        book.create_sheet("other").append(["x", "y"])
    for row in sheet.iter_rows():
        for cell in row:
            if cell.data_type == "f" and rng.random() < 0.95:
                cell.data_type = "s"  # a text that looks like a formula
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _kept(cell):
    """Return what a workbook takes."""
    if isinstance(cell, str):
        return "".join(c for c in cell if c.isprintable() and not "\ud800" <= c <= "\udfff")[:300]
    return cell if not isinstance(cell, int) or abs(cell) < 2**63 else float(cell)


def as_parquet(made, rng):
    """Write a table as Parquet: any types, row groups, pages, dictionaries and compressions."""
    import pyarrow as pa
    from pyarrow import parquet

    table = _columns(made, rng)
    ways = {
        "row_group_size": rng.choice([None, None, 1, 3]), "use_dictionary": rng.random() < 0.6,
        "compression": rng.choice(["none", "snappy", "gzip", "zstd", "lz4"]),
        "version": rng.choice(["1.0", "2.4", "2.6", "2.6"]), "data_page_version": rng.choice(["1.0", "2.0"]),
        "write_statistics": rng.random() < 0.7, "data_page_size": rng.choice([None, 16]),
        "store_schema": rng.random() < 0.8, "write_page_checksum": rng.random() < 0.2,
    }  # fmt: skip
    out = io.BytesIO()
    try:
        parquet.write_table(table, out, **ways)
    except pa.ArrowException:  # times that this version cannot keep
        out = io.BytesIO()
        parquet.write_table(
            pa.table({"hour": [8, 9], "ranking": ["tea>coffee", "coffee>tea"]}), out
        )
    return out.getvalue()


def as_arrow(made, rng):
    """Write a table as a file or a stream of Arrow: any types, batches and compressions."""
    import pyarrow as pa
    from pyarrow import ipc

    table, out = _columns(made, rng), io.BytesIO()
    options = ipc.IpcWriteOptions(compression=rng.choice([None, None, "lz4", "zstd"]))
    kind = rng.choice([ipc.new_file, ipc.new_file, ipc.new_stream])
    writer = kind(out, table.schema, options=options)
    # dictionaries that differ among batches
    with contextlib.suppress(pa.ArrowException), writer:
        writer.write_table(table, rng.choice([None, 1, 3]))
    return out.getvalue()


def _columns(made, rng):
    import pyarrow as pa

    columns = (
        [_typed(list(column), rng) for column in zip(*made.rows, strict=True)]
        if made.rows and made.header
        else []
    )
    names = [name.encode("utf-8", "replace").decode() for name in map(str, made.header)]
    table = pa.Table.from_arrays(columns, names=names[: len(columns)])
    return table.slice(0, 0) if rng.random() < 0.05 else table


def _typed(column, rng):
    import pyarrow as pa

    numbers = [cell for cell in column if isinstance(cell, (int, float))]
    kinds = ["float64", "float32", "float16", "int8", "int16", "int64", "uint8", "uint64", "bool", "decimal",
             "date32", "timestamp", "duration", "time", "dictionary", "string", "large_string", "binary", "null", "list"]  # fmt: skip
    if all(cell is None or isinstance(cell, (int, float)) for cell in column) and numbers:
        chosen = rng.choice(kinds[:1] * 40 + kinds[1:] * 2)
    elif all(cell is None or isinstance(cell, datetime.date) for cell in column):
        chosen = rng.choice(["date32", "timestamp", "string"])
    else:
        chosen = rng.choice(["string"] * 60 + ["dictionary", "large_string"] * 5 + kinds)
    makers = {
        "bool": lambda: pa.array([None if c is None else bool(c) for c in column]),
        "decimal": lambda: pa.array([None if c is None else round(float(c)) for c in column]).cast(pa.decimal128(38, 2)),
        "timestamp": lambda: pa.array([None if c is None else rng.randrange(-(2**62), 2**62) for c in column],
                                      pa.timestamp(rng.choice(["s", "ms", "us", "ns"]), rng.choice([None, "UTC", "Asia/Tokyo"]))),
        "duration": lambda: pa.array([None if c is None else rng.randrange(2**40) for c in column], pa.duration("us")),
        "date32": lambda: pa.array([None if c is None else rng.choice([0, 1, 400, 20_000] * 9 + [2**31 - 1]) for c in column], pa.date32()),
        "time": lambda: pa.array([None if c is None else rng.randrange(86_400) for c in column], pa.time32("s")),
        "null": lambda: pa.nulls(len(column)),
        "binary": lambda: pa.array([None if c is None else str(c).encode("utf-8", "replace") for c in column], pa.binary()),
        "list": lambda: pa.array([[1, 2] for _ in column]),
        "dictionary": lambda: _text_array(column).dictionary_encode(),
        "large_string": lambda: _text_array(column).cast(pa.large_string()),
    }  # fmt: skip
    try:
        return makers[chosen]() if chosen in makers else pa.array(column, getattr(pa, chosen)())
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _text_array(column)


def _text_array(column):
    import pyarrow as pa

    texts = [None if c is None else str(c).encode("utf-8", "replace").decode() for c in column]
    return pa.array(texts, pa.string())


def as_arff(made, rng, labels=(), texts=()):
    """Write a table as ARFF; with labels and texts of rankings as XARFF."""
    lines = [f"@relation {rng.choice(['r', quoted('a b')])}"]
    columns = list(zip(*made.rows, strict=True)) if made.rows else [() for _ in made.header]
    for name, column in zip(made.header, columns, strict=True):
        is_number = all(cell is None or type(cell) in (int, float) for cell in column)
        known = sorted({str(cell) for cell in column if cell is not None})
        kind = rng.choice(["numeric", "REAL", "integer"]) if is_number else (
            "string" if rng.random() < 0.2 else "{" + ",".join(map(quoted, known)) + "}")  # fmt: skip
        lines.append(f"{rng.choice(['@attribute', '@ATTRIBUTE'])} {quoted(str(name))} {kind}")
    if labels:
        lines.append(f"@attribute L RANKING {{{','.join(map(quoted, labels))}}}")
    lines += [*rng.choice([[], ["% a remark"], [""]]), "@data"]
    for i, row in enumerate(made.rows):
        cells = [
            "?"
            if cell is None or cell == ""
            else quoted(str(cell))
            if isinstance(cell, str)
            else str(cell)
            for cell in row
        ]
        weight = [f"{{{rng.choice([1, 2, 0.5])}}}"] if labels and rng.random() < 0.05 else []
        lines.append(rng.choice([",", ",", ", "]).join([*cells, *texts[i : i + 1], *weight]))
    return rng.choice(["\n", "\n", "\r\n"]).join([*lines, ""]).encode("utf-8", "surrogatepass")


def quoted(text):
    plain = text and all(c.isalnum() or c in "_.-" for c in text)
    return text if plain else "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
