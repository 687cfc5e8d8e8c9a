"""What a choice is worth, what it costs, and how much of a gap it closes."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.tree import DecisionTreeRegressor

from rankwise.metrics import chosen_value, gap_closed, regret, scorer

SECONDS = np.array([[1.0, 9.0, 50.0], [8.0, 2.0, np.nan], [500.0, 500.0, 4.0]])
FIRST = np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1]])


def test_the_value_of_a_choice_is_that_of_the_first_label_or_of_the_best_of_the_first():
    values = chosen_value(SECONDS, FIRST, higher_is_better=False, average=False)
    assert values.tolist() == [1, 8, 4]
    assert chosen_value(SECONDS, FIRST, higher_is_better=False) == pytest.approx(13 / 3)
    two = chosen_value(SECONDS, FIRST, higher_is_better=False, top=2, average=False)
    assert two.tolist() == [1, 2, 4]
    assert chosen_value(SECONDS, FIRST, average=False).tolist() == [1, 8, 4]


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("top", [1, 2])
def test_value_and_regret_add_up_to_the_best_of_the_row(higher, top):
    rng = np.random.default_rng(0)
    values, ranks = rng.normal(size=(40, 4)), rng.integers(1, 4, (40, 4))
    known = {"higher_is_better": higher, "top": top, "average": False}
    best = values.max(axis=1) if higher else values.min(axis=1)
    lost = regret(values, ranks, **known) * (1 if higher else -1)
    assert_allclose(chosen_value(values, ranks, **known) + lost, best)


def test_the_gap_is_closed_by_the_virtual_best_and_not_by_the_single_best():
    single = [1, 2, 3]
    closed = {"higher_is_better": False}
    virtual = [[1, 2, 3], [2, 1, 3], [3, 2, 1]]
    assert gap_closed(SECONDS, virtual, single, **closed) == 1
    assert gap_closed(SECONDS, np.tile(single, (3, 1)), single, **closed) == 0
    assert gap_closed(SECONDS, FIRST, single, **closed) == pytest.approx(1 - 6 / (6 + 496))
    assert gap_closed(SECONDS, [[3, 2, 1]] * 3, single, **closed) < 1
    assert np.isnan(gap_closed(SECONDS[:1], FIRST[:1], single, **closed))


@pytest.fixture
def routed():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def problem(n=60):
    rng = np.random.default_rng(1)
    X = rng.random((n, 3))
    seconds = np.exp(3 * X + rng.normal(scale=0.1, size=(n, 3)))
    return X, seconds.argsort(axis=1).argsort(axis=1) + 1.0, seconds


@pytest.mark.usefixtures("routed")
def test_costs_are_scored_where_values_are_routed():
    X, Y, seconds = problem()
    folds = KFold(3)
    scores = cross_val_score(
        LinearRegression(), X, Y, cv=folds, params={"values": seconds},
        scoring=scorer("regret", higher_is_better=False),
    )  # fmt: skip
    by_hand = []
    for train, test in folds.split(X):
        places = LinearRegression().fit(X[train], Y[train]).predict(X[test])
        ranks = places.argsort(axis=1).argsort(axis=1) + 1
        by_hand.append(-regret(seconds[test], ranks, higher_is_better=False))
    assert_allclose(scores, by_hand)
    model = DecisionTreeRegressor(random_state=0)
    costs = scorer("chosen_value", higher_is_better=False)
    search = GridSearchCV(model, {"max_depth": [1, 8]}, scoring=costs, cv=3)
    assert search.fit(X, Y, values=seconds).best_params_ == {"max_depth": 8}


def test_a_scorer_of_costs_asks_for_direction_and_routing():
    with pytest.raises(TypeError, match="say higher_is_better=True or False"):
        scorer("regret")
    with pytest.raises(ValueError, match=r"set_config\(enable_metadata_routing=True\)"):
        scorer("regret", higher_is_better=True)
