"""XARFF, the format of WEKA-LR: ARFF with one attribute of type ``RANKING {a,b,c}``."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from rankwise._messages import Arg
from rankwise.datasets._arff import ArffFile, Row, arff_features, outside_quotes, quote, unquote
from rankwise.datasets._checks import pack
from rankwise.datasets._column_roles import ReadOptions
from rankwise.datasets._contents import FeatureCells, number_text
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._encoding import MISSING
from rankwise.datasets._rank_texts import RankTexts
from rankwise.datasets._text import DataFile, DataFileError
from rankwise.rankings import format_rankings, parse_rankings

_BETWEEN_CHAINS = re.compile(r"""[|'"]""")
# Each chain has the features of its row: of more cells than this, so many chains in a row are a trap.
_MOST_CELLS, _MOST_CHAINS = 20_000_000, 200
_ODD = re.compile(r"""[|\\'"{}%]""")


def read_xarff(file: DataFile, options: ReadOptions) -> Dataset:
    """Read an XARFF file.

    A ranking of several chains, ``a>b|c>d``, says nothing across chains: it becomes one row per
    chain, with the same features, so that exactly the stated comparisons remain.
    """
    path, arff = file.path, ArffFile(file)
    place = _ranking_place(arff)
    labels = arff.attributes[place].categories
    if options.labels is not None and set(options.labels) != set(labels):
        raise DataFileError(path, f"declares its labels itself, and others than {Arg.LABELS} names")
    features = arff_features(arff, [arff.attributes[place].name], options)
    rankings = RankTexts(path, labels)
    lines: list[int] = []
    weights: list[float | None] = []
    n_split, n_cells = 0, 0
    for rows in arff.chunks():
        chained = [(row, chain) for row in rows for chain in _chains(path, row, place, labels)]
        n_split += len(chained) - len(rows)
        n_cells += len(chained) * len(arff.attributes)
        if n_cells > _MOST_CELLS and n_split > _MOST_CHAINS * (len(lines) + len(rows)):
            raise DataFileError(
                path,
                f"its rankings of many chains would make {len(lines) + len(chained):,} rows of "
                f"{len(arff.attributes):,} columns; write each of them as one order, or split the file",
            )
        numbers = [row.line for row, _ in chained]
        # once for each row: its ranking may be as long as it has chains
        read = {row.line: [_cell(raw) for raw in row.cells] for row in rows}
        cells = zip(*(read[line] for line in numbers), strict=True)
        features.add(list(cells), numbers)
        rankings.add([chain for _, chain in chained], numbers)
        weights.extend(row.weight for row, _ in chained)
        lines.extend(numbers)
    made = features.finish()
    Y, _ = rankings.finish()
    if n_split:
        made[-1].append(
            f"{n_split} rows were added: a ranking of several chains (a>b|c>d) is one row per chain"
        )
    extra: dict[str, Any] = {"name": arff.relation or path.stem}
    if any(weight is not None for weight in weights):
        extra["weights"] = [1.0 if weight is None else weight for weight in weights]
    return pack(path, made, Y, labels, lines, **extra)


def write_xarff(dataset: Dataset, handle: TextIO) -> None:
    """Write an XARFF file; categories are declared."""
    odd = next((label for label in dataset.label_names if _ODD.search(label)), None)
    if odd is not None:
        raise ValueError(
            f"label {odd!r} has a sign that XARFF gives a meaning of its own; rename it, or write .csv"
        )
    handle.write(f"@relation {quote(dataset.name or 'rankings')}\n\n")
    features = FeatureCells(dataset, declares=True)
    for column in features.columns:
        kind = "NUMERIC"
        if column.categories is not None:
            kind = f"{{{','.join(map(quote, column.categories))}}}"
        handle.write(f"@attribute {quote(column.name)} {kind}\n")
    taken = set(features.names)
    target = next(
        name for name in ("L", "ranking", *map(str, range(len(taken) + 1))) if name not in taken
    )
    labels = ",".join(quote(label) for label in dataset.label_names)
    handle.write(f"@attribute {target} RANKING {{{labels}}}\n\n@data\n")
    texts = format_rankings(dataset.ranks, labels=list(dataset.label_names))
    for i, (row, text) in enumerate(zip(features, texts, strict=True)):
        cells = [_written(cell) or "?" for cell in row] + [text or "?"]
        if dataset.weights is not None:
            cells.append(f"{{{number_text(dataset.weights[i])}}}")
        handle.write(",".join(cells) + "\n")


def _written(cell: str | float) -> str:
    if isinstance(cell, str):
        return quote(cell) if cell else ""
    return number_text(cell)


def _ranking_place(arff: ArffFile) -> int:
    places = [j for j, attribute in enumerate(arff.attributes) if attribute.kind == "ranking"]
    if len(places) != 1:
        raise DataFileError(
            arff.path,
            f"declares {len(places)} attributes of type RANKING; XARFF has one, "
            "@attribute L RANKING {a,b,c}",
        )
    if len(arff.attributes[places[0]].categories) < 2:
        raise DataFileError(
            arff.path, "its RANKING attribute names one label; at least two are needed"
        )
    return places[0]


def _cell(raw: str) -> str:
    cell = unquote(raw)
    # A quoted '?' or 'NA' is a text, but no column can hold both it and the sign for missing.
    return cell.strip() if cell.lower() not in MISSING else ""


def _chains(path: Path, row: Row, place: int, labels: tuple[str, ...]) -> list[str]:
    text = row.cells[place]
    # The whole ranking may be quoted, which a first label that needs quotes resembles.
    inner = unquote(text)
    if inner != text and inner not in labels:
        text = inner
    if "|" not in text:
        return [text]
    ends = [*outside_quotes(text, _BETWEEN_CHAINS), len(text)]
    starts = [0, *(end + 1 for end in ends)]
    chains = [text[start:end].strip() for start, end in zip(starts, ends, strict=False)]
    chains = [chain for chain in chains if chain]
    if len(chains) > 1:
        _refuse_contradictions(path, row.line, chains, labels)
    return chains or ["?"]


def _refuse_contradictions(
    path: Path, line: int, chains: list[str], labels: tuple[str, ...]
) -> None:
    try:
        ranks, _ = parse_rankings(chains, labels=list(labels))
    except ValueError:
        return  # reported, with its line, when the chain itself is read
    graph: dict[int, set[int]] = {i: set() for i in range(len(labels))}
    for ranking in np.unique(ranks, axis=0, equal_nan=True):
        for i in np.flatnonzero(~np.isnan(ranking)):
            graph[int(i)] |= {int(j) for j in np.flatnonzero(ranking < ranking[i])}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = ">".join(labels[i] for i in error.args[1])
        raise DataFileError(path, f"its chains contradict each other: {circle}", line) from error
