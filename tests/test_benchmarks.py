"""Benchmarks: figures are kept, and say what they mean."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from rankwise.tree import TreeRanker

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "run.py"


@pytest.fixture
def benchmarks(monkeypatch):
    """The folder of the benchmarks, from which their modules can be imported."""
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    yield
    for name in ("_peers", "_ties_peer", "_tree_table", "_tree_work"):
        sys.modules.pop(name, None)


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


def test_a_faster_forest_that_predicts_worse_is_told(benchmarks):
    from _tree_table import TreeBench

    bench = TreeBench("tea")
    for tau, error, verdict in (
        (0.9, 0.0, "met"),
        (0.896, 0.0, "met, tau BEHIND"),
        (0.896, 0.002, "met"),
        (0.95, 0.0, "met"),
    ):
        result = bench.record("tea", 1, "urn", 9, goal=8, tau=tau, peer_tau=0.9, error=error)
        assert result.verdict == verdict


def test_the_error_of_a_gap_in_tau_is_that_of_the_differences(benchmarks):
    from _tree_table import compare_taus

    ours, theirs = np.array([1.0, 0.5, 0.0]), np.array([0.9, 0.4, -0.1])
    assert compare_taus([ours], [theirs]) == pytest.approx((0.5, 0.4, 0.0))
    assert compare_taus([ours], []) == (0.5, None, 0.0)
    # two runs whose gaps are 0.1 and 0.3
    assert compare_taus([ours, ours], [theirs, ours - 0.3])[2] == pytest.approx(0.1)


def test_rows_counted_are_the_roots_and_the_smaller_children(benchmarks):
    from _tree_work import rows_counted, rows_of_nodes

    X = np.arange(8.0)[:, None]
    first = np.array([1, 1, 1, 1, 1, 2, 1, 2])
    model = TreeRanker(decomposition="joint").fit(X, np.column_stack([first, 3 - first]))
    # 8 = 5 + 3, then 3 = 1 + 2 or 2 + 1, then 2 = 1 + 1: the last are leaves, which nobody counts
    assert sorted(rows_of_nodes(model._trees, X)) == [1, 1, 1, 2, 3, 5, 8]
    assert rows_counted(model._trees, X) == 8 + 3 + 1


def test_a_fold_is_predicted_by_rows_outside_it_and_by_their_scale(benchmarks):
    from _ties_peer import predict_all

    X, fold = np.array([[1.0, 5], [3, 5], [5, 5], [9, 5]]), np.array([0, 1, 0, 1])
    Y = np.array([[1, 2], [2, 1], [1, 2], [2, 1]])

    class Other:
        def fit(self, features, ranks):
            assert features[:, 0].tolist() == [-1, 1]
            assert (features[:, 1] == 0).all()
            self.ranks = ranks[:1]
            return self

        def predict(self, features):
            return np.repeat(self.ranks, len(features), axis=0)

    assert (predict_all(Other, X, Y, fold) == 3 - Y).all()


def test_a_stopped_run_goes_on_with_the_same_folds_alone(benchmarks, tmp_path):
    from _ties_peer import CRITERIA
    from ties import judge_ours, ours, write_problems

    X, Y = np.arange(4.0)[:, None], np.array([[1, 2], [2, 1], [1, 2], [1, 1]])
    folds = np.array([[0, 1, 0, 1]])
    write_problems(tmp_path, {"tea": (X, Y, folds)})
    write_problems(tmp_path, {"tea": (X, Y, folds)})
    with pytest.raises(SystemExit, match="has other folds of tea"):
        write_problems(tmp_path, {"tea": (X, Y, 1 - folds)})
    for method in (*ours(), *(f"tree {c}" for c in CRITERIA)):
        np.save(tmp_path / f"tea.ours.{method}.npy", Y[None, None])
    assert {row[-1] for row in judge_ours("tea", tmp_path, X, Y, folds)} == {1.0}
