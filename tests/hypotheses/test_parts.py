"""The parts of the searches, each on a case that is known by hand."""

import numpy as np
import pytest

from rankwise.hypotheses._boxes import sweep
from rankwise.hypotheses._descent import descend
from rankwise.hypotheses._hypothesis import contradictions, count_mistakes
from rankwise.hypotheses._touching import best_touching


def test_equal_rows_of_unequal_classes_cost_a_mistake():
    assert contradictions(np.array([[1.0], [1.0], [2.0]]), np.array([1.0, -1.0, 1.0])) == 1


def test_the_sweep_leaves_the_negative_row_out():
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.5])
    assert sweep(x, y, np.array([1.0, 1.0, -1.0]), 0) == (0, 1)


@pytest.mark.parametrize("search", [descend, best_touching])
def test_rows_that_can_be_separated_are(search):
    F = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    signs = np.array([-1.0, 1.0, 1.0])
    u = search(F, signs, np.array([0.0, 1.0]), np.random.default_rng(0))
    assert count_mistakes(F @ u, signs) == 0
