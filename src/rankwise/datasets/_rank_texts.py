"""Rankings written as texts (``a>b~c``), read chunk by chunk with the lines they stand on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise._naming import name_some, suggest
from rankwise.datasets._cells import Cells, coded
from rankwise.datasets._checks import check_size, no_ranks
from rankwise.datasets._text import DataFileError, excerpt
from rankwise.rankings import natural_sorted, split_text


class RankTexts:
    """Collects ranking texts; an empty text or ``?`` is a row without ranking.

    `labels` are those that may occur; by default those that do, naturally sorted.
    """

    def __init__(self, path: Path, labels: Sequence[str] | None = None) -> None:
        self.path = path
        self.error = partial(DataFileError, path)
        self._is_fixed = labels is not None
        self._labels: dict[str, int] = {label: j for j, label in enumerate(labels or ())}
        self._blocks: list[NDArray[np.float64]] = []
        self._n_rows, self._n_known = 0, 0
        self._has_order = False
        self._bare_list: tuple[int, str] | None = None

    def add(self, texts: Cells, lines: Sequence[int]) -> None:
        """Take in a chunk of texts."""
        # Few different rankings fill most files: each one is split once.
        distinct, places = coded(texts)
        firsts = np.unique(places, return_index=True)[1]
        positions = [
            {} if text in ("", "?") else self._positions(text, lines[int(first)])
            for text, first in zip(distinct, firsts, strict=True)
        ]
        self._n_rows += len(places)
        self._n_known += int(np.array([len(found) for found in positions], np.int64)[places].sum())
        check_size(self.path, self._n_rows, len(self._labels), self._n_known)
        ranks = np.full((len(positions), len(self._labels)), np.nan)
        for i, found in enumerate(positions):
            for label, position in found.items():
                ranks[i, self._labels[label]] = position
        self._blocks.append(ranks[places])

    def finish(self) -> tuple[NDArray[np.float64], list[str]]:
        """Return ranks and labels."""
        found = list(self._labels)
        if len(found) < 2:
            raise self.error(
                f"its rankings name {len(found)} label{'s' * (len(found) != 1)}; at least two are "
                "needed, as in 'tea>coffee'"
            )
        labels = found if self._is_fixed else natural_sorted(found)
        place = {label: j for j, label in enumerate(labels)}
        Y = no_ranks(self.path, self._n_rows, len(labels), self._n_known)
        start = 0
        for block in self._blocks:
            # A block has a column for each label that was found until then.
            own = [place[label] for label in found[: block.shape[1]]]
            Y[start : start + len(block), own] = block
            start += len(block)
        self._blocks.clear()
        return Y, labels

    def _positions(self, text: str, line: int) -> dict[str, int]:
        """Return the position of each label that the text ranks.

        A comma ties labels in a text with ``>``, and means before in one without; a file that has
        texts of both kinds is refused.
        """
        try:
            tokens = split_text(text)
        except ValueError as error:
            raise self.error(str(error), line) from error
        in_order = ">" in tokens.signs
        self._has_order = self._has_order or in_order
        if "," in tokens.signs and not in_order and self._bare_list is None:
            self._bare_list = line, text
        if self._has_order and self._bare_list:
            line, text = self._bare_list
            raise self.error(
                f"ranking {excerpt(text)} is a list with commas only, while other rankings use '>'; "
                "write '>' for before and '~' for tied in all of them",
                line,
            )
        position, positions = 1, {}
        for label, sign in zip(tokens.labels, [*tokens.signs, ""], strict=True):
            if label not in self._labels and self._is_fixed:
                known = suggest(label, self._labels) or f"known are {name_some(self._labels, 8)}"
                reason = f"unknown label {label!r}; {known}"
                raise self.error(f"ranking {excerpt(text)}: {reason}", line)
            self._labels.setdefault(label, len(self._labels))
            positions[label] = position
            position += sign == ">" or (sign == "," and not in_order)
        return positions
