"""Values worked out by hand, where a definition could be read in more than one way."""

import numpy as np
import pandas as pd
import pytest

from rankwise import metrics


def test_a_predicted_tie_counts_neither_for_nor_against_tau():
    assert metrics.kendall_tau([[1, 2, 3]], [[1, 1, 2]]) == pytest.approx(2 / 3)
    assert metrics.kendall_tau([[1, 2, 3]], [[1, 1, 1]]) == 0.0


def test_a_predicted_tie_is_half_a_pair_of_distance_and_no_match():
    assert metrics.kendall_distance([[1, 2, 3]], [[1, 1, 1]]) == 1.5
    assert metrics.kendall_distance([[1, 2, 3]], [[1, 1, 1]], normalize=True) == 0.5
    assert metrics.exact_match([[1, 2, 3]], [[1, 2, 2]]) == 0.0


def test_predicted_ties_share_their_mean_position():
    assert metrics.spearman_distance([[1, 2, 3]], [[1, 1, 1]]) == 2.0
    assert metrics.footrule_distance([[1, 2, 3]], [[1, 1, 1]]) == 2.0
    assert metrics.spearman_rho([[1, 2, 3]], [[1, 1, 1]]) == 0.0


def test_positions_are_taken_among_observed_labels():
    assert metrics.spearman_distance([[1, None, 2]], [[3, 2, 1]]) == 2.0
    assert metrics.reciprocal_rank([[1, None, 2]], [[2, 1, 3]]) == 1.0
    assert metrics.top_k_accuracy([[1, None, 2]], [[2, 1, 3]]) == 1.0


def test_tau_on_orders_depends_on_the_numbering_of_labels_and_tau_on_ranks_does_not():
    true, pred = np.array([[1, 2, 3]]), np.array([[2, 1, 3]])
    new = [0, 2, 1]
    on_ranks = [metrics.kendall_tau(true[:, c], pred[:, c]) for c in ([0, 1, 2], new)]
    on_orders = [metrics.kendall_tau(true[:, c], pred[:, c], on="orders") for c in ([0, 1, 2], new)]
    assert on_ranks[0] == on_ranks[1]
    assert on_orders[0] != on_orders[1]


def test_a_best_label_tied_in_front_with_a_worse_one_is_not_surely_first():
    assert metrics.top_k_accuracy([[1, 2, 3]], [[1, 1, 2]]) == 0.0
    assert metrics.top_k_accuracy([[1, 2, 3]], [[1, 1, 2]], k=2) == 1.0
    assert metrics.reciprocal_rank([[1, 2, 3]], [[1, 1, 2]]) == pytest.approx(1 / 1.5)


def test_best_labels_that_are_tied_on_both_sides_are_first():
    assert metrics.top_k_accuracy([[1, 1, 2]], [[1, 1, 2]]) == 1.0
    assert metrics.reciprocal_rank([[1, 1, 2]], [[1, 1, 2]]) == 1.0


def test_any_of_several_best_labels_may_be_first():
    assert metrics.top_k_accuracy([[1, 1, 2]], [[3, 1, 2]]) == 1.0
    assert metrics.reciprocal_rank([[1, 1, 2]], [[3, 2, 1]]) == 0.5


@pytest.mark.parametrize(
    ("k", "error", "message"),
    [
        (0, ValueError, "k is 0; use a whole number from 1 to 3"),
        (4, ValueError, "k is 4; use a whole number from 1 to 3 .no more than there are labels"),
        (1.5, TypeError, "k is 1.5; use a whole number"),
        (True, TypeError, "k is True; use a whole number"),
    ],
)
def test_a_top_that_is_no_count_of_labels_is_refused(k, error, message):
    with pytest.raises(error, match=message):
        metrics.top_k_accuracy([[1, 2, 3]], [[1, 2, 3]], k=k)


def test_regret_is_in_the_units_of_the_values():
    yields = [[90.0, 70.0, 20.0], [10.0, 40.0, 15.0]]
    chosen = [[2, 1, 3], [1, 3, 2]]
    assert metrics.regret(yields, chosen, average=False).tolist() == [20.0, 30.0]
    assert metrics.regret(yields, chosen, top=2, average=False).tolist() == [0.0, 25.0]
    assert metrics.regret(yields, chosen, higher_is_better=False, average=False).tolist() == [50, 0]


