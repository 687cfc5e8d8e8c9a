"""The example on rates runs, draws, and its errors fall with the number of rows."""

import runpy
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "theory_and_rates.py"


def test_the_quick_example_prints_falling_errors_and_draws_both_pictures(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["theory_and_rates.py", "--quick"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    methods = ("Level-Splits", "Level-Splits, honest", "Breiman", "Breiman, honest")
    tables = [line.split() for line in lines if line.strip().startswith(methods)]
    # six tables of errors with a line per method, and rows needed for two of the methods
    assert len(tables) == 6 * 4 + 2
    for line in tables[:-2]:
        first, *_, last = (float(number) for number in line[-3:])
        assert last < first
    for name in ("theory_rates.png", "theory_features.png"):
        assert (tmp_path / name).stat().st_size > 10_000
