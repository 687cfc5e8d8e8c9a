"""Rankings written as texts (``a>b~c``), parsed chunk by chunk with the lines they stand on."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.datasets._checks import no_ranks
from rankwise.datasets._text import DataFileError, excerpt
from rankwise.rankings import RankingWarning, parse_rankings, ranks_from_long

# What the parser says first: it counts the texts that it was given, and a file has lines.
_ROW = re.compile(r"texts, row (\d+)(?:: |, )(.*)", re.DOTALL)
_QUOTED_LABEL = re.compile(r"""(^|[>~=,])\s*(?:'(?:[^']|'')*'|"(?:[^"]|"")*")""")
# A chunk may name one label only, which the parser refuses; these two, which no file can hold,
# are added to every chunk and taken out again.
_ADDED = ("\0a", "\0b")


class RankTexts:
    """Collects ranking texts; an empty text or ``?`` is a row without ranking.

    Parameters
    ----------
    path : Path
        The file, for messages.
    labels : sequence of str, optional
        The labels that may occur. By default those that do, naturally sorted.
    """

    def __init__(self, path: Path, labels: Sequence[str] | None = None) -> None:
        self.path = path
        self._fixed = None if labels is None else list(labels)
        self._labels: dict[str, int] = {label: j for j, label in enumerate(labels or ())}
        self._blocks: list[tuple[NDArray[np.float64], list[str]]] = []
        self._has_order = False
        self._bare_list: tuple[int, str] | None = None

    def add(self, texts: Sequence[str], lines: Sequence[int]) -> None:
        """Take in a chunk of texts."""
        # Few different rankings fill most files: parse each one once.
        places: dict[str, int] = {}
        first_lines: list[int] = []
        for text, line in zip(texts, lines, strict=True):
            if text not in ("", "?") and text not in places:
                places[text] = len(places)
                first_lines.append(line)
        self._watch_commas(places, first_lines)
        ranks, labels = self._parse(list(places), first_lines)
        for label in labels:
            self._labels.setdefault(label, len(self._labels))
        # The last row is that of the added labels, which all others are missing from.
        rows = np.array([places.get(text, -1) for text in texts], dtype=np.intp)
        self._blocks.append((ranks[rows], labels))

    def finish(self) -> tuple[NDArray[np.float64], list[str]]:
        """Return ranks and labels."""
        found = list(self._labels)
        if len(found) < 2:
            raise DataFileError(
                self.path,
                f"its rankings name {len(found)} label{'s' * (len(found) != 1)}; at least two are "
                "needed, as in 'tea>coffee'",
            )
        labels = found if self._fixed is not None else natural_order(found)
        place = {label: j for j, label in enumerate(labels)}
        Y = no_ranks(self.path, sum(len(block) for block, _ in self._blocks), len(labels))
        start = 0
        for block, own in self._blocks:
            Y[start : start + len(block), [place[label] for label in own]] = block
            start += len(block)
        self._blocks.clear()
        return Y, labels

    def _parse(self, texts: list[str], lines: list[int]) -> tuple[NDArray[np.float64], list[str]]:
        names = None if self._fixed is None else [*self._fixed, *_ADDED]
        try:
            with warnings.catch_warnings():
                # Rows with too little to compare are told in the dataset's notes.
                warnings.simplefilter("ignore", RankingWarning)
                ranks, labels = parse_rankings([*texts, "~".join(_ADDED)], labels=names)
        except ValueError as error:
            raise self._located(error, texts, lines) from error
        kept = [j for j, label in enumerate(labels) if label not in _ADDED]
        return np.asarray(ranks, dtype=np.float64)[:, kept], [str(labels[j]) for j in kept]

    def _located(self, error: ValueError, texts: list[str], lines: list[int]) -> DataFileError:
        text = re.sub(", '\0a', '\0b'$", "", str(error).replace("\\x00", "\0"))
        match = _ROW.fullmatch(text)
        if match is None or int(match[1]) >= len(texts):
            return DataFileError(self.path, text.removeprefix("texts: "))
        row, reason = int(match[1]), match[2]
        if not reason.startswith("column"):
            reason = f"ranking {excerpt(texts[row])}: {reason}"
        return DataFileError(self.path, reason, lines[row])

    def _watch_commas(self, texts: dict[str, int], lines: list[int]) -> None:
        """Refuse commas that mean one thing in one chunk and another in the next.

        A list with commas only is in order of preference where no text of the file has ``>``.
        """
        if self._has_order and self._bare_list:
            return
        for text, place in texts.items():
            signs = _QUOTED_LABEL.sub(r"\1", text) if "'" in text or '"' in text else text
            if ">" in signs:
                self._has_order = True
            elif "," in signs and self._bare_list is None:
                self._bare_list = lines[place], text
        if self._has_order and self._bare_list:
            line, text = self._bare_list
            raise DataFileError(
                self.path,
                f"ranking {excerpt(text)} is a list with commas only, while other rankings "
                "use '>'; "
                "write '>' for before and '~' for tied in all of them",
                line,
            )


def natural_order(labels: list[str]) -> list[str]:
    """Return labels in the order in which the whole package puts them: L2 before L10."""
    line = {"row": [0] * len(labels), "label": labels, "rank": range(1, len(labels) + 1)}
    return [str(label) for label in ranks_from_long(line).columns] if len(labels) > 1 else labels
