"""The application: global options and the list of commands; each command is one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from rankwise.cli import _audit, _convert, _datasets, _demo, _sample

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
app.command("convert", epilog=_examples(_convert.EXAMPLES))(_convert.convert_command)
app.command("sample", epilog=_examples(_sample.EXAMPLES))(_sample.sample_command)
app.command("datasets", epilog=_examples(_datasets.EXAMPLES))(_datasets.datasets_command)
