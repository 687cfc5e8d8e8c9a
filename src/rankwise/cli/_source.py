"""A data file as a command names it: the options of reading it, once for all commands."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import wraps
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, get_type_hints

import typer

from rankwise._messages import CATEGORIES
from rankwise._paths import checked_path
from rankwise.cli._console import note
from rankwise.cli._options import (
    STANDARD,
    Columns,
    Cutoff,
    Drop,
    Features,
    Format,
    Groups,
    HigherIsBetter,
    Labels,
    Nominal,
    Penalty,
    Replicates,
    Sheet,
    Unit,
    Within,
    column_roles,
    split_names,
)

if TYPE_CHECKING:
    from rankwise.datasets import Dataset
    from rankwise.datasets.tables import FittedTable
    from rankwise.parts import Parts

# So many columns are named one by one.
_FEW = 4


class _StandardInput(BytesIO):
    name = "standard input"


def standard_input() -> BinaryIO:
    """Return what comes in from a pipe, as a file."""
    if sys.stdin.isatty():
        raise ValueError("- is standard input, where nothing comes in; pipe a table into it")
    return _StandardInput(sys.stdin.buffer.read())


@dataclass(frozen=True)
class Source:
    """A data file or a benchmark, and what the user says about it."""

    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A data file, - for standard input, or the name of a benchmark."
        ),
    ]
    labels: Labels = None
    features: Features = None
    drop: Drop = None
    nominal: Nominal = None
    format: Format = None
    sheet: Sheet = None
    column: Columns = None
    groups: Groups = None
    higher_is_better: HigherIsBetter = None
    unit: Unit = None
    cutoff: Cutoff = None
    penalty: Penalty = None
    replicates: Replicates = None
    within: Within = None

    @property
    def path(self) -> Path:
        """The file, which need not be there if it is standard input or a benchmark's name."""
        return Path("standard input" if self.file == STANDARD else self.file)

    def read(
        self,
        *,
        for_learning: bool = True,
        like: FittedTable | None = None,
        about_categories: bool = False,
    ) -> Dataset:
        """Read the file, or load the benchmark, and pass on what is odd about it.

        For learning, columns that name the rows are left out; `like` is what a model keeps of the
        table it was fitted to. What became of columns of texts is told by those who ask for it: the
        command that looks at a file, and the one that learns from it.
        """
        # Imported here: help needs no numpy.
        from rankwise.datasets import available, load, read

        if not checked_path(self.path).exists() and self.file.lower() in available():
            said = [getattr(self, field.name) for field in fields(self) if field.name != "file"]
            if any(option not in (None, []) for option in said):
                raise ValueError(
                    f"{self.file} is a benchmark; options for reading a file do not apply"
                )
            dataset = load(self.file)
        else:
            dataset = read(
                standard_input() if self.file == STANDARD else self.path,
                labels=split_names(self.labels),
                features=split_names(self.features),
                drop=split_names(self.drop) or (),
                drop_names=for_learning,
                nominal=split_names(self.nominal) or (),
                format=self.format,
                columns=self._roles(),
                sheet=self.sheet,
                higher_is_better=self.higher_is_better,
                like=like,
                **self._about_values(),
            )
        for remark in _told(dataset, about_categories):
            note(remark)
        return dataset

    def open_parts(self) -> Parts:
        """Return the rows of several files as parts."""
        from rankwise.parts import open_parts

        said: dict[str, Any] = {
            "labels": split_names(self.labels),
            "features": split_names(self.features),
            "drop": split_names(self.drop) or (),
            "nominal": split_names(self.nominal),
            "format": self.format,
            "columns": self._roles(),
            "sheet": self.sheet,
            "higher_is_better": self.higher_is_better,
            **self._about_values(),
        }
        known = {name: value for name, value in said.items() if value is not None}
        return open_parts(self.file, **known, drop_names=True)

    def words(self) -> list[str]:
        """Return the file and the options by which it was read, as they would be typed."""
        words = [self.file]
        for field in fields(self)[1:]:
            value, name = getattr(self, field.name), f"--{field.name.replace('_', '-')}"
            if isinstance(value, bool):
                words.append(name if value else name.replace("--higher", "--lower"))
            elif isinstance(value, list):
                words += [word for one in value for word in (name, str(one))]
            elif value is not None:
                words += [name, str(value)]
        return words

    def _roles(self) -> dict[str, str] | None:
        roles = column_roles(self.column)
        return roles if self.groups is None else {**(roles or {}), "group": self.groups}

    def _about_values(self) -> dict[str, Any]:
        names = ("unit", "cutoff", "penalty", "replicates", "within")
        said = {name: getattr(self, name) for name in names}
        return {name: value for name, value in said.items() if value is not None}


def typed(words: Iterable[str]) -> str:
    """Write a command as it can be typed.

    Examples
    --------
    >>> print(typed(["rankwise", "fit", "my file.csv", "--learner", "Forest(splitter='best')"]))
    rankwise fit 'my file.csv' --learner "Forest(splitter='best')"
    """

    def quoted(word: str) -> str:
        # single quotes within double ones are easier on the eye, where a shell obeys nothing in them
        is_plain = not set(word) & set('"$`\\!')
        return f'"{word}"' if "'" in word and is_plain else shlex.quote(word)

    return " ".join(map(quoted, words))


def _told(dataset: Dataset, about_categories: bool) -> Iterator[str]:
    """Yield what is to be said of a dataset; many columns of categories are put in one sentence."""
    from rankwise._naming import name_some

    recipe = dataset.recipe
    columns = [] if recipe is None else [c for c in recipe.columns if c.categories is not None]
    is_said = not about_categories
    for remark in dataset.notes:
        if getattr(remark, "code", "") != CATEGORIES or (about_categories and len(columns) <= _FEW):
            yield remark
        elif not is_said:
            is_said = True
            n = sum(len(column.features) for column in columns)
            names = name_some([column.name for column in columns], _FEW)
            yield f"{len(columns)} features are categories, {n} columns of 0 and 1 for them: {names}"


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
