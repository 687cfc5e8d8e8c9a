"""Learners are tried on a cluster as they are here; the data goes there once."""

from functools import partial

import joblib
import numpy as np
import pandas as pd
import pytest

from cluster.deadly import die_once
from rankwise import _parallel
from rankwise.auto import AutoRanker, _candidates
from rankwise.forest import ForestRanker
from rankwise.models import load_model
from rankwise.validation import cross_validate

CANDIDATES = ["Forest(n_estimators=5)", "Pairwise", "KNNKemeny(scale=True)"]


def standings(model):
    return [(own.learner, own.tau, own.low, own.high, own.weight) for own in model.leaderboard_]


@pytest.fixture
def sent(client, monkeypatch):
    """The names of what is sent to the cluster."""
    client.wait_for_workers(2, timeout=60)  # another test may have killed one
    names, submit = [], type(client).submit
    monkeypatch.setattr(
        type(client),
        "submit",
        lambda own, *given, **more: names.append(more["key"]) or submit(own, *given, **more),
    )
    return names


def test_learners_tried_on_the_cluster_are_those_tried_here(client, data, sent):
    X, y = data[0][:200].astype(float), data[1][:200].astype(float)
    X[::5, 2] = np.nan
    here = AutoRanker(candidates=CANDIDATES, random_state=0).fit(X, y)
    with client.as_current(), joblib.parallel_config(backend="dask"):
        there = AutoRanker(candidates=CANDIDATES, random_state=0).fit(X, y)
    assert standings(there) == standings(here)
    assert there.chosen_ == here.chosen_
    np.testing.assert_array_equal(there.predict_positions(X), here.predict_positions(X))
    # once to try learners, and once to fit those that were chosen
    assert len([name for name in sent if name.startswith("rankwise-shared")]) == 2


def test_folds_are_held_out_on_the_cluster_as_here_and_the_data_goes_once(client, data, sent):
    X, y = data[0][:300].astype(float), data[1][:300].astype(float)
    given = ForestRanker(5, random_state=0), X, y
    keep = {"shares": lambda model, rows: model.predict_pairwise(rows)}
    here = cross_validate(*given, cv=4, repeats=2, keep=keep)
    with client.as_current(), joblib.parallel_config(backend="dask"):
        there = cross_validate(*given, cv=4, repeats=2, keep=keep)
    assert (there.scores, there.n_train, there.n_test) == (here.scores, here.n_train, here.n_test)
    np.testing.assert_array_equal(there.ranks, here.ranks)
    np.testing.assert_array_equal(there.kept["shares"], here.kept["shares"])
    assert len([name for name in sent if name.startswith("rankwise-shared")]) == 1


def twice_unless_killed(data, mark, number):
    """Twice the data; the first worker that is asked for number 3 is killed, and its data with it."""
    if number == 3:
        die_once(mark)
    return 2 * data


def test_data_goes_again_to_a_worker_where_the_only_one_that_had_it_was_killed(client, tmp_path):
    client.wait_for_workers(2, timeout=60)
    work = partial(twice_unless_killed, np.arange(5), str(tmp_path / "mark"))
    with client.as_current(), joblib.parallel_config(backend="dask"):
        found = _parallel.in_threads(-1, work, range(8))
    assert (tmp_path / "mark").exists()
    np.testing.assert_array_equal(found, np.tile(2 * np.arange(5), (8, 1)))


def test_where_one_worker_is_left_the_work_is_done_here():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        client.as_current(),
        joblib.parallel_config(backend="dask"),
    ):
        assert _parallel.in_threads(-1, abs, [-1, 2]) == [1, 2]
        # as if others had been lost after the data was sent
        assert _parallel._call(client.submit(partial, abs), -3) == 3


def test_the_command_line_tries_learners_on_the_cluster_as_without(
    client, data, tmp_path, monkeypatch
):
    from rankwise.cli import main

    monkeypatch.setattr(_candidates, "_COMPLETE", tuple(CANDIDATES))
    frame = pd.DataFrame(data[0][:60, :4].astype(int), columns=list("abcd"))
    labels = ["tea", "soup", "milk", "rice"]
    frame[labels] = data[1][:60]
    frame.to_csv(tmp_path / "all.csv", index=False)
    fit = ["fit", str(tmp_path / "all.csv"), "--labels", ",".join(labels)]
    for name, more in (("here", []), ("there", ["--cluster", client.scheduler.address])):
        with pytest.raises(SystemExit) as stop:
            main([*fit, *more, "-o", str(tmp_path / f"{name}.rankwise")])
        assert stop.value.code == 0
    here, there = (load_model(tmp_path / f"{name}.rankwise") for name in ("here", "there"))
    assert here.facts["learner"] == there.facts["learner"] == "Auto"
    assert standings(here.ranker) == standings(there.ranker)
    assert {own.learner for own in here.ranker.leaderboard_} >= {*CANDIDATES}
    rows = frame[list("abcd")]
    pd.testing.assert_frame_equal(
        here.ranker.predict_positions(rows), there.ranker.predict_positions(rows)
    )
