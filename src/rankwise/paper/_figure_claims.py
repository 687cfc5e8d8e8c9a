"""The claims of the paper's text about its figure of noise levels, on both readings of tau."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.stats import spearmanr

from rankwise.paper._claims import Claim, Measured, Verdict
from rankwise.paper._learners import PAPER
from rankwise.paper._operator_claims import OPERATOR_CLAIMS
from rankwise.paper._protocol import FAMILIES
from rankwise.paper._records import READINGS, Record, find_levels

DECAYS = -0.9
INTERPOLATES = 0.95
TOLERANT = 0.8
NEAR_ONE = 0.1
# Ratios to a beta near 0 say nothing.
_LEAST_BETA = 0.1


def judge_figure(part: str, records: list[Record]) -> list[Verdict]:
    """Judge what the text says of a figure: ``"figure-noise"`` or ``"figure-operators"``."""
    claims = [claim for claim in (*_NOISE_CLAIMS, *OPERATOR_CLAIMS) if claim.part == part]
    return [v for claim in claims for reading in READINGS for v in claim.judge(records, reading)]


def _interpolation(records: list[Record], reading: str) -> Measured:
    for family in FAMILIES:
        for learner in ("RF", "DT"):
            for record in find_levels(records, family, learner, "none"):
                tau = record[READINGS[reading][0]]
                yield f"{learner} {family} {tau:.3f}", tau >= INTERPOLATES


def _decay(records: list[Record], reading: str) -> Measured:
    for family in FAMILIES:
        levels = find_levels(records, family, "DT", "Gaussian")
        if len(levels) >= 2:
            alphas, taus = ([r[name] for r in levels] for name in ("alpha", READINGS[reading][0]))
            # where tau is the same at all levels no correlation is defined: no decay
            correlation = spearmanr(alphas, taus).statistic if np.ptp(taus) > 0 else 0.0
            yield f"{family} {correlation:.2f}", correlation <= DECAYS


def _ratio(records: list[Record], reading: str) -> Measured:
    tau, beta = READINGS[reading]
    for family in FAMILIES:
        levels = find_levels(records, family, "DT", "Gaussian")
        ratios = [r[tau] / r[beta] for r in levels if r[beta] >= _LEAST_BETA]
        if ratios:
            mean, span = np.mean(ratios), f"{min(ratios):.2f} to {max(ratios):.2f}"
            yield f"{family} mean {mean:.2f} ({span})", abs(mean - 1) <= NEAR_ONE


def _tolerance(records: list[Record], reading: str, learner: str) -> Measured:
    for family in FAMILIES:
        found = _shares_kept(records, family, (learner, "DT"), *READINGS[reading])
        if found is not None:
            near, kept, of_tree = found
            text = f"{family} keeps {kept:.0%} (DT {of_tree:.0%}) at beta {near:.2f}"
            yield text, kept >= TOLERANT and kept > of_tree


def _shares_kept(
    records: list[Record], family: str, learners: tuple[str, str], tau: str, beta: str
) -> tuple[float, ...] | None:
    """Return mean beta of the levels near 1/2, and the share of tau that each learner keeps there.

    Beta is on the same reading as tau: on orders, which weigh errors more, half of tau is lost at
    less noise. Learners are compared on levels that both have.
    """
    clean = [find_levels(records, family, name, "none") for name in learners]
    noisy = [
        {_data_set(r): r for r in find_levels(records, family, name, "Gaussian")}
        for name in learners
    ]
    shared = [r for data_set, r in noisy[0].items() if data_set in noisy[1]]
    if not all(clean) or not shared:
        return None
    # Where the training rankings have lost half of their own tau.
    distance = [abs(r[beta] - 0.5) for r in shared]
    near = [r for r, d in zip(shared, distance, strict=True) if d <= max(0.05, min(distance))]
    shares = [
        np.mean([levels[_data_set(r)][tau] for r in near]) / without[0][tau]
        for levels, without in zip(noisy, clean, strict=True)
    ]
    return tuple(map(float, (np.mean([r[beta] for r in near]), *shares)))


def _data_set(record: Record) -> tuple[float, ...]:
    """All learners of a level see one data set, which has these measures of noise."""
    return record["alpha"], record["beta"], record["beta_on_orders"]


def _beta_tells_more(records: list[Record], reading: str) -> Measured:
    tau, beta = READINGS[reading]
    for family in FAMILIES:
        for learner in PAPER:
            levels = find_levels(records, family, learner, "Gaussian")
            taus = [r[tau] for r in levels]
            if len(levels) >= 3 and np.ptp(taus) > 0:
                by_beta, by_alpha = (
                    np.corrcoef([r[name] for r in levels], taus)[0, 1] ** 2
                    for name in (beta, "alpha")
                )
                yield f"{learner} {family} {by_beta:.0%} against {by_alpha:.0%}", by_beta > by_alpha


_KEEPS = f"keeps at least {TOLERANT:.0%} of its noiseless tau at beta nearest 1/2, and more than DT"
_NOISE_CLAIMS = (
    Claim("figure-noise", "trees and forests interpolate in the noiseless setting",
          f"tau at least {INTERPOLATES} without noise", _interpolation),
    Claim("figure-noise", "fully grown trees decay as alpha grows",
          f"rank correlation of tau with alpha over the levels at most {DECAYS}", _decay),
    Claim("figure-noise", "fully grown trees fit the noise: tau over beta is about one",
          f"mean ratio within {NEAR_ONE} of 1, over levels with beta from {_LEAST_BETA} up", _ratio),
    Claim("figure-noise", "shallow trees are noise tolerant", _KEEPS,
          partial(_tolerance, learner="SDT")),
    Claim("figure-noise", "fully grown forests are noise tolerant", _KEEPS,
          partial(_tolerance, learner="RF")),
    Claim("figure-noise", "fully grown honest forests are noise tolerant", _KEEPS,
          partial(_tolerance, learner="Honest")),
    Claim("figure-noise", "beta is the more appropriate measure of noise than alpha",
          "a straight line in beta explains more of tau's variance over the levels than one in alpha",
          _beta_tells_more),
)  # fmt: skip
