"""The application: global options and the list of commands; each command is one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

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

app = typer.Typer(
    name="rankwise",
    help="Learn to rank a fixed set of labels from features.",
    epilog="Start with: rankwise demo",
    no_args_is_help=True,
    rich_markup_mode="rich",
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


app.command("demo", epilog=_examples(_demo.EXAMPLES))(_demo.demo_command)
app.command("audit", epilog=_examples(_audit.EXAMPLES))(_audit.audit_command)
app.command("fit", epilog=_examples(_fit.EXAMPLES))(_fit.fit_command)
app.command("predict", epilog=_examples(_predict.EXAMPLES))(_predict.predict_command)
app.command("evaluate", epilog=_examples(_evaluate.EXAMPLES))(_evaluate.evaluate_command)
app.command("tune", epilog=_examples(_tune.EXAMPLES))(_tune.tune_command)
app.command("explain", epilog=_examples(_explain.EXAMPLES))(_explain.explain_command)
app.command("report", epilog=_examples(_report.EXAMPLES))(_report.report_command)
app.command("compare", epilog=_examples(_compare.EXAMPLES))(_compare.compare_command)
app.command("learners", epilog=_examples(_learners.EXAMPLES))(_learners.learners_command)
app.command("convert", epilog=_examples(_convert.EXAMPLES))(_convert.convert_command)
app.command("sample", epilog=_examples(_sample.EXAMPLES))(_sample.sample_command)
app.command("reproduce", epilog=_examples(_reproduce.EXAMPLES))(_reproduce.reproduce_command)
app.command("datasets", epilog=_examples(_datasets.EXAMPLES))(_datasets.datasets_command)

_theory_app = typer.Typer(no_args_is_help=True, help="Sample sizes and conditions of the theorems.")
_size_app = typer.Typer(no_args_is_help=True, help="Rows that a learner needs, or what rows buy.")
for _family, _command in (
    ("tree", _theory.tree_command),
    ("forest", _theory.forest_command),
    ("pairwise", _theory.pairwise_command),
):
    _size_app.command(_family, epilog=_examples(_theory.SIZE_EXAMPLES))(_command)
_theory_app.add_typer(_size_app, name="sample-size", epilog=_examples(_theory.SIZE_EXAMPLES))
_theory_app.command("diagnose", epilog=_examples(_theory.DIAGNOSE_EXAMPLES))(
    _theory.diagnose_command
)
app.add_typer(_theory_app, name="theory", epilog=_examples(_theory.EXAMPLES))
