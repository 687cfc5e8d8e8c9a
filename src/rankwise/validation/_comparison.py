"""The result of a comparison: tables of tau, of times and of tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankwise._arguments import check_arguments
from rankwise._html import join, notebook, tag
from rankwise._parameters import check_number
from rankwise.validation._costs import REFERENCES, SINGLE, shares_closed
from rankwise.validation._statistics import (
    Friedman,
    PairTest,
    friedman,
    mean_sd,
    summarize,
    wilcoxon_note,
    wilcoxon_pairs,
)
from rankwise.validation._tables import Estimate, PValue, ResultTable

if TYPE_CHECKING:
    import pandas as pd

    from rankwise.validation.running import Outcome

MEASURES = ("tau", "tau_on_orders", "fit_seconds", "predict_seconds")
# Of data sets with ties: Emond and Mason's tau, by which a tie is an answer.
TIED = ("tau_x",)
# Of data sets that say what a choice costs.
_FIGURES = ("regret", "regret_of_top", "value")
COSTS = (
    *_FIGURES,
    *(f"{who}_{what}" for who in REFERENCES for what in _FIGURES),
    "n_train",
    "n_test",
)


@check_arguments
@dataclass(frozen=True)
class Failure:
    """A fold that has no result.

    Parameters
    ----------
    dataset, method : str
        Of which data, by which method.
    missing : float
        The share of labels that was deleted.
    repetition, fold : int
        Which one.
    error : str
        Why.
    is_refusal : bool
        Whether it takes no such data by design: incomplete or tied rankings, weights, gaps.
    """

    dataset: str
    method: str
    missing: float
    repetition: int
    fold: int
    error: str
    is_refusal: bool = False


@check_arguments
@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Parameters
    ----------
    methods, datasets : tuple of str
        What was compared, and on what.
    missing : tuple of float
        Shares of training labels deleted.
    records : tuple of dict
        One per fold: where it belongs, tau, and seconds of fit and prediction.
    failures : tuple of Failure
        Folds without a result. A mean is given only where no fold failed.
    n_reused : int
        How many folds were there before the run.
    plans : dict of str to str
        By which folds each data set was divided.
    filled : tuple of str
        Methods for which gaps in features were filled with the mean of the training rows.
    units : dict of str to str
        The unit of the values of each data set that says what a choice costs.
    top : int
        How many labels may be tried, for the second figure of what is lost.
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    missing: tuple[float, ...]
    records: tuple[dict[str, Any], ...] = field(repr=False)
    failures: tuple[Failure, ...] = field(default=(), repr=False)
    n_reused: int = 0
    plans: dict[str, str] = field(default_factory=dict, repr=False)
    filled: tuple[str, ...] = field(default=(), repr=False)
    units: dict[str, str] = field(default_factory=dict, repr=False)
    top: int = 3

    def values(
        self, dataset: str, method: str, missing: float, measure: str = "tau"
    ) -> list[float]:
        """Return a measure of every fold of a method on a data set."""
        return self._values.get((measure, dataset, method, missing), [])

    def estimate(self, dataset: str, method: str, missing: float, measure: str = "tau") -> Estimate:
        """Return mean and standard deviation over folds; absent where a fold failed."""
        if (dataset, method, missing) in self._failed:
            return Estimate(math.nan)
        return Estimate(*mean_sd(self.values(dataset, method, missing, measure)))

    def scores(self, missing: float | None = None) -> dict[str, list[float]]:
        """Return, per method, the mean tau on each data set; methods that have none are left out."""
        rate = self._rate(missing)
        found = {
            method: [self.estimate(dataset, method, rate).mean for dataset in self.datasets]
            for method in self.methods
        }
        return {name: taus for name, taus in found.items() if not all(map(math.isnan, taus))}

    def friedman(self, missing: float | None = None, alpha: float = 0.05) -> Friedman:
        """Test whether all methods are equally good over the data sets."""
        return friedman(self.scores(missing), alpha)

    def wilcoxon(self, missing: float | None = None) -> list[PairTest]:
        """Compare every two methods over the data sets."""
        return wilcoxon_pairs(self.scores(missing))

    def tau_table(self, missing: float | None = None) -> ResultTable:
        """Return the table of tau: data sets by methods, the best in bold, with average ranks."""
        rate = self._rate(missing)
        rows: list[list[Any]] = []
        for dataset in self.datasets:
            cells = [self.estimate(dataset, method, rate) for method in self.methods]
            rows.append([dataset, *_best_marked(cells)])
        notes = ["Kendall's tau on ranks, mean ± standard deviation over folds."]
        kinds: dict[str, list[str]] = {}
        for dataset, plan in self.plans.items():
            if "own" in plan or "groups" in plan:
                kinds.setdefault(plan, []).append(dataset)
        notes += [f"Of {', '.join(names)}: {plan}." for plan, names in kinds.items()]
        if self.filled:
            names = ", ".join(self.filled)
            notes.append(f"Gaps in features were filled with the training rows' mean for {names}.")
        if len(self.scores(rate)) > 1:
            ranks = self.friedman(rate).average_ranks
            cells = [Estimate(ranks.get(name, math.nan), decimals=2) for name in self.methods]
            rows.append(["average rank", *cells])
        if rate:
            notes.append(f"{rate:.0%} of the training labels were deleted, and no test label.")
        return ResultTable(_titled("Kendall tau", rate), ["data set", *self.methods], rows, notes)

    def tied_table(self, missing: float | None = None) -> ResultTable | None:
        """Return the table of tau_x of data sets with ties; None where there are no ties."""
        rate = self._rate(missing)
        rows: list[list[Any]] = []
        for dataset in self.datasets:
            cells = [self.estimate(dataset, method, rate, TIED[0]) for method in self.methods]
            if not all(math.isnan(cell.mean) for cell in cells):
                rows.append([dataset, *_best_marked(cells)])
        if not rows:
            return None
        notes = [
            "Emond and Mason's tau_x: a tie that is predicted as a tie counts as a pair in the right "
            "order; one that is broken counts neither for nor against. Mean ± standard deviation over "
            "folds."
        ]
        return ResultTable(_titled("tau_x", rate), ["data set", *self.methods], rows, notes)

    def gap_closed(self, dataset: str, method: str, missing: float | None = None) -> Estimate:
        """Return the share of the gap between single and virtual best that a method closes."""
        place = dataset, method, self._rate(missing)
        lost, gaps, sizes = (
            self.values(*place, measure) for measure in ("regret", f"{SINGLE}_regret", "n_test")
        )
        closed = shares_closed(lost, gaps, [int(n) for n in sizes])
        return self._with_interval(place, closed, "gap_closed")

    def cost(
        self, dataset: str, method: str, missing: float | None = None, measure: str = "regret"
    ) -> Estimate:
        """Return what choices cost over folds, with the interval of the mean that `evaluate` gives."""
        place = dataset, method, self._rate(missing)
        return self._with_interval(place, self.values(*place, measure), measure)

    def _with_interval(
        self, place: tuple[str, str, float], per_fold: Sequence[float], measure: str
    ) -> Estimate:
        if place in self._failed or not len(per_fold):
            return Estimate(math.nan)
        n_train, n_test = (sum(self.values(*place, name)) for name in ("n_train", "n_test"))
        for who in REFERENCES:
            measure = measure.removeprefix(f"{who}_")  # it lies between the same ends
        found = summarize(per_fold, n_test / max(1, n_train), measure)
        mean, sd, low, high = (
            math.nan if (figure := found[name]) is None else float(figure)
            for name in ("mean", "sd", "low", "high")
        )
        return Estimate(mean, sd, low=low, high=high)

    def cost_table(self, missing: float | None = None) -> ResultTable | None:
        """Return what choices cost, by methods and by the single and the virtual best label.

        None where no data set holds values and says which are better.
        """
        rate = self._rate(missing)
        rows: list[list[Any]] = []
        for dataset, unit in self.units.items():
            in_unit = f" ({unit})" if unit else ""
            names = {
                "regret": "lost",
                "regret_of_top": f"lost, best of {self.top}",
                "value": "value",
            }
            for measure, name in names.items():
                cells = [self.cost(dataset, method, rate, measure) for method in self.methods]
                of_all = [self._reference(dataset, rate, f"{who}_{measure}") for who in REFERENCES]
                if all(math.isnan(cell.mean) for cell in cells):
                    continue  # so many labels would be all of them
                if measure != "value":
                    cells = _least_marked(cells)
                rows.append([dataset, f"{name}{in_unit}", *_sized([*cells, *of_all])])
            shares = [self.gap_closed(dataset, method, rate) for method in self.methods]
            rows.append(
                [dataset, "gap closed", *_best_marked(shares), Estimate(0.0), Estimate(1.0)]
            )
        if not rows:
            return None
        notes = [
            "Lost: the best value of a row minus that of the label predicted first. Gap closed: the "
            "share of what the single best label (on average over the training rows) loses that is "
            "not lost. The virtual best knows the best label of every row. Means are over all rows, also "
            "those in which all labels are equally good; ± is the standard deviation over folds, and "
            "the interval holds the mean with 95 % (Nadeau and Bengio)."
        ]
        columns = ["data set", "measure", *self.methods, "single best", "virtual best"]
        return ResultTable(_titled("What a choice costs", rate), columns, rows, notes)

    def _reference(self, dataset: str, rate: float, measure: str) -> Estimate:
        """Return what is the same for all methods, from the first that has every fold."""
        found = (self.cost(dataset, method, rate, measure) for method in self.methods)
        return next((one for one in found if not math.isnan(one.mean)), Estimate(math.nan))

    def time_table(self, missing: float | None = None) -> ResultTable:
        """Return the table of seconds per fit and per prediction of a fold."""
        rate = self._rate(missing)
        rows = [
            [dataset, method, *(
                replace(self.estimate(dataset, method, rate, measure), decimals=4)
                for measure in ("fit_seconds", "predict_seconds")
            )]
            for dataset in self.datasets
            for method in self.methods
        ]  # fmt: skip
        notes = ["Wall-clock seconds per fold, compilation left out; folds may share the cores."]
        columns = ["data set", "method", "fit", "predict"]
        return ResultTable(_titled("Seconds", rate), columns, rows, notes)

    def speed_table(self) -> ResultTable:
        """Return, per method, tau and seconds per fold averaged over data sets."""
        rate = self.missing[0]
        rows = []
        for method in self.methods:
            means = [
                mean_sd([self.estimate(name, method, rate, measure).mean for name in self.datasets])
                for measure in ("tau", "fit_seconds", "predict_seconds")
            ]
            rows.append(
                [
                    method,
                    *(Estimate(m, decimals=d) for (m, _), d in zip(means, (3, 4, 4), strict=True)),
                ]
            )
        notes = ["Averages over data sets; seconds are wall clock, compilation left out."]
        columns = ["method", "tau", "fit seconds", "predict seconds"]
        return ResultTable(_titled("Tau and seconds per fold", rate), columns, rows, notes)

    def wilcoxon_table(self, missing: float | None = None) -> ResultTable:
        """Return the table of Wilcoxon tests of every two methods."""
        rate = self._rate(missing)
        rows = [
            [test.better, test.worse, test.difference, PValue(test.p_value), PValue(test.p_holm)]
            for test in self.wilcoxon(rate)
        ]
        columns = ["better", "worse", "mean difference", "p", "p (Holm)"]
        note = wilcoxon_note(len(self.datasets))
        title = _titled("Wilcoxon signed-rank tests", rate)
        return ResultTable(
            title,
            columns,
            rows,
            [f"{note[0].upper()}{note[1:]}." if note else "Holm's rule over all pairs."],
        )

    def fold_table(self) -> ResultTable:
        """Return every fold as a row, for programs."""
        columns = list(self.records[0]) if self.records else ["dataset", "method"]
        return ResultTable("Folds", columns, [list(record.values()) for record in self.records])

    def missing_curves(self) -> dict[str, tuple[list[float], list[float], list[float]]]:
        """Return, per method, missing rates with mean tau and its deviation.

        Tau is averaged over data sets, and the deviation is that of this average over folds. A rate
        is left out for a method that failed on one of the data sets.
        """
        curves = {}
        for method in self.methods:
            points = [(rate, *mean_sd(self._fold_means(method, rate))) for rate in self.missing]
            kept = [point for point in points if not math.isnan(point[1])]
            if kept:
                x, mean, sd = (list(column) for column in zip(*kept, strict=True))
                curves[method] = x, mean, sd
        return curves

    def failure_lines(self) -> list[str]:
        """Return one line per kind of failure, those first that refuse data by design."""
        refused = {
            (failure.method, failure.dataset, failure.missing): failure.error
            for failure in self.failures
            if failure.is_refusal
        }
        lines = [f"{_place(*where)} is left out: {error}" for where, error in refused.items()]
        groups: dict[tuple[str, str, float, str], int] = {}
        for failure in self.failures:
            if failure.is_refusal:
                continue
            key = failure.method, failure.dataset, failure.missing, failure.error
            groups[key] = groups.get(key, 0) + 1
        return lines + [
            f"{_place(method, name, rate)}: {count} {'fold' if count == 1 else 'folds'} failed: {error}"
            for (method, name, rate, error), count in groups.items()
        ]

    def _repr_html_(self) -> str:
        tables = [found for found in (self.tau_table(), self.cost_table()) if found is not None]
        failed = (tag("p", line, class_="soft") for line in self.failure_lines())
        return notebook(join(found.to_html() for found in tables), *failed)

    def to_frame(self) -> pd.DataFrame:
        """Return every fold as a row of a DataFrame."""
        import pandas as pd  # only this method needs it

        return pd.DataFrame.from_records(list(self.records))

    @cached_property
    def _values(self) -> dict[tuple[str, str, str, float], list[float]]:
        found: dict[tuple[str, str, str, float], list[float]] = {}
        for record in self.records:
            place = record["dataset"], record["method"], record["missing"]
            for measure in (*MEASURES, *TIED, *COSTS):
                if measure in record:
                    found.setdefault((measure, *place), []).append(record[measure])
        return found

    @cached_property
    def _failed(self) -> set[tuple[str, str, float]]:
        return {(failure.dataset, failure.method, failure.missing) for failure in self.failures}

    def _fold_means(self, method: str, rate: float) -> list[float]:
        """Return, per fold, tau averaged over data sets; nothing where the method failed on one."""
        if any((dataset, method, rate) in self._failed for dataset in self.datasets):
            return []
        per_dataset = [self.values(dataset, method, rate) for dataset in self.datasets]
        return [mean_sd(taus)[0] for taus in zip(*per_dataset, strict=True)]

    def _rate(self, missing: float | None) -> float:
        rate = self.missing[0] if missing is None else check_number("missing", missing)
        if rate not in self.missing:
            known = ", ".join(map(str, self.missing))
            raise ValueError(f"missing rate {missing} was not run; known are {known}")
        return rate


def collect(
    outcomes: Sequence[Outcome],
    methods: Mapping[str, str],
    plans: Mapping[str, str],
    missing: Sequence[float],
) -> Comparison:
    """Put what became of the units of a comparison into one result.

    `methods` leads from texts to names, `plans` from data sets to their folds.
    """
    records, failures = [], []
    # by the measure that only some data sets have
    optional = [
        measures
        for measures in (TIED, COSTS)
        if any(outcome.result and measures[0] in outcome.result for outcome in outcomes)
    ]
    filled: dict[str, None] = {}
    for outcome in outcomes:
        config = outcome.unit.config
        place = {
            "dataset": config["dataset"]["name"],
            "method": methods[config["method"]],
            **{key: config[key] for key in ("missing", "repetition", "fold")},
        }
        if outcome.result is None:
            failures.append(Failure(**place, error=outcome.error or ""))
        elif "refused" in outcome.result:
            failures.append(Failure(**place, error=outcome.result["refused"], is_refusal=True))
        else:
            if outcome.result.get("filled"):
                filled[place["method"]] = None
            record = place | {key: outcome.result[key] for key in MEASURES}
            for measures in optional:
                record |= {key: outcome.result.get(key, math.nan) for key in measures}
            records.append(record)
    return Comparison(
        methods=tuple(methods.values()),
        datasets=tuple(plans),
        missing=tuple(missing),
        records=tuple(records),
        failures=tuple(failures),
        n_reused=sum(outcome.reused for outcome in outcomes),
        plans=dict(plans),
        filled=tuple(filled),
    )


def _best_marked(cells: list[Estimate]) -> list[Estimate]:
    means = [round(cell.mean, 12) for cell in cells if not math.isnan(cell.mean)]
    # With a single method nothing stands out.
    highest = max(means) if len(cells) > 1 and means else math.nan
    return [replace(cell, best=round(cell.mean, 12) == highest) for cell in cells]


def _least_marked(cells: list[Estimate]) -> list[Estimate]:
    turned = _best_marked([replace(cell, mean=-cell.mean) for cell in cells])
    return [replace(cell, best=mark.best) for cell, mark in zip(cells, turned, strict=True)]


def _sized(cells: list[Estimate]) -> list[Estimate]:
    """Show as many decimals as leave four figures of the largest amount."""
    largest = max((abs(cell.mean) for cell in cells if not math.isnan(cell.mean)), default=0.0)
    decimals = 3 - math.floor(math.log10(largest)) if largest > 0 else 3
    return [replace(cell, decimals=min(max(decimals, 0), 6)) for cell in cells]


def _titled(title: str, rate: float) -> str:
    return f"{title}, {rate:.0%} of labels missing" if rate else title


def _place(method: str, dataset: str, rate: float) -> str:
    return f"{method} on {dataset}{f' at {rate:.0%} missing' if rate else ''}"
