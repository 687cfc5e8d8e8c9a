"""Reproducing the paper: the plan, what is run, and what is gathered from it."""

import itertools

import numpy as np
import pytest

from rankwise.metrics import inconsistency, kendall_tau, repeated_errors, tau_gap
from rankwise.oracles import TruncatedGaussian, make_family
from rankwise.paper._benchmarks import _load as load_for_reproduction
from rankwise.paper._families import validate_on_family
from rankwise.paper._learners import make_learner, measure, validate
from rankwise.paper._protocol import PARTS, Protocol, pick_levels
from rankwise.paper._reproduce import check_parts, is_tuned, plan, reproduce
from rankwise.paper._tables import paper_table
from rankwise.paper._tuning import TunedRanker, drawn_numbers
from rankwise.ranker import ranks_by_position
from rankwise.validation.running import Store, Unit

SCALES = [0.001, 0.02, 0.05, 0.2]


def tiny(**changes):
    small = {
        "families": ("SFN",), "n_samples": 90, "trees": 2, "noise_levels": 2, "operator_levels": 2,
        "added_levels": 1, "n_folds": 3, "used_folds": 2, "tuned_folds": 1, "datasets": (),
        "tuned_datasets": (), "curve_sizes": (30, 60),
    }  # fmt: skip
    return Protocol.quick(**(small | changes))


def store_with_levels(folder, seed=0):
    """A store that knows the noise levels, the finding of which takes seconds."""
    store = Store(folder)
    for grid, scales in (("gaussian", SCALES), ("gaussian-matched", SCALES[::-1] * 5)):
        config = {"kind": "grid", "grid": grid, "family": "SFN", "seed": seed}
        store.put(config, {"scales": scales})
    return store


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    store = store_with_levels(tmp_path_factory.mktemp("store"))
    planned = plan([], tiny(), store)
    return store, planned, reproduce(planned, store)


def test_the_default_protocol_is_the_papers():
    protocol = Protocol()
    assert (protocol.repeats, protocol.n_folds, protocol.used_folds) == (5, 10, 10)
    assert (protocol.n_samples, protocol.noise_levels, protocol.operator_levels) == (10_000, 50, 20)
    assert (protocol.trees, protocol.family_depth, len(protocol.datasets)) == (50, 5, 21)
    assert protocol.cuts() == ["tuned repeats: 1 of the paper's 5"]


def test_a_cut_is_reported():
    shown = Protocol(lfn_repeats=1, noise_levels=10).cuts()
    assert "lfn repeats: 1 of 5" in shown
    assert "noise levels: 10 of 50" in shown


@pytest.mark.parametrize(("name", "value"), [("repeats", 0), ("n_folds", 1), ("used_folds", 11)])
def test_a_protocol_that_makes_no_sense_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} is {value}"):
        Protocol(**{name: value})


def test_levels_are_picked_evenly_with_both_ends():
    for count, wanted in itertools.product((2, 20, 50), (2, 3, 7, 50)):
        levels = pick_levels(count, wanted)
        assert len(set(levels)) == min(count, wanted)
        assert (levels[0], levels[-1]) == (0, count - 1)
        assert np.ptp(np.diff(levels)) <= 1


def test_parts_come_in_the_papers_order_and_unknown_ones_are_named():
    assert check_parts([]) == check_parts(["all"]) == PARTS
    assert check_parts(["figure-noise", "table-real"]) == ("table-real", "figure-noise")
    with pytest.raises(ValueError, match="no part 'table-x'"):
        check_parts(["table-x"])


def test_the_full_plan_has_every_unit_of_the_protocol_once(tmp_path):
    store = Store(tmp_path)
    for family, (grid, n) in itertools.product(
        ("SFN", "LFN"), (("gaussian", 50), ("gaussian-matched", 20))
    ):
        config = {"kind": "grid", "grid": grid, "family": family, "seed": 0}
        store.put(config, {"scales": [*np.linspace(0.01, 1 + n, n).tolist()[1:], 0.001 * n]})
    units = plan([], Protocol(), store).units
    count = dict.fromkeys(PARTS, 0)
    for unit in units:
        if unit.config["learner"] in ("RF", "DT", "SDT"):
            count[unit.part] += len(unit.config.get("folds", [0]))
    # Data sets, learners, folds, repetitions; both readings of the five real-world files.
    assert count["table-semi-synthetic"] == 16 * 3 * 50
    assert count["table-real"] == 10 * 3 * 50
    assert count["figure-noise"] == 2 * 51 * 3 * 50
    assert count["figure-operators"] == 2 * 60 * 3 * 50
    # The comparison's forests are those of the other tables.
    assert count["table-comparison"] == count["table-comparison-real"] == 0
    assert sum(is_tuned(unit) for unit in units) == 26 * 2 * 10
    assert len({store.key(unit.config) for unit in units}) == len(units)


