"""Which differences between methods over data sets are more than chance."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._naming import shown
from rankwise._parameters import check_number, check_numbers, is_dict

# Below this many data sets not even a win on each gives p < 0.05 in Wilcoxon's test.
_FEWEST_FOR_WILCOXON = 6


@check_arguments
@dataclass(frozen=True)
class Friedman:
    """Friedman's test of "all methods are equally good", and Nemenyi's critical difference.

    Parameters
    ----------
    average_ranks : dict
        From method to its average rank over data sets, 1 = best; ties share their ranks.
    n_datasets : int
        Data sets on which all methods have a figure; only these count.
    statistic, p_value : float
        Friedman's chi square and its p-value; NaN where `note` says why.
    critical_difference : float
        Average ranks further apart than this differ at level `alpha` (Nemenyi).
    alpha : float
        Level of the critical difference.
    note : str
        Why a figure is missing or weak; empty if none is.
    """

    average_ranks: dict[str, float]
    n_datasets: int
    statistic: float
    p_value: float
    critical_difference: float
    alpha: float
    note: str = ""


@check_arguments
@dataclass(frozen=True)
class PairTest:
    """Wilcoxon's signed-rank test of two methods over data sets.

    Parameters
    ----------
    better, worse : str
        The two methods, the one with the higher mean first.
    difference : float
        Mean difference over data sets, not negative.
    p_value, p_holm : float
        Two-sided, for this pair alone and corrected for all pairs by Holm's rule.
    """

    better: str
    worse: str
    difference: float
    p_value: float
    p_holm: float


def mean_sd(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation of the values that are numbers.

    The standard deviation divides by n - 1, and is NaN for a single value.

    Parameters
    ----------
    values : sequence of float
        NaN is left out.

    Examples
    --------
    >>> mean_sd([0.5, 0.75, 1.0])
    (0.75, 0.25)
    """
    kept = np.array([value for value in _floats("values", values) if not math.isnan(value)])
    if not kept.size:
        return math.nan, math.nan
    return float(kept.mean()), float(kept.std(ddof=1)) if kept.size > 1 else math.nan


# Between what the mean of a measure lies, whatever the data.
_BOUNDS = {
    **dict.fromkeys(("tau", "tau_x"), (-1.0, 1.0)),
    **dict.fromkeys(("exact", "compatible", "top1"), (0.0, 1.0)),
    "gap_closed": (-math.inf, 1.0),
    **dict.fromkeys(("regret", "regret_of_top"), (0.0, math.inf)),
}


@check_arguments
def summarize(
    values: Sequence[float], test_share: float = 0.0, measure: str = ""
) -> dict[str, float | int | None]:
    """Return mean, standard deviation and a 95 % interval of the mean; None where there is none.

    Parameters
    ----------
    values : sequence of float
        NaN is left out.
    test_share : float
        Over folds: test rows per training row. Folds share their training rows, so that their mean
        varies more than that of independent values (Nadeau and Bengio 2003).
    measure : str
        What the values are, such as ``"tau"`` or ``"top1"``: no interval of a share goes below 0 or
        above 1.

    Examples
    --------
    >>> found = summarize([0.5, 0.75, 1.0], test_share=0.5)
    >>> found["mean"], found["sd"], round(found["low"], 2), found["n"]
    (0.75, 0.25, -0.23, 3)
    >>> summarize([0.5, 0.75, 1.0], 0.5, measure="top1")["high"]
    1.0
    """
    from scipy.stats import t as student

    check_number("test_share", test_share)
    n = int(np.isfinite(check_numbers("values", values, 1)).sum())
    mean, sd = mean_sd(values)
    if n < 2:
        return {"mean": mean if n else None, "sd": None, "low": None, "high": None, "n": n}
    half = float(student.ppf(0.975, n - 1)) * sd * math.sqrt(1 / n + test_share)
    least, most = _BOUNDS.get(measure, (-math.inf, math.inf))
    low, high = max(least, mean - half), min(most, mean + half)
    return {"mean": mean, "sd": sd, "low": low, "high": high, "n": n}


