"""``rankwise reproduce``: runs, is killed and continues, tells failures, and takes a cluster."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rankwise.paper import Protocol, plan, reproduce
from rankwise.validation.running import Store

TINY = {
    "families": "SFN", "n_samples": 80, "trees": 2, "noise_levels": 2, "added_levels": 1,
    "n_folds": 3, "used_folds": 2, "repeats": 2, "datasets": "iris", "tuned_datasets": "iris",
}  # fmt: skip
SETTINGS = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]


def prepare(out):
    """Put the noise levels in place, the finding of which takes seconds."""
    store = Store(out / "units")
    for grid in ("gaussian", "gaussian-matched"):
        config = {"kind": "grid", "grid": grid, "family": "SFN", "seed": 0}
        store.put(config, {"scales": [0.01, 0.02, 0.05, 0.2] * 5})


def finished(out):
    return list((out / "units").glob("??/*.json"))


def test_a_quick_run_writes_the_report_and_prints_verdicts(rankwise, tmp_path):
    out = tmp_path / "paper"
    prepare(out)
    outcome = rankwise("reproduce", "--quick", "figure-noise", "table-vc", *SETTINGS, "--jobs", 1,
                       "--out", out)  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert "trees and forests interpolate" in outcome.out
    assert "VC dimensions" in outcome.out
    assert "In all about" in outcome.err
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["protocol"]["n_samples"] == 80
    assert any("n samples: 80 of 10,000" in cut for cut in manifest["cut"])
    assert (out / "report.html").stat().st_size > 10_000
    assert (out / "figure-noise.png").exists()


# Repetitions enough to be still at it when it is killed.
ENDLESS = """
import sys
from rankwise.validation.running import Store
from rankwise.paper import Protocol, plan, reproduce
protocol = Protocol.quick(families=("SFN",), n_samples=80, trees=2, noise_levels=2, added_levels=1,
                          n_folds=3, repeats=500)
