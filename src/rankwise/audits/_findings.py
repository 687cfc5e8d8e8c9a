"""From facts to findings: what a careful colleague would say about them, and what to do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankwise._arguments import check_arguments
from rankwise._naming import list_some, name_some

if TYPE_CHECKING:
    from rankwise.audits._result import Audit

Severity = Literal["serious", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("serious", "warning", "note")

# A label is named if shuffled folds are expected to lose it at least this often.
_FOLDS_WITHOUT = 0.5
_MOSTLY_MISSING = 0.5
_HIGH_CONSENSUS = 0.9


@check_arguments
@dataclass(frozen=True)
class Finding:
    """One thing to know about the data.

    Attributes
    ----------
    severity : {"serious", "warning", "note"}
        Serious: results would be wrong or impossible. Warning: results would suffer. Note: good to
        know.
    topic : str
        A fixed word for programs to look for, such as ``"orders"``.
    message : str
        What was found.
    remedy : str
        What to do.
    """

    severity: Severity
    topic: str
    message: str
    remedy: str


def find_all(audit: Audit) -> tuple[Finding, ...]:
    """Return every finding, the serious ones first."""
    found = [finding for look in _LOOKS for finding in look(audit)]
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))


def _rows(audit: Audit) -> Iterable[Finding]:
    evidence = audit.orders
    if evidence is not None and evidence.looks_like_orders:
        yield Finding(
            "serious",
            "orders",
            "Y looks like orders (the label at each position) and not like ranks (the position of "
            f"each label): read as orders, the features predict it with tau "
            f"{evidence.tau_as_orders:.2f}, read as ranks with {evidence.tau_as_ranks:.2f} "
            f"({evidence.n_rows} rows, {evidence.advantage:.1f} standard errors)",
            "check one row by hand; if it is an order, use ranks_from_orders(Y - 1); if it holds "
            "ranks, ignore this",
        )
    if audit.n_idle_rows == audit.n_samples or audit.comparisons.consensus_tau is None:
        yield Finding(
            "serious",
            "no comparisons",
            "no row puts one label before another; there is nothing to learn",
            "check how missing labels and ties are written",
        )
    elif audit.n_idle_rows:
        yield Finding(
            "warning",
            "idle rows",
            f"{audit.n_idle_rows} of {audit.n_samples} rows rank{'s' * (audit.n_idle_rows == 1)} fewer "
            "than two labels",
            "that teaches nothing; drop such rows, or look for what was lost on the way in",
        )
    if audit.largest_rank > audit.n_labels:
        yield Finding(
            "warning",
            "large ranks",
            f"ranks go up to {audit.largest_rank:g}, but there are {audit.n_labels} labels",
            "only their order within a row is used; if these are scores use ranks_from_scores, if "
            "they are the first, second, ... choice use ranks_from_orders",
        )


def _comparisons(audit: Audit) -> Iterable[Finding]:
    silent = [label.name for label in audit.labels if not label.n_observed]
    if silent:
        yield Finding(
            "serious",
            "unobserved labels",
            f"never observed: {name_some(silent)}",
            "drop the column; nothing can be learned about it",
        )
    comparisons = audit.comparisons
    seen = {label.name for label in audit.labels if label.n_observed}
    groups = [group for group in comparisons.groups if seen.intersection(group)]
    if len(groups) > 1 and comparisons.consensus_tau is not None:
        shown = list_some(["{" + name_some(group) + "}" for group in groups], separator="; ")
        yield Finding(
            "serious",
            "unlinked labels",
            f"labels fall into {len(groups)} groups that are never compared: {shown}",
            "no row says how the groups stand to each other; collect rows that rank labels of "
            "both, or learn each group apart",
        )
    if len(comparisons.groups) > 1:
        return
    for pairs, what, remedy in (
        (
            comparisons.never_together,
            "no row ranks both labels of",
            "their order is inferred from others alone; collect rows that rank both if it matters",
        ),
        (
            comparisons.only_tied,
            "every row that ranks both ties",
            "their order cannot be learned; merge them if they are the same",
        ),
    ):
        if pairs:
            n = len(pairs)
            shown = name_some([f"{a} / {b}" for a, b in pairs])
            yield Finding("warning", "pairs", f"{what} {n} pair{'s' * (n > 1)}: {shown}", remedy)


def _look_alikes(audit: Audit) -> Iterable[Finding]:
    alike: dict[str, list[str]] = {}
    for label in audit.labels:
        alike.setdefault(plain_letters(label.name), []).append(label.name)
    groups = [names for letters, names in alike.items() if letters and len(names) > 1]
    if groups:
        shown = list_some([" / ".join(map(repr, names)) for names in groups], separator="; ")
        yield Finding(
            "warning",
            "look-alikes",
            f"labels that differ only in case, spaces or punctuation: {shown}",
            "if they are the same, write them alike, so that they are one label",
        )


def plain_letters(name: str) -> str:
    """Return what is left of a name without case, spaces and punctuation that says nothing.

    Decimal signs inside numbers, and a plus or minus at an end, are kept.

    Examples
    --------
    >>> plain_letters("CUI, CS2CO3") == plain_letters("CuI,Cs2CO3"), plain_letters("-1.5 V")
    (True, '-1.5v')
    """
    text = unicodedata.normalize("NFKC", name).casefold().strip()
    text = re.sub(r"(?<=\d)[.,](?=\d)", "\0", text)
    text = re.sub(r"(?<!^)-(?!$)|[^\w\0+*#<>=-]|_", "", text)
    return text.replace("\0", ".")


def _folds(audit: Audit) -> Iterable[Finding]:
    seen = [label for label in audit.labels if label.n_observed]
    rare = [
        f"{label.name!r} ({label.n_observed} rows)"
        for label in seen
        if label.folds_without >= _FOLDS_WITHOUT
    ]
    if rare:
        yield Finding(
            "warning",
            "folds",
            f"too rare for {audit.n_folds}-fold cross-validation, some folds would lack them: "
            f"{list_some(rare)}",
            "use fewer folds, or repeat the cross-validation and average",
        )
    sorted_ = [label.name for label in seen if label.blocks_without > 1 + 3 * label.folds_without]
    if sorted_:
        yield Finding(
            "warning",
            "sorted rows",
            f"observed in some stretches of the rows only: {name_some(sorted_)}",
            "shuffle before cross-validation: KFold(shuffle=True)",
        )


def _repeats(audit: Audit) -> Iterable[Finding]:
    repeats = audit.repeats
    if repeats.n_contradictory_groups:
        rows = " and ".join(str(row) for row in repeats.examples[0][:2])
        n = repeats.n_contradictory_groups
        yield Finding(
            "warning",
            "contradictions",
            f"{repeats.n_contradictory_rows} rows in {n} group{'s' * (n > 1)} have equal features "
            f"and contradictory rankings (first: rows {rows})",
            "no learner can tell them apart: this is noise, or a feature is missing that decides",
        )
    elif repeats.n_groups:
        yield Finding(
            "note",
            "repeats",
            f"{repeats.n_rows} rows have the same features as another row",
            "keep equal rows in one fold (--groups, or GroupKFold), or scores will flatter",
        )


def _features(audit: Audit) -> Iterable[Finding]:
    features = audit.features
    mostly = [name for name, rate in features.missing.items() if _MOSTLY_MISSING <= rate < 1]
    some = len(features.missing) - len(mostly) - len(features.empty)
    if not audit.n_features:
        yield Finding(
            "note",
            "no features",
            "there are no features",
            "only one ranking for all rows can be made",
        )
    if features.infinite:
        yield Finding(
            "serious",
            "infinite features",
            f"features with infinite values: {name_some(features.infinite)}",
            "replace them by NaN or by a large number",
        )
    for names, topic, what, remedy in (
        (features.text, "text features", "features that hold texts", "TableRanker takes them"),
        (features.empty, "empty features", "features missing in every row", "drop them"),
        (
            features.identifiers,
            "identifiers",
            "whole numbers that differ in every row and look like identifiers",
            "drop them: what is learned of the number of a row holds for no new one",
        ),
        (features.constant, "constant features", "features that never vary", "drop them"),
        (mostly, "missing features", "features missing in half of the rows or more", "look why"),
    ):
        if names:
            yield Finding("warning", topic, f"{what}: {name_some(list(names))}", remedy)
    if some:
        yield Finding(
            "note",
            "missing features",
            f"{some} feature{'s have' if some > 1 else ' has'} missing values",
            "trees and forests take them; the commands fill them for other learners",
        )


def _consensus(audit: Audit) -> Iterable[Finding]:
    comparisons = audit.comparisons
    if len(comparisons.groups) == 1 and len(comparisons.tiers) > 1:
        yield Finding(
            "note",
            "tiers",
            f"{len(comparisons.tiers)} tiers of labels: no row puts another label before "
            f"{name_some(comparisons.tiers[0])}",
            "a learner will predict the same; models such as Plackett-Luce or Bradley-Terry have "
            "no finite fit to all labels at once",
        )
    tau = comparisons.consensus_tau
    if tau is not None and tau >= _HIGH_CONSENSUS:
        yield Finding(
            "note",
            "consensus",
            f"one ranking for all rows already reaches tau {tau:.2f}",
            "features can add little; compare every score with this floor",
        )


_LOOKS: tuple[Callable[[Audit], Iterable[Finding]], ...] = (
    _rows,
    _comparisons,
    _look_alikes,
    _folds,
    _repeats,
    _features,
    _consensus,
)