def average_ranks(scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return each method's average rank over data sets, 1 = best.

    Parameters
    ----------
    scores : mapping
        From method to one score per data set, higher = better. Data sets with a NaN are left out.

    Examples
    --------
    >>> average_ranks({"tea": [0.9, 0.8], "coffee": [0.7, 0.8], "water": [0.1, 0.2]})
    {'tea': 1.25, 'coffee': 1.75, 'water': 3.0}
    """
    from scipy.stats import rankdata  # costs half a second; units do not need it

    matrix = _shared(scores)
    if not matrix.size:
        return dict.fromkeys(scores, math.nan)
    # Means of equal folds may differ in the last bit when they are summed in another order.
    ranks = rankdata(-matrix.round(12), axis=1).mean(axis=0)
    return {name: float(rank) for name, rank in zip(scores, ranks, strict=True)}


def friedman(scores: Mapping[str, Sequence[float]], alpha: float = 0.05) -> Friedman:
    """Test whether all methods are equally good (Demšar 2006).

    Parameters
    ----------
    scores : mapping
        From method to one score per data set, higher = better. Data sets with a NaN are left out.
    alpha : float
        Level of Nemenyi's critical difference.

    Returns
    -------
    Friedman
        Average ranks, the test, and the critical difference.

    Examples
    --------
    >>> result = friedman({"tea": [0.9, 0.8, 0.7], "coffee": [0.7, 0.6, 0.5],
    ...                    "water": [0.1, 0.2, 0.3]})
    >>> round(result.statistic, 3), round(result.p_value, 3), round(result.critical_difference, 3)
    (6.0, 0.05, 1.914)
    """
    from scipy.stats import friedmanchisquare

    matrix = _shared(scores)
    n, k = matrix.shape
    statistic = p_value = math.nan
    if k < 3:
        note = f"Friedman's test needs three methods or more, and here are {k}"
    elif n < 2:
        note = f"Friedman's test needs two data sets or more, and all methods share {n}"
    elif (matrix.round(12) == matrix.round(12)[:, :1]).all():
        note = "all methods have equal scores on every data set"
        statistic, p_value = 0.0, 1.0
    else:
        found = friedmanchisquare(*matrix.round(12).T)
        statistic, p_value = float(found.statistic), float(found.pvalue)
        note = _weakness(n, k)
    left_out = len(next(iter(scores.values()))) - n
    if left_out:
        sets = "data set is" if left_out == 1 else "data sets are"
        note = "; ".join(filter(None, [note, f"{left_out} {sets} left out: a method failed there"]))
    difference = nemenyi(k, n, alpha) if k > 1 and n else math.nan
    return Friedman(average_ranks(scores), n, statistic, p_value, difference, alpha, note)


@check_arguments
def nemenyi(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Return by how much average ranks must differ to differ at level `alpha` (Nemenyi's test).

    Parameters
    ----------
    n_methods, n_datasets : int
        What the average ranks are ranks of, and averages over.
    alpha : float, default 0.05
        Level of the test.

    Examples
    --------
    >>> round(nemenyi(4, 14, alpha=0.05), 2)
    1.25
    """
    from scipy.stats import studentized_range

    if n_methods < 2 or n_datasets < 1:
        raise ValueError(
            f"{n_methods} methods on {n_datasets} data sets; a difference needs two methods and a "
            "data set"
        )
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}; give a level between 0 and 1, such as 0.05")
    q = studentized_range.ppf(1 - alpha, n_methods, np.inf) / math.sqrt(2)
    return float(q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def wilcoxon_pairs(scores: Mapping[str, Sequence[float]]) -> list[PairTest]:
    """Compare every two methods by Wilcoxon's signed-rank test, corrected by Holm's rule.

    Parameters
    ----------
    scores : mapping
        From method to one score per data set, higher = better. Data sets where one of the two has
        a NaN are left out for this pair.

    Returns
    -------
    list of PairTest
        Sorted by p-value; NaN where two methods share no data set.

    Examples
    --------
    >>> (test,) = wilcoxon_pairs({"tea": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4],
    ...                           "water": [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]})
    >>> test.better, test.worse, test.p_value
    ('tea', 'water', 0.03125)
    """
    pairs = []
    columns = dict(zip(scores, _by_method(scores), strict=True))
    for a, b in itertools.combinations(columns, 2):
        gaps = columns[a] - columns[b]
        gaps = gaps[~np.isnan(gaps)].round(12)
        mean = float(gaps.mean()) if gaps.size else math.nan
        better, worse = (b, a) if mean < 0 else (a, b)
        pairs.append((better, worse, abs(mean), _signed_rank(gaps)))
    corrected = holm([pair[3] for pair in pairs])
    tests = [PairTest(*pair, p_holm) for pair, p_holm in zip(pairs, corrected, strict=True)]
    return sorted(tests, key=lambda test: (math.isnan(test.p_value), test.p_value))


def wilcoxon_note(n_datasets: int) -> str:
    """Say whether there are too few data sets for Wilcoxon's test to find anything.

    Examples
    --------
    >>> wilcoxon_note(3)
    "with 3 data sets Wilcoxon's test cannot give p < 0.05; it takes 6 or more"
    >>> wilcoxon_note(10)
    ''
    """
    if n_datasets >= _FEWEST_FOR_WILCOXON:
        return ""
    sets = "data set" if n_datasets == 1 else "data sets"
    return (
        f"with {n_datasets} {sets} Wilcoxon's test cannot give p < 0.05; it takes "
        f"{_FEWEST_FOR_WILCOXON} or more"
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for their number by Holm's rule; NaN stays NaN and does not count.

    Parameters
    ----------
    p_values : sequence of float
        Of tests that belong together.

    Returns
    -------
    list of float
        In the order given.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p_values = _floats("p_values", p_values)
    corrected = [math.nan] * len(p_values)
    tested = [i for i, p in enumerate(p_values) if not math.isnan(p)]
    highest = 0.0
    for position, i in enumerate(sorted(tested, key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(tested) - position) * p_values[i]))
        corrected[i] = highest
    return corrected


def _floats(name: str, values: Any) -> list[float]:
    try:
        return [float(value) for value in values]
    except Exception:  # of whatever container this is
        raise TypeError(f"{name} is {shown(values)}; give a list of numbers") from None


def _signed_rank(gaps: np.ndarray) -> float:
    from scipy.stats import wilcoxon

    if not gaps.size:
        return math.nan
    # Methods that are equal everywhere differ by nothing.
    return float(wilcoxon(gaps).pvalue) if gaps.any() else 1.0


def _by_method(scores: Mapping[str, Sequence[float]]) -> np.ndarray:
    """Return the (method, data set) matrix of scores."""
    if not is_dict(scores):
        raise TypeError(
            f"scores is a {type(scores).__name__}; give the scores of each method by name"
        )
    if not scores:
        raise ValueError("there are no methods to compare; give two or more")
    rows = {name: _floats(f"scores[{name!r}]", values) for name, values in scores.items()}
    lengths = {name: len(values) for name, values in rows.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"methods have different numbers of scores: {lengths}; give one per data set"
        )
    return np.array(list(rows.values()), dtype=float).reshape(len(scores), -1)


def _shared(scores: Mapping[str, Sequence[float]]) -> np.ndarray:
    """Return the (data set, method) matrix of the data sets on which all methods have a score."""
    matrix = _by_method(scores).T
    return matrix[~np.isnan(matrix).any(axis=1)]


def _weakness(n: int, k: int) -> str:
    # Demšar's rule of thumb for the chi-square approximation.
    if n > 10 and k > 5:
        return ""
    return f"the p-value is approximate with {n} data sets and {k} methods"
