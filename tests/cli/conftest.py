"""Run the command line in this process, through its entry point."""

from dataclasses import dataclass

import pytest

from cli.reactions import OPTIONS, QUICK, write_reactions
from rankwise.cli import main


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def rankwise(capsys, monkeypatch, tmp_path):
    """Call ``rankwise(*arguments)`` in an empty folder; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(stop.value.code, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def fitted_once():
    """What `fitted` made: the outcome of the command, and its files."""
    return []


@pytest.fixture
def fitted(rankwise, tmp_path, fitted_once):
    """``m.rankwise``, a model of the spreadsheet ``train.csv``, and the outcome of the command."""
    files = [tmp_path / name for name in ("train.csv", "m.rankwise")]
    if not fitted_once:
        write_reactions(files[0])
        outcome = rankwise("fit", "train.csv", *OPTIONS, *QUICK, "-o", "m.rankwise")
        assert outcome.code == 0, outcome.err
        fitted_once[:] = outcome, [file.read_bytes() for file in files]
    outcome, contents = fitted_once
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    return outcome
