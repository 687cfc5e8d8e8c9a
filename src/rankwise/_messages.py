"""Messages that name arguments when Python shows them, and options on the command line; warnings."""

from __future__ import annotations

import re
import shlex
import sys
import warnings
from enum import Enum

# The code of the remark on rows that rank fewer than two labels.
IDLE_ROWS = "idle-rows"
# The code of remarks on columns of texts that became features.
CATEGORIES = "categories"
_MARK = re.compile("\0([A-Z_]+):([^\0]*)\0")
# Whose lines a user did not write: this package, and those that call its estimators.
_NOT_THE_USER = {"rankwise", "sklearn", "joblib"}


class Arg(Enum):
    """What messages name: as Python spells it, and as the command line does.

    In an f-string, ``{Arg.DROP}`` leaves a mark that `Message` spells; what follows a colon there
    takes the place of the braces in the spelling.
    """

    LABELS = "labels=", "--labels"
    SOME_LABELS = "labels=['tea', 'coffee', 'water']", "--labels tea,coffee,water"
    FEATURES = "features=", "--features"
    NO_FEATURES = (
        "dataclasses.replace(dataset, X=X[:, :0], feature_names=(), recipe=None)",
        "--features ''",
    )
    DROP = "drop=[…]", "--drop"
    DROP_ONE = "drop=[{!r}]", "--drop {quoted}"
    DROP_SOME = "drop={names}", '--drop "{}"'
    LONG_COLUMNS = (
        "columns={{'row': …, 'label': …, 'value': …}}",
        "--column row=… --column label=… --column value=…",
    )
    COLUMN_FOR = "columns={{{!r}: …}}", "--column {}=…"
    NOMINAL = "nominal=", "--nominal"
    COLUMNS = "columns=", "--column"
    COLUMN_AS_VALUE = "columns={{'value': {!r}}}", "--column 'value={}'"
    COLUMN_AS_RANK = "columns={{'rank': {!r}}}", "--column 'rank={}'"
    HIGHER = "higher_is_better", "--higher-is-better"
    LOWER = "higher_is_better=False", "--lower-is-better"
    WHICH_IS_BETTER = "higher_is_better=True or False", "--higher-is-better or --lower-is-better"
    WITHIN = "within", "--within"
    CUTOFF = "cutoff", "--cutoff"
    SHEET = "sheet={!r}", "--sheet '{}'"
    FORMAT = "format={!r}", "--to {}"
    BENCHMARKS = "rankwise.datasets.available()", "rankwise datasets"
    TRAINING_DATA = (
        "pass the training data: explain(model, x, a, b, X=X, Y=Y)",
        "name the training data: --data FILE",
    )

    def __format__(self, argument: str) -> str:
        return f"\0{self.name}:{argument}\0"


class Message(str):
    """A text as Python shows it, which `for_command_line` spells for the command line.

    Parameters
    ----------
    marked : str
        The text, with a mark wherever it names an argument.
    code : str
        What the message is about, where a program must know.

    Examples
    --------
    >>> said = Message(f"column 'id' names rows; leave it out with {Arg.DROP}")
    >>> said
    "column 'id' names rows; leave it out with drop=[…]"
    >>> for_command_line(ValueError(said))
    "column 'id' names rows; leave it out with --drop"
    """

    marked: str
    code: str

    def __new__(cls, marked: str, code: str = "") -> Message:
        marked = getattr(marked, "marked", marked)
        message = super().__new__(cls, _spelled(marked, 0))
        message.marked, message.code = marked, code
        return message

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.marked, self.code)


def for_command_line(said: object) -> str:
    """Spell a message, or that of an error or a warning, for the command line."""
    if isinstance(said, BaseException) and len(said.args) == 1:
        (said,) = said.args
    return _spelled(said.marked, 1) if isinstance(said, Message) else str(said)


def warn_caller(said: str, category: type[Warning] = UserWarning) -> None:
    """Warn as of the line that a user wrote, however many calls it is away."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _NOT_THE_USER:
        level, frame = level + 1, frame.f_back
    warnings.warn(said, category, stacklevel=level)


def _spelled(marked: str, where: int) -> str:
    def spelled(mark: re.Match[str]) -> str:
        said = str(Arg[mark[1]].value[where])
        return said.format(mark[2], names=mark[2].split(","), quoted=shlex.quote(mark[2]))

    return _MARK.sub(spelled, marked)