def test_regret_passes_over_labels_without_a_value():
    assert metrics.regret([[None, 5.0, 8.0]], [[1, 2, 3]]) == 3.0
    assert metrics.regret([[None, 5.0, None]], [[1, 2, 3]]) == 0.0


def test_regret_of_labels_tied_in_front_is_that_of_a_random_one():
    assert metrics.regret([[9.0, 3.0, 0.0]], [[1, 1, 2]]) == 3.0
    # Of three tied labels two are tried: the best is among them in two cases of three.
    assert metrics.regret([[9.0, 3.0, 0.0]], [[1, 1, 1]], top=2) == pytest.approx(6 / 3)


def test_regret_takes_any_number_of_tries():
    assert metrics.regret([[9.0, 3.0, 0.0]], [[3, 2, 1]], top=10**30) == 0.0


def test_an_infinite_value_is_refused_with_what_to_put_instead():
    runtimes = pd.DataFrame([[1.0, 2.0], [np.inf, 3.0]], columns=["cdcl", "local"])
    message = r"values, row 1: label 'cdcl' has the value inf; .*cutoff.*NaN for an unknown"
    with pytest.raises(ValueError, match=message):
        metrics.regret(runtimes, [[1, 2], [1, 2]], higher_is_better=False)


def test_a_tie_in_the_observed_ranking_is_an_inconsistency():
    assert metrics.inconsistency([[1, 2, 3]], [[1, 1, 2]]) == 1.0
    assert metrics.inconsistency([[1, 1, 2]], [[1, 2, 3]]) == 0.0


def test_labels_that_were_not_observed_are_no_inconsistency():
    assert metrics.inconsistency([[1, 2, 3]], [[None, 1, 2]]) == 0.0
    assert metrics.tau_gap([[1, 2, 3]], [[2, 1, None]]) == -1.0


def test_errors_that_repeat_are_told_from_errors_that_differ():
    clean = [[1, 2, 3]] * 3 + [[3, 2, 1]] * 3
    same = [[2, 1, 3]] * 3 + [[3, 1, 2]] * 3
    other = [[2, 1, 3], [1, 3, 2], [3, 2, 1], [3, 1, 2], [2, 3, 1], [1, 2, 3]]
    assert metrics.repeated_errors(clean, same) == 1.0
    assert metrics.repeated_errors(clean, other) == 0.0
    # 1 of 3 pairs below the first clean ranking, 3 of 3 below the second
    assert metrics.repeated_errors(clean, [*other[:1], *other[:2], *same[3:]]) == pytest.approx(
        2 / 3
    )


def test_nothing_repeats_without_two_errors():
    assert np.isnan(metrics.repeated_errors([[1, 2], [1, 2]], [[1, 2], [2, 1]]))


def test_how_errors_repeat_does_not_depend_on_the_order_of_rows_or_labels():
    rng = np.random.default_rng(0)
    clean = np.array([[1, 2, 3], [2, 1, 3]])[rng.integers(0, 2, 60)]
    observed = np.argsort(rng.random((60, 3)), axis=1) + 1
    rows, labels = rng.permutation(60), [2, 0, 1]
    expected = metrics.repeated_errors(clean, observed)
    turned = metrics.repeated_errors(clean[rows][:, labels], observed[rows][:, labels])
    assert turned == pytest.approx(expected)


def test_a_tie_in_the_truth_is_read_strictly_or_compatibly_by_name():
    assert metrics.exact_match([[1, 2, 2, 2]], [[1, 2, 3, 4]]) == 0.0
    assert metrics.compatible_match([[1, 2, 2, 2]], [[1, 2, 3, 4]]) == 1.0
    assert metrics.exact_match([[1, 2, 2, 2]], [[1, 2, 2, 2]]) == 1.0


def test_tau_x_of_one_tie_against_an_order_is_half_way():
    assert metrics.tau_x([[1, 1]], [[1, 2]]) == 0.0
    assert metrics.tau_x([[1, 1, 2]], [[1, 2, 3]]) == 2 / 3
    assert metrics.tau_x([[1, 1, 2]], [[3, 2, 1]]) == -2 / 3
