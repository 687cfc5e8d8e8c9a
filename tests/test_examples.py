"""The examples run, and print what their pages show."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_the_page_on_trees_and_forests_shows_what_it_prints(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = runpy.run_path(str(EXAMPLES / "trees_and_forests.py"), run_name="__main__")
    shown = [line.strip() for line in page["__doc__"].split("It prints:")[1].strip().splitlines()]
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert printed[: len(shown)] == shown
    assert (tmp_path / "trees_and_forests.png").stat().st_size > 10_000


@pytest.mark.slow
def test_the_study_of_incomplete_rankings_runs_and_draws(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["incomplete_rankings.py", "--quick"])
    runpy.run_path(str(EXAMPLES / "incomplete_rankings.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "0% missing: pairs, logistic wins" in printed
    assert "[[  0   0   0   0]" in printed
    drawn = sorted(path.name for path in tmp_path.glob("*.png"))
    assert [name.split("_")[2] for name in drawn] == ["1", "2", "3"]


def test_the_study_of_certainty_runs_and_finds_a_gain(monkeypatch, capsys):
    monkeypatch.delenv("RANKWISE_DATA", raising=False)
    monkeypatch.setattr("sys.argv", ["certainty.py", "--quick"])
    runpy.run_path(str(EXAMPLES / "certainty.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "means of 3 cases" in printed
    assert printed.count("log-loss worse by more than 0.002 in 0 cases") == 2


def test_the_study_of_rates_runs_draws_and_finds_errors_that_fall(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["theory_and_rates.py", "--quick"])
    runpy.run_path(str(EXAMPLES / "theory_and_rates.py"), run_name="__main__")
    errors, needed = capsys.readouterr().out.split("rows until")
    methods = ("Level-Splits", "Level-Splits, honest", "Breiman", "Breiman, honest")
    lines = [line for line in errors.splitlines() if line.strip().startswith(methods)]
    # six tables of errors with a line per method, and rows needed for two of the methods
    assert len(lines) == 6 * 4
    assert sum(line.strip().startswith(methods) for line in needed.splitlines()) == 2
    for line in lines:
        first, _, last = (float(number) for number in line.split()[-3:])
        assert last < first
    for name in ("theory_rates.png", "theory_features.png"):
        assert (tmp_path / name).stat().st_size > 10_000
