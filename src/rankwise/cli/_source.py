"""A data file as a command names it: the options of reading it, once for all commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from rankwise.cli._console import note
from rankwise.cli._options import (
    Columns,
    Drop,
    Features,
    Format,
    HigherIsBetter,
    Labels,
    Nominal,
    column_roles,
    in_options,
    split_names,
)

if TYPE_CHECKING:
    from rankwise.datasets import Dataset

# Files of these endings or formats are no tables of columns; nothing is left out of them.
_NO_TABLES = (".xarff", ".arff", ".soc", ".soi", ".toc", ".toi")
_NO_TABLE_FORMATS = ("xarff", "preflib", "aslib")


@dataclass(frozen=True)
class Source:
    """A data file or a benchmark, and what the user says about it."""

    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A data file, or the name of a benchmark.")
    ]
    labels: Labels = None
    features: Features = None
    drop: Drop = None
    nominal: Nominal = None
    format: Format = None
    column: Columns = None
    higher_is_better: HigherIsBetter = None

    @property
    def path(self) -> Path:
        """The file, which need not be there if it is a benchmark's name."""
        return Path(self.file)

    @property
    def is_table(self) -> bool:
        """Whether the file is a table of named columns."""
        return (
            self.path.is_file()
            and self.path.suffix.lower() not in _NO_TABLES
            and self.format not in _NO_TABLE_FORMATS
            and not _is_arff(self.path)
        )

    @property
    def is_long(self) -> bool:
        """Whether a table has a line for each label of a row."""
        # Imported here, as below: help needs no numpy.
        from rankwise.datasets.tables import open_table

        return self.is_table and self.layout(open_table(self.path).header) == "long"

    def read(self, *, for_learning: bool = True) -> Dataset:
        """Read the file, or load the benchmark, and pass on what was odd about it.

        For learning, columns that name the rows are left out, and that is told.
        """
        from rankwise.datasets import DataFileError, available, load, read

        known = not self.path.exists() and self.file.lower() in available()
        said = [getattr(self, field.name) for field in fields(self) if field.name != "file"]
        if known and any(option not in (None, []) for option in said):
            raise ValueError(f"{self.file} is a benchmark; options for reading a file do not apply")
        try:
            dataset = (
                load(self.file)
                if known
                else read(
                    self.path,
                    labels=split_names(self.labels),
                    features=self._chosen_features(for_learning),
                    nominal=split_names(self.nominal) or (),
                    format=self.format,
                    columns=column_roles(self.column),
                    higher_is_better=self.higher_is_better,
                )
            )
        except DataFileError as error:
            raise ValueError(in_options(str(error))) from error
        for remark in dataset.notes:
            note(in_options(remark))
        return dataset

    def layout(self, header: Sequence[str]) -> str:
        """Tell how a table holds its rankings."""
        from rankwise.datasets.tables import layout_of

        if self.format in ("scikit-lr", "ranking", "wide", "long"):
            return self.format
        return layout_of(header, split_names(self.labels), column_roles(self.column) or {})

    def holds_values(self, header: Sequence[str]) -> bool:
        """Whether the cells of a table may be scores: neither texts nor a column of ranks."""
        layout, roles = self.layout(header), column_roles(self.column) or {}
        if layout == "long":
            return "value" in roles or ("rank" not in roles and "rank" not in header)
        return layout != "ranking"

    def _chosen_features(self, for_learning: bool) -> list[str] | None:
        """Return the columns to take as features; None: all that are left."""
        if self.features is not None:
            if self.drop is not None:
                raise ValueError(
                    f"--drop {self.drop}: --features already says what to take; use one of the two"
                )
            return split_names(self.features)
        if not self.is_table:
            if self.drop is not None:
                raise ValueError(f"--drop {self.drop}: {self.file} is no table; name --features")
            return None
        from rankwise.datasets.tables import names_of, naming_columns, open_table, ranking_columns

        table = open_table(self.path)
        dropped = split_names(self.drop) or []
        for name in dropped:
            if name not in table.header:
                raise ValueError(
                    f"--drop {name}: {self.file} has no such column; its columns are "
                    f"{names_of(table.header)}"
                )
        labels, roles = split_names(self.labels), column_roles(self.column)
        layout = self.layout(table.header)
        taken = {*dropped, *ranking_columns(table.header, labels, roles, layout=layout)}
        left = [name for name in table.header if name not in taken]
        look = for_learning and layout != "long"
        found = naming_columns(table, left) if look else {}
        for name, reason in found.items():
            note(
                f"column {name!r} {reason}, so it is taken as a name and left out; name it in "
                "--features to keep it"
            )
        if not found and not dropped:
            return None
        return [name for name in left if name not in found]


def takes_source(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument FILE and the options of reading in place of its `source`."""
    hints = get_type_hints(Source, include_extras=True)
    reading = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.name == "file" else field.default,
            annotation=hints[field.name],
        )
        for field in fields(Source)
    ]
    own = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name == "source":
            parameters += reading
        else:
            parameters.append(parameter.replace(annotation=own[parameter.name]))

    @wraps(command)
    def with_source(**given: Any) -> None:
        source = Source(**{field.name: given.pop(field.name) for field in fields(Source)})
        command(source=source, **given)

    with_source.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_source.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_source


def _is_arff(path: Path) -> bool:
    with open(path, "rb") as handle:
        return handle.read(200).lstrip().lower().startswith((b"@relation", b"@attribute", b"%"))
