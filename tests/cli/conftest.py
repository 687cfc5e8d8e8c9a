"""Run the command line in this process, through its entry point."""

from dataclasses import dataclass

import pytest

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
