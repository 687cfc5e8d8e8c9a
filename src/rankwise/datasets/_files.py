"""Read and write the files people have: formats are recognised by name and content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._messages import Arg, Message
from rankwise._naming import shown
from rankwise._parameters import (
    check_choice,
    check_flag,
    check_names,
    check_number,
    check_text,
    is_dict,
)
from rankwise._paths import checked_path, path_fault, short
from rankwise._replacing import replacing, replacing_text
from rankwise.datasets import _quick_table
from rankwise.datasets._arff import ArffTable
from rankwise.datasets._aslib import FEATURE_VALUES, is_scenario, read_aslib, scenario_sha256
from rankwise.datasets._column_files import (
    ARROW,
    ARROW_START,
    ENDINGS,
    PARQUET,
    ColumnsTable,
    write_arrow,
    write_parquet,
)
from rankwise.datasets._column_roles import (
    ROLES,
    FittedTable,
    Layout,
    ReadOptions,
    find_layout,
    is_scikit_lr,
)
from rankwise.datasets._contents import Content, FeatureCells, write_csv
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._encoding import MISSING
from rankwise.datasets._excel import ExcelTable, write_excel
from rankwise.datasets._long import long_content, read_long
from rankwise.datasets._preflib import KINDS, read_preflib, write_preflib
from rankwise.datasets._replicates import HOW, check_within
from rankwise.datasets._table import Table, TextTable
from rankwise.datasets._text import DataFile, DataFileError
from rankwise.datasets._wide import (
    ranking_content,
    read_ranking_column,
    read_wide,
    scikit_lr_content,
    wide_content,
)
from rankwise.datasets._xarff import read_xarff, write_xarff
from rankwise.rankings import natural_sorted, ranks_from_scores

Result = TypeVar("Result")
_TABULAR: dict[str, Callable[[Table, Layout, ReadOptions], Dataset]] = {
    "scikit-lr": read_wide,
    "ranking": read_ranking_column,
    "wide": read_wide,
    "long": read_long,
}
_WHOLE: dict[str, Callable[[DataFile, ReadOptions], Dataset]] = {
    "xarff": read_xarff,
    "preflib": read_preflib,
}
# How rankings stand in the columns of a table, and the kinds of files that hold a table.
_LAYOUTS: dict[str, Callable[[Dataset], Content]] = {
    "scikit-lr": scikit_lr_content,
    "ranking": ranking_content,
    "wide": wide_content,
    "long": long_content,
}
_CONTAINERS: dict[str, Callable[[Content, BinaryIO], None]] = {
    "excel": write_excel,
    PARQUET: write_parquet,
    ARROW: write_arrow,
}
_WHOLE_WRITERS: dict[str, Callable[..., None]] = {"xarff": write_xarff, "preflib": write_preflib}
_EXTENSIONS = {".xarff": "xarff", ".arff": "xarff", ".xlsx": "excel", ".xlsm": "excel"} | ENDINGS
_EXTENSIONS |= {f".{kind}": "preflib" for kind in KINDS}
_ROLES_OF = {
    "scikit-lr": ("row", "weight", "group"),
    "wide": ("row", "weight", "group"),
    "ranking": ("row", "ranking", "weight", "group"),
    "long": ("row", "label", "rank", "value", "weight", "group"),
    "aslib": ("value",),
}
# What each format has a place for beside features, rankings and weights.
_OF_ROWS = ("row_names", "groups", "folds")
_OF_VALUES = ("values", "spread", "replicates")
_KEPT: dict[str, tuple[str, ...]] = {"long": (*_OF_VALUES, *_OF_ROWS), "xarff": (), "preflib": ()}
_VALUED = ("scikit-lr", "wide", "long")
_FORMATS = (*_TABULAR, *_WHOLE, "aslib", *_CONTAINERS)


def read(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    format: str | None = None,
    features: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    drop_names: bool = False,
    labels: Iterable[str] | None = None,
    nominal: Iterable[str] = (),
    columns: Mapping[str, str] | None = None,
    sheet: str | None = None,
    higher_is_better: bool | None = None,
    unit: str = "",
    cutoff: float | None = None,
    penalty: float = 10.0,
    replicates: str = "mean",
    within: float | str | None = None,
    like: FittedTable | None = None,
) -> Dataset:
    r"""Read a file (or an ASlib folder) of features and rankings.

    Parameters
    ----------
    path : path-like or binary file
        The file, or one that is open for reading bytes.
    format : str, optional
        ``"scikit-lr"``, ``"ranking"``, ``"wide"``, ``"long"``, ``"xarff"``, ``"preflib"``,
        ``"aslib"``, ``"excel"``, ``"parquet"`` or ``"arrow"``; by default recognised from name and
        content.
    features : iterable of str, optional
        The columns to take as features; by default all that are nothing else.
    drop : iterable of str
        Columns to leave out of the features.
    drop_names : bool
        Leave out columns that name or count the rows as well, unless `features` names them: a text
        that differs in every row, or a counter, or of a long table one of its lines; and columns that
        are empty.
    labels : iterable of str, optional
        Wide tables: the columns that hold ranks. Rankings as texts and long tables: the labels
        that may occur, in the order wanted.
    nominal : iterable of str
        Features that hold categories although they look like numbers.
    columns : mapping, optional
        The names of special columns, if they are not called ``row``, ``label``, ``rank``,
        ``value``, ``ranking``, ``@weight`` and ``@group``: ``{"row": "farmer", "group": "village"}``.
        ``row`` of a table with one line per row is the column that names the rows. Of a scenario
        with several performance measures, ``value`` says which to take.
    sheet : str, optional
        Of a workbook; by default the first.
    higher_is_better : bool, optional
        Say True or False if the cells hold values (scores, yields, run times) and not ranks.
    unit : str
        Of the values, such as ``"s"`` or ``"%"``.
    cutoff, penalty : float
        Where low values are better: at which value a run was stopped, and as how many cutoffs such
        a run counts; 10 is known as PAR10.
    replicates : {"mean", "median"}
        What to take where a long table holds several values of a label in a row; their standard
        deviation is kept.
    within : float or str, optional
        Values that differ by no more are tied: a number, or ``"sd"`` for the pooled standard
        deviation of replicates (``"2sd"`` for twice that).
    like : FittedTable, optional
        The table that a model was fitted to: its recipe makes the features, and what is not said
        about the rankings is as it was there.

    Returns
    -------
    Dataset
        Texts are encoded as categories: one column of 0 and 1 each (``color=red``), a single one
        where there are two. `recipe` keeps the categories, `notes` say what is odd.

    Raises
    ------
    DataFileError
        If anything in the file is not right; it names file, line and remedy.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.csv")
    >>> _ = path.write_text("hour,ranking\n8,coffee>tea~water\n17,tea>water>coffee\n")
    >>> drinks = read(path)
    >>> drinks.Y
       coffee  tea  water
    0     1.0  2.0    2.0
    1     3.0  1.0    2.0
    """
    source = Path(path) if isinstance(path, str | os.PathLike) else path
    if not isinstance(like, FittedTable | None):
        raise TypeError(f"like is a {type(like).__name__}; give a FittedTable or None")
    options = ReadOptions(
        features=_name_tuple(features, "features"),
        drop=_name_tuple(drop, "drop") or (),
        drop_names=check_flag("drop_names", drop_names),
        labels=_name_tuple(labels, "labels"),
        nominal=_name_tuple(nominal, "nominal") or (),
        columns=_roles(columns),
        higher_is_better=None
        if higher_is_better is None
        else check_flag("higher_is_better", higher_is_better),
        unit=check_text("unit", unit),
        cutoff=None if cutoff is None else check_number("cutoff", cutoff, ends="(]"),
        penalty=check_number("penalty", penalty, 1.0),
        replicates=check_choice("replicates", replicates, HOW),
        within=check_within(within),
        sheet=None if sheet is None else check_text("sheet", sheet),
        like=like,
    )
    if format is not None and check_text("format", format) not in _FORMATS:
        raise ValueError(f"unknown format {shown(format)}; known are {', '.join(_FORMATS)}")
    if isinstance(source, Path):
        if (fault := path_fault(source)) is not None:
            raise DataFileError(short(source), fault)
        if format == "aslib" or (format is None and is_scenario(source)):
            _check_options(source, "aslib", options)
            dataset = read_aslib(source, options)
            dataset._set("sha256", scenario_sha256(source))
            return dataset
    with DataFile(source) as file:
        return _read(file, format, options)


def _read(file: DataFile, format: str | None, options: ReadOptions) -> Dataset:
    sha256 = file.sha256()
    chosen = format or _format_of(file)
    if chosen in _WHOLE:
        _check_options(file.path, chosen, options)
        dataset = _WHOLE[chosen](file, options)
    else:
        dataset = with_table(
            file, partial(_read_table, format=format, options=options), chosen, options.sheet
        )
    # Set here and not by `replace`, which would look through all the rankings again.
    dataset._set("sha256", sha256)
    return dataset


def _read_table(table: Table, format: str | None, options: ReadOptions) -> Dataset:
    layout, options, remarks = find_layout(table.header, options, format)
    _check_options(table.path, layout.name, options)
    dataset = _TABULAR[layout.name](table, layout, options)
    if dataset.layout is None:
        dataset._set("layout", layout)
    dataset._set("notes", (*table.remarks, *remarks, *dataset.notes))
    return dataset


def with_table(
    file: DataFile,
    use: Callable[[Table], Result],
    format: str | None = None,
    sheet: str | None = None,
) -> Result:
    """Call `use` with the table that a file holds, and return what it returns.

    It may be called twice: a large text table is tried in a quick way first, and should anything be
    wrong with it, once more with the careful reader, whose errors and results are the ones that count.
    """
    format = format or _format_of(file)
    is_text = (
        sheet is None and (format == "csv" or format in _TABULAR) and _format_of(file) == "csv"
    )
    if is_text and file.size() >= _quick_table.LEAST_BYTES:
        try:
            return use(_quick_table.QuickTable(file))
        except DataFileError:
            file.rewind()
    table = _table_of(file, format, sheet)
    try:
        return use(table)
    except DataFileError as error:
        if not isinstance(table, ExcelTable) or table.about_sheets is None:
            raise
        # it may be the wrong one
        reason = f"{error.reason.marked}; {table.about_sheets.marked}"
        raise DataFileError(error.path, reason, error.line) from None


def use_table(
    source: Path | BinaryIO, use: Callable[[Table], Result], sheet: str | None = None
) -> Result:
    """Call `use` with the table of any file, and return what it returns; see `with_table`.

    A scenario's folder stands for its features.
    """
    if isinstance(source, Path) and (fault := path_fault(source)) is not None:
        raise DataFileError(short(source), fault)
    if isinstance(source, Path) and is_scenario(source):
        source = source / FEATURE_VALUES
    with DataFile(source) as file:
        return with_table(file, use, sheet=sheet)


def _table_of(file: DataFile, format: str, sheet: str | None = None) -> Table:
    kind = format if format not in _TABULAR else _format_of(file)
    if sheet is not None and kind != "excel":
        raise DataFileError(file.path, f"is no workbook, so that {Arg.SHEET:{sheet}} says nothing")
    if kind == "excel":
        return ExcelTable(file, sheet)
    if kind == "xarff":
        return ArffTable(file)
    if kind == "preflib":
        raise DataFileError(
            file.path, "is a PrefLib file, which holds rankings and no other column"
        )
    return ColumnsTable(file, kind) if kind in (PARQUET, ARROW) else TextTable(file)


@check_arguments
def write(
    dataset: Dataset, path: str | os.PathLike[str], *, format: str | None = None
) -> tuple[str, ...]:
    """Write a dataset to a file, wholly or not at all.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : path-like
        The file; a file that exists is replaced.
    format : str, optional
        As for `read`, without ``"aslib"``. By default from the ending; a table (``.csv``, ``.xlsx``,
        ``.parquet``, ``.arrow``) has the columns of scikit-lr if the names are ``A*`` and ``L*``, else
        a ranking column. Ranking texts keep the order of the labels only, not gaps between ranks;
        ``"wide"`` keeps the numbers. Where values and their direction are known, a table is
        ``"long"``, which keeps everything but name, source and notes; names, weights, groups and
        folds of rows are kept in every table.

    Returns
    -------
    tuple of str
        What the dataset has and the format has no place for, such as ``"values"``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> drinks = Dataset([[8.0]], [[1, 2, 2]], feature_names=["hour"],
    ...                  label_names=["coffee", "tea", "water"])
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.csv")
    >>> write(drinks, path)
    ()
    >>> print(path.read_text())
    hour,ranking
    8,coffee>tea~water
    """
    path = checked_path(path)
    kind = _EXTENSIONS.get(path.suffix.lower(), "csv")
    known = (*_LAYOUTS, *_WHOLE_WRITERS, *_CONTAINERS)
    if format is not None and format not in known:
        raise ValueError(f"cannot write format {format!r}; known are {', '.join(known)}")
    _check_names(dataset)
    whole = format or kind
    if whole in _WHOLE_WRITERS:
        ending = path.suffix.lower().lstrip(".")
        # PrefLib has an ending for each kind of rankings.
        said = {"kind": ending} if whole == "preflib" and ending in KINDS else {}
        with replacing_text(path) as handle:
            _WHOLE_WRITERS[whole](dataset, handle, **said)
        return _lost(dataset, whole)
    layout = format if format in _LAYOUTS else _usual_layout(dataset)
    write_content(_LAYOUTS[layout](dataset), path, format if format in _CONTAINERS else kind)
    return _lost(dataset, layout)


def holds_numbers(path: Path) -> bool:
    """Tell whether the ending names a kind of file whose cells are numbers or texts, not texts alone."""
    return _EXTENSIONS.get(path.suffix.lower()) in _CONTAINERS


def write_content(
    content: Content, path: Path, kind: str | None = None, delimiter: str = ","
) -> None:
    """Write a table to a file of a kind: by default as the ending says, or a text."""
    kind = kind or _EXTENSIONS.get(path.suffix.lower())
    if kind in _CONTAINERS:
        with replacing(path) as unfinished, open(unfinished, "wb") as handle:
            _CONTAINERS[kind](content, handle)
    else:
        with replacing_text(path) as text:
            write_csv(content, text, delimiter)


def _lost(dataset: Dataset, format: str) -> tuple[str, ...]:
    """Name what the dataset has and the format has no place for."""
    kept = _KEPT.get(format, _OF_ROWS)
    if not dataset.has_costs:
        kept = tuple(part for part in kept if part not in _OF_VALUES)
    lost = [
        part.replace("_", " ")
        for part in (*_OF_VALUES, *_OF_ROWS)
        if getattr(dataset, part) is not None and part not in kept
    ]
    if format in ("ranking", "xarff", "preflib") and not np.array_equal(
        dataset.ranks, ranks_from_scores(dataset.ranks, higher_is_better=False), equal_nan=True
    ):
        lost.append("gaps between ranks")
    if format == "preflib":
        return tuple(lost)
    encoded = FeatureCells(dataset, declares=format == "xarff").encoded
    lost += [f"the categories of {name!r}" for name in encoded]
    if format in ("ranking", "long") and list(dataset.label_names) != natural_sorted(
        dataset.label_names
    ):
        lost.append("the order of the labels")
    if format == "ranking" and np.isnan(dataset.ranks).all(axis=0).any():
        lost.append("labels that no row ranks")
    return tuple(lost)


def _format_of(file: DataFile) -> str:
    ending = file.path.suffix.lower()
    if ending in _EXTENSIONS:
        return _EXTENSIONS[ending]
    start = file.start()
    if start.lower().startswith((b"@relation", b"@attribute", b"%")):
        return "xarff"
    if start.startswith(b"PK\x03\x04"):
        return "excel"
    if start.startswith(b"PAR1"):
        return PARQUET
    if start.startswith(ARROW_START):
        return ARROW
    if re.match(rb"#\s*(FILE NAME|TITLE|NUMBER ALTERNATIVES)\s*:", start):
        return "preflib"
    return "csv"


def _check_options(path: Path, layout: str, options: ReadOptions) -> None:
    """Refuse what a format would pass over in silence."""
    idle = set(options.columns) - set(_ROLES_OF.get(layout, ()))
    if idle:
        raise DataFileError(
            path,
            f"{Arg.COLUMNS}: format {layout!r} has no column for the role {min(idle)!r}; leave it out",
        )
    if options.higher_is_better is not None and layout not in _VALUED:
        raise DataFileError(
            path,
            f"{Arg.HIGHER} is about scores, and format {layout!r} holds rankings; leave it out",
        )
    of_values = {Arg.CUTOFF: options.cutoff, Arg.WITHIN: options.within}
    for name, value in of_values.items():
        is_known = layout in _VALUED or (layout == "aslib" and name is Arg.CUTOFF)
        if value is not None and not is_known:
            raise DataFileError(path, f"{name} is not for format {layout!r}; leave it out")
    if options.sheet is not None and layout not in _TABULAR:
        raise DataFileError(
            path, f"is no workbook, so that {Arg.SHEET:{options.sheet}} says nothing"
        )
    if options.labels is not None and layout in ("preflib", "aslib"):
        raise DataFileError(path, f"format {layout!r} names its own labels; leave {Arg.LABELS} out")


def _usual_layout(dataset: Dataset) -> str:
    if dataset.has_costs:
        return "long"
    names = [*dataset.feature_names, *dataset.label_names]
    return "scikit-lr" if is_scikit_lr(names) else "ranking"


def _check_names(dataset: Dataset) -> None:
    of_rows = (*(dataset.row_names or ()), *(dataset.groups or ()))
    for name in (*dataset.feature_names, *dataset.label_names, *of_rows):
        if name != name.strip() or name == "?" or not name.isprintable():
            raise ValueError(
                f"the name {name!r} cannot be kept in a file; rename it without line breaks, outer "
                "spaces or '?' alone"
            )
    unnamed = next((group for group in dataset.groups or () if group.lower() in MISSING), None)
    if unnamed is not None:
        raise ValueError(f"a group is called {unnamed!r}, which reads as missing; rename it")


def _name_tuple(names: Iterable[str] | None, what: str) -> tuple[str, ...] | None:
    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError(f"{what} is the text {names!r}; give a list of names, [{names!r}]")
    result = check_names(what, names)
    if len(set(result)) < len(result):
        doubled = next(name for i, name in enumerate(result) if name in result[:i])
        raise ValueError(f"{what} names {doubled!r} twice; keep one")
    return tuple(result)


def _roles(columns: Mapping[str, str] | None) -> dict[str, str]:
    if columns is not None and not is_dict(columns):
        raise TypeError(
            Message(
                f"{Arg.COLUMNS} is {shown(columns)}; give a role and a name, {{'row': 'farmer'}}"
            )
        )
    columns = dict(columns or {})
    unknown = set(columns) - set(ROLES)
    if unknown:
        reason = f"{shown(next(iter(unknown)))} is no role; the roles are {', '.join(ROLES)}"
        raise ValueError(Message(f"{Arg.COLUMNS}: {reason}"))
    for role, name in columns.items():
        check_text(f"columns[{role!r}]", name)
    return columns
