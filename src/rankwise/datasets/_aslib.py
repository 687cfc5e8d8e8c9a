"""ASlib scenario folders: which algorithm solves which instance fastest, or best."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise._extras import require
from rankwise._messages import Arg, Message
from rankwise._naming import name_some
from rankwise.datasets._arff import ArffFile, arff_features, unquote
from rankwise.datasets._checks import check_size, pack
from rankwise.datasets._column_roles import Layout, ReadOptions
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._encoding import Numbers
from rankwise.datasets._recipe import Recipe
from rankwise.datasets._text import DataFile, DataFileError, excerpt
from rankwise.rankings import ranks_from_scores

FEATURE_VALUES = "feature_values.arff"
_KEYS = frozenset({"instance_id", "repetition"})
_HINT = "write ? if it is missing"
# No description.txt is as long; reading a longer one would take seconds.
_LONGEST = 100_000
# As YAML spells them.
_TRUTH = dict.fromkeys(("true", "yes", "on"), True) | dict.fromkeys(("false", "no", "off"), False)


def is_scenario(path: Path) -> bool:
    """Tell whether a folder holds an ASlib scenario."""
    return (path / "description.txt").is_file() and (path / "algorithm_runs.arff").is_file()


def scenario_sha256(path: Path) -> str:
    """Return a fingerprint of the tables of a scenario, and of what describes them."""
    digest = hashlib.sha256()
    for file in (path / "description.txt", *sorted(path.glob("*.arff"))):
        digest.update(os.fsencode(file.name))
        with DataFile(file) as opened:
            digest.update(bytes.fromhex(opened.sha256()))
    return digest.hexdigest()


def read_aslib(path: Path, options: ReadOptions) -> Dataset:
    """Read a scenario: one row per instance, one label per algorithm.

    Performances of repeated runs are averaged over those that ended well, within the cutoff. An
    algorithm that failed (timeout, crash, …) in half of its runs or more is tied with the others
    that failed, at the bottom; one that was never run is missing. `values` holds the averaged
    performances: a failure counts as the penalty times the scenario's cutoff, where none is given
    as the worst performance of all. `folds` holds the scenario's own folds.
    """
    if not is_scenario(path):
        raise DataFileError(
            path, "is no ASlib scenario: it lacks description.txt or algorithm_runs.arff"
        )
    like = None if options.like is None else options.like.layout
    wanted = options.columns.get("value")
    if like is not None and like.name == "aslib":
        # What is not said is as at fitting.
        options = replace(options, **{**like.values, **options.of_values()})
        wanted = wanted or like.roles.get("value")
    described = _Description(path / "description.txt", wanted)
    runs = _Runs(path / "algorithm_runs.arff", described.measure)
    cutoff = described.cutoff if options.cutoff is None else options.cutoff
    cutoff = None if described.maximize else cutoff
    Y, values, n_failed = runs.ranks(described.maximize, cutoff, options.penalty)
    features = _features(path / FEATURE_VALUES, runs.instances, options)
    folds, fold_notes = _folds(path / "cv.arff", runs.instances)
    failed = int(np.count_nonzero((Y[:, :1] == Y).all(axis=1)))
    notes = [*described.notes, *features[-1]]
    if failed:
        notes.append(f"{failed} instances tie all algorithms (all failed, or all did equally well)")
    if n_failed:
        counted = "the worst performance of all"
        if cutoff is not None:
            unit = options.unit or ("s" if described.is_runtime else "")
            counted = f"{options.penalty:g} times the cutoff of {cutoff:g} {unit}".rstrip()
        notes.append(f"{n_failed} runs that failed count as {counted}")
    if described.is_runtime and (path / "feature_costs.arff").is_file():
        notes.append("the time that features take (feature_costs.arff) is not counted")
    notes.extend(fold_notes)
    roles = {"row": "instance_id"} | ({"value": described.measure} if described.measure else {})
    extra = {
        "name": path.name,
        "folds": folds,
        "values": values,
        "higher_is_better": described.maximize,
        "unit": options.unit or ("s" if described.is_runtime else ""),
        "cutoff": cutoff,
        "penalty": None if cutoff is None else options.penalty,
        "row_names": tuple(runs.instances),
        "layout": Layout("aslib", roles, (), described.maximize, options.of_values()),
    }
    return pack(path, (*features[:-1], notes), Y, list(runs.algorithms), runs.lines, **extra)


class _Description:
    """What ``description.txt`` says: the performance measure, which way is better, the cutoff."""

    def __init__(self, path: Path, wanted: str | None) -> None:
        content = self._content(path)
        measures = _texts(path, content, "performance_measures")
        if wanted is not None and wanted not in measures:
            raise DataFileError(
                path, f"has no performance measure {wanted!r}; it names {name_some(measures)}"
            )
        self.measure = wanted or (measures[0] if measures else None)
        at = measures.index(wanted) if wanted else 0
        directions = _texts(path, content, "maximize") or ["false"]
        said = directions[at if len(directions) > at else 0]
        if said.lower() not in _TRUTH:
            raise DataFileError(path, f"maximize is {excerpt(said)}; write true or false")
        self.maximize = maximize = _TRUTH[said.lower()]
        kinds = [kind.lower() for kind in _texts(path, content, "performance_type")]
        kind = kinds[min(at, len(kinds) - 1)] if kinds else self.measure or "runtime"
        self.is_runtime = kind == "runtime" and not maximize
        times = _texts(path, content, "algorithm_cutoff_time") or ["?"]
        cutoff = Numbers(path).value(times[0])
        # 0 and ? mean that there is none.
        has_cutoff = self.is_runtime and cutoff is not None and 0 < cutoff < math.inf
        self.cutoff = cutoff if has_cutoff else None
        self.notes: list[str] = []
        if len(measures) > 1 and wanted is None:
            self.notes.append(
                Message(
                    f"the scenario has the performance measures {name_some(measures)}; "
                    f"{self.measure!r} is taken, say {Arg.COLUMN_AS_VALUE:{measures[1]}} for another"
                )
            )

    def _content(self, path: Path) -> dict[str, Any]:
        yaml = require("yaml", "reading an ASlib scenario")
        with DataFile(path) as file:
            if path.stat().st_size > _LONGEST:
                raise DataFileError(path, f"is longer than {_LONGEST:,} bytes; no description is")
            text = "\n".join(line for _, line in file.lines())
        try:
            # texts, lists and tables of them: nothing is made of a text, or called
            content = yaml.load(text, yaml.BaseLoader)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            reason = " ".join(str(error).split())[:200]
            raise DataFileError(path, f"is not valid YAML ({reason})") from error
        if not isinstance(content, dict):
            raise DataFileError(path, "is not a YAML list of settings such as 'maximize: [false]'")
        return content


def _texts(path: Path, content: dict[str, Any], key: str) -> list[str]:
    """Return a setting as a list of texts; lists in it may hold each other, so that none is written."""
    setting = content.get(key)
    found: list[Any] = setting if isinstance(setting, list) else [setting]
    # what YAML writes for nothing
    found = [item for item in found if item not in (None, "", "~", "null")]
    if not all(isinstance(item, str) for item in found):
        raise DataFileError(path, f"{key} holds a list or a table; write one word, or [a, b]")
    return found


class _Runs:
    """The runs of all algorithms on all instances, summed over repetitions."""

    def __init__(self, path: Path, measure: str | None) -> None:
        self.instances: dict[str, int] = {}
        self.algorithms: dict[str, int] = {}
        self.lines: list[int] = []
        self._runs: list[tuple[int, int, float, bool]] = []
        with DataFile(path) as file:
            self._read(ArffFile(file), measure)
        check_size(path, len(self.instances), len(self.algorithms), len(self._runs))
        if len(self.algorithms) < 2:
            raise DataFileError(
                path, f"runs {len(self.algorithms)} algorithms; at least two are needed"
            )

    def _read(self, arff: ArffFile, measure: str | None) -> None:
        places = [arff.place(name) for name in ("instance_id", "algorithm", "runstatus")]
        amount = self._measure_place(arff, measure)
        column, numbers = arff.attributes[amount].name, Numbers(arff.path)
        for rows in arff.chunks():
            lines = [row.line for row in rows]
            amounts = numbers.parse([row.cells[amount] for row in rows], lines, column, _HINT)
            for row, value in zip(rows, amounts, strict=True):
                instance, algorithm, status = (unquote(row.cells[j]) for j in places)
                if instance not in self.instances:
                    self.lines.append(row.line)
                i = self.instances.setdefault(instance, len(self.instances))
                j = self.algorithms.setdefault(algorithm, len(self.algorithms))
                self._runs.append((i, j, value, status.lower() == "ok"))

    def _measure_place(self, arff: ArffFile, measure: str | None) -> int:
        others = _KEYS | {"algorithm", "runstatus"}
        places = [j for j, a in enumerate(arff.attributes) if a.name.lower() not in others]
        named = [j for j in places if arff.attributes[j].name == measure]
        if not places:
            raise DataFileError(arff.path, "has no column with the performance of the runs")
        if len(places) > 1 and not named:
            columns = name_some(arff.attributes[j].name for j in places)
            raise DataFileError(
                arff.path,
                f"has no column for the performance measure {measure!r}; it has {columns}",
            )
        return (named or places)[0]

    def ranks(
        self, maximize: bool, cutoff: float | None, penalty: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
        """Return ranks, averaged performances, and in how many cells an algorithm failed."""
        shape = (len(self.instances), len(self.algorithms))
        rows, columns, performances, is_ok = map(np.array, zip(*self._runs, strict=True))
        if cutoff is not None:
            # Whatever its status, a run that took longer than the cutoff would have been stopped.
            is_ok &= ~(performances > cutoff)
        cells = rows * shape[1] + columns
        n_ok, n_failed = (
            np.bincount(cells[chosen], minlength=math.prod(shape)) for chosen in (is_ok, ~is_ok)
        )
        failed = (n_failed > 0) & (n_failed >= n_ok)
        values = _averaged(performances[is_ok, None], cells[is_ok], failed.size)[:, 0]
        scores = np.where(failed, -np.finfo(np.float64).max, values if maximize else -values)
        worst = np.fmin if maximize else np.fmax
        values[failed] = np.nan
        # Without any run that ended well there is no worst of them.
        values[failed] = worst.reduce(values) if cutoff is None else penalty * cutoff
        return ranks_from_scores(scores.reshape(shape)), values.reshape(shape), int(failed.sum())


def _by_instance(
    arff: ArffFile, instances: dict[str, int]
) -> Iterator[tuple[list[int], list[tuple[str, ...]], list[int]]]:
    """Yield (instance numbers, columns of cells, lines) for the instances that were run."""
    key = arff.place("instance_id")
    for rows in arff.chunks():
        kept = [row for row in rows if unquote(row.cells[key]) in instances]
        if kept:
            yield (
                [instances[unquote(row.cells[key])] for row in kept],
                list(zip(*([unquote(cell) for cell in row.cells] for row in kept), strict=True)),
                [row.line for row in kept],
            )


def _features(
    path: Path, instances: dict[str, int], options: ReadOptions
) -> tuple[NDArray[np.float64], Recipe, list[str]]:
    """Return the features of each instance, averaged over repetitions where they are measured."""
    with DataFile(path) as file:
        arff = ArffFile(file)
        keys = [a.name for a in arff.attributes if a.name.lower() in _KEYS]
        columns = arff_features(arff, keys, options)
        owners: list[int] = []
        for numbers, cells, lines in _by_instance(arff, instances):
            columns.add(cells, lines)
            owners.extend(numbers)
    rows, recipe, notes = columns.finish()
    X = _averaged(rows, np.array(owners, dtype=np.intp), len(instances))
    n_lost = len(instances) - len(set(owners))
    if n_lost:
        notes.append(f"{n_lost} instances have no features; theirs are missing (NaN)")
    return X, recipe, notes


def _averaged(rows: NDArray[np.float64], owners: NDArray[np.intp], n: int) -> NDArray[np.float64]:
    known = ~np.isnan(rows)
    total, count = np.zeros((n, rows.shape[1])), np.zeros((n, rows.shape[1]))
    np.add.at(total, owners, np.where(known, rows, 0.0))
    np.add.at(count, owners, known)
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


def _folds(path: Path, instances: dict[str, int]) -> tuple[NDArray[np.int64] | None, list[str]]:
    if not path.is_file():
        return None, ["the scenario brings no folds (cv.arff)"]
    found: dict[float, NDArray[np.int64]] = {}
    numbers, n_known = Numbers(path), 0
    with DataFile(path) as file:
        arff = ArffFile(file)
        repetition, fold = arff.place("repetition"), arff.place("fold")
        for owners, cells, lines in _by_instance(arff, instances):
            repetitions = numbers.parse(cells[repetition], lines, "repetition", _HINT)
            folds = numbers.parse(cells[fold], lines, "fold", _HINT)
            n_known += len(lines)
            check_size(path, len(instances), len({*found, *repetitions}), n_known)
            for i, r, f, line in zip(owners, repetitions, folds, lines, strict=True):
                if not (0 <= f < 2**31 and 0 <= r < 2**31):
                    raise DataFileError(path, "repetition and fold are numbers, 0 or more", line)
                found.setdefault(r, np.full(len(instances), -1, dtype=np.int64))[i] = int(f)
    if not found:
        return None, ["cv.arff assigns no instance to a fold"]
    columns = np.column_stack([found[r] for r in sorted(found)])
    lost = np.flatnonzero((columns < 0).any(axis=1))
    if lost.size:
        name = list(instances)[lost[0]]
        raise DataFileError(path, f"assigns no fold to instance {name!r}; add its line")
    return columns, []
