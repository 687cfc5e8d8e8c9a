"""What the figures of a report mean, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankwise._naming import list_some
from rankwise.report._facts import Facts, Point
from rankwise.report._held_out import FEW_ROWS, Bin, Pair

# A change of tau that is worth speaking of.
SMALL = 0.01
# Chances that are off by more, on average, are no numbers to rely on.
FAR_OFF = 0.08


def of_100_pairs(tau: float) -> str:
    """Say what a tau means.

    Examples
    --------
    >>> of_100_pairs(0.5)
    '75 of 100'
    """
    return f"{50 * (1 + tau):.0f} of 100"


def meaning_of_tau(facts: Facts, measure: str, tau: float, floor: float) -> str:
    """Say what tau against the floor means for who uses the model."""
    share = facts.held.first_is_best()
    first = (
        f" The label ranked first was the best in {share.share:.0%} of these rows; by chance it would be "
        f"in {_by_chance(facts):.0%}."
    )
    if measure != "tau":
        return (
            f"{measure} is a tau for which ties count: 1 where the ranking is the one observed with its "
            f"ties, 0 as for one that ties all labels, -1 upside down. In rows that the learner had not "
            f"seen it is {tau:.2f}; one and the same ranking for all rows, the consensus, reaches "
            f"{floor:.2f}.{first}"
        )
    return (
        f"Of two labels in a row that the learner had not seen, it puts {of_100_pairs(tau)} pairs in the "
        f"right order. One and the same ranking for all rows, the consensus, reaches "
        f"{of_100_pairs(floor)}, and guessing 50.{first}"
    )


def _by_chance(facts: Facts) -> float:
    """The share of rows in which a label drawn at random among those observed is the best."""
    n_observed = [int((row == row).sum()) for row in facts.held.data.ranks]
    shares = [1 / n for n in n_observed if n > 1]
    return sum(shares) / len(shares) if shares else math.nan


def does_it_help(facts: Facts) -> tuple[str, str]:
    """Say whether the features help, as a verdict and as a sentence."""
    gain, low, high = facts.held.gain()
    if math.isnan(gain):
        return "cannot tell", "No row left out compares two labels."
    by = f"{gain:+z.2f} in tau, with 95 % between {low:+z.2f} and {high:+z.2f}"
    if low > 0:
        return "the features help", f"Against one ranking for all rows they bring {by}."
    if high < 0:
        return "worse than the consensus", f"One ranking for all rows is better: {by}."
    return (
        "not beyond chance",
        f"What the features bring against one ranking for all may be chance: {by}.",
    )


def meaning_of_chances(bins: Sequence[Bin]) -> str:
    """Say how far chances can be taken at their word."""
    n = sum(one.came_true.n for one in bins)
    if not n:
        return "No row left out orders two labels, so that nothing is known about the chances."
    if n < FEW_ROWS:
        return f"{n} pairs of labels in rows left out are too few to judge the chances by."
    off = mean_miss(bins)
    most = max(bins, key=lambda one: one.came_true.n)
    said = (
        f"Where a chance of about {most.chance:.0%} was given, {most.came_true.share:.0%} of "
        f"{most.came_true.n:,} orders came true. "
    )
    if off <= FAR_OFF / 2:
        return said + f"On average chances are off by {off:.0%}: take them at their word."
    if off <= FAR_OFF:
        return said + f"On average chances are off by {off:.0%}: close to their word."
    return (
        said + f"On average chances are off by {off:.0%}: take them as more or less sure, no more."
    )


def mean_miss(bins: Sequence[Bin]) -> float:
    """Return how far chances are from what came true, on average over the pairs.

    Examples
    --------
    >>> from rankwise.report._held_out import Rate
    >>> round(mean_miss([Bin(0.9, Rate(10, 8)), Bin(0.6, Rate(10, 6))]), 3)
    0.05
    """
    n = sum(one.came_true.n for one in bins)
    off = (abs(one.chance - one.came_true.share) * one.came_true.n for one in bins)
    return sum(off) / n if n else math.nan


def hard_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that enough rows compare, and that may be put right no more often than by a coin."""
    return [pair for pair in pairs if pair.right.n >= FEW_ROWS and pair.right.interval[0] <= 0.5]


def rare_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that few rows compare, the rarest first."""
    return sorted(
        (pair for pair in pairs if pair.right.n < FEW_ROWS), key=lambda pair: pair.right.n
    )


def names_of(pairs: Sequence[Pair], most: int = 4) -> str:
    """Name some pairs."""
    return list_some((f"{pair.a} / {pair.b}" for pair in pairs), most, "; ")


def meaning_of_curve(curve: Sequence[Point]) -> str:
    """Say whether more rows would help."""
    half, whole = curve[-2:]
    rise = whole.tau - half.tau
    said = (
        f"A forest that learns from {half.rows:,} rows reaches tau {half.tau:.3f}, from {whole.rows:,} "
        f"rows {whole.tau:.3f}. "
    )
    if rise > 2 * SMALL:
        return said + "It still rises: more rows of the same kind will help."
    if rise > SMALL:
        return said + "It rises slowly: twice the rows may bring half of that rise again."
    return said + "More rows of the same kind would bring little; features that tell more might."
