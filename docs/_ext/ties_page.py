"""The tables of ``results/ties.md``, from the folds and times of ``benchmarks/ties.py``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from blocks import ResultPage, table

OURS, PEER = "ours: ", "scikit-lr: "
DEFAULT = "ours: ForestRanker"
# The columns of the first table, in their order: what stands in the file, what the table says.
SHOWN = {
    "scikit-lr: tree entropy": "its tree",
    "scikit-lr: neighbours 5": "its 5 neighbours",
    "scikit-lr: neighbours 15": "its 15 neighbours",
    "ours: tree": "`PLRTree`",
    "ours: neighbours": "`InstancePLR`",
    "ours: bagging of trees": "`PLRBagging`",
    "ours: forest of trees": "`PLRForest`",
    "ours: strict forest": "strict forest",
    DEFAULT: "`ForestRanker`",
}
# Differences below this are rounding, whatever their error.
ROUNDED = 0.0005
# Standard errors that a lead must have to be more than chance.
SURE = 2
NO_PEER = "scikit-lr was not there: no Python 3.13 was on the machine."


def write_blocks(folds: pd.DataFrame, times: pd.DataFrame) -> dict[str, Iterable[str]]:
    """The lines of each block by its name."""
    wide = folds.pivot_table(
        index=["dataset", "repetition", "fold"], columns="method", values="tau_x", sort=False
    )
    return {
        "summary": [summary(wide, times)],
        "accuracy": list(accuracy(wide)),
        "lead": list(lead(wide)),
        "equal": list(equal(wide)),
        "speed": list(speed(times)),
    }


def standard_errors(values: pd.DataFrame) -> pd.DataFrame:
    """Of means over folds, by set; training sets overlap (Nadeau and Bengio, 2003)."""
    by_set = values.groupby(level="dataset", sort=False)
    n_folds = values.index.get_level_values("fold").nunique()
    return by_set.std().mul(np.sqrt(1 / by_set.size() + 1 / (n_folds - 1)), axis=0)


def shown(wide: pd.DataFrame) -> list[str]:
    """The methods of the first table that the run has."""
    return [method for method in SHOWN if method in wide]


def summary(wide: pd.DataFrame, times: pd.DataFrame) -> str:
    """How often the default forest is first, whether equal algorithms are equal, and how fast."""
    means = wide[shown(wide)].groupby(level="dataset", sort=False).mean()
    first = int((means.idxmax(axis=1) == DEFAULT).sum())
    ahead = leads(wide)
    surely = int((ahead.gap > SURE * ahead.error).sum())
    text = (
        f"`ForestRanker()` is first on {first} of {len(means)} sets, on {surely} by more than {SURE} "
        f"standard errors of the difference from the next."
    )
    gaps, faster = differences(wide), ratios(times)
    if len(gaps):
        error = gaps.error.clip(lower=ROUNDED)
        near, behind = int((gaps.gap.abs() <= error).sum()), int((gaps.gap < -error).sum())
        text += (
            f" Of {len(gaps)} pairs of equal algorithms {near} are within one standard error, {behind} "
            f"of ours are behind by more. Trees grow {faster.min():.1f} to "
            f"{faster.max():.1f} times as fast as scikit-lr's."
        )
    return text


def accuracy(wide: pd.DataFrame) -> Iterator[str]:
    """Mean tau_x and its standard error, bold where it is the best of a set."""
    methods = shown(wide)
    means = wide[methods].groupby(level="dataset", sort=False).mean()
    errors = standard_errors(wide[methods])
    return table(
        ["data set", *(SHOWN[m] for m in methods)],
        ([name, *(cell(row[m], errors.loc[name, m], row[m] == row.max()) for m in methods)]
         for name, row in means.iterrows()),
    )  # fmt: skip


def leads(wide: pd.DataFrame) -> pd.DataFrame:
    """By set: the best of the others, how far the default forest is ahead of it, and the error of that."""
    means = wide[[m for m in shown(wide) if m != DEFAULT]].groupby(level="dataset", sort=False)
    rows = {}
    for name, other in means.mean().idxmax(axis=1).items():
        gaps = (wide[DEFAULT] - wide[other]).loc[[name]].to_frame("gap")
        rows[name] = [other, gaps.gap.mean(), standard_errors(gaps).gap.iloc[0]]
    return pd.DataFrame.from_dict(rows, orient="index", columns=["other", "gap", "error"])


def lead(wide: pd.DataFrame) -> Iterator[str]:
    """The same as a table, with how often the folds were drawn."""
    repetitions = wide.index.to_frame(index=False).groupby("dataset").repetition.nunique()
    return table(
        ["data set", "draws", "best of the others", "`ForestRanker` ahead by", "standard errors"],
        ([name, str(repetitions[name]), SHOWN[row.other], f"{row.gap:+.4f} ± {row.error:.4f}",
          f"{row.gap / row.error:+.1f}"] for name, row in leads(wide).iterrows()),
        words=["best of the others"],
    )  # fmt: skip


def cell(mean: float, error: float, is_best: bool) -> str:
    """A mean and its error."""
    text = f"{mean:.3f}"
    return f"{f'**{text}**' if is_best else text} ± {error:.3f}"


def differences(wide: pd.DataFrame) -> pd.DataFrame:
    """By algorithm that both have and by set: how far ours is ahead, and the error of that."""
    both = [m.removeprefix(PEER) for m in wide if m.startswith(PEER)]
    gaps = pd.DataFrame({m: wide[OURS + m] - wide[PEER + m] for m in both}, index=wide.index)
    means, errors = gaps.groupby(level="dataset", sort=False).mean(), standard_errors(gaps)
    rows = [
        [m, name, means.loc[name, m], errors.loc[name, m]] for m in both for name in means.index
    ]
    return pd.DataFrame(rows, columns=["algorithm", "dataset", "gap", "error"])


def equal(wide: pd.DataFrame) -> Iterator[str]:
    """Ours less theirs, with standard errors; bold where we are behind by more than one."""
    gaps = differences(wide)
    if not len(gaps):
        return iter([NO_PEER])
    algorithms = list(dict.fromkeys(gaps.algorithm))
    by_place = gaps.set_index(["dataset", "algorithm"])
    rows = []
    for name in dict.fromkeys(gaps.dataset):
        cells = [by_place.loc[(name, a)] for a in algorithms]
        rows.append([name, *(signed(c.gap, c.error) for c in cells)])
    return table(["data set", *algorithms], rows)


def signed(gap: float, error: float) -> str:
    """A difference and its error."""
    text = f"{gap:+.3f} ± {error:.3f}"
    return f"**{text}**" if gap < -max(error, ROUNDED) else text


def ratios(times: pd.DataFrame) -> pd.Series:
    """How many times as long scikit-lr takes, by set and criterion."""
    wide = times.pivot_table(
        index=["dataset", "criterion"], columns="whose", values="seconds", sort=False
    )
    if "scikit-lr" not in wide:
        return pd.Series(dtype=float)
    return wide["scikit-lr"] / wide["ours"]


def speed(times: pd.DataFrame) -> Iterator[str]:
    """Milliseconds of a fit, ours, theirs and how many times as long theirs takes."""
    criteria = list(dict.fromkeys(times.criterion))
    wide = times.pivot_table(
        index=["dataset", "criterion"], columns="whose", values="seconds", sort=False
    )
    has_peer = "scikit-lr" in wide
    rows = []
    for name in dict.fromkeys(times.dataset):
        cells = [wide.loc[(name, c)] for c in criteria]
        rows.append([name, *(timed(c, has_peer) for c in cells)])
    return table(["data set", *criteria], rows)


def timed(seconds: pd.Series, has_peer: bool) -> str:
    """Ours, and theirs with the ratio."""
    ours = f"{1000 * seconds['ours']:.2f}"
    if not has_peer:
        return ours
    theirs = seconds["scikit-lr"]
    return f"{ours} / {1000 * theirs:.2f} = **{theirs / seconds['ours']:.1f}**"


PAGE = ResultPage("ties", ("summary", "accuracy", "lead", "equal", "speed"), write_blocks)