def test_the_levels_of_the_papers_programs_are_run_where_they_are_asked_for():
    protocol = Protocol(noise_grid="programs", families=("SFN",), repeats=1)
    units = plan(["figure-noise"], protocol).units
    scales = {u.config["noise"][1] for u in units if u.config["noise"][0] == "gaussian"}
    assert scales == {round(0.0005 * i, 4) for i in range(1, 51)}
    assert protocol.cuts() == [
        "repeats: 1 of 5", "families: 1 of 2", "tuned repeats: 1 of the paper's 5"
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"noise_grid.*'even' or 'programs'"):
        Protocol(noise_grid="odd")


def test_the_sparsity_of_every_benchmark_is_diagnosed(data_folder):
    result = reproduce(plan(["table-sparsity"], Protocol(datasets=("vowel", "diau"))))
    found = {r["dataset"]: (r["features"], r["r"]) for r in result.records["table-sparsity"]}
    assert found == {"vowel": (10, 2.0), "diau": (24, 1.0)}
    assert [v.part for v in result.verdicts] == ["table-sparsity"]


def test_first_repetitions_come_first_and_tuned_learners_last():
    protocol = Protocol(datasets=("iris",), tuned_datasets=("iris",), repeats=2)
    units = plan(["table-semi-synthetic"], protocol).units
    keys = [(is_tuned(unit), unit.config["repetition"]) for unit in units]
    assert keys == sorted(keys)
    assert {unit.config["repetition"] for unit in units if not is_tuned(unit)} == {0, 1}


def test_a_level_of_two_figures_runs_once_and_stands_in_both(small_run):
    _, planned, result = small_run
    shared = {r["parameter"] for r in result.records["figure-noise"]} & {
        r["parameter"] for r in result.records["figure-operators"] if r["operator"] == "Gaussian"
    }
    assert shared
    assert {u.part for u in planned.units if u.config.get("noise", [0, 0])[-1] in shared} == {
        "figure-noise", "figure-operators",
    }  # fmt: skip


def test_a_finished_run_is_not_run_again(small_run):
    store, planned, first = small_run
    again = plan([], tiny(), store)
    assert len(again.done) == len(again.units) == len(planned.units)
    assert again.seconds() == 0
    second = reproduce(again, store)
    assert second.n_reused == second.n_units
    assert second.records == first.records


def test_a_changed_configuration_reuses_nothing(small_run):
    store, _, _ = small_run
    config = {"kind": "grid", "family": "SFN", "seed": 5}
    for grid in ("gaussian", "gaussian-matched"):
        store.put({**config, "grid": grid}, {"scales": SCALES * 5})
    for change in ({"seed": 5}, {"trees": 3}, {"n_samples": 91}):
        changed = plan(["figure-noise"], tiny(**change), store)
        same = [u for u in changed.units if store.get(u.config) is not None]
        assert len(changed.done) == len(same)
        is_forest = [u for u in changed.units if u.config["learner"] in ("RF", "Honest")]
        assert not any(store.get(u.config) for u in is_forest)


def test_every_figure_has_its_records(small_run):
    _, _, result = small_run
    noise = result.records["figure-noise"]
    assert {r["learner"] for r in noise} == {"RF", "DT", "SDT", "Level", "Honest"}
    assert {r["operator"] for r in noise} == {"none", "Gaussian"}
    operators = result.records["figure-operators"]
    assert {(r["operator"], r["mallows_on"]) for r in operators} == {
        ("Gaussian", None), ("Mallows", "ranks"), ("Mallows", "orders"),
    }  # fmt: skip
    assert {r["n"] for r in result.records["learning-curve"]} == {30, 60}
    assert not result.failures


def test_noiseless_levels_have_alpha_zero_and_beta_one(small_run):
    for record in small_run[2].records["figure-noise"]:
        is_clean = record["operator"] == "none"
        assert (record["alpha"] == 0) == (record["beta"] == 1) == is_clean


