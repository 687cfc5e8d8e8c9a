"""Laws that hold whatever the rankings are."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rankwise import metrics

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(2, 9)
ALL = [
    "kendall_tau",
    "kendall_distance",
    "compatible_match",
    "exact_match",
    "tau_x",
    "tau_b",
    "spearman_distance",
    "footrule_distance",
    "spearman_rho",
    "top_k_accuracy",
    "reciprocal_rank",
    "regret",
    "inconsistency",
    "tau_gap",
]
DISTANCES = ["kendall_distance", "spearman_distance", "footrule_distance"]


def per_row(name, true, pred, **options):
    return getattr(metrics, name)(true, pred, average=False, **options)


@pytest.mark.parametrize("name", ALL)
@given(seed=seeds, n_labels=sizes)
def test_relabelling_changes_nothing(draw_pair, name, seed, n_labels):
    true, pred = draw_pair(seed, n_labels)
    new = np.random.default_rng(seed).permutation(n_labels)
    np.testing.assert_allclose(
        per_row(name, true[:, new], pred[:, new]), per_row(name, true, pred), atol=1e-12
    )


@pytest.mark.parametrize("name", ALL)
@given(seed=seeds, n_labels=sizes)
def test_permuting_rows_permutes_the_values(draw_pair, name, seed, n_labels):
    true, pred = draw_pair(seed, n_labels)
    new = np.random.default_rng(seed).permutation(len(true))
    np.testing.assert_array_equal(
        per_row(name, true[new], pred[new]), per_row(name, true, pred)[new]
    )


@pytest.mark.parametrize("name", [n for n in ALL if n != "regret"])
@given(seed=seeds, n_labels=sizes)
def test_only_the_order_within_a_row_matters(draw_pair, name, seed, n_labels):
    true, pred = draw_pair(seed, n_labels)
    np.testing.assert_array_equal(per_row(name, 7 * true + 0.5, pred**2), per_row(name, true, pred))


@pytest.mark.parametrize("name", ["kendall_tau", "spearman_rho", "tau_gap"])
@given(seed=seeds, n_labels=sizes)
def test_reversing_the_prediction_flips_the_sign(draw_pair, name, seed, n_labels):
    true, pred = draw_pair(seed, n_labels)
    np.testing.assert_allclose(
        per_row(name, true, 100 - pred), -per_row(name, true, pred), atol=1e-12
    )


@pytest.mark.parametrize("name", DISTANCES)
@given(seed=seeds, n_labels=sizes)
def test_distances_of_complete_rankings_are_symmetric(draw_pair, name, seed, n_labels):
    a, b = draw_pair(seed, n_labels, complete=True)
    np.testing.assert_array_equal(per_row(name, a, b), per_row(name, b, a))


@pytest.mark.parametrize("name", DISTANCES)
@given(seed=seeds, n_labels=sizes)
def test_distances_of_complete_rankings_obey_the_triangle_inequality(
    draw_pair, name, seed, n_labels
):
    a, b = draw_pair(seed, n_labels, complete=True)
    c, _ = draw_pair(seed + 1, n_labels, complete=True)
    # d_2 is a sum of squares: its root is the metric.
    length = np.sqrt if name == "spearman_distance" else np.asarray
    ab, bc, ac = (length(per_row(name, x, y)) for x, y in ((a, b), (b, c), (a, c)))
    assert (ac <= ab + bc + 1e-9).all()


@given(seed=seeds, n_labels=sizes)
def test_a_prediction_that_refines_the_truth_is_perfect(draw_pair, seed, n_labels):
    true, _ = draw_pair(seed, n_labels)
    nudge = np.random.default_rng(seed).random(true.shape) / 2
    pred = np.where(np.isnan(true), 1.0, true) + nudge
    ordered = ~np.isnan(per_row("kendall_tau", true, pred))
    perfect = dict.fromkeys(ALL, 1.0) | dict.fromkeys([*DISTANCES, "inconsistency"], 0.0)
    perfect["top_k_accuracy"] = perfect["reciprocal_rank"] = 1.0
    # where ties are an answer a strict one is not perfect
    for name in ("regret", "exact_match", "tau_x", "tau_b"):
        del perfect[name]
    for name, value in perfect.items():
        np.testing.assert_array_equal(per_row(name, true, pred)[ordered], value, err_msg=name)


@pytest.mark.parametrize("name", [n for n in ALL if n != "regret"])
@given(seed=seeds, n_labels=sizes)
def test_the_truth_itself_is_a_perfect_prediction(draw_pair, name, seed, n_labels):
    true, _ = draw_pair(seed, n_labels)
    ours = per_row(name, true, true)
    worth = 0.0 if name in [*DISTANCES, "inconsistency"] else 1.0
    np.testing.assert_array_equal(ours[~np.isnan(ours)], worth)


@given(seed=seeds, n_labels=sizes)
def test_normalized_distance_is_half_of_one_minus_tau(draw_pair, seed, n_labels):
    true, pred = draw_pair(seed, n_labels)
    tau = per_row("kendall_tau", true, pred)
    distance = per_row("kendall_distance", true, pred, normalize=True)
    np.testing.assert_allclose(distance, (1 - tau) / 2, atol=1e-12)


@given(seed=seeds, n_labels=sizes)
def test_rho_is_the_usual_function_of_d2_on_complete_rankings(draw_pair, seed, n_labels):
    true, pred = draw_pair(seed, n_labels, complete=True)
    d2 = per_row("spearman_distance", true, pred)
    rho = 1 - 6 * d2 / (n_labels**3 - n_labels)
    np.testing.assert_allclose(per_row("spearman_rho", true, pred), rho, atol=1e-12)


@given(seed=seeds, n_labels=sizes)
def test_regret_is_never_negative_and_falls_as_more_labels_are_tried(draw_pair, seed, n_labels):
    values, pred = draw_pair(seed, n_labels)
    last = np.full(len(values), np.inf)
    for top in range(1, n_labels + 1):
        now = per_row("regret", values, pred, top=top)
        known = ~np.isnan(now)
        assert (now[known] >= 0).all()
        assert (now[known] <= last[known] + 1e-12).all()
        last = now
    assert (last[known] == 0).all()


@given(seed=seeds, n_labels=sizes)
def test_regret_of_costs_is_regret_of_negated_gains(draw_pair, seed, n_labels):
    values, pred = draw_pair(seed, n_labels)
    np.testing.assert_array_equal(
        per_row("regret", values, pred, higher_is_better=False), per_row("regret", -values, pred)
    )


@pytest.mark.parametrize("name", ALL)
@given(seed=seeds, n_labels=sizes)
def test_whole_weights_are_repeated_rows(draw_pair, name, seed, n_labels):
    true, pred = draw_pair(seed, n_labels)
    assume(not np.isnan(per_row(name, true, pred)).all())
    weight = np.random.default_rng(seed).integers(1, 4, size=len(true))
    repeated = [np.repeat(Y, weight, axis=0) for Y in (true, pred)]
    metric = getattr(metrics, name)
    np.testing.assert_allclose(
        metric(true, pred, sample_weight=weight), metric(*repeated), atol=1e-12
    )
    assert isinstance(metric(true, pred), float)
