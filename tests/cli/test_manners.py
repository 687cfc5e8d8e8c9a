"""Manners of every command: help, version, errors in one line, exit codes, pipes, Ctrl-C."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import warnings

import pytest

from rankwise.cli import main

COMMANDS = [
    "audit",
    "compare",
    "convert",
    "datasets",
    "demo",
    "evaluate",
    "explain",
    "fit",
    "predict",
    "reproduce",
    "sample",
]
PROGRAM = [sys.executable, "-c", "from rankwise.cli import main; main()"]


def environment(**variables):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FORCE_", "RANKWISE_"))}
    return kept | variables


def shell(*arguments, **variables):
    return subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, text=True, env=environment(**variables)
    )


@pytest.fixture(scope="module")
def refused():
    """A command that is refused, in a process of its own."""
    return shell("audit", "nowhere.csv")


def test_help_lists_every_command(rankwise):
    outcome = rankwise("--help")
    assert outcome.code == 0
    assert all(command in outcome.out for command in COMMANDS)


@pytest.mark.parametrize("words", [(), ("theory",)])
def test_a_command_that_is_left_out_is_answered_by_the_help(rankwise, words):
    outcome = rankwise(*words)
    assert (outcome.code, outcome.err) == (2, "")
    assert outcome.out.startswith(f"Usage: {' '.join(('rankwise', *words))} ")
    assert "\nCommands:\n" in outcome.out or "\nYour data:\n" in outcome.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_shows_examples(rankwise, command):
    outcome = rankwise(command, "--help")
    assert outcome.code == 0
    assert "Examples:" in outcome.out
    assert f"rankwise {command}" in outcome.out.split("Examples:")[1]


@pytest.mark.parametrize(
    "command",
    [
        *("", *COMMANDS, "learners", "report", "tune", "theory", "theory diagnose"),
        *(f"theory sample-size {kind}".strip() for kind in ("", "tree", "forest", "pairwise")),
    ],
)
def test_help_fits_80_columns(rankwise, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    lines = rankwise(*command.split(), "--help").out.splitlines()
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_help_tells_the_model_from_the_data(rankwise, command):
    said = rankwise(command, "--help").out
    model = said.split("Your model:\n")[1].split("\n\n")[0]
    assert "MODEL" in model
    assert "--trusted" in model
    assert "FILE" in said.split("Your data:\n")[1].split("\n\n")[0]


@pytest.mark.parametrize("command", ["", *COMMANDS, "learners", "report", "tune"])
def test_help_has_no_names_of_types_and_none_that_is_cut_off(rankwise, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    said = rankwise(*command.split(), "--help").out
    assert re.search(r"<(bool|boolean|text|integer|float|path)>|[a-z]\u2026", said) is None


def test_names_in_help_are_not_broken_at_their_hyphens(rankwise, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = rankwise("reproduce", "--help").out
    assert [line for line in said.splitlines() if line.rstrip().endswith("-")] == []
    assert "\N{NON-BREAKING HYPHEN}" not in said


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_offers_json(rankwise, command):
    assert "--json" in rankwise(command, "--help").out


def test_help_imports_nothing_heavy():
    script = (
        "import sys\nfrom rankwise.cli._main import run\nrun(['sample', '--help'])\n"
        "heavy = {'numpy', 'numba', 'scipy', 'pandas', 'sklearn', 'matplotlib'}\n"
        "sys.exit(bool(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0


def test_version_is_printed_alone(rankwise):
    outcome = rankwise("--version")
    assert outcome.code == 0
    assert outcome.out.startswith("rankwise ")
    assert len(outcome.out.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["audit"], "Missing argument"),
        (["fly"], "No such command 'fly'"),
        (["audit", "x.csv", "--wings"], "--wings"),
        (["sample", "x.csv", "--rows", "many"], "--rows"),
        (["audit", "nowhere.csv"], "no such file"),
        (["datasets", "--kind", "odd"], "unknown kind 'odd'"),
    ],
)
def test_bad_input_gives_one_line_on_stderr_and_code_2(rankwise, arguments, reason):
    outcome = rankwise(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert len(outcome.err.splitlines()) == 1
    assert reason in outcome.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("fit my data.csv", "fit takes FILE and options; put a name that holds spaces in quotes"),
        ("predict m.rankwise my new.csv", "predict takes MODEL FILE and options; put a name"),
        ("evaluate m.rankwise new.csv", "takes FILE and options, of which --model names a model"),
        ("learners forest", "learners takes options alone (see"),
    ],
)
def test_too_many_arguments_are_answered_with_those_that_there_may_be(rankwise, words, said):
    outcome = rankwise(*words.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err


def test_debug_shows_the_traceback_wherever_it_stands(refused, monkeypatch, tmp_path):
    assert "Traceback" in shell("--debug", "audit", "nowhere.csv").stderr
    assert "Traceback" not in refused.stderr
    monkeypatch.chdir(tmp_path)
    for arguments in (["--debug", "audit", "nowhere.csv"], ["audit", "nowhere.csv", "--debug"]):
        with pytest.raises(ValueError, match="no such file"):
            main(arguments)


def test_an_unforeseen_fault_is_told_without_a_traceback(rankwise, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("rankwise.cli._main._call", fail)
    outcome = rankwise("datasets")
    assert outcome.code == 1
    assert "ZeroDivisionError: by zero" in outcome.err
    assert "--debug" in outcome.err


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 0, ""),
        (ImportError("drawing needs matplotlib"), 1, "error: drawing needs matplotlib\n"),
        (MemoryError(), 1, "error: there is not enough memory for this; try fewer rows\n"),
        (PermissionError(13, "Permission denied", "x"), 2, "error: x: Permission denied\n"),
        (ValueError("two\nlines [bold]"), 2, "error: two lines [bold]\n"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_error_has_its_code_and_line(rankwise, monkeypatch, error, code, text):
    def fail(*_):
        raise error

    monkeypatch.setattr("rankwise.cli._main._call", fail)
    monkeypatch.setattr("rankwise.cli._main._let_go_of_stdout", lambda: None)
    outcome = rankwise("datasets")
    assert (outcome.code, outcome.err) == (code, text)


def test_warnings_are_one_line_notes(rankwise, monkeypatch):
    def warn(_):
        warnings.warn("odd\nrows", stacklevel=1)
        return 0

    monkeypatch.setattr("rankwise.cli._main._call", warn)
    outcome = rankwise("datasets")
    assert outcome.err == "note: odd rows\n"
    assert warnings.showwarning.__module__ != "rankwise.cli._main"


@pytest.mark.parametrize("words", [["datasets"], []], ids=["a table", "help"])
def test_a_closed_pipe_is_silent(words):
    program = subprocess.Popen(
        [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    program.stdout.close()  # before anything is written, as `head -0` would
    error = program.stderr.read()
    program.stderr.close()
    assert program.wait() == 0
    assert error == b""


# Python shows users no such warnings, but pytest does: typer below 0.26 asks click for an old name.
@pytest.mark.filterwarnings("ignore:.*PacifyFlushWrapper:DeprecationWarning")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_pipe_that_is_closed_while_a_command_prints_is_no_failure(rankwise, monkeypatch, options):
    def closed(*_, **__):
        raise BrokenPipeError(errno.EPIPE, "closed")

    monkeypatch.setattr("rankwise.cli._main._let_go_of_stdout", lambda: None)
    monkeypatch.setattr("rankwise.cli._datasets.print_json", closed)
    monkeypatch.setattr("rankwise.cli._datasets.print_table", closed)
    outcome = rankwise("datasets", *options)
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_leaves_with_130_and_no_traceback():
    script = (
        # a shell that runs the suite in the background makes its children ignore the signal
        "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import rankwise.cli._datasets as d\n"
        "d.print_table = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        "from rankwise.cli import main\nmain(['datasets'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment()
    )
    assert done.returncode == 130 != -signal.SIGINT
    assert done.stderr == ""


def test_pipes_get_no_colour_and_terminals_do_unless_no_color(refused):
    assert "\x1b[" not in refused.stderr
    assert "\x1b[" in shell("audit", "nowhere.csv", FORCE_COLOR="1").stderr
    coloured = shell("audit", "nowhere.csv", FORCE_COLOR="1", NO_COLOR="1").stderr
    assert "\x1b[31m" not in coloured
    assert "\x1b[1;31m" not in coloured


def test_the_installed_program_runs():
    program = os.path.join(os.path.dirname(sys.executable), "rankwise")
    done = subprocess.run([program, "datasets", "--json"], capture_output=True, text=True)
    assert done.returncode == 0
    assert {"name", "kind", "rows", "features", "labels", "found"} == set(
        json.loads(done.stdout)[0]
    )