class Fixed:
    """Notes what it is fitted to, and predicts one ranking."""

    def __init__(self, ranks, seen):
        self.ranks, self.seen = ranks, seen

    def fit(self, X, y):
        self.seen.append((X, y))
        return self

    def predict(self, X):
        return np.tile(self.ranks, (len(X), 1))


def config(**changes):
    return {
        "learner": "RF", "repetition": 1, "n_folds": 4, "folds": [0, 2], "trees": 2, "depth": 5,
        "seed": 0, **changes,
    }  # fmt: skip


def test_learners_train_on_noise_and_are_validated_on_clean_rankings(monkeypatch):
    X, Y_train, Y_test = (
        np.arange(12.0)[:, None],
        np.tile([1.0, 2, 3], (12, 1)),
        np.tile([3.0, 1, 2], (12, 1)),
    )
    seen, seeds = [], []

    def make(name, *, depth, trees, seed):
        seeds.append(seed)
        return Fixed([3.0, 1, 2], seen)

    monkeypatch.setattr("rankwise.paper._learners.make_learner", make)
    result = validate(config(), X, Y_train, Y_test)
    assert result["tau"] == [1.0, 1.0]
    assert all((Y == [1, 2, 3]).all() and len(Y) == 9 for _, Y in seen)
    assert seeds[0] != seeds[1]


def test_both_readings_of_tau_are_taken():
    truth, predicted = np.tile([2.0, 3, 1], (6, 1)), np.tile([1.0, 2, 3], (6, 1))
    rows = np.arange(6)
    ranker = lambda _: Fixed(predicted[0], [])  # noqa: E731
    result = measure(ranker, np.zeros((6, 1)), truth, [(rows[2:], rows[:2])], truth)
    assert result["tau"] == [kendall_tau(truth, predicted)]
    assert result["tau_on_orders"] == [kendall_tau(truth, predicted, on="orders")]


def test_folds_of_a_repetition_share_no_row_and_repetitions_differ(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "rankwise.paper._learners.make_learner", lambda *_, **__: Fixed([1.0, 2], seen)
    )
    X, Y = np.arange(23.0)[:, None], np.tile([1.0, 2], (23, 1))
    for repetition in (0, 1):
        validate(config(n_folds=5, folds=list(range(5)), repetition=repetition), X, Y, Y)
    tests = [set(range(23)) - set(X[:, 0].astype(int)) for X, _ in seen]
    assert sorted(row for test in tests[:5] for row in test) == list(range(23))
    assert any(a != b for a, b in zip(tests[:5], tests[5:], strict=True))


def test_a_unit_gives_the_same_result_whenever_it_runs():
    config = {
        "kind": "family", "family": "SFN", "noise": ["mallows", 1.0, "ranks"], "learner": "RF",
        "repetition": 1, "n_folds": 3, "folds": [1], "n_samples": 60, "trees": 2, "depth": 5,
        "seed": 0,
    }  # fmt: skip
    first, second = validate_on_family(config), validate_on_family(config)
    assert first["tau"] == second["tau"]


def test_noise_is_measured_once_per_level_and_as_if_for_each_unit(monkeypatch):
    calls = []
    monkeypatch.setattr(
        "rankwise.paper._families.repeated_errors",
        lambda *Y: calls.append(0) or repeated_errors(*Y),
    )
    scales = (0.031, 0.32)  # of no other test, so that nothing is kept yet
    config = {
        "kind": "family", "family": "SFN", "n_folds": 3, "folds": [1], "n_samples": 60, "trees": 2,
        "depth": 5, "seed": 0,
    }  # fmt: skip
    found = [
        (scale, validate_on_family({
            **config, "noise": ["gaussian", scale], "learner": learner, "repetition": repetition,
        }))
        for repetition in (0, 1) for scale in scales for learner in ("RF", "DT", "SDT")
    ]  # fmt: skip
    assert len(calls) == len(scales)
    for scale, result in found:
        _, Y, Y_clean = make_family("SFN", TruncatedGaussian(scale), n_samples=60, random_state=0)
        assert result["alpha"] == inconsistency(Y_clean, Y)
        assert result["beta"] == tau_gap(Y_clean, Y)
        assert result["beta_on_orders"] == kendall_tau(Y_clean, Y, on="orders")
        assert result["repeated_errors"] == repeated_errors(Y_clean, Y)


def tuned(name, features=(None,), depths=(None,), inner_folds=2, trees=2):
    return TunedRanker(name == "RFT", features, depths, inner_folds, trees)


