"""Exact minimisers against trying everything, on problems small enough for that."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from hypotheses import naive
from rankwise.hypotheses import Ball, Halfspace, Rectangle
from rankwise.hypotheses._boxes import BoxSearch, best_interval, empty_box
from rankwise.hypotheses._cover import fewest_mistakes
from rankwise.hypotheses._descent import best_step
from rankwise.hypotheses._hypothesis import count_mistakes


@st.composite
def problems(draw, n_features, max_rows):
    """Small whole coordinates: ties, equal rows and rows in one line are common."""
    n = draw(st.integers(2, max_rows))
    coordinate = st.integers(-3, 3).map(float)
    row = st.lists(coordinate, min_size=n_features, max_size=n_features)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    y[:2] = [0, 1]
    return X, y


def primal_separation(lift, first_is_negative=False):
    """Whether weights u with f(x) >= 1 inside and <= -1 outside exist, as a linear program."""

    def is_separable(inside, outside):
        rows = [[-v for v in lift(x)] for x in inside] + [lift(x) for x in outside]
        if not rows:
            return True
        bounds = [(None, None)] * len(rows[0])
        if first_is_negative:
            bounds[0] = (None, 0)
        return linprog(
            np.zeros(len(rows[0])), A_ub=rows, b_ub=-np.ones(len(rows)), bounds=bounds
        ).success

    return is_separable


def check(model, X, y, fewest):
    assert model.exact_
    assert model.empirical_risk_ == model.lower_bound_ == pytest.approx(fewest / len(X))
    assert np.mean(model.predict(X) != y) == model.empirical_risk_


@given(st.one_of(problems(1, 10), problems(2, 8), problems(3, 6)))
def test_rectangles_are_the_best_of_all(problem):
    X, y = problem
    check(Rectangle(time_limit=None).fit(X, y), X, y, naive.fewest_mistakes_of_boxes(X, y))


@given(st.one_of(problems(2, 10), problems(3, 7)))
def test_the_enumeration_needs_no_good_start(problem):
    X, y = problem
    search = BoxSearch(X, 2.0 * y - 1, empty_box(X.shape[1]), math.inf)
    assert search.run()
    assert y.sum() - search.best.gain == naive.fewest_mistakes_of_boxes(X, y)
    assert search.best.gain == round((2 * y - 1)[search.best.holds(X)].sum())


@given(problems(1, 12))
def test_half_lines_are_the_best_of_all(problem):
    X, y = problem
    fewest = naive.fewest_mistakes_of_thresholds(X[:, 0], y)
    check(Halfspace(time_limit=None).fit(X, y), X, y, fewest)


@given(st.one_of(problems(2, 7), problems(3, 7)))
def test_half_spaces_are_the_best_of_all(problem):
    X, y = problem
    fewest = naive.fewest_rows_to_drop(X, y, primal_separation(lambda x: [*x, 1.0]))
    check(Halfspace(time_limit=None).fit(X, y), X, y, fewest)


@given(problems(1, 10))
def test_balls_on_a_line_are_intervals(problem):
    X, y = problem
    check(Ball(time_limit=None).fit(X, y), X, y, naive.fewest_mistakes_of_boxes(X, y))


@given(problems(2, 7))
def test_balls_are_the_best_of_all(problem):
    X, y = problem

    def lift(x):
        return [float(x @ x), *x, 1.0]

    fewest = naive.fewest_rows_to_drop(X, y, primal_separation(lift, first_is_negative=True))
    model = Ball(time_limit=None).fit(X, y)
    check(model, X, y, fewest)


@given(problems(2, 10))
def test_the_integer_program_needs_no_good_start(problem):
    X, y = problem
    F, signs = np.column_stack([X / 3, np.ones(len(X))]), 2.0 * y - 1
    start = np.array([0.0, 0.0, -1.0])
    weights, bound = fewest_mistakes(F, signs, start, math.inf, np.random.default_rng(0))
    assert count_mistakes(F @ weights, signs) == bound
    assert bound == round(Halfspace(time_limit=None).fit(X, y).empirical_risk_ * len(X))


@given(problems(2, 12))
def test_no_step_on_a_fine_grid_beats_the_best_step(problem):
    X, y = problem
    signs = 2.0 * y - 1
    step = best_step(X[:, 0], X[:, 1], signs)
    reached = count_mistakes(X[:, 0] + step * X[:, 1], signs)
    # between neighbouring places -a / c of whole numbers up to 3 there is always a grid point
    grid = np.linspace(-4, 4, 8 * 24 + 1) + 1 / 97
    assert reached <= min(count_mistakes(X[:, 0] + t * X[:, 1], signs) for t in grid)


@given(problems(1, 12))
def test_no_interval_beats_the_best_interval(problem):
    X, y = problem
    x, signs = X[:, 0], 2 * y - 1
    low, high, gain = best_interval(x, signs.astype(float))
    assert gain == signs[(x >= low) & (x <= high)].sum()
    pairs = itertools.product(x, x)
    assert gain == max(0, *(signs[(x >= a) & (x <= b)].sum() for a, b in pairs))


@st.composite
def far_flung(draw):
    """Twelve points of which some are millions of times as far out as the others."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.normal(size=(12, 2))
    far = draw(st.integers(1, 3))
    X[:far] *= 10.0 ** draw(st.integers(3, 12))
    y = (X[:, 0] + rng.normal(size=12) > 0).astype(int)
    y[-2:] = [0, 1]
    return X, y


@given(far_flung())
def test_points_far_out_neither_hide_the_best_half_space_nor_prove_a_worse_one(problem):
    X, y = problem
    check(Halfspace(time_limit=None).fit(X, y), X, y, naive.fewest_mistakes_of_lines(X, y))


@pytest.mark.parametrize("kind", [Halfspace, Ball])
@pytest.mark.parametrize("apart", [1e7, 1e9])
def test_what_a_solver_calls_zero_is_no_proof(kind, apart):
    """Two groups so far apart that each is a point to a solver that rounds at 1e-7."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(16, 2))
        y = (X[:, 0] + 0.5 * rng.normal(size=16) > 0).astype(int)
        X[8:] += apart
        model = kind(time_limit=2).fit(X, y)
        # every half-space is as good as a ball wide enough
        assert model.lower_bound_ <= naive.fewest_mistakes_of_lines(X, y) / 16


def test_few_rows_need_no_integer_program_to_find_the_best():
    """So that what is learnt from few rows does not depend on the speed of the machine."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = rng.uniform(size=(20, 3)), rng.integers(2, size=20)
        for kind in (Halfspace, Ball):
            proven = kind(time_limit=None).fit(X, y)
            assert proven.exact_
            assert kind(time_limit=0).fit(X, y).empirical_risk_ == proven.empirical_risk_
