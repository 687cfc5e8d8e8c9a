"""Rankings written as texts (``a>b~c``), collected chunk by chunk with the lines they stand on."""

from __future__ import annotations

import re
import warnings
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets._text import DataFileError, excerpt
from rankwise.rankings import RankingWarning, parse_rankings

# What the parser says first: it counts the texts that it was given, and a file has lines.
_ROW = re.compile(r"texts, row (\d+)(?:: |, )(.*)", re.DOTALL)


class RankTexts:
    """Collects ranking texts; an empty text or ``?`` is a row without ranking.

    All texts are parsed together at the end, each different one once: what a comma means, and which
    labels there are, is a matter of the whole file.

    Parameters
    ----------
    path : Path
        The file, for messages.
    labels : sequence of str, optional
        The labels that may occur. By default those that do, naturally sorted.
    """

    def __init__(self, path: Path, labels: Sequence[str] | None = None) -> None:
        self.path = path
        self._labels = None if labels is None else list(labels)
        self._places: dict[str, int] = {}
        self._first_lines: list[int] = []
        self._rows = array("q")

    def add(self, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Take in a chunk of texts."""
        for text, line in zip(texts, lines, strict=True):
            if text in ("", "?"):
                self._rows.append(-1)
                continue
            place = self._places.setdefault(text, len(self._places))
            if place == len(self._first_lines):
                self._first_lines.append(line)
            self._rows.append(place)

    def finish(self) -> tuple[NDArray[np.float64], list[str]]:
        """Return ranks and labels."""
        if not self._places:
            raise DataFileError(
                self.path, "holds no ranking; write rankings as texts such as 'tea>coffee~water'"
            )
        texts = list(self._places)
        self._places.clear()
        try:
            with warnings.catch_warnings():
                # Rows with too little to compare are told in the dataset's notes.
                warnings.simplefilter("ignore", RankingWarning)
                ranks, labels = parse_rankings(texts, labels=self._labels)
        except ValueError as error:
            raise self._located(error, texts) from error
        rows = np.frombuffer(self._rows, dtype=np.int64)
        Y = np.asarray(ranks, dtype=np.float64)[rows]
        Y[rows < 0] = np.nan
        return Y, [str(label) for label in labels]

    def _located(self, error: ValueError, texts: list[str]) -> DataFileError:
        match = _ROW.fullmatch(str(error))
        if match is None:
            return DataFileError(self.path, str(error).removeprefix("texts: "))
        row, reason = int(match[1]), match[2]
        if not reason.startswith("column"):
            reason = f"ranking {excerpt(texts[row])}: {reason}"
        return DataFileError(self.path, reason, self._first_lines[row])
