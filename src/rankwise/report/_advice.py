"""What to do next, by what was found."""

from __future__ import annotations

from collections.abc import Iterator

from rankwise._messages import for_command_line
from rankwise.report._facts import Facts
from rankwise.report._held_out import FEW_ROWS
from rankwise.report._words import (
    FAR_OFF,
    hard_pairs,
    mean_miss,
    meaning_of_curve,
    names_of,
    rare_pairs,
)


def advice(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield what to do in a few words, and why."""
    serious = [finding for finding in facts.audit.findings if finding.severity == "serious"]
    for finding in serious:
        yield "Mend the data first", f"{finding.message}: {for_command_line(finding.remedy)}."
    _, low, _ = facts.held.gain()
    if not low > 0:
        yield (
            "Look for features that tell more",
            "Those of this file add nothing that is sure to one ranking for all rows. Measure what "
            "experts would look at to choose, or collect more rows.",
        )
    else:
        yield (
            "Use it",
            "Fit a model and rank new rows with it; the commands are below. Try the first label, and "
            "the second where the chance is close to one half.",
        )
    if facts.curve:
        yield "Weigh more rows against better features", meaning_of_curve(facts.curve)
    rare = rare_pairs(facts.pairs)
    if rare:
        yield (
            "Compare these labels in more rows",
            f"Fewer than {FEW_ROWS} rows left out order {names_of(rare)}: collect rows that rank both.",
        )
    hard = hard_pairs(facts.pairs)
    if hard:
        yield (
            "Do not choose between these by the model alone",
            f"Rows left out do not show that it is right about {names_of(hard)} more often than a coin. "
            "Take the cheaper one, rank both in more rows, or let predictions tie them (--ties auto).",
        )
    known = sum(one.came_true.n for one in facts.bins)
    if known < FEW_ROWS or mean_miss(facts.bins) > FAR_OFF:
        yield (
            "Do not build on the chances yet",
            "They are off by much, or too few rows tell how far; with more rows they get better.",
        )
