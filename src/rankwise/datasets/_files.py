"""Read and write the files people have: formats are recognised by name and content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rankwise._messages import Arg, Message
from rankwise._parameters import check_choice, check_number
from rankwise._replacing import replacing_text
from rankwise.datasets._arff import ArffTable
from rankwise.datasets._aslib import FEATURE_VALUES, is_scenario, read_aslib
from rankwise.datasets._column_roles import (
    ROLES,
    FittedTable,
    Layout,
    ReadOptions,
    find_layout,
    is_scikit_lr,
)
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._long import read_long, write_long
from rankwise.datasets._parquet import ParquetTable, write_parquet
from rankwise.datasets._preflib import KINDS, read_preflib, write_preflib
from rankwise.datasets._replicates import HOW
from rankwise.datasets._table import Table, TextTable
from rankwise.datasets._text import DataFile, DataFileError
from rankwise.datasets._wide import (
    read_ranking_column,
    read_wide,
    write_ranking_column,
    write_scikit_lr,
    write_wide,
)
from rankwise.datasets._xarff import read_xarff, write_xarff

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
_WRITERS: dict[str, Callable[..., None]] = {
    "scikit-lr": write_scikit_lr,
    "ranking": write_ranking_column,
    "wide": write_wide,
    "long": write_long,
    "xarff": write_xarff,
    "preflib": write_preflib,
    "parquet": write_parquet,
}
_EXTENSIONS = {".xarff": "xarff", ".arff": "xarff", ".parquet": "parquet", ".pq": "parquet"}
_EXTENSIONS |= {f".{kind}": "preflib" for kind in KINDS}
_ROLES_OF = {
    "scikit-lr": ("weight", "group"),
    "wide": ("weight", "group"),
    "ranking": ("ranking", "weight", "group"),
    "long": ("row", "label", "rank", "value", "weight", "group"),
    "aslib": ("value",),
}
# What each format has a place for beside features, rankings and weights.
_OF_ROWS = ("row_names", "groups", "folds")
_KEPT: dict[str, tuple[str, ...]] = {"long": ("values", *_OF_ROWS), "xarff": (), "preflib": ()}
_VALUED = ("scikit-lr", "wide", "long")
_FORMATS = (*_TABULAR, *_WHOLE, "aslib", "parquet")


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    features: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    drop_names: bool = False,
    labels: Iterable[str] | None = None,
    nominal: Iterable[str] = (),
    columns: Mapping[str, str] | None = None,
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
    path : path-like
        The file.
    format : str, optional
        ``"scikit-lr"``, ``"ranking"``, ``"wide"``, ``"long"``, ``"xarff"``, ``"preflib"``,
        ``"aslib"`` or ``"parquet"``; by default recognised from name and content.
    features : iterable of str, optional
        The columns to take as features; by default all that are nothing else.
    drop : iterable of str
        Columns to leave out of the features.
    drop_names : bool
        Leave out columns that name or count the rows as well, unless `features` names them: a text
        that differs in every row, or a counter. Not in long tables.
    labels : iterable of str, optional
        Wide tables: the columns that hold ranks. Rankings as texts and long tables: the labels
        that may occur, in the order wanted.
    nominal : iterable of str
        Features that hold categories although they look like numbers.
    columns : mapping, optional
        The names of special columns, if they are not called ``row``, ``label``, ``rank``,
        ``value``, ``ranking``, ``@weight`` and ``@group``: ``{"row": "farmer", "group": "village"}``.
        Of a scenario with several performance measures, ``value`` says which to take.
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
    >>> drinks.label_names
    ('coffee', 'tea', 'water')
    >>> drinks.Y
    array([[1., 2., 2.],
           [3., 1., 2.]])
    """
    path = Path(path)
    options = ReadOptions(
        features=_name_tuple(features, "features"),
        drop=_name_tuple(drop, "drop") or (),
        drop_names=drop_names,
        labels=_name_tuple(labels, "labels"),
        nominal=_name_tuple(nominal, "nominal") or (),
        columns=_roles(columns),
        higher_is_better=higher_is_better,
        unit=unit,
        cutoff=None if cutoff is None else check_number("cutoff", cutoff, ends="(]"),
        penalty=check_number("penalty", penalty, 1.0),
        replicates=check_choice("replicates", replicates, HOW),
        within=within,
        like=like,
    )
    if format is not None and format not in _FORMATS:
        raise ValueError(f"unknown format {format!r}; known are {', '.join(_FORMATS)}")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataFileError(path, "is a pipe or a device, which is read only once; save it first")
    if format == "aslib" or (format is None and is_scenario(path)):
        _check_options(path, "aslib", options)
        return read_aslib(path, options)
    with DataFile(path) as file:
        return _read(file, format, options)


