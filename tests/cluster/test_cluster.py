"""Forests on a real cluster of two processes are those of memory, workers killed or not."""

import asyncio
import dataclasses
import logging
import threading
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cluster.conftest import N
from cluster.deadly import DeadlyGrowth, DeadlyPart, SlowPart
from rankwise.forest import ForestRanker as InMemoryForest
from rankwise.metrics import kendall_tau
from rankwise.models import load_model, save_model
from rankwise.parts import array_parts

SETTINGS = {"n_estimators": 5, "max_depth": 5, "max_samples": 800, "random_state": 4}
ARRAYS = ("feature", "threshold", "missing_left", "left", "roots", "value_row", "values")


def assert_same(model, other):
    for name in ARRAYS:
        one, same = getattr(model._trees, name), getattr(other._trees, name)
        assert (one.dtype, one.tobytes()) == (same.dtype, same.tobytes()), name
    assert model.label_importances_.tobytes() == other.label_importances_.tobytes()
    assert getattr(model, "ties_", None) == getattr(other, "ties_", None)


def test_arrays_give_the_forest_of_memory_and_predict_lazily(client, data, tmp_path):
    import dask.array as da

    from rankwise.dask import ForestRanker, rowwise

    X, y = data
    expected = InMemoryForest(**SETTINGS).fit(X, y)
    rows, ranks = da.from_array(X, chunks=(1700, 5)), da.from_array(y, chunks=(2500, 4))
    model = ForestRanker(**SETTINGS).fit(rows, ranks, client=client)
    assert_same(model, expected)
    predicted = model.predict(rows)
    np.testing.assert_array_equal(predicted.compute(), expected.predict(X))
    shares = model.predict_pairwise(rows[:100])
    np.testing.assert_array_equal(shares.compute(), expected.predict_pairwise(X[:100]))
    assert model.score(rows, ranks.rechunk({0: 1700})) == pytest.approx(expected.score(X, y))
    tau = rowwise(kendall_tau, ranks.rechunk({0: 1700}), predicted)
    np.testing.assert_allclose(tau.compute(), kendall_tau(y, expected.predict(X), average=False))
    with pytest.raises(TypeError, match="save its model_"):
        save_model(model, tmp_path / "model.rankwise")
    save_model(model.model_, tmp_path / "model.rankwise")
    assert_same(load_model(tmp_path / "model.rankwise"), expected)


def test_frames_with_texts_gaps_and_weights_do_not_depend_on_partitions(client, data):
    import dask.dataframe as dd

    from rankwise.dask import ForestRanker
    from rankwise.tables import TableRanker

    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=N), "b": rng.choice(["x", "y", "z"], N)})
    frame.loc[::7, "a"] = np.nan
    frame.loc[:2100, "b"] = "z"
    frame["c"] = pd.Categorical(frame["b"], ["y", "x", "z"])
    frame["w"] = rng.integers(1, 4, N)
    y = pd.DataFrame(data[1], columns=["tea", "soup", "milk", "rice"])
    columns = ["a", "b", "c"]
    table = TableRanker(InMemoryForest(**SETTINGS)).fit(frame[columns], y, frame["w"])
    for n in (3, 5):
        rows, ranks = (dd.from_pandas(part, npartitions=n) for part in (frame, y))
        model = ForestRanker(**SETTINGS).fit(rows[columns], ranks, rows["w"], client=client)
        assert_same(model, table.ranker_)
    assert_same(model.table_.ranker_, table.ranker_)
    assert model.table_.recipe_ == table.recipe_
    found = model.predict(rows[columns]).compute()
    pd.testing.assert_frame_equal(found, table.predict(frame[columns]), check_dtype=False)


