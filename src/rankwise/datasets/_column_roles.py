"""What the columns of a table are: rankings, weights, names of rows, features."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from rankwise._messages import Arg, Message
from rankwise._naming import name_some
from rankwise.datasets._recipe import Recipe
from rankwise.datasets._text import DataFileError

# Options that say more of values.
OF_VALUES = ("unit", "cutoff", "penalty", "replicates", "within")
TABLES = ("scikit-lr", "ranking", "wide", "long")
ROLES = ("row", "label", "rank", "value", "ranking", "weight", "group")
# No feature of a user is likely to be called so, which a plain "weight" often is.
WEIGHT, ROW, GROUP, FOLD = "@weight", "@row", "@group", "@fold"
# Of a long table: of each value, and of all of them.
SPREAD, COUNT = "@spread", "@count"
BETTER, UNIT, CUTOFF, PENALTY = "@better", "@unit", "@cutoff", "@penalty"
_OF_ROWS = re.compile(r"@(?:weight|row|group|fold(?: \d+)?)")
_OF_VALUES = (SPREAD, COUNT, BETTER, UNIT, CUTOFF, PENALTY)
RANKING = "ranking"
_FEATURE, _LABEL = re.compile(r"A\d+"), re.compile(r"L\d+")


@dataclass(frozen=True)
class Layout:
    """How a table holds its rankings, as it was found or said.

    Parameters
    ----------
    name : str
        ``"scikit-lr"``, ``"ranking"``, ``"wide"`` or ``"long"``; ``"aslib"`` for a scenario.
    roles : mapping
        Names of special columns that the user gave, but for that of weights.
    rankings : sequence of str
        The columns that hold the rankings.
    higher_is_better : bool, optional
        Which scores are better; None for ranks.
    values : mapping
        What else the user said of them, by the names of `ReadOptions`: unit, cutoff, and so on.
    """

    name: str
    roles: Mapping[str, str] = field(default_factory=dict)
    rankings: Sequence[str] = ()
    higher_is_better: bool | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FittedTable:
    """What a model keeps of the table it was fitted to, to read another one alike."""

    recipe: Recipe
    labels: tuple[str, ...]
    layout: Layout | None = None


@dataclass(frozen=True)
class ReadOptions:
    """What a user may say about a file; see `rankwise.datasets.read`."""

    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    drop_names: bool = False
    labels: tuple[str, ...] | None = None
    nominal: tuple[str, ...] = ()
    higher_is_better: bool | None = None
    unit: str = ""
    cutoff: float | None = None
    penalty: float = 10.0
    replicates: str = "mean"
    within: float | str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    sheet: str | None = None
    like: FittedTable | None = None

    def role(self, role: str, default: str | None = None) -> str:
        """Return the name of the column that plays `role`."""
        return self.columns.get(role, default or role)

    def of_values(self) -> dict[str, Any]:
        """Return what is said of values, apart from their direction, where it is not the usual."""
        said = {name: getattr(self, name) for name in OF_VALUES}
        usual = {part.name: part.default for part in fields(self) if part.name in OF_VALUES}
        return {name: value for name, value in said.items() if value != usual[name]}

    @property
    def chooses_columns(self) -> bool:
        """Whether columns of which nothing can be learnt are left out: they were not named."""
        return self.drop_names and self.features is None

    @property
    def recipe(self) -> Recipe | None:
        """The recipe to apply; None: it is to be learned."""
        return None if self.like is None else self.like.recipe


def find_layout(
    header: Sequence[str], options: ReadOptions, name: str | None = None
) -> tuple[Layout, ReadOptions, list[Message]]:
    """Find how a table holds its rankings, from its header and what the user says about it.

    What the user leaves open is as in the table `options.like`: the layout where the columns that
    held the rankings are there, and which scores are better where the cells may be scores. Returns
    the options with that filled in, and remarks on it.

    Examples
    --------
    >>> find_layout(["hour", "Ranking"], ReadOptions())[0].name
    'ranking'
    >>> find_layout(["hour", "tea", "water"], ReadOptions(labels=("tea", "water")))[0].rankings
    ['tea', 'water']
    """
    like = None if options.like is None else options.like.layout
    if options.like is not None:
        options = replace(options, labels=options.labels or options.like.labels)
    held = set(like.rankings) if like else set()
    if like and held and held <= set(header) and name is None and not options.columns:
        # The column that named the rows of a wide table may be missing now.
        roles = {r: c for r, c in like.roles.items() if r != "row" or c in header}
        name, options = like.name, replace(options, columns=roles)
    if name not in TABLES:
        name = _recognised(header, options)
    remarks = []
    higher = options.higher_is_better
    may_hold_scores = holds_values(header, options) if name == "long" else name != "ranking"
    if like and higher is None and may_hold_scores:
        higher = like.higher_is_better
        options = replace(options, higher_is_better=higher)
        if higher is not None:
            options = replace(options, **{**like.values, **options.of_values()})
            about = "".join(f", {name} {value}" for name, value in like.values.items())
            said = f"{'higher' if higher else 'lower'} is better{about}, as at fitting"
            doubt = f"; say {Arg.LOWER} if they are ranks" if higher and name != "long" else ""
            remarks.append(Message(f"cells are read as scores, {said}{doubt}"))
    of_rows = ("weight", "group")
    roles = {role: column for role, column in options.columns.items() if role not in of_rows}
    taken = set(ranking_columns(header, options, name))
    if name != "long":
        # One of another name may be missing in later files.
        taken.add(WEIGHT)
    found = Layout(
        name, roles, [column for column in header if column in taken], higher, options.of_values()
    )
    return found, options, remarks


def _recognised(header: Sequence[str], options: ReadOptions) -> str:
    roles = options.columns
    if "ranking" in roles or _named_ranking(header):
        return "ranking"
    is_long = {"row", "label"} <= set(header) and (
        ("rank" in header) != ("value" in header)
        or holds_both(header, options)
        or bool({"rank", "value"} & set(roles))
    )
    # Without labels in a column of their own, `row` says which column names the rows.
    if "label" in roles or ("row" in roles and "label" in header) or is_long:
        return "long"
    return "scikit-lr" if options.labels is None and is_scikit_lr(header) else "wide"


def ranking_columns(header: Sequence[str], options: ReadOptions, name: str) -> list[str]:
    """Return the columns that hold the rankings, in a layout; none if nobody says which they are.

    One with texts such as ``a>b``; or those with the row, the label, and its rank or value; or one
    per label.
    """
    if name == "ranking":
        return [options.columns.get("ranking") or _named_ranking(header) or RANKING]
    if name == "long":
        if holds_both(header, options):
            return ["row", "label", "rank", "value"]
        amount = "value" if holds_values(header, options) else "rank"
        return [options.role(role) for role in ("row", "label", amount)]
    if name == "scikit-lr" and options.labels is None:
        return [column for column in header if _LABEL.fullmatch(column)]
    return list(options.labels or ())


def _named_ranking(header: Sequence[str]) -> str | None:
    return next((name for name in header if name.lower() == RANKING), None)


def holds_values(header: Sequence[str], options: ReadOptions) -> bool:
    """Tell whether a long table holds values and not ranks."""
    roles = options.columns
    return "value" in roles or ("rank" not in roles and "rank" not in header)


def holds_both(header: Sequence[str], options: ReadOptions) -> bool:
    """Tell whether a long table holds ranks, and the values that they were made of, as `write` does."""
    return {"row", "label", "rank", "value", BETTER} <= set(header) and not (
        {"row", "label", "rank", "value"} & set(options.columns)
    )


def row_columns(header: Sequence[str], options: ReadOptions) -> dict[str, list[str]]:
    """Return the columns that say something of whole rows, by what they say.

    Examples
    --------
    >>> row_columns(["hour", "farm", "@weight", "@fold"], ReadOptions(columns={"group": "farm"}))
    {'weights': ['@weight'], 'row_names': [], 'groups': ['farm'], 'folds': ['@fold']}
    """
    found = [column for column in header if _OF_ROWS.fullmatch(column)]
    said = {"weights": ("weight", WEIGHT), "row_names": ("row", ROW), "groups": ("group", GROUP)}
    columns = {
        part: [options.role(role, usual)] if role in options.columns or usual in found else []
        for part, (role, usual) in said.items()
    }
    return columns | {"folds": [column for column in found if column.startswith(FOLD)]}


def value_columns(header: Sequence[str]) -> list[str]:
    """Return the columns of a long table that say more of its values."""
    return [column for column in header if column in _OF_VALUES]


def is_scikit_lr(header: Sequence[str]) -> bool:
    """Tell whether all columns are called ``A1, A2, …`` (features) or ``L1, L2, …`` (ranks)."""
    labels = [name for name in header if _LABEL.fullmatch(name)]
    others = [name for name in header if name not in labels and not _OF_ROWS.fullmatch(name)]
    return len(labels) >= 2 and all(_FEATURE.fullmatch(name) for name in others)


def refuse_odd_names(path: Path, features: Sequence[str]) -> None:
    """Refuse features that scikit-lr's format does not know."""
    odd = next((name for name in features if not _FEATURE.fullmatch(name)), None)
    if odd is not None:
        raise DataFileError(
            path,
            f"column {odd!r} is called neither A1, A2, … nor L1, L2, …; name the columns wanted in "
            f"{Arg.FEATURES}",
        )