def _read(file: DataFile, format: str | None, options: ReadOptions) -> Dataset:
    sha256 = file.sha256()
    chosen = format or _format_of(file)
    if chosen in _WHOLE:
        _check_options(file.path, chosen, options)
        dataset = _WHOLE[chosen](file, options)
    else:
        table = _table_of(file, chosen)
        layout, options, remarks = find_layout(table.header, options, format)
        _check_options(file.path, layout.name, options)
        dataset = _TABULAR[layout.name](table, layout, options)
        if dataset.layout is None:
            dataset._set("layout", layout)
        dataset._set("notes", (*remarks, *dataset.notes))
    # Set here and not by `replace`, which would look through all the rankings again.
    dataset._set("sha256", sha256)
    return dataset


@contextmanager
def open_table(path: Path) -> Iterator[Table]:
    """Open a text table of any common separator, a Parquet file or an ARFF file.

    A scenario's folder stands for its features.
    """
    with DataFile(path / FEATURE_VALUES if is_scenario(path) else path) as file:
        yield _table_of(file, _format_of(file))


def _table_of(file: DataFile, format: str | None = None) -> Table:
    is_parquet = "parquet" in (format, _EXTENSIONS.get(file.path.suffix.lower()))
    if format == "xarff":
        return ArffTable(file)
    return ParquetTable(file) if is_parquet else TextTable(file)


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
        As for `read`, without ``"aslib"``. By default from the extension; ``.csv`` means columns
        of scikit-lr if the names are ``A*`` and ``L*``, else a ranking column. Ranking texts keep
        the order of the labels only, not gaps between ranks; ``"wide"`` keeps the numbers. Where
        values and their direction are known, ``.csv`` means ``"long"``, which keeps everything but
        name, source and notes; names, weights, groups and folds of rows are kept in every CSV.

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
    if not isinstance(dataset, Dataset):
        raise TypeError(
            f"expected a Dataset, got {type(dataset).__name__}; make one of X and Y first"
        )
    path = Path(path)
    chosen = format or _format_to_write(dataset, path)
    if chosen not in _WRITERS:
        raise ValueError(f"cannot write format {chosen!r}; known are {', '.join(_WRITERS)}")
    _check_names(dataset)
    kind = path.suffix.lower().lstrip(".")
    # PrefLib has an ending for each kind of rankings.
    said = {"kind": kind} if chosen == "preflib" and kind in KINDS else {}
    with replacing_text(path) as handle:
        _WRITERS[chosen](dataset, handle, **said)
    return tuple(
        part.replace("_", " ")
        for part in ("values", "row_names", "groups", "folds")
        if getattr(dataset, part) is not None and part not in _KEPT.get(chosen, _OF_ROWS)
    )


def _format_of(file: DataFile) -> str:
    ending = file.path.suffix.lower()
    if ending in _EXTENSIONS:
        return _EXTENSIONS[ending]
    start = file.start()
    if start.lower().startswith((b"@relation", b"@attribute", b"%")):
        return "xarff"
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
    if options.labels is not None and layout in ("preflib", "aslib"):
        raise DataFileError(path, f"format {layout!r} names its own labels; leave {Arg.LABELS} out")


def _format_to_write(dataset: Dataset, path: Path) -> str:
    names = [*dataset.feature_names, *dataset.label_names]
    table = "scikit-lr" if is_scikit_lr(names) else "ranking"
    if dataset.has_costs:
        table = "long"
    return _EXTENSIONS.get(path.suffix.lower(), table)


def _check_names(dataset: Dataset) -> None:
    for name in (*dataset.feature_names, *dataset.label_names):
        if name != name.strip() or name == "?" or not name.isprintable():
            raise ValueError(
                f"the name {name!r} cannot be kept in a file; rename it without line breaks, outer "
                "spaces or '?' alone"
            )


def _name_tuple(names: Iterable[str] | None, what: str) -> tuple[str, ...] | None:
    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError(f"{what} is the text {names!r}; give a list of names, [{names!r}]")
    result: Sequence[str] = [str(name) for name in names]
    doubled = next((name for i, name in enumerate(result) if name in result[:i]), None)
    if doubled is not None:
        raise ValueError(f"{what} names {doubled!r} twice; keep one")
    return tuple(result)


def _roles(columns: Mapping[str, str] | None) -> dict[str, str]:
    columns = dict(columns or {})
    unknown = set(columns) - set(ROLES)
    if unknown:
        reason = f"{min(unknown)!r} is no role; the roles are {', '.join(ROLES)}"
        raise ValueError(Message(f"{Arg.COLUMNS}: {reason}"))
    return columns
