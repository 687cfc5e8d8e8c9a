"""PrefLib's ordinal files: strict or tied, complete or incomplete orders, with their counts."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from rankwise._messages import Arg, Message
from rankwise.datasets._checks import no_ranks, pack
from rankwise.datasets._column_roles import ReadOptions, choose_features
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._recipe import Recipe
from rankwise.datasets._text import DataFile, DataFileError, excerpt

# extension -> whether ties, whether missing alternatives may occur
KINDS = {"soc": (False, False), "soi": (False, True), "toc": (True, False), "toi": (True, True)}
_HEADER = re.compile(r"#\s*ALTERNATIVE NAME\s+(\d+)\s*:\s*(.*)", re.IGNORECASE)
_COUNT = re.compile(r"#\s*NUMBER ALTERNATIVES\s*:\s*(.*)", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_TITLE = re.compile(r"#\s*TITLE\s*:\s*(.*)", re.IGNORECASE)
_GROUP = r"(?:\d{1,9}|\{\d{1,9}(?:,\d{1,9})*\})"
_ORDER = re.compile(rf"(\d{{1,15}}):({_GROUP}(?:,{_GROUP})*)")


def read_preflib(file: DataFile, options: ReadOptions) -> Dataset:
    """Read a PrefLib file: `X` has no columns, `weights` say how often each ranking occurs."""
    if options.features or options.nominal:
        raise DataFileError(
            file.path,
            f"PrefLib files hold no features; leave {Arg.FEATURES} and {Arg.NOMINAL} out",
        )
    choose_features(file.path, (), (), options)
    found = _PrefLibFile(file.path)
    for line, text in file.lines():
        found.take(line, text.strip())
    return found.finish()


def write_preflib(dataset: Dataset, handle: TextIO, kind: str | None = None) -> None:
    """Write orders of label numbers; rows count as often as their weights say."""
    if dataset.n_features:
        raise ValueError(
            Message(
                f"PrefLib holds no features and {dataset.name!r} has {dataset.n_features}; write "
                f".csv or .xarff, or drop them: {Arg.NO_FEATURES}"
            )
        )
    counts = _counts(dataset)
    groups = [_groups(ranks) for ranks in dataset.ranks]
    ties = bool((np.diff(np.sort(dataset.ranks, axis=1), axis=1) == 0).any())
    gaps = bool(np.isnan(dataset.ranks).any())
    fitting = f"{'t' if ties else 's'}o{'i' if gaps else 'c'}"
    kind = kind or fitting
    may_tie, may_lack = KINDS[kind]
    if (ties and not may_tie) or (gaps and not may_lack):
        raise ValueError(f"these rankings do not fit .{kind}; write .{fitting}")
    handle.write(f"# TITLE: {dataset.name}\n# DATA TYPE: {kind}\n")
    handle.write(f"# NUMBER ALTERNATIVES: {dataset.n_labels}\n# NUMBER VOTERS: {sum(counts)}\n")
    handle.write(f"# NUMBER UNIQUE ORDERS: {len({str(group) for group in groups})}\n")
    for j, label in enumerate(dataset.label_names):
        handle.write(f"# ALTERNATIVE NAME {j + 1}: {label}\n")
    for count, row in zip(counts, groups, strict=True):
        texts = [str(g[0]) if len(g) == 1 else "{" + ",".join(map(str, g)) + "}" for g in row]
        handle.write(f"{count}: {','.join(texts)}\n")


class _PrefLibFile:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.error = partial(DataFileError, path)
        kind = path.suffix.lower().lstrip(".")
        self._ties, self._gaps = KINDS.get(kind, (True, True))
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._declared: int | None = None
        self._title = ""
        self._rows: list[list[list[int]]] = []
        self._counts: list[int] = []
        self._lines: list[int] = []

    def take(self, line: int, text: str) -> None:
        if text.startswith("#"):
            self._take_header(line, text)
        elif text:
            self._take_order(line, text)

    def finish(self) -> Dataset:
        numbers = sorted(self._names)
        if self._declared is not None and self._declared != len(numbers):
            raise self.error(
                f"announces {self._declared} alternatives but names {len(numbers)}; add or correct "
                "the lines '# ALTERNATIVE NAME 1: …'"
            )
        place = {number: j for j, number in enumerate(numbers)}
        n_known = sum(len(group) for groups in self._rows for group in groups)
        Y = no_ranks(self.path, len(self._rows), len(numbers), n_known)
        for i, (line, groups) in enumerate(zip(self._lines, self._rows, strict=True)):
            self._fill(Y[i], groups, place, line)
        if len(numbers) < 2:
            raise self.error(f"names {len(numbers)} alternatives; at least two are needed")
        labels = [self._names[number] for number in numbers]
        extra = {"name": self._title or self.path.stem, "weights": self._counts}
        nothing = np.empty((len(Y), 0))
        return pack(self.path, (nothing, Recipe(()), []), Y, labels, self._lines, **extra)

    def _take_header(self, line: int, text: str) -> None:
        if match := _HEADER.fullmatch(text):
            number, name = (
                self._whole(match[1], "an alternative has the number", line),
                match[2].strip(),
            )
            if number in self._names or name in self._taken or not name:
                raise self.error(
                    f"alternative {number} is named twice, or has another's name", line
                )
            self._names[number] = name
            self._taken.add(name)
        elif match := _COUNT.fullmatch(text):
            self._declared = self._whole(match[1], "the number of alternatives is", line)
        elif match := _TITLE.fullmatch(text):
            self._title = match[1].strip()

    def _whole(self, text: str, what: str, line: int) -> int:
        if _WHOLE.fullmatch(text.strip()) is None:
            raise self.error(f"{what} {excerpt(text)}; expected a whole number below 10^9", line)
        return int(text)

    def _take_order(self, line: int, text: str) -> None:
        match = _ORDER.fullmatch(text.replace(" ", "").replace("\t", ""))
        if match is None:
            raise self.error(
                f"expected 'count: 1,2,{{3,4}}', found {excerpt(text)}; files of the format before "
                "2022 start with a number: get the current version from PrefLib",
                line,
            )
        groups = [
            [int(number) for number in group.strip("{}").split(",")]
            for group in re.findall(_GROUP, match[2])
        ]
        if not int(match[1]):
            raise self.error("0 voters have this order; leave the line out", line)
        self._rows.append(groups)
        self._counts.append(int(match[1]))
        self._lines.append(line)

    def _fill(
        self, row: NDArray[np.float64], groups: list[list[int]], place: dict[int, int], line: int
    ) -> None:
        for position, group in enumerate(groups):
            if len(group) > 1 and not self._ties:
                raise self.error(
                    f"ties {group}, which a {self.path.suffix} file may not; name it .toi", line
                )
            for number in group:
                if number not in place:
                    raise self.error(
                        f"ranks alternative {number}, which the header does not name", line
                    )
                if not np.isnan(row[place[number]]):
                    raise self.error(f"ranks alternative {number} twice; keep one", line)
                row[place[number]] = position + 1
        if not self._gaps and np.isnan(row).any():
            lost = next(number for number, j in place.items() if np.isnan(row[j]))
            raise self.error(
                f"does not rank alternative {lost}, as a {self.path.suffix} file must; name it .soi "
                "or .toi if rankings are incomplete",
                line,
            )


def _counts(dataset: Dataset) -> list[int]:
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    wrong = np.flatnonzero(weights != np.floor(weights))
    if wrong.size:
        raise ValueError(
            f"row {wrong[0]}: weight {weights[wrong[0]]}; PrefLib counts rankings in whole numbers"
        )
    idle = np.flatnonzero(weights == 0)
    if idle.size:
        raise ValueError(
            f"row {idle[0]}: weight 0; PrefLib counts voters from 1: leave the row out"
        )
    return [int(weight) for weight in weights]


def _groups(ranks: NDArray[np.float64]) -> list[list[int]]:
    observed = np.unique(ranks[~np.isnan(ranks)])
    if not observed.size:
        raise ValueError("a row ranks no label, and PrefLib has no sign for that; leave it out")
    return [[int(j) + 1 for j in np.flatnonzero(ranks == rank)] for rank in observed]