@pytest.mark.parametrize("name", ["DTT", "RFT"])
@pytest.mark.parametrize(
    ("features", "depths"), [((None,), (6, 1, None)), ((None, "sqrt"), (None,))]
)
def test_tuning_picks_for_each_label_what_a_plain_search_picks(name, features, depths):
    X, Y, _ = make_family("SFN", n_samples=75)
    candidates = list(itertools.product(features, depths))
    train, new = slice(0, 60), slice(60, 75)
    chosen = plain_search(name, X[train], Y[train], candidates, n_folds=3)
    expected = np.empty((15, 5))
    for label, (max_features, depth) in enumerate(chosen):
        model = tuned(name).candidate(max_features, depth)
        expected[:, label] = model.fit(X[train], Y[train]).predict_positions(X[new])[:, label]
    ranks = tuned(name, features, depths, 3).fit(X[train], Y[train]).predict(X[new])
    np.testing.assert_array_equal(ranks, ranks_by_position(expected))


def test_equally_many_features_drawn_are_tried_once_and_have_one_error():
    X, Y, _ = make_family("SFN", n_samples=40)
    X = X[:, :9]
    grid = (None, "sqrt", "log2")
    assert drawn_numbers(grid, 9) == [9, 3, 3]
    all_features, root, logarithm = tuned("DTT", grid, (2, None)).inner_errors(X, Y)
    np.testing.assert_array_equal(root, logarithm)
    np.testing.assert_array_equal(
        logarithm, tuned("DTT", ("log2",), (2, None)).inner_errors(X, Y)[0]
    )
    assert (root != all_features).any()


def plain_search(name, X, Y, candidates, n_folds):
    """For each label the candidate of the least mean unexplained variance over inner folds."""
    best = []
    for label in range(Y.shape[1]):
        errors = []
        for features, depth in candidates:
            total = 0.0
            for test in np.array_split(np.arange(len(X)), n_folds):
                train = np.setdiff1d(np.arange(len(X)), test)
                model = tuned(name).candidate(features, depth)
                p = model.fit(X[train], Y[train]).predict_positions(X[test])[:, label]
                y = Y[test, label]
                total += np.mean((p - y) ** 2) / np.mean((y - y.mean()) ** 2)
            errors.append(total)
        best.append(candidates[int(np.argmin(errors))])
    return best


def test_a_label_that_never_moves_can_be_tuned():
    X, Y = np.arange(12.0)[:, None], np.tile([1.0, 2, 3], (12, 1))
    errors = tuned("DTT", [None], [1]).inner_errors(X, Y)
    assert (errors == 0).all()


def test_a_configuration_holds_the_parameters_of_its_learner():
    units = plan(["table-semi-synthetic"], tiny(datasets=("iris",))).units
    models = {unit.config["learner"]: unit.config["model"] for unit in units}
    assert models["SDT"] == "TreeRanker(max_depth=5, random_state=0)"
    assert models["RF"] == "ForestRanker(by_cost=False, n_estimators=2, random_state=0)"


def test_unknown_learners_are_refused_by_name():
    with pytest.raises(ValueError, match="no learner 'XX'"):
        make_learner("XX", depth=5, trees=1, seed=0)


def record(dataset, learner, *, raw=False, orders=0.5, positions=0.7):
    return {
        "dataset": dataset, "as_published": raw, "learner": learner, "tau": positions,
        "tau_sd": 0.1, "tau_on_orders": orders, "tau_on_orders_sd": 0.1, "validations": 50, "seconds": 1.0,
    }  # fmt: skip


def test_a_table_holds_every_figure_of_the_paper():
    sizes = {name: len(paper_table(name, []).cells()) for name in PARTS[:4]}
    assert sizes["table-semi-synthetic"] + sizes["table-real"] == 105
    cells = [c for name in PARTS[:2] for _, _, c in paper_table(name, []).cells()]
    assert all(cell.paper is not None for cell in cells)


def test_a_cell_is_marked_beyond_two_hundredths_on_the_papers_reading_only():
    table = paper_table(
        "table-semi-synthetic",
        [
            record("iris", "RF", orders=0.931, positions=0.2),
            record("iris", "SDT", orders=0.899, positions=0.92),
        ],
    )
    assert not table.rows["iris"]["RF"].is_off
    assert table.rows["iris"]["SDT"].is_off
    assert table.counts() == (1, 2)


