"""Messages that name arguments when Python shows them, and options on the command line."""

from __future__ import annotations

from typing import Any

# The code of the remark on rows that rank fewer than two labels.
IDLE_ROWS = "idle-rows"

# What a message calls a thing: in Python, and on the command line.
_SPELLINGS = {
    "labels": ("labels=", "--labels"),
    "some_labels": ("labels=['tea', 'coffee', 'water']", "--labels tea,coffee,water"),
    "features": ("features=", "--features"),
    "drop": ("drop=[…]", "--drop"),
    "drop_name": ("drop=[{name!r}]", "--drop {name}"),
    "nominal": ("nominal=", "--nominal"),
    "columns": ("columns=", "--column"),
    "column_as_value": ("columns={{'value': {column!r}}}", "--column 'value={column}'"),
    "better": ("higher_is_better", "--higher-is-better"),
    "which_is_better": (
        "higher_is_better=True or False",
        "--higher-is-better or --lower-is-better",
    ),
    "lower_is_better": ("higher_is_better=False", "--lower-is-better"),
    "benchmarks": ("rankwise.datasets.available()", "rankwise datasets"),
    "no_features": (
        "dataclasses.replace(dataset, X=X[:, :0], feature_names=(), recipe=None)",
        "--features ''",
    ),
    "as_wide": ("format='wide'", "--to wide"),
    "as_ranking": ("format='ranking'", "--to ranking"),
    "training_data": (
        "pass the training data: explain(model, x, a, b, X=X, Y=Y)",
        "name the training data: --data FILE",
    ),
}


class Message(str):
    """A text as Python shows it, which `for_command_line` spells for the command line.

    Parameters
    ----------
    template : str
        The text; ``{drop}`` stands for whatever the table of spellings calls it, any other name in
        braces for one of the arguments.
    code : str
        What the message is about, where a program must know.
    **arguments
        What is put into the text; messages among them are spelled in the same way.

    Examples
    --------
    >>> said = Message("column {column!r} names rows; leave it out with {drop}", column="id")
    >>> said
    "column 'id' names rows; leave it out with drop=[…]"
    >>> for_command_line(ValueError(said))
    "column 'id' names rows; leave it out with --drop"
    """

    template: str
    code: str
    arguments: dict[str, Any]

    def __new__(cls, template: str, *, code: str = "", **arguments: Any) -> Message:
        message = super().__new__(cls, _spelled(template, 0).format(**arguments))
        message.template, message.code, message.arguments = template, code, arguments
        return message

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.template,), {"code": self.code, **self.arguments}


def for_command_line(said: object) -> str:
    """Spell a message, or that of an error or a warning, for the command line."""
    if isinstance(said, BaseException) and len(said.args) == 1:
        (said,) = said.args
    if not isinstance(said, Message):
        return str(said)
    arguments = {
        name: for_command_line(value) if isinstance(value, Message) else value
        for name, value in said.arguments.items()
    }
    return _spelled(said.template, 1).format(**arguments)


def _spelled(template: str, where: int) -> str:
    for name, spellings in _SPELLINGS.items():
        template = template.replace(f"{{{name}}}", spellings[where])
    return template