store = Store(sys.argv[1])
reproduce(plan(["figure-noise"], protocol, store), store, n_jobs=1)
"""


@pytest.mark.slow  # the runner itself is killed in tests/validation
def test_a_killed_run_continues_and_ends_as_an_undisturbed_one(tmp_path):
    prepare(tmp_path)
    before = len(finished(tmp_path))
    run = subprocess.Popen([sys.executable, "-c", ENDLESS, str(tmp_path / "units")])
    try:
        deadline = time.monotonic() + 120
        while len(finished(tmp_path)) < before + 3 and time.monotonic() < deadline:
            assert run.poll() is None
            time.sleep(0.01)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert len(finished(tmp_path)) >= before + 3
    store = Store(tmp_path / "units")
    # The first repetition of the run that was killed is all of this one.
    protocol = Protocol.quick(
        families=("SFN",), n_samples=80, trees=2, noise_levels=2, added_levels=1, n_folds=3
    )
    planned = plan(["figure-noise"], protocol, store)
    continued = reproduce(planned, store)
    assert continued.n_reused >= 3
    assert not continued.failures
    assert without_times(continued) == without_times(reproduce(planned, None))


def without_times(result):
    return [{k: v for k, v in r.items() if k != "seconds"} for r in result.records["figure-noise"]]


def test_a_broken_file_is_reported_at_the_end_with_exit_code_1(rankwise, tmp_path, monkeypatch):
    (tmp_path / "lr").mkdir()
    (tmp_path / "lr" / "iris.csv").write_text("A1,L1,L2\n1.0,1,zwei\n", encoding="utf-8")
    monkeypatch.setenv("RANKWISE_DATA", str(tmp_path))
    outcome = rankwise("reproduce", "table-semi-synthetic", "table-vc", "--quick", *SETTINGS,
                       "--jobs", 1, "--out", tmp_path / "paper")  # fmt: skip
    assert outcome.code == 1
    assert outcome.err.count("note: iris RF:") == 1
    assert "zwei" in outcome.err
    assert "iris" in (tmp_path / "paper" / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "paper" / "table-vc.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["table-x"], "there is no part 'table-x'"),
        (["--set", "tea=1"], "--set tea=1: write NAME=VALUE with one of repeats"),
        (["--set", "repeats=many"], "'many' is not a whole number"),
        (["--set", "repeats=0"], "repeats is 0"),
        (["--set", "seed=1"], "write NAME=VALUE"),
        (["--repeats", "0"], "--repeats"),
        (["--jobs", "0"], "--jobs 0: give a number"),
        (["--set", "datasets=tea"], "datasets has tea"),
    ],
)
def test_bad_input_is_told_in_one_line(rankwise, arguments, words):
    outcome = rankwise("reproduce", *arguments)
    assert outcome.code == 2
    assert words in outcome.err
    assert not list(Path.cwd().iterdir())


def test_tell_runs_nothing(rankwise, tmp_path):
    outcome = rankwise(
        "reproduce", "table-semi-synthetic", "--dry-run", "--out", tmp_path / "paper"
    )
    assert outcome.code == 0
    assert "for the tuned learners" in outcome.err
    assert not finished(tmp_path / "paper")


def test_tell_and_report_leave_no_units_behind(rankwise, tmp_path):
    for option in ("--dry-run", "--report"):
        outcome = rankwise("reproduce", "figure-noise", "--quick", *SETTINGS, option,
                           "--out", tmp_path / "paper")  # fmt: skip
        assert outcome.code == 0
        assert not (tmp_path / "paper" / "units").exists()


@pytest.mark.parametrize(
    "jobs",
    [["--jobs", "1"], pytest.param(["--jobs", "2", "--backend", "loky"], marks=pytest.mark.slow)],
    ids=["alone", "workers"],
)
def test_sigterm_ends_the_run_and_its_workers(tmp_path, jobs):
    out = tmp_path / "paper"
    prepare(out)
    run = subprocess.Popen(
        [sys.executable, "-c", "from rankwise.cli import main; main()", "reproduce",
         "figure-noise", "--quick", *SETTINGS, "--set", "repeats=500", *jobs, "--out", str(out)],
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    before = len(finished(out))
    deadline = time.monotonic() + 120
    while len(finished(out)) < before + 2 and time.monotonic() < deadline:
        assert run.poll() is None
        time.sleep(0.01)
    run.terminate()
    # The pipe ends when the last worker has let go of it.
    _, shown = run.communicate(timeout=60)
    assert run.returncode == 143
    assert b"the same command continues" in shown


def test_the_report_of_an_unfinished_run_tells_what_is_missing(rankwise, tmp_path):
    prepare(tmp_path / "paper")
    outcome = rankwise("reproduce", "figure-noise", "--quick", "--report", *SETTINGS,
                       "--out", tmp_path / "paper")  # fmt: skip
    assert outcome.code == 0
    manifest = json.loads((tmp_path / "paper" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["units"] == 0
    assert manifest["units_missing"] > 0
    assert f"{manifest['units_missing']} units are not finished" in manifest["cut"]


def test_a_finished_run_is_judged_again_without_running(rankwise, tmp_path):
    out = tmp_path / "paper"
    assert rankwise("reproduce", "table-vc", "--out", out).code == 0
    before = (out / "table-vc.csv").read_text(encoding="utf-8")
    outcome = rankwise("reproduce", "--judge", "--out", out)
    assert outcome.code == 0
    assert (out / "table-vc.csv").read_text(encoding="utf-8") == before
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["judged_after_the_run"] is True
    assert "no manifest.json" in rankwise("reproduce", "--judge", "--out", tmp_path).err


def test_the_grid_of_noise_is_a_word_of_the_protocol(rankwise):
    from rankwise.cli._reproduce import _protocol

    assert _protocol(False, None, ["noise_grid=programs"], 0).noise_grid == "programs"
    outcome = rankwise("reproduce", "--set", "noise_grid=odd")
    assert outcome.code == 2
    assert "noise_grid is 'odd'" in outcome.err


def test_repeats_hold_for_everything(rankwise):
    from rankwise.cli._reproduce import _protocol

    protocol = _protocol(False, 3, ["lfn_repeats=1", "grid_depths=5,none"], 7)
    assert (protocol.repeats, protocol.tuned_repeats, protocol.lfn_repeats) == (3, 3, 1)
    assert protocol.grid_depths == (5, None)
    assert protocol.seed == 7


def test_json_is_all_there_is_on_stdout(rankwise, tmp_path):
    outcome = rankwise("reproduce", "table-vc", "--json", "--out", tmp_path / "paper")
    printed = json.loads(outcome.out)
    assert printed["manifest"]["parts"] == ["table-vc"]
    assert all(os.path.exists(file) for file in printed["files"])


def test_a_dask_cluster_of_two_workers_gives_the_same_results(tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs rankwise[dask]")
    out = tmp_path / "paper"
    prepare(out)
    protocol = Protocol.quick(
        families=("SFN",), n_samples=80, trees=2, noise_levels=1, added_levels=1, n_folds=3
    )
    planned = plan(["figure-noise"], protocol, Store(out / "units"))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        on_cluster = reproduce(planned, Store(out / "units"), n_jobs=-1, backend="dask")
    assert not on_cluster.failures
    assert without_times(on_cluster) == without_times(reproduce(planned, None))
    assert len(plan(["figure-noise"], protocol, Store(out / "units")).done) == on_cluster.n_units
