"""Folds: rows divided fairly, labels deleted alike for all methods, tau against whole rankings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.datasets import Dataset
from rankwise.learners import find_learner
from rankwise.metrics import kendall_tau
from rankwise.validation import draw_folds
from rankwise.validation._compare import delete_labels, evaluate_fold, fold_units
from rankwise.validation._inputs import find_input, load_input

MEAN = "validation.rankers:Mean"


def plan(dataset, tmp_path, methods=(MEAN,), **protocol):
    source = find_input(dataset, tmp_path)
    return fold_units([source], {text: find_learner(text) for text in methods}, **protocol)


def random_dataset(n=24, k=5, seed=0):
    rng = np.random.default_rng(seed)
    Y = rng.random((n, k)).argsort(axis=1).argsort(axis=1) + 1.0
    return Dataset(np.arange(n * 2.0).reshape(n, 2), Y, name="random")


@given(n=st.integers(2, 60), folds=st.integers(2, 12), repetition=st.integers(0, 3))
def test_folds_divide_the_rows_evenly(n, folds, repetition):
    parts = draw_folds(n, min(n, folds), repetition=repetition, seed=1)
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(n))
    assert all(set(train) == set(range(n)) - set(test) for train, test in parts)
    sizes = [len(test) for _, test in parts]
    assert max(sizes) - min(sizes) <= 1


def test_repetitions_and_seeds_have_folds_of_their_own():
    tests = {
        tuple(draw_folds(50, 5, repetition=repetition, seed=seed)[0][1])
        for repetition in range(3)
        for seed in range(3)
    }
    assert len(tests) == 9


@given(low=st.floats(0.05, 0.9), high=st.floats(0.05, 0.9), seed=st.integers(0, 5))
def test_what_a_low_rate_deletes_a_higher_one_deletes_too(low, high, seed):
    low, high = sorted((low, high))
    Y = random_dataset().ranks
    few, many = (delete_labels(Y, rate, 0, seed) for rate in (low, high))
    assert (np.isnan(many) | ~np.isnan(few)).all()
    kept = ~np.isnan(many)
    assert (many[kept] == Y[kept]).all()


def test_labels_are_deleted_at_the_rate():
    Y = np.ones((4000, 5))
    assert np.isnan(delete_labels(Y, 0.3, 0, 0)).mean() == pytest.approx(0.3, abs=0.02)
    assert not np.isnan(Y).any()


def test_tau_is_that_of_the_test_rows_with_nothing_deleted(tmp_path):
    dataset = random_dataset()
    (unit,) = (u for u in plan(dataset, tmp_path, folds=3, missing=[0.4]) if u.config["fold"] == 1)
    result = evaluate_fold(unit.config)
    train, test = draw_folds(len(dataset), 3)[1]
    Y = delete_labels(dataset.ranks, 0.4, 0, 0)[train]
    Y = Y[(~np.isnan(Y)).sum(axis=1) > 1]
    predicted = find_learner(MEAN).estimator().fit(Y, Y).predict(test)
    assert result["tau"] == pytest.approx(kendall_tau(dataset.ranks[test], predicted))
    assert result["tau_on_orders"] == pytest.approx(
        kendall_tau(dataset.ranks[test], predicted, on="orders")
    )
    assert (result["n_train"], result["n_test"]) == (len(Y), len(test))


def test_no_test_row_is_seen_in_training(tmp_path):
    dataset = random_dataset(seed=3)
    honest, peeking = (
        [evaluate_fold(unit.config)["tau"] for unit in plan(dataset, tmp_path, [text], folds=4)]
        for text in (MEAN, "validation.rankers:SeesTruth")
    )
    assert peeking == honest


def test_methods_that_draw_get_a_seed_of_their_own_in_each_fold(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    method = f"validation.rankers:NotesSeed(note={str(notes)!r})"
    for unit in plan(random_dataset(), tmp_path, [method], folds=3, repeats=2, seed=4):
        evaluate_fold(unit.config)
    # One more is that of the fit which warms up.
    assert len(list(notes.iterdir())) == 7


def test_a_rate_that_leaves_nothing_to_learn_from_is_reported(tmp_path):
    unit = plan(random_dataset(n=4, k=2), tmp_path, folds=2, missing=[0.99])[0]
    with pytest.raises(ValueError, match="no training row of random keeps two labels"):
        evaluate_fold(unit.config)


@pytest.mark.parametrize(
    ("protocol", "reason"),
    [
        ({"folds": 1}, "two or more"),
        ({"folds": 25}, "random has 24 rows, too few for 25 folds"),
        ({"repeats": 0}, "repeats is 0"),
        ({"missing": [1.0]}, "missing rate 1.0"),
        ({"missing": [-0.1]}, "missing rate -0.1"),
        ({"missing": [float("nan")]}, "missing rate nan"),
        ({"missing": []}, "no missing rate"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_a_protocol_that_cannot_be_followed_is_refused(tmp_path, protocol, reason):
    with pytest.raises(ValueError, match=reason):
        plan(random_dataset(), tmp_path, **protocol)


def test_data_from_memory_files_and_names_come_back_as_they_are(tmp_path):
    dataset = random_dataset()
    file = tmp_path / "mine.csv"
    dataset.to_frame(label_prefix="L_").to_csv(file, index=False)
    labels = [f"L_{name}" for name in dataset.label_names]
    memory = find_input(dataset, tmp_path / "inputs")
    from_file = find_input(file, tmp_path / "inputs", {"labels": labels})
    for source in (memory, from_file):
        found = load_input(source.config)
        assert (found.features == dataset.features).all()
        assert (found.ranks == dataset.ranks).all()
    assert (memory.name, from_file.name) == ("random", "mine")
    assert load_input(memory.config).label_names == dataset.label_names


def test_units_cannot_change_the_data_that_they_share(tmp_path):
    found = load_input(find_input(random_dataset(), tmp_path).config)
    with pytest.raises(ValueError, match="read-only"):
        found.features[0, 0] = 7.0


def test_another_content_is_another_configuration(tmp_path):
    one, other = (find_input(random_dataset(seed=s), tmp_path).config for s in (0, 1))
    assert one["sha256"] != other["sha256"]
    with pytest.raises(ValueError, match="has changed"):
        load_input({**one, "sha256": other["sha256"]})


@pytest.mark.parametrize(
    ("dataset", "error", "reason"),
    [
        ("nowhere.csv", ValueError, "no such file"),
        ("irish", ValueError, "unknown benchmark 'irish'"),
        (3, TypeError, "give a name, a file or a Dataset"),
    ],
)
def test_a_data_set_that_is_none_is_reported(dataset, error, reason):
    with pytest.raises(error, match=reason):
        find_input(dataset, "inputs")
