"""The claims of the paper's text about its figures, each with a verdict and the figure behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from rankwise.paper._protocol import FAMILIES
from rankwise.paper._records import Record

READINGS = {
    "ranks": ("tau", "beta"),
    "orders": ("tau_on_orders", "beta_on_orders"),
}
DECAYS = -0.9
INTERPOLATES = 0.95
TOLERANT = 0.8
NEAR_ONE = 0.1
LINEAR = 0.95
# Ratios to a beta near 0 say nothing.
_LEAST_BETA = 0.1


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


def judge_noise(records: list[Record]) -> list[Verdict]:
    """Judge what the text says of the main figure."""
    return _judge((_interpolation, _decay, _ratio, _tolerance_of_sdt, _tolerance_of_rf), records)


def judge_operators(records: list[Record]) -> list[Verdict]:
    """Judge what the text says of Gaussian against Mallows noise."""
    return _judge((_linear_decay, _mallows_beta, _mallows_tau), records)


def _judge(
    claims: tuple[Callable[..., Verdict | None], ...], records: list[Record]
) -> list[Verdict]:
    verdicts = (claim(records, reading) for claim in claims for reading in READINGS)
    return [verdict for verdict in verdicts if verdict is not None]


def _interpolation(records: list[Record], reading: str) -> Verdict | None:
    tau = READINGS[reading][0]
    found = [
        (family, learner, record[tau])
        for family in FAMILIES
        for learner in ("RF", "DT")
        for record in _levels(records, family, learner, "none")
    ]
    if not found:
        return None
    return Verdict(
        "figure-noise",
        "trees and forests interpolate in the noiseless setting",
        reading,
        all(value >= INTERPOLATES for _, _, value in found),
        f"tau at least {INTERPOLATES} without noise",
        ", ".join(f"{learner} {family} {value:.3f}" for family, learner, value in found),
    )


def _decay(records: list[Record], reading: str) -> Verdict | None:
    tau = READINGS[reading][0]
    found = []
    for family, levels in _families(records, "DT", "Gaussian"):
        if len(levels) < 2:
            continue
        alphas, taus = [r["alpha"] for r in levels], [r[tau] for r in levels]
        # where tau is the same at all levels no correlation is defined: no decay
        correlation = spearmanr(alphas, taus).statistic if np.ptp(taus) > 0 else 0.0
        found.append((family, float(correlation)))
    if not found:
        return None
    return Verdict(
        "figure-noise",
        "fully grown trees decay as alpha grows",
        reading,
        all(correlation <= DECAYS for _, correlation in found),
        f"rank correlation of tau with alpha over the levels at most {DECAYS}",
        ", ".join(f"{family} {correlation:.2f}" for family, correlation in found),
    )


def _ratio(records: list[Record], reading: str) -> Verdict | None:
    tau, beta = READINGS[reading]
    found = []
    for family, levels in _families(records, "DT", "Gaussian"):
        ratios = [r[tau] / r[beta] for r in levels if r[beta] >= _LEAST_BETA]
        if ratios:
            found.append((family, float(np.mean(ratios)), min(ratios), max(ratios)))
    if not found:
        return None
    return Verdict(
        "figure-noise",
        "fully grown trees fit the noise: tau over beta is about one",
        reading,
        all(abs(mean - 1) <= NEAR_ONE for _, mean, _, _ in found),
        f"mean ratio within {NEAR_ONE} of 1, over levels with beta from {_LEAST_BETA} up",
        ", ".join(f"{f} mean {mean:.2f} ({low:.2f} to {high:.2f})" for f, mean, low, high in found),
    )


def _tolerance_of_sdt(records: list[Record], reading: str) -> Verdict | None:
    return _tolerance(records, reading, "SDT", "shallow trees are noise tolerant")


def _tolerance_of_rf(records: list[Record], reading: str) -> Verdict | None:
    return _tolerance(records, reading, "RF", "fully grown forests are noise tolerant")


def _tolerance(records: list[Record], reading: str, learner: str, claim: str) -> Verdict | None:
    kept = {
        (family, name): share
        for family in FAMILIES
        for name in (learner, "DT")
        if (share := _share_kept(records, family, name, READINGS[reading][0])) is not None
    }
    families = [f for f in FAMILIES if (f, learner) in kept and (f, "DT") in kept]
    if not families:
        return None
    return Verdict(
        "figure-noise",
        claim,
        reading,
        all(kept[f, learner] >= TOLERANT and kept[f, learner] > kept[f, "DT"] for f in families),
        f"keeps at least {TOLERANT:.0%} of its noiseless tau at beta near 1/2, and more than DT",
        ", ".join(f"{f} keeps {kept[f, learner]:.0%} (DT {kept[f, 'DT']:.0%})" for f in families),
    )


def _share_kept(records: list[Record], family: str, learner: str, tau: str) -> float | None:
    clean = _levels(records, family, learner, "none")
    noisy = _levels(records, family, learner, "Gaussian")
    if not clean or not noisy:
        return None
    # Where the training rankings have lost half of their own tau.
    distance = [abs(r["beta"] - 0.5) for r in noisy]
    near = [r for r, d in zip(noisy, distance, strict=True) if d <= max(0.05, min(distance))]
    return float(np.mean([r[tau] for r in near]) / clean[0][tau])


def _linear_decay(records: list[Record], reading: str) -> Verdict | None:
    tau, _ = READINGS[reading]
    found = []
    for operator, mallows_on in (("Gaussian", None), ("Mallows", reading)):
        for family, levels in _families(records, "DT", operator, mallows_on):
            if len(levels) >= 3:
                r = np.corrcoef([x["alpha"] for x in levels], [x[tau] for x in levels])[0, 1]
                found.append((f"{family} {operator}", float(r * r)))
    if not found:
        return None
    return Verdict(
        "figure-operators",
        "fully grown trees decay almost linearly in alpha",
        reading,
        all(r2 >= LINEAR for _, r2 in found),
        f"a straight line explains at least {LINEAR:.0%} of tau's variance over the levels",
        ", ".join(f"{name} {r2:.1%}" for name, r2 in found),
    )


def _mallows_beta(records: list[Record], reading: str) -> Verdict | None:
    _, beta = READINGS[reading]
    found = []
    for family in FAMILIES:
        differences = _mallows_less_gaussian(records, family, "DT", beta, reading)
        if len(differences):
            found.append(
                (family, differences.mean(), int((differences > 0).sum()), len(differences))
            )
    if not found:
        return None
    return Verdict(
        "figure-operators",
        "beta is higher under Mallows noise than under Gaussian noise of the same alpha",
        reading,
        all(mean > 0 for _, mean, _, _ in found),
        "mean of beta(Mallows) - beta(Gaussian) above 0",
        ", ".join(f"{f} {mean:+.3f}, higher on {up} of {n} levels" for f, mean, up, n in found),
    )


def _mallows_tau(records: list[Record], reading: str) -> Verdict | None:
    tau, _ = READINGS[reading]
    found = []
    for family in FAMILIES:
        for learner in ("RF", "DT", "SDT"):
            differences = _mallows_less_gaussian(records, family, learner, tau, reading)
            if len(differences):
                found.append((f"{learner} {family}", float(differences.mean())))
    if not found:
        return None
    return Verdict(
        "figure-operators",
        "all learners do worse under Mallows noise than under Gaussian noise of the same alpha",
        reading,
        all(mean < 0 for _, mean in found),
        "mean of tau(Mallows) - tau(Gaussian) below 0 in all six panels",
        ", ".join(f"{name} {mean:+.3f}" for name, mean in found),
    )


def _mallows_less_gaussian(
    records: list[Record], family: str, learner: str, name: str, on: str
) -> np.ndarray:
    """Differences over the levels, paired in the order of alpha."""
    pair = [
        sorted(levels, key=lambda r: r["alpha"])
        for levels in (
            _levels(records, family, learner, "Mallows", on),
            _levels(records, family, learner, "Gaussian"),
        )
    ]
    if len(pair[0]) != len(pair[1]):
        # Units failed: levels can no longer be paired.
        return np.empty(0)
    return np.array([m[name] - g[name] for m, g in zip(*pair, strict=True)])


def _families(
    records: list[Record], learner: str, operator: str, on: str | None = None
) -> Iterator[tuple[str, list[Record]]]:
    for family in FAMILIES:
        levels = _levels(records, family, learner, operator, on)
        if levels:
            yield family, levels


def _levels(
    records: list[Record], family: str, learner: str, operator: str, on: str | None = None
) -> list[Record]:
    wanted = (family, learner, operator, on)
    return [
        r for r in records if (r["family"], r["learner"], r["operator"], r["mallows_on"]) == wanted
    ]
