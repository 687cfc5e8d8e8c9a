"""The entry point: run a command, turn whatever goes wrong into one line and an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from rankwise.cli._console import note, print_error
from rankwise.cli._quick_start import collect_no_more, collect_seldom

OK, FAILED, BAD_INPUT, STOPPED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Examples
    --------
    >>> main(["--version"])
    Traceback (most recent call last):
    SystemExit: 0
    """
    if arguments is not None:
        sys.exit(run(list(arguments)))
    collect_seldom()
    code = run(sys.argv[1:])
    collect_no_more()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    arguments, debug = _take_debug(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.simplefilter("default", RuntimeWarning)
        warnings.showwarning = lambda message, *_, **__: note(message)
        try:
            code = _call(arguments)
            sys.stdout.flush()
        except BrokenPipeError:
            _let_go_of_stdout()
            return OK
        except KeyboardInterrupt:
            return STOPPED
        except Exception as error:
            if debug:
                raise
            return _explain(error)
    return code


def _call(arguments: list[str]) -> int:
    # Imported here, so that Ctrl-C during the import is handled as well.
    from rankwise.cli._app import program

    try:
        result = program(args=arguments, prog_name="rankwise", standalone_mode=False)
    except SystemExit as stop:
        # The command-line library leaves with 1 where a pipe was closed, which is no failure here.
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        raise
    except Exception as error:
        if type(error).__name__ != "NoArgsIsHelpError":
            raise
        # A command was left out, and this is the help; older libraries have printed it already.
        print(error)
        return BAD_INPUT
    return result if isinstance(result, int) else OK


def _take_debug(arguments: list[str]) -> tuple[list[str], bool]:
    """Take ``--debug`` out of the arguments: it is understood before and after the command."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [argument for argument in arguments[:end] if argument != "--debug"]
    return kept + arguments[end:], len(kept) < end


def _explain(error: Exception) -> int:
    """Print one line about `error` and return the exit code that it deserves."""
    if type(error).__name__ == "Abort":
        return STOPPED
    if hasattr(error, "format_message"):
        # A wrong option or argument, found by the command-line library itself.
        if error.format_message():
            context = getattr(error, "ctx", None)
            hint = f" (see {context.command_path} --help)" if context is not None else ""
            print_error(f"{error.format_message()}{_what_it_takes(error)}{hint}")
        return int(getattr(error, "exit_code", BAD_INPUT))
    words: str | Exception = error
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        words = f"{where}{error.strerror or error}"
    elif isinstance(error, MemoryError):
        words = "there is not enough memory for this; try fewer rows"
    elif not isinstance(error, (ImportError, ValueError, TypeError)):
        fault = "this is a fault of rankwise; --debug shows where"
        words = f"{type(error).__name__}: {error} ({fault})"
    print_error(words)
    return BAD_INPUT if isinstance(error, (ValueError, TypeError, OSError)) else FAILED


def _what_it_takes(error: Any) -> str:
    """Where there are too many arguments, say which there may be."""
    if "unexpected extra argument" not in error.format_message() or error.ctx is None:
        return ""
    command = error.ctx.command
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    names = " ".join(str(one.metavar or one.name).upper() for one in arguments)
    if not names:
        return f"; {command.name} takes options alone"
    is_scored = any("--model" in one.opts for one in command.params)
    model = ", of which --model names a model" if is_scored else ""
    return (
        f"; {command.name} takes {names} and options{model}; put a name that holds spaces in quotes"
    )


def _let_go_of_stdout() -> None:
    # The interpreter flushes stdout once more as it ends; let that go nowhere, silently.
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
