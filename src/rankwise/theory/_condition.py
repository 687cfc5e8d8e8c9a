"""What a condition estimator answers: an estimate, an interval, a verdict and a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from rankwise._arguments import check_arguments
from rankwise._html import Html, Number, notebook, table, tag
from rankwise._naming import shown
from rankwise._parameters import is_list

Verdict = Literal["holds", "fails", "cannot tell"]


@check_arguments
@dataclass(frozen=True)
class Condition:
    """One condition of the paper's theorems, estimated from data.

    Attributes
    ----------
    name, symbol : str
        What it is called, and its letter in the paper.
    estimate, low, high : float
        The constant with its 95% interval; NaN where the rows do not show it.
    verdict : {"holds", "fails", "cannot tell"}
    text : str
        The verdict in a sentence.
    details : dict
        What the estimate rests on, by label, pair or region.

    Examples
    --------
    >>> print(Condition("sparsity", "r", 2, 2, 3, "holds", "2 of 6 features matter"))
    sparsity: r = 2 [2, 3], holds. 2 of 6 features matter
    """

    name: str
    symbol: str
    estimate: float
    low: float
    high: float
    verdict: Verdict
    text: str
    details: dict[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        value = _number(self.estimate)
        interval = f"[{_number(self.low)}, {_number(self.high)}]"
        return f"{self.name}: {self.symbol} = {value} {interval}, {self.verdict}. {self.text}"

    def _repr_html_(self) -> str:
        return notebook(_conditions_table([self]))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, fit for JSON (None where a number is not finite).

        Examples
        --------
        >>> Condition("sparsity", "r", 2, 2, math.inf, "holds", "two").to_dict()["high"] is None
        True
        """
        return {key: _plain(value) for key, value in self.__dict__.items()}


@check_arguments
class Report(Mapping[str, Condition]):
    """All conditions of one data set, by name.

    Examples
    --------
    >>> report = Report([Condition("sparsity", "r", 2, 2, 3, "holds", "2 of 6 features matter")])
    >>> report["sparsity"].estimate
    2
    >>> print(report)
    sparsity: r = 2 [2, 3], holds. 2 of 6 features matter
    """

    def __init__(self, conditions: Sequence[Condition]) -> None:
        if not is_list(conditions) or not all(isinstance(one, Condition) for one in conditions):
            raise TypeError(
                f"conditions is {shown(conditions)}; give a list of what Condition makes"
            )
        self._conditions = {condition.name: condition for condition in conditions}

    def __getitem__(self, name: str) -> Condition:
        if name not in self._conditions:
            known = ", ".join(map(repr, self._conditions))
            raise KeyError(f"no condition {name!r}; there are {known}")
        return self._conditions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._conditions)

    def __len__(self) -> int:
        return len(self._conditions)

    def __str__(self) -> str:
        return "\n".join(str(condition) for condition in self.values())

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{c.name}: {c.verdict}" for c in self.values())
        return f"<Report {verdicts}>"

    def to_html(self) -> Html:
        """Return every condition with its verdict as a part of a page.

        Examples
        --------
        >>> one = Condition("sparsity", "r", 2, 2, 3, "holds", "2 of 6 features matter")
        >>> "2 to 3" in Report([one]).to_html()
        True
        """
        return _conditions_table(list(self.values()))

    def _repr_html_(self) -> str:
        return notebook(self.to_html())

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return every condition as plain numbers and texts, fit for JSON.

        Examples
        --------
        >>> Report([]).to_dict()
        {}
        """
        return {name: condition.to_dict() for name, condition in self.items()}

    def plot(self) -> Any:
        """Draw each estimate with its interval, one panel per condition; return the figure.

        Examples
        --------
        >>> one = Condition("sparsity", "r", 2, 2, 3, "holds", "2 of 6 features matter")
        >>> [axes.get_gid() for axes in Report([one]).plot().axes]
        ['sparsity']
        """
        # Imported here: a report that is only read needs no picture.
        from rankwise.theory._picture import draw_conditions

        return draw_conditions(list(self.values()))


def _conditions_table(conditions: list[Condition]) -> Html:
    kinds = {"holds": "verdict holds", "fails": "verdict fails", "cannot tell": "verdict"}
    rows = [
        [
            condition.name,
            tag("span", condition.verdict, class_=kinds[condition.verdict]),
            Number(f"{condition.symbol} = {_number(condition.estimate)}"),
            Number(_range(condition.low, condition.high)),
            condition.text,
        ]
        for condition in conditions
    ]
    return table(["condition", "verdict", "estimate", "95 % interval", "why"], rows, prose=[4])


def interval(draws: Any, among: int = 1) -> tuple[float, float]:
    """Return the ends of a 95% interval of draws; infinite draws stay infinite.

    Where the worst of several constants is reported, each needs an interval that is wider, so that all
    of them hold at once: `among` is their number (Bonferroni).

    Examples
    --------
    >>> interval([1.0, 2.0, np.inf])
    (1.0, inf)
    """
    tail = 0.025 / among
    low, high = np.quantile(np.asarray(draws, dtype=np.float64), [tail, 1 - tail], method="nearest")
    return float(low), float(high)


def judge(low: float, high: float, limit: float) -> Verdict:
    """Say whether a constant is surely `limit` or more, surely below it, or neither."""
    return "holds" if low >= limit else "fails" if high < limit else "cannot tell"


def _number(value: float) -> str:
    if value != value:
        return "unknown"
    return f"{value:.3g}" if abs(value) >= 0.0005 else "0"  # and not -7.31e-05


def _range(low: float, high: float) -> str:
    """Write an interval.

    Examples
    --------
    >>> _range(0.5, 1), _range(1, math.inf), _range(math.nan, math.nan)
    ('0.5 to 1', '1 or more', 'unknown')
    """
    if low != low and high != high:
        return "unknown"
    if high == math.inf > low:
        return f"{_number(low)} or more"
    return f"{_number(low)} to {_number(high)}"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
