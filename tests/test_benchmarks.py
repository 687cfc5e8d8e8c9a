"""The runner of the benchmarks keeps figures, and only those of scripts that ended well."""

import importlib.util
import json
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "run.py"


def runner():
    spec = importlib.util.spec_from_file_location("benchmark_runner", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(folder, code):
    path = folder / "bench_tea.py"
    path.write_text(code)
    return path


def test_every_figure_is_added_with_where_it_comes_from(tmp_path):
    script = write(tmp_path, 'print(\'a table\')\nprint(\'{"bench": "tea", "ratio": 2.5}\')\n')
    history = tmp_path / "history.jsonl"
    for _ in range(2):
        assert runner().run(script, ["--quick"], history)
    lines = [json.loads(line) for line in history.read_text().splitlines()]
    assert [line["ratio"] for line in lines] == [2.5, 2.5]
    assert lines[0]["script"] == "bench_tea.py"
    assert lines[0]["options"] == ["--quick"]
    assert {"commit", "machine", "versions", "when"} <= set(lines[0])


def test_nothing_is_kept_of_a_script_that_failed(tmp_path, capsys):
    script = write(tmp_path, 'print(\'{"bench": "tea"}\')\nraise SystemExit(3)\n')
    history = tmp_path / "history.jsonl"
    assert not runner().run(script, [], history)
    assert not history.exists()
    assert "failed" in capsys.readouterr().err


def test_an_unknown_benchmark_is_told_with_those_that_exist(capsys):
    assert runner().main(["tee"]) == 1
    said = capsys.readouterr().err
    assert "no benchmark 'tee'" in said
    assert "metrics" in said
