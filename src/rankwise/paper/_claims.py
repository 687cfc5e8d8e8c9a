"""What a claim of the paper is, and how it is judged: a rule, what was measured, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

# What was measured in words, and whether it is as claimed: once for each family or learner.
Measured = Iterator[tuple[str, bool]]


@dataclass(frozen=True)
class Verdict:
    """What became of a claim.

    Parameters
    ----------
    part : str
        Figure or table that it is about.
    claim : str
        In the paper's sense.
    reading : str
        What tau is taken on: ranks, as the text defines it, or orders, as the programs took it.
    holds : bool
        Whether it holds by the rule.
    rule : str
        When it would hold.
    figure : str
        What was measured.
    """

    part: str
    claim: str
    reading: str
    holds: bool
    rule: str
    figure: str

    def word(self, *, is_short: bool = False) -> str:
        """Return the verdict in words; a run that was cut short refutes nothing.

        Parameters
        ----------
        is_short : bool
            Whether folds, rows or levels were left out.
        """
        if self.holds:
            return "holds"
        return "too short to judge" if is_short else "does not hold"


@dataclass(frozen=True)
class Claim:
    """A claim, the rule that judges it, and how it is measured on records and a reading."""

    part: str
    claim: str
    rule: str
    measure: Callable[[Any, str], Measured]

    def judge(self, records: Any, reading: str) -> list[Verdict]:
        """Return the verdict: it holds where all that was measured is as claimed; none without."""
        found = list(self.measure(records, reading))
        if not found:
            return []
        figure = ", ".join(text for text, _ in found)
        holds = all(bool(is_so) for _, is_so in found)
        return [Verdict(self.part, self.claim, reading, holds, self.rule, figure)]