def test_classifiers_of_pairs_are_those_of_memory(client, data):
    import dask.array as da

    from rankwise.dask import PairwiseRanker
    from rankwise.pairwise import PairwiseRanker as InMemoryPairwise

    X, y = data[0][:1200].astype(float), data[1][:1200]
    rows, ranks = da.from_array(X, chunks=(500, 12)), da.from_array(y, chunks=(500, 4))
    model = PairwiseRanker(random_state=0).fit(rows, ranks, client=client)
    expected = InMemoryPairwise(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.model_.predict_pairwise(X), expected.predict_pairwise(X))
    np.testing.assert_array_equal(model.predict(rows).compute(), expected.predict(X))
    positions = model.predict_positions(rows).compute()
    np.testing.assert_allclose(positions, expected.predict_positions(X))
    assert model.score(rows, ranks) == pytest.approx(expected.score(X, y))
    few = PairwiseRanker(max_samples=300, random_state=0).fit(rows, ranks, client=client)
    assert few.model_.pair_counts_.sum() == 300 * 6


def test_a_mixed_forest_is_that_of_memory_and_an_ordinary_one(client, data, tmp_path):
    import dask.array as da

    from rankwise.dask import ForestRanker

    X, y = data[0], data[1].astype(float)
    y[np.random.default_rng(2).random(y.shape) < 0.2] = np.nan
    settings = SETTINGS | {"decomposition": "mixed"}
    rows, ranks = da.from_array(X, chunks=(1700, 12)), da.from_array(y, chunks=(1700, 4))
    model = ForestRanker(**settings).fit(rows, ranks, client=client).model_
    with pytest.warns(UserWarning, match="rank fewer than two labels"):
        expected = InMemoryForest(**settings).fit(X, y)
    for part, same in zip(model._parts, expected._parts, strict=True):
        assert_same(part, same)
    save_model(model, tmp_path / "model.rankwise")
    found = load_model(tmp_path / "model.rankwise").predict(X[:50])
    np.testing.assert_array_equal(found, expected.predict(X[:50]))


