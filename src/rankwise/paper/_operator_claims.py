"""The claims of the paper's text about Gaussian against Mallows noise, on both readings of tau."""

from __future__ import annotations

import numpy as np

from rankwise.paper._claims import Claim, Measured
from rankwise.paper._learners import PAPER
from rankwise.paper._protocol import FAMILIES
from rankwise.paper._records import READINGS, Record, find_levels

LINEAR = 0.95
REPEATS = -0.3


def _linear_decay(records: list[Record], reading: str) -> Measured:
    for operator, mallows_on in (("Gaussian", None), ("Mallows", reading)):
        for family in FAMILIES:
            levels = find_levels(records, family, "DT", operator, mallows_on)
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
        for learner in PAPER:
            gaps = _mallows_less_gaussian(records, family, learner, READINGS[reading][0], reading)
            if len(gaps):
                yield f"{learner} {family} {gaps.mean():+.3f}", gaps.mean() < 0


def _not_strict(records: list[Record], reading: str) -> Measured:
    tau, beta = READINGS[reading]
    for family in FAMILIES:
        for learner in PAPER:
            gaussian, mallows = _both_operators(records, family, learner, reading)
            pairs = [(g, m) for g in gaussian for m in mallows if _differ(g, m, tau)]
            against = {
                # less noise, and yet the lower tau
                "alpha": sum((g["alpha"] - m["alpha"]) * (g[tau] - m[tau]) > 0 for g, m in pairs),
                "beta": sum((g[beta] - m[beta]) * (g[tau] - m[tau]) < 0 for g, m in pairs),
            }
            if gaussian and mallows:
                text = " and ".join(f"{name} {count}" for name, count in against.items())
                n_pairs = len(gaussian) * len(mallows)
                yield f"{learner} {family} {text} of {n_pairs}", all(against.values())


def _differ(one: Record, other: Record, tau: str) -> bool:
    sd = max(one.get(f"{tau}_sd") or 0.0, other.get(f"{tau}_sd") or 0.0)
    return bool(abs(one[tau] - other[tau]) > sd)


def _mallows_repeats(records: list[Record], reading: str) -> Measured:
    for family in FAMILIES:
        gaps = _mallows_less_gaussian(records, family, "DT", "repeated_errors", reading)
        if len(gaps):
            higher = f"higher on {(gaps > 0).sum()} of {len(gaps)} levels"
            yield f"{family} {gaps.mean():+.3f}, {higher}", gaps.mean() > 0


def _repetition_matters(records: list[Record], reading: str) -> Measured:
    tau, beta = READINGS[reading]
    for family in FAMILIES:
        for learner in PAPER:
            levels = [
                r for part in _both_operators(records, family, learner, reading) for r in part
            ]
            levels = [r for r in levels if r.get("repeated_errors") is not None]
            if len(levels) >= 6:
                names = ("alpha", beta, "repeated_errors", tau)
                alphas, betas, repeats, taus = ([r[name] for r in levels] for name in names)
                # What is left of both when straight lines in alpha and beta are taken away.
                known = np.column_stack([np.ones(len(levels)), alphas, betas])
                both = np.column_stack([repeats, taus])
                left = both - known @ np.linalg.lstsq(known, both, rcond=None)[0]
                spread = left.std(axis=0)
                correlation = 0.0
                if (spread > 1e-9).all():
                    correlation = float((left[:, 0] * left[:, 1]).mean() / spread.prod())
                yield f"{learner} {family} {correlation:+.2f}", correlation <= REPEATS


def _both_operators(
    records: list[Record], family: str, learner: str, on: str
) -> tuple[list[Record], list[Record]]:
    return (
        find_levels(records, family, learner, "Gaussian"),
        find_levels(records, family, learner, "Mallows", on),
    )


def _mallows_less_gaussian(
    records: list[Record], family: str, learner: str, name: str, on: str
) -> np.ndarray:
    """Differences over the levels, paired in the order of alpha."""
    gaussian, mallows = (
        [r.get(name) for r in sorted(levels, key=lambda r: r["alpha"])]
        for levels in _both_operators(records, family, learner, on)
    )
    if len(mallows) != len(gaussian) or None in (*mallows, *gaussian):
        # Units failed, and levels can no longer be paired; or an older run did not measure it.
        return np.empty(0)
    return np.array(mallows, dtype=np.float64) - np.array(gaussian, dtype=np.float64)


OPERATOR_CLAIMS = (
    Claim("figure-operators", "fully grown trees decay almost linearly in alpha",
          f"a straight line explains at least {LINEAR:.0%} of tau's variance over the levels",
          _linear_decay),
    Claim("figure-operators",
          "beta is higher under Mallows noise than under Gaussian noise of the same alpha",
          "mean of beta(Mallows) - beta(Gaussian) above 0", _mallows_beta),
    Claim("figure-operators",
          "all learners do worse under Mallows noise than under Gaussian noise of the same alpha",
          "mean of tau(Mallows) - tau(Gaussian) below 0 in all six panels", _mallows_tau),
    Claim("figure-operators", "neither alpha nor beta is strictly correlated with what is learned",
          "some level of one operator has less noise than one of the other, by alpha and by beta, and "
          "yet a tau lower by more than its standard deviation over folds", _not_strict),
    Claim("figure-operators",
          "Mallows noise repeats the same wrong ranking more often than Gaussian noise of the same alpha",
          "mean of repeated errors (Mallows) - (Gaussian) above 0", _mallows_repeats),
    Claim("figure-operators", "what is learned depends on how often the same error is repeated",
          f"correlation of tau with repeated errors, alpha and beta held fixed, at most {REPEATS}",
          _repetition_matters),
)  # fmt: skip