def test_biology_sets_are_compared_as_published_and_shown_corrected():
    table = paper_table(
        "table-real",
        [
            record("cold", "RF", raw=True, orders=0.1, positions=0.11),
            record("cold", "RF", orders=0.05, positions=0.2),
        ],
    )
    cell = table.rows["cold"]["RF"]
    assert (cell.orders, cell.ranks, cell.published_ranks) == (0.1, 0.2, 0.11)
    assert not cell.is_off


def fail(config):
    raise ValueError("row 3: label 'tea' has rank 0; ranks start at 1")


def test_a_failing_learner_is_reported_and_the_rest_is_kept(small_run):
    store, planned, whole = small_run
    units = [Unit(u.config | {"x": 1}, fail, u.cost, u.part) if u.config["learner"] == "DT" else u
             for u in planned.units]  # fmt: skip
    result = reproduce(type(planned)(planned.parts, planned.protocol, units), store)
    assert any("DT: ValueError: row 3: label 'tea'" in failure for failure in result.failures)
    kept = [r for r in whole.records["figure-noise"] if r["learner"] != "DT"]
    assert result.records["figure-noise"] == kept


@pytest.mark.data
def test_a_broken_data_file_costs_its_own_cells_only(tmp_path, monkeypatch, data_folder):
    (tmp_path / "lr").mkdir()
    (tmp_path / "lr" / "iris.csv").write_text("A1,L1,L2\n1.0,1,zwei\n", encoding="utf-8")
    (tmp_path / "lr" / "wine.csv").write_bytes((data_folder / "lr" / "wine.csv").read_bytes())
    monkeypatch.setenv("RANKWISE_DATA", str(tmp_path))
    protocol = tiny(datasets=("iris", "wine"))
    result = reproduce(plan(["table-semi-synthetic"], protocol), None)
    assert all("iris" in failure for failure in result.failures)
    assert len(result.failures) == 3
    table = result.tables["table-semi-synthetic"]
    assert table.rows["iris"]["RF"].orders is None
    assert table.rows["wine"]["RF"].orders is not None


@pytest.mark.data
def test_a_file_that_is_not_the_published_one_is_refused(tmp_path, monkeypatch, data_folder):
    (tmp_path / "lr").mkdir()
    lines = (data_folder / "lr" / "wine.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "lr" / "wine.csv").write_text("\n".join(lines[:100]), encoding="utf-8")
    monkeypatch.setenv("RANKWISE_DATA", str(tmp_path))
    load_for_reproduction.cache_clear()
    result = reproduce(plan(["table-semi-synthetic"], tiny(datasets=("wine",))), None)
    load_for_reproduction.cache_clear()
    assert len(result.failures) == 3
    assert all("is not the file that was published" in failure for failure in result.failures)
    assert result.tables["table-semi-synthetic"].rows["wine"]["RF"].orders is None


def test_figures_of_a_corrected_file_do_not_stand_in_for_those_of_the_published_one():
    table = paper_table("table-real", [record("cold", "RF", orders=0.05, positions=0.2)])
    cell = table.rows["cold"]["RF"]
    assert (cell.orders, cell.ranks, cell.validations) == (None, 0.2, 0)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("datasets", ("tea",), "datasets has tea; use authorship"),
        ("tuned_datasets", ("iris", "iris"), "iris more than once"),
        ("families", ("XX",), "use SFN, LFN"),
        ("grid_features", ("third",), "use None, sqrt, log2"),
        ("grid_depths", (0,), "from 1 up"),
        ("grid_depths", (), "is empty"),
        ("curve_sizes", (-5,), "from 1 up"),
        ("curve_sizes", (None,), "from 1 up"),
    ],
)
def test_lists_of_a_protocol_hold_known_things_once(name, value, words):
    with pytest.raises(ValueError, match=words):
        Protocol(**{name: value})


def test_levels_are_not_searched_for_where_units_are_only_counted(tmp_path, monkeypatch):
    def search(*_, **__):
        raise AssertionError("searched")

    known = store_with_levels(tmp_path / "known")
    with monkeypatch.context() as patch:
        patch.setattr("rankwise.paper._reproduce.run", search)
        counted = plan(["figure-noise", "figure-operators"], tiny(), None, find_levels=False)
        looked_up = plan(["figure-noise"], tiny(), known, find_levels=False)
    assert not counted.done
    full = plan(["figure-noise", "figure-operators"], tiny(), known)
    assert len(counted.units) == len(full.units)
    in_full = {known.key(unit.config) for unit in full.units}
    assert {known.key(unit.config) for unit in looked_up.units} <= in_full