def choose_features(
    path: Path | str, header: Sequence[str], taken: Sequence[str], options: ReadOptions
) -> list[int]:
    """Return which columns become features: those of the recipe, those named, or all that are left."""
    if options.recipe is not None:
        names = [column.name for column in options.recipe.columns]
        options.recipe.places(path, header)
    elif options.features is not None:
        names = list(options.features)
        if options.drop:
            raise DataFileError(
                path, f"{Arg.FEATURES} already says what to take; leave {Arg.DROP} out"
            )
    else:
        for name in options.drop:
            if name not in header:
                raise DataFileError(
                    path,
                    f"{Arg.DROP_ONE:{name}}: there is no such column; the columns are "
                    f"{name_some(header, 20)}",
                )
        names = [name for name in header if name not in {*taken, *options.drop}]
    both = set(names) & set(taken)
    if both:
        raise DataFileError(
            path, f"column {min(both)!r} is named as a feature, and it is what is to be learnt"
        )
    lost = set(options.nominal) - set(names)
    if lost:
        raise DataFileError(
            path, f"{Arg.NOMINAL} names {min(lost)!r}, which is not one of the features"
        )
    return places(path, header, names, "feature")


def places(
    path: Path | str,
    header: Sequence[str],
    names: Sequence[str],
    what: str,
    remedies: Mapping[str, str] | None = None,
) -> list[int]:
    """Return where `names` stand in the header, or say which one is not there, with its remedy."""
    place = {name: j for j, name in enumerate(header)}
    for name in names:
        if name not in place:
            remedy = (remedies or {}).get(name, "")
            raise DataFileError(
                path,
                f"there is no {what} column {name!r}{remedy}; the columns are {name_some(header, 20)}",
            )
    if len(set(names)) < len(names):
        raise DataFileError(path, f"a {what} column is named twice in {list(names)}")
    return [place[name] for name in names]
