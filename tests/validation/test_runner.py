"""The runner: nothing lost, nothing computed twice, failures shown and never in the way."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rankwise.validation.running import Store, Unit, run
from validation import works


def units_of(work, n, **config):
    return [Unit({"value": value, **config}, work) for value in range(n)]


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_outcomes_stand_in_the_order_of_the_units(tmp_path, backend):
    units = units_of(works.double, 12)
    outcomes = run(units, Store(tmp_path), n_jobs=2, backend=backend)
    assert [outcome.unit for outcome in outcomes] == units
    assert [outcome.result for outcome in outcomes] == [{"double": 2 * v} for v in range(12)]
    assert not any(outcome.reused or outcome.error for outcome in outcomes)


def test_a_second_run_computes_nothing(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    units = units_of(works.double_and_note, 6, folder=str(notes))
    first = run(units[:4], Store(tmp_path / "store"))
    second = run(units, Store(tmp_path / "store"))
    assert len(list(notes.iterdir())) == 6
    assert [outcome.reused for outcome in second] == [True] * 4 + [False] * 2
    assert [outcome.result for outcome in second[:4]] == [outcome.result for outcome in first]


def test_units_of_one_configuration_are_computed_once(tmp_path):
    units = units_of(works.double_and_note, 1, folder=str(tmp_path)) * 3
    outcomes = run(units, None, n_jobs=2, backend="threading")
    assert [outcome.result for outcome in outcomes] == [{"double": 0}] * 3
    assert len(list(tmp_path.iterdir())) == 1


def test_different_work_under_one_configuration_is_refused():
    units = [Unit({"value": 1}, works.double), Unit({"value": 1}, works.fail_on_odd)]
    with pytest.raises(ValueError, match="units 0 and 1"):
        run(units, None)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_unit_that_fails_is_reported_and_the_rest_goes_on(tmp_path, n_jobs):
    outcomes = run(
        units_of(works.fail_on_odd, 6), Store(tmp_path), n_jobs=n_jobs, backend="threading"
    )
    assert [outcome.error for outcome in outcomes[1::2]] == [
        f"ValueError: value {value} is odd" for value in (1, 3, 5)
    ]
    assert [outcome.result for outcome in outcomes[::2]] == [{"double": 2 * v} for v in (0, 2, 4)]
    assert len(list(Store(tmp_path).configs())) == 3


def test_a_unit_that_kills_its_process_is_reported_and_the_rest_goes_on(tmp_path):
    outcomes = run(units_of(works.die_on_three, 9), Store(tmp_path), n_jobs=2, backend="loky")
    assert "process died" in outcomes[3].error
    assert [o.result for o in outcomes if o.error is None] == [
        {"double": 2 * value} for value in range(9) if value != 3
    ]


def test_a_result_that_no_file_can_hold_is_an_error_of_its_unit(tmp_path):
    (outcome,) = run([Unit({}, works.return_a_set)], Store(tmp_path))
    assert outcome.result is None
    assert "set" in outcome.error


def test_an_interruption_keeps_what_was_finished(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(units_of(works.interrupt_on_two, 5), Store(tmp_path))
    assert sorted(config["value"] for config in Store(tmp_path).configs()) == [0, 1]
    assert not list(tmp_path.glob("??/*.part"))


def test_progress_that_is_no_function_is_refused():
    with pytest.raises(TypeError, match="progress is False; give a function to call, or None"):
        run([Unit({"label": "tea"}, work=dict)], store=None, progress=False)


def test_progress_starts_with_what_was_reused_and_ends_with_all(tmp_path):
    units = [
        Unit(
            {"value": value}, works.fail_on_odd, cost=value + 1.0, part="even" if value < 2 else ""
        )
        for value in range(4)
    ]
    run(units[:1], Store(tmp_path))
    calls = []
    run(units, Store(tmp_path), progress=lambda *call: calls.append(call))
    assert calls == [
        (1.0, 10.0, "even", 1.0, 3.0),
        (1.0, 10.0, "", 0.0, 7.0),
        (3.0, 10.0, "even", 3.0, 3.0),
        (6.0, 10.0, "", 3.0, 7.0),
        (10.0, 10.0, "", 7.0, 7.0),
    ]


@pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf")])
def test_a_cost_that_is_none_is_refused(cost):
    with pytest.raises(ValueError, match="unit 0 has the cost"):
        run([Unit({}, works.double, cost=cost)], None)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_continues_and_computes_nothing_twice(tmp_path, how):
    notes = tmp_path / "notes"
    notes.mkdir()
    # units long enough for results to be written as fast as they come, on a busy disk too
    script = (
        # a shell that runs the suite in the background makes its children ignore the signal
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import works; from rankwise.validation.running import Store, Unit, run\n"
        "units = [Unit({'value': v, 'folder': sys.argv[2], 'seconds': 0.2},\n"
        "              works.double_and_note) for v in range(40)]\n"
        "run(units, Store(sys.argv[3]), n_jobs=2, backend='threading')\n"
    )
    folders = [str(Path(works.__file__).parent), str(notes), str(tmp_path / "store")]
    process = subprocess.Popen([sys.executable, "-c", script, *folders], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(list(notes.iterdir())) < 8 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, how)
    process.wait(timeout=60)
    kept = {config["value"] for config in Store(tmp_path / "store").configs()}
    assert not list(tmp_path.glob("store/??/*.part")) or how == signal.SIGKILL
    started = len(list(notes.iterdir()))
    assert started - 4 <= len(kept) < 40
    units = units_of(works.double_and_note, 40, folder=str(notes), seconds=0.2)
    outcomes = run(units, Store(tmp_path / "store"), n_jobs=8, backend="threading")
    assert [outcome.result for outcome in outcomes] == [{"double": 2 * v} for v in range(40)]
    assert {v for v, outcome in enumerate(outcomes) if outcome.reused} == kept
    assert len(list(notes.iterdir())) == started + 40 - len(kept)
