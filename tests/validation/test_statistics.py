"""Statistics over data sets: against plain twins and known figures; defined where data are few."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.validation import average_ranks, friedman, holm, mean_sd, nemenyi, wilcoxon_pairs
from validation import naive

NAN = math.nan


def named(matrix):
    return {f"m{j}": [row[j] for row in matrix] for j in range(len(matrix[0]))}


@st.composite
def score_matrices(draw):
    k = draw(st.integers(3, 5))
    row = st.lists(st.integers(0, 6), min_size=k, max_size=k)
    return [
        [value / 8 for value in values] for values in draw(st.lists(row, min_size=2, max_size=8))
    ]


@given(matrix=score_matrices())
def test_friedman_equals_its_formula(matrix):
    result = friedman(named(matrix))
    if all(len(set(row)) == 1 for row in matrix):
        assert (result.statistic, result.p_value) == (0.0, 1.0)
        return
    means, statistic = naive.friedman_ranks_and_statistic(matrix)
    assert list(result.average_ranks.values()) == pytest.approx(means)
    assert result.statistic == pytest.approx(statistic)


@given(matrix=score_matrices(), order=st.randoms())
def test_order_of_data_sets_and_names_of_methods_do_not_matter(matrix, order):
    shuffled = list(matrix)
    order.shuffle(shuffled)
    assert average_ranks(named(shuffled)) == pytest.approx(average_ranks(named(matrix)))
    assert sum(average_ranks(named(matrix)).values()) == pytest.approx(
        len(matrix[0]) * (len(matrix[0]) + 1) / 2
    )


@given(st.lists(st.floats(0, 1), max_size=6), st.floats(0.001, 0.5))
def test_holm_rejects_what_the_procedure_rejects(p_values, alpha):
    corrected = holm(p_values)
    near = [abs(p - alpha) < 1e-9 for p in corrected]
    rejected = {i for i, p in enumerate(corrected) if p <= alpha}
    assert any(near) or rejected == naive.holm_rejects(p_values, alpha)
    assert all(p <= c <= 1 for p, c in zip(p_values, corrected, strict=True))


def test_holm_leaves_nan_out_of_the_count():
    assert holm([0.01, NAN, 0.04]) == pytest.approx([0.02, NAN, 0.04], nan_ok=True)


@given(st.permutations(range(1, 8)), st.lists(st.booleans(), min_size=7, max_size=7))
def test_wilcoxon_equals_the_count_of_all_signs(sizes, signs):
    gaps = [size / 10 if sign else -size / 10 for size, sign in zip(sizes, signs, strict=True)]
    (test,) = wilcoxon_pairs({"a": gaps, "b": [0.0] * 7})
    assert test.p_value == pytest.approx(naive.signed_rank_p_value(gaps))
    assert test.p_holm == test.p_value
    assert (test.better == "a") == (sum(gaps) >= 0) or test.difference < 1e-12


@pytest.mark.parametrize(
    ("k", "alpha", "q"), [(2, 0.05, 1.960), (5, 0.05, 2.728), (10, 0.05, 3.164), (5, 0.1, 2.459)]
)
def test_nemenyi_has_the_critical_values_of_demsar(k, alpha, q):
    # His table is rounded, and made from a rounded one.
    assert nemenyi(k, 30, alpha) / math.sqrt(k * (k + 1) / 180) == pytest.approx(q, abs=1e-3)


def test_nemenyi_of_two_methods_is_the_sign_of_a_normal_difference():
    assert nemenyi(2, 100) == pytest.approx(1.959963985 / 10, abs=1e-8)


def test_mean_sd_leaves_nan_out_and_has_no_deviation_of_one_value():
    assert mean_sd([0.5, NAN, 1.5]) == pytest.approx((1.0, np.std([0.5, 1.5], ddof=1)))
    assert mean_sd([0.5]) == pytest.approx((0.5, NAN), nan_ok=True)
    assert all(map(math.isnan, mean_sd([NAN])))


def test_data_sets_where_a_method_failed_are_left_out_and_told():
    full = friedman({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.9], "c": [0.1, 0.2, 0.3]})
    holes = friedman(
        {"a": [0.9, NAN, 0.8, 0.7], "b": [0.5, 1.0, 0.6, 0.9], "c": [0.1, 1.0, 0.2, 0.3]}
    )
    assert holes.n_datasets == 3
    assert holes.statistic == full.statistic
    assert "1 data set is left out" in holes.note


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ({"a": [0.5, 0.6], "b": [0.1, 0.2]}, "three methods"),
        ({"a": [0.5], "b": [0.1], "c": [0.2]}, "two data sets"),
        ({"a": [NAN], "b": [0.1], "c": [0.2]}, "two data sets"),
        ({"a": []}, "three methods"),
    ],
)
def test_too_little_for_a_test_gives_a_reason_and_no_number(scores, reason):
    result = friedman(scores)
    assert math.isnan(result.statistic)
    assert math.isnan(result.p_value)
    assert reason in result.note


def test_methods_that_are_equal_everywhere_do_not_differ():
    scores = {"a": [0.5, 0.6, 0.7], "b": [0.5, 0.6, 0.7], "c": [0.5, 0.6, 0.7]}
    assert {test.p_holm for test in wilcoxon_pairs(scores)} == {1.0}
    assert friedman(scores).p_value == 1.0
    assert set(average_ranks(scores).values()) == {2.0}


def test_two_methods_without_a_common_data_set_have_no_p_value():
    (test,) = wilcoxon_pairs({"a": [0.5, NAN], "b": [NAN, 0.5]})
    assert math.isnan(test.p_value)
    assert math.isnan(test.p_holm)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: friedman({}), "no methods"),
        (lambda: friedman({"a": [1.0], "b": []}), "different numbers"),
        (lambda: nemenyi(1, 5), "two methods"),
        (lambda: nemenyi(3, 5, alpha=1.5), "alpha is 1.5"),
    ],
)
def test_bad_input_is_refused(call, reason):
    with pytest.raises(ValueError, match=reason):
        call()
