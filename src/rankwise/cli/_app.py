"""The application: global options and the list of commands; each command is one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from rankwise.cli import (
    _audit,
    _compare,
    _convert,
    _datasets,
    _demo,
    _evaluate,
    _explain,
    _fit,
    _learners,
    _predict,
    _report,
    _reproduce,
    _sample,
    _theory,
    _tune,
)
from rankwise.cli._help import RESEARCH, YOUR_DATA, Command, Group

app = typer.Typer(
    name="rankwise",
    help="Learn to rank a fixed set of labels from features.",
    epilog="Start with: rankwise demo",
    no_args_is_help=True,
    rich_markup_mode=None,
    cls=Group,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        # Imported here: every other run needs no metadata.
        from importlib.metadata import version

        print(f"rankwise {version('rankwise')}")
        raise typer.Exit


@app.callback()
def global_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and leave.", callback=_print_version, is_eager=True
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error arose, in full.")
    ] = False,
) -> None:
    """Learn to rank a fixed set of labels from features."""


def _examples(lines: Sequence[str]) -> str:
    # An empty line between two lines keeps them apart where help is laid out anew.
    return "\n\n".join(["Examples:", *lines])


for _purpose, _part, _run in (
    (YOUR_DATA, _demo, _demo.demo_command),
    (YOUR_DATA, _audit, _audit.audit_command),
    (YOUR_DATA, _fit, _fit.fit_command),
    (YOUR_DATA, _predict, _predict.predict_command),
    (YOUR_DATA, _explain, _explain.explain_command),
    (YOUR_DATA, _report, _report.report_command),
    (YOUR_DATA, _evaluate, _evaluate.evaluate_command),
    (YOUR_DATA, _tune, _tune.tune_command),
    (YOUR_DATA, _convert, _convert.convert_command),
    (YOUR_DATA, _learners, _learners.learners_command),
    (RESEARCH, _compare, _compare.compare_command),
    (RESEARCH, _datasets, _datasets.datasets_command),
    (RESEARCH, _sample, _sample.sample_command),
    (RESEARCH, _reproduce, _reproduce.reproduce_command),
):
    app.command(
        _run.__name__.removesuffix("_command"),
        cls=Command,
        epilog=_examples(_part.EXAMPLES),
        rich_help_panel=_purpose,
    )(_run)

_plain: dict[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None, "cls": Group}
_theory_app = typer.Typer(help="Sample sizes and conditions of the theorems.", **_plain)
_size_app = typer.Typer(help="Rows that a learner needs, or what rows buy.", **_plain)
for _family, _command in (
    ("tree", _theory.tree_command),
    ("forest", _theory.forest_command),
    ("pairwise", _theory.pairwise_command),
):
    _size_app.command(_family, cls=Command, epilog=_examples(_theory.SIZE_EXAMPLES))(_command)
_theory_app.add_typer(_size_app, name="sample-size", epilog=_examples(_theory.SIZE_EXAMPLES))
_theory_app.command("diagnose", cls=Command, epilog=_examples(_theory.DIAGNOSE_EXAMPLES))(
    _theory.diagnose_command
)
app.add_typer(
    _theory_app, name="theory", epilog=_examples(_theory.EXAMPLES), rich_help_panel=RESEARCH
)

# Made once: the library would make it anew whenever `app` itself is called.
program = typer.main.get_command(app)