@pytest.mark.parametrize(("n_trees", "n_parts"), [(1, 1), (1, 9), (7, 40)])
def test_there_may_be_fewer_trees_or_parts_than_workers_or_more_than_rows_of_a_tree(
    client, data, n_trees, n_parts
):
    from rankwise.dask import DaskRunner

    X, y = data[0][:120], data[1][:120]
    settings = SETTINGS | {"n_estimators": n_trees, "max_samples": 30}
    model = InMemoryForest(**settings)
    model._fit_parts(array_parts(X, y, rows_per_part=-(-120 // n_parts)), DaskRunner(client))
    assert_same(model, InMemoryForest(**settings).fit(X, y))


class KilledWhileGrowing:
    """A runner that gives its workers a tree to die of."""

    def __init__(self, runner, mark):
        self.runner, self.mark = runner, str(mark)

    def look(self, *given):
        return self.runner.look(*given)

    def grow(self, parts, question, growth, samples):
        facts = {part.name: getattr(growth, part.name) for part in dataclasses.fields(growth)}
        deadly = DeadlyGrowth(**facts, mark=self.mark, deadly=3)
        return self.runner.grow(parts, question, deadly, samples)


MOMENTS = [(kind, part, spared) for kind in (bool, float) for part in range(4) for spared in (0, 1)]


@pytest.mark.parametrize(
    ("kind", "part", "spared"),
    [(bool, 2, 0), *(pytest.param(*m, marks=pytest.mark.slow) for m in MOMENTS)],
)
def test_a_worker_killed_while_it_reads_or_gathers_changes_no_bit(
    client, data, tmp_path, kind, part, spared
):
    from rankwise.dask import DaskRunner

    X, y = data[0].astype(kind), data[1]
    parts = array_parts(X, y, rows_per_part=1500)
    opened = list(parts.parts)
    opened[part] = DeadlyPart(opened[part], 1500, str(tmp_path / "mark"), spared)
    model = InMemoryForest(**SETTINGS)
    model._fit_parts(dataclasses.replace(parts, parts=tuple(opened)), DaskRunner(client))
    # bytes are gathered by the look at them, others are opened twice
    assert (tmp_path / "mark").exists() == (kind is float or not spared)
    assert_same(model, InMemoryForest(**SETTINGS).fit(X, y))


def test_a_worker_killed_while_trees_grow_changes_no_bit(client, data, tmp_path):
    from rankwise.dask import DaskRunner

    parts, model = array_parts(*data, rows_per_part=1500), InMemoryForest(**SETTINGS)
    runner = DaskRunner(client)
    model._fit_parts(parts, KilledWhileGrowing(runner, tmp_path / "mark"))
    assert (tmp_path / "mark").exists()
    assert_same(model, InMemoryForest(**SETTINGS).fit(*data))
    # rows and positions, and how often each row is drawn
    X, y = data
    drawn = 800 * (X.shape[1] + y.shape[1] + 1)
    assert len(runner.bytes_moved) == 5
    assert all(0.85 * drawn < n <= drawn for n in runner.bytes_moved)


def test_workers_let_go_of_trees_that_have_come(client, data):
    from rankwise.dask import DaskRunner

    class Watched(DaskRunner):
        def _add(self, forest, found):
            super()._add(forest, found)
            left.append(len([key for key in client.futures if key.startswith("rankwise-grow")]))

    left = []
    parts = array_parts(*data, rows_per_part=1500)
    InMemoryForest(**SETTINGS)._fit_parts(parts, Watched(client))
    assert left == [5, 4, 3, 2, 1]


def test_workers_that_come_or_go_between_reading_and_growing_change_no_bit(client, data):
    from rankwise.dask import DaskRunner

    class Changing(DaskRunner):
        """Workers have room for so many trees, each time that they are asked; the last time stays."""

        def __init__(self, client, rooms):
            super().__init__(client)
            self.rooms = rooms

        def _together(self, samples):
            return self.rooms.pop(0) if len(self.rooms) > 1 else self.rooms[0]

    parts, expected = array_parts(*data, rows_per_part=1500), InMemoryForest(**SETTINGS).fit(*data)
    for rooms in ([2, 9], [9, 1], [1, 1, 1, 3]):
        model = InMemoryForest(**SETTINGS)
        model._fit_parts(parts, Changing(client, rooms))
        assert_same(model, expected)


@pytest.mark.slow
def test_the_only_worker_killed_while_trees_grow_changes_no_bit(client, data, tmp_path):
    import distributed

    from rankwise.dask import DaskRunner

    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as only,
    ):
        parts, model = array_parts(*data, rows_per_part=1500), InMemoryForest(**SETTINGS)
        model._fit_parts(parts, KilledWhileGrowing(DaskRunner(only), tmp_path / "mark"))
    assert (tmp_path / "mark").exists()
    assert_same(model, InMemoryForest(**SETTINGS).fit(*data))


def test_a_partition_unlike_the_others_is_named_with_its_row(client, data):
    import dask.array as da

    from rankwise.dask import ForestRanker

    X, y = data[0], data[1].astype(float)
    y[3003, 2] = 0
    rows, ranks = da.from_array(X, chunks=(1000, 12)), da.from_array(y, chunks=(1000, 4))
    with pytest.raises(ValueError, match=r"y, partition 3, row 3: label 2 has rank 0"):
        ForestRanker(**SETTINGS).fit(rows, ranks, client=client)


def test_a_partition_without_rows_is_refused_by_its_number_or_passed_over(client, data):
    import dask.dataframe as dd

    from rankwise.dask import ForestRanker

    frame = pd.DataFrame(data[0], columns=[f"a{j}" for j in range(12)])
    frame[["tea", "soup", "milk", "rice"]] = data[1]
    frame["day"] = np.arange(N) // 1500
    table = dd.from_pandas(frame, npartitions=4)
    table = table[table["day"] != 2].drop(columns="day")
    X, y = table.iloc[:, :12], table.iloc[:, 12:]
    with pytest.raises(ValueError, match=r"X, partition 2: it has no rows.*empty='skip'"):
        ForestRanker(**SETTINGS).fit(X, y, client=client)
    model = ForestRanker(**SETTINGS).fit(X, y, client=client, empty="skip")
    kept = np.r_[:3000, 4500:N]
    assert_same(model, InMemoryForest(**SETTINGS).fit(data[0][kept], data[1][kept]))
    assert model.predict(X).compute().shape == (4500, 4)


def test_the_command_line_fits_and_predicts_on_the_cluster_as_without(
    client, data, tmp_path, monkeypatch
):
    from rankwise.cli import main

    frame = pd.DataFrame(data[0], columns=[f"a{j}" for j in range(12)])
    labels = ["tea", "soup", "milk", "rice"]
    frame[labels] = data[1]
    for i in range(3):
        frame.iloc[2000 * i : 2000 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet", index=False)
        frame.iloc[i : i + 20].astype(int).to_csv(tmp_path / f"new{i}.csv", index=False)
    monkeypatch.chdir(tmp_path)  # workers are elsewhere
    pattern, address = "?.parquet", client.scheduler.address
    fit = ["fit", pattern, "--labels", ",".join(labels), "--trees", "5", "--rows-per-tree", "800"]
    for name, more in (("here", ["--memory", "2 GB"]), ("there", ["--cluster", address])):
        commands = [
            [*fit, *more, "-o", f"{tmp_path}/{name}.rankwise"],
            ["predict", f"{tmp_path}/{name}.rankwise", f"{tmp_path}/new*.csv", "-o", f"{tmp_path}/{name}"],
        ]  # fmt: skip
        for command in (
            commands[0],
            [*commands[1], *more[-2:]] if name == "there" else commands[1],
        ):
            with pytest.raises(SystemExit) as stop:
                main(command)
            assert stop.value.code == 0
    here, there = (load_model(tmp_path / f"{name}.rankwise") for name in ("here", "there"))
    assert_same(here.ranker, there.ranker)
    expected = InMemoryForest(n_estimators=5, max_samples=800, random_state=0).fit(*data)
    assert_same(here.ranker, expected)
    for i in range(3):
        written = [(tmp_path / name / f"new{i}.csv").read_text() for name in ("here", "there")]
        assert written[0] == written[1]


def test_a_lost_scheduler_is_an_error_that_says_so(data):
    distributed = pytest.importorskip("distributed")
    from rankwise.dask import ClusterError, DaskRunner

    parts = array_parts(*data, rows_per_part=3000)
    slow = tuple(SlowPart(part, part.n_rows) for part in parts.parts)
    cluster = distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address=None, silence_logs=logging.CRITICAL
    )
    client = distributed.Client(cluster, set_as_default=False)
    timer = threading.Timer(0.3, cluster.close)
    timer.start()
    with pytest.raises(ClusterError, match="the Dask scheduler was lost"):
        InMemoryForest(**SETTINGS)._fit_parts(
            dataclasses.replace(parts, parts=slow), DaskRunner(client)
        )
    timer.join()
    client.close()


def test_a_scheduler_lost_while_a_command_fits_is_told_and_no_file_is_left(
    data, tmp_path, monkeypatch, capsys
):
    distributed = pytest.importorskip("distributed")
    from rankwise.cli import main
    from rankwise.dask import DaskRunner, _client

    monkeypatch.setattr(_client, "PATIENCE", 1)

    frame = pd.DataFrame(data[0][:400], columns=[f"a{j}" for j in range(12)])
    frame[["tea", "soup", "milk", "rice"]] = data[1][:400]
    frame.to_parquet(tmp_path / "rows.parquet", index=False)
    cluster = distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address=None, silence_logs=logging.CRITICAL
    )
    grow = DaskRunner.grow

    def lost(*given):
        cluster.close()
        return grow(*given)

    monkeypatch.setattr(DaskRunner, "grow", lost)
    # no option names the cluster, but the environment does
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", cluster.scheduler_address)
    labels = "tea,soup,milk,rice"
    with pytest.raises(SystemExit) as stop:
        main(["fit", f"{tmp_path}/*.parquet", "--labels", labels, "-o", f"{tmp_path}/m.rankwise"])
    assert stop.value.code == 2
    assert "the Dask scheduler was lost" in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_what_the_client_remembers_of_workers_is_not_relied_on(client, data, monkeypatch):
    from rankwise.dask import DaskRunner

    # every two seconds it takes in what says nothing of them, which may be between question and answer
    monkeypatch.setattr(client, "scheduler_info", lambda **given: {"workers": {}})
    model = InMemoryForest(**SETTINGS)
    model._fit_parts(array_parts(*data), DaskRunner(client))
    assert_same(model, InMemoryForest(**SETTINGS).fit(*data))


def test_trees_come_from_workers_only_where_these_can_be_reached(client, monkeypatch):
    from rankwise.dask import _client

    monkeypatch.setattr(_client, "SHORT_PATIENCE", 30)
    assert _client.can_reach_workers(client)
    monkeypatch.setattr(_client, "SHORT_PATIENCE", 0.2)
    monkeypatch.setattr(_client, "known_workers", lambda client: {"tcp://127.0.0.1:9": {}})
    assert not _client.can_reach_workers(client)


@pytest.fixture
def deserted(monkeypatch):
    """A cluster without workers, and a client that does not wait for them for long."""
    distributed = pytest.importorskip("distributed")
    from rankwise.dask import _client, _runner

    for module in (_client, _runner):
        monkeypatch.setattr(module, "LONG_PATIENCE", 0.2)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


NO_WORKERS = r"has had no workers for 0\.2 seconds; start some with"


def test_a_cluster_without_workers_is_an_error_that_says_so(data, deserted):
    from rankwise.dask import ClusterError, DaskRunner

    with pytest.raises(ClusterError, match=NO_WORKERS):
        InMemoryForest(**SETTINGS)._fit_parts(array_parts(*data), DaskRunner(deserted))


def test_workers_that_go_for_good_while_they_work_are_an_error_and_not_waited_for_forever(
    data, deserted, monkeypatch
):
    from rankwise.dask import ClusterError, DaskRunner, _runner

    real, asked = _runner.known_workers, []

    def gone_after_the_first_two(client):
        asked.append(client)
        return {"there": {"memory_limit": 1e9}} if len(asked) < 3 else real(client)

    monkeypatch.setattr(_runner, "known_workers", gone_after_the_first_two)
    with pytest.raises(ClusterError, match=NO_WORKERS):
        InMemoryForest(**SETTINGS)._fit_parts(array_parts(*data), DaskRunner(deserted))
    assert len(asked) == 3


def test_a_client_that_was_closed_and_a_scheduler_that_does_not_answer_are_errors_that_say_so(data):
    from rankwise.dask import ClusterError, DaskRunner

    async def silent():
        raise OSError("Timed out trying to connect to tcp://127.0.0.1:9 after 30 s")

    def ask(function):
        return asyncio.run(function())

    parts = array_parts(*data)
    closed = SimpleNamespace(scheduler=None, sync=ask)
    unreachable = SimpleNamespace(scheduler=SimpleNamespace(identity=silent), sync=ask)
    for client in (closed, unreachable):
        with pytest.raises(ClusterError, match="the Dask scheduler was lost"):
            InMemoryForest(**SETTINGS)._fit_parts(parts, DaskRunner(client))


def test_no_scheduler_is_an_error_that_says_so():
    from rankwise.dask import ClusterError, _client, find_client

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_client, "PATIENCE", 0.3)
        with pytest.raises(
            ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"
        ):
            find_client("tcp://127.0.0.1:9")
