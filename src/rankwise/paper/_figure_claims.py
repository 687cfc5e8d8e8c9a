"""The claims of the paper's text about its figures, judged on both readings of tau."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.stats import spearmanr

from rankwise.paper._claims import Claim, Measured, Verdict
from rankwise.paper._protocol import FAMILIES
from rankwise.paper._records import Record

# what tau is taken on -> the names of tau and of beta in a record
READINGS = {"ranks": ("tau", "beta"), "orders": ("tau_on_orders", "beta_on_orders")}
DECAYS = -0.9
INTERPOLATES = 0.95
TOLERANT = 0.8
NEAR_ONE = 0.1
LINEAR = 0.95
# Ratios to a beta near 0 say nothing.
_LEAST_BETA = 0.1


def judge_figure(part: str, records: list[Record]) -> list[Verdict]:
    """Judge what the text says of a figure: ``"figure-noise"`` or ``"figure-operators"``."""
    claims = [claim for claim in _CLAIMS if claim.part == part]
    return [v for claim in claims for reading in READINGS for v in claim.judge(records, reading)]


def _interpolation(records: list[Record], reading: str) -> Measured:
    for family in FAMILIES:
        for learner in ("RF", "DT"):
            for record in _levels(records, family, learner, "none"):
                tau = record[READINGS[reading][0]]
                yield f"{learner} {family} {tau:.3f}", tau >= INTERPOLATES


def _decay(records: list[Record], reading: str) -> Measured:
    for family in FAMILIES:
        levels = _levels(records, family, "DT", "Gaussian")
        if len(levels) >= 2:
            alphas, taus = ([r[name] for r in levels] for name in ("alpha", READINGS[reading][0]))
            # where tau is the same at all levels no correlation is defined: no decay
            correlation = spearmanr(alphas, taus).statistic if np.ptp(taus) > 0 else 0.0
            yield f"{family} {correlation:.2f}", correlation <= DECAYS


def _ratio(records: list[Record], reading: str) -> Measured:
    tau, beta = READINGS[reading]
    for family in FAMILIES:
        levels = _levels(records, family, "DT", "Gaussian")
        ratios = [r[tau] / r[beta] for r in levels if r[beta] >= _LEAST_BETA]
        if ratios:
            mean, span = np.mean(ratios), f"{min(ratios):.2f} to {max(ratios):.2f}"
            yield f"{family} mean {mean:.2f} ({span})", abs(mean - 1) <= NEAR_ONE


def _tolerance(records: list[Record], reading: str, learner: str) -> Measured:
    for family in FAMILIES:
        kept, of_tree = (
            _share_kept(records, family, name, READINGS[reading][0]) for name in (learner, "DT")
        )
        if kept is not None and of_tree is not None:
            text = f"{family} keeps {kept:.0%} (DT {of_tree:.0%})"
            yield text, kept >= TOLERANT and kept > of_tree


def _share_kept(records: list[Record], family: str, learner: str, tau: str) -> float | None:
    clean = _levels(records, family, learner, "none")
    noisy = _levels(records, family, learner, "Gaussian")
    if not clean or not noisy:
        return None
    # Where the training rankings have lost half of their own tau.
    distance = [abs(r["beta"] - 0.5) for r in noisy]
    near = [r for r, d in zip(noisy, distance, strict=True) if d <= max(0.05, min(distance))]
    return float(np.mean([r[tau] for r in near]) / clean[0][tau])


def _linear_decay(records: list[Record], reading: str) -> Measured:
    for operator, mallows_on in (("Gaussian", None), ("Mallows", reading)):
        for family in FAMILIES:
            levels = _levels(records, family, "DT", operator, mallows_on)
            if len(levels) >= 3:
                pairs = [(r["alpha"], r[READINGS[reading][0]]) for r in levels]
                r2 = np.corrcoef(pairs, rowvar=False)[0, 1] ** 2
                yield f"{family} {operator} {r2:.1%}", r2 >= LINEAR


def _mallows_beta(records: list[Record], reading: str) -> Measured:
    for family in FAMILIES:
        gaps = _mallows_less_gaussian(records, family, "DT", READINGS[reading][1], reading)
        if len(gaps):
            higher = f"higher on {(gaps > 0).sum()} of {len(gaps)} levels"
            yield f"{family} {gaps.mean():+.3f}, {higher}", gaps.mean() > 0


def _mallows_tau(records: list[Record], reading: str) -> Measured:
    for family in FAMILIES:
        for learner in ("RF", "DT", "SDT"):
            gaps = _mallows_less_gaussian(records, family, learner, READINGS[reading][0], reading)
            if len(gaps):
                yield f"{learner} {family} {gaps.mean():+.3f}", gaps.mean() < 0


def _mallows_less_gaussian(
    records: list[Record], family: str, learner: str, name: str, on: str
) -> np.ndarray:
    """Differences over the levels, paired in the order of alpha."""
    mallows, gaussian = (
        [r[name] for r in sorted(levels, key=lambda r: r["alpha"])]
        for levels in (
            _levels(records, family, learner, "Mallows", on),
            _levels(records, family, learner, "Gaussian"),
        )
    )
    if len(mallows) != len(gaussian):
        # Units failed: levels can no longer be paired.
        return np.empty(0)
    return np.subtract(mallows, gaussian)


def _levels(
    records: list[Record], family: str, learner: str, operator: str, on: str | None = None
) -> list[Record]:
    wanted = (family, learner, operator, on)
    return [
        r for r in records if (r["family"], r["learner"], r["operator"], r["mallows_on"]) == wanted
    ]


_KEEPS = f"keeps at least {TOLERANT:.0%} of its noiseless tau at beta near 1/2, and more than DT"
_CLAIMS = (
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
    Claim("figure-operators", "fully grown trees decay almost linearly in alpha",
          f"a straight line explains at least {LINEAR:.0%} of tau's variance over the levels",
          _linear_decay),
    Claim("figure-operators",
          "beta is higher under Mallows noise than under Gaussian noise of the same alpha",
          "mean of beta(Mallows) - beta(Gaussian) above 0", _mallows_beta),
    Claim("figure-operators",
          "all learners do worse under Mallows noise than under Gaussian noise of the same alpha",
          "mean of tau(Mallows) - tau(Gaussian) below 0 in all six panels", _mallows_tau),
)  # fmt: skip
