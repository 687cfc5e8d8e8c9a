"""What the registry says a learner takes is what its estimator takes."""

import warnings

import numpy as np
import pytest

import rankwise as rw
from rankwise.learners import find_learner, fit_ranker, known_learners

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
SCORES = X @ RNG.normal(size=(3, 4)) + RNG.normal(scale=0.3, size=(60, 4))
RANKS = rw.ranks_from_scores(SCORES)
DATA = {
    "missing_labels": (X, np.where(RNG.random(RANKS.shape) < 0.2, np.nan, RANKS), None),
    "ties": (X, rw.ranks_from_scores(np.round(SCORES)), None),
    "weights": (X, RANKS, RNG.integers(1, 4, 60).astype(float)),
    "missing_features": (np.where(RNG.random(X.shape) < 0.1, np.nan, X), RANKS, None),
}
SMALL = {
    "n_estimators": 3,
    "estimator__n_estimators": 3,
    "candidates": ["Tree", "Kernel"],
}
NAMES = [learner.name for learner in known_learners()]
CASES = [(name, what) for name in NAMES for what in DATA]


def small(name):
    learner = find_learner(name)
    known = learner.estimator().get_params()
    return learner.estimator(0, **{key: value for key, value in SMALL.items() if key in known})


@pytest.mark.parametrize(("name", "what"), CASES)
def test_a_learner_takes_what_it_says_and_refuses_the_rest(name, what):
    features, ranks, weights = DATA[what]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if getattr(find_learner(name).takes, what):
            model = fit_ranker(small(name), features, ranks, weights)
            assert np.asarray(model.predict(features)).shape == ranks.shape
        else:
            with pytest.raises(ValueError, match=r"\w"):
                fit_ranker(small(name), features, ranks, weights).predict(features)


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_gives_shares_of_pairs_which_fit_needs_for_its_certainty(name):
    model = small(name).fit(X, RANKS)
    shares = np.asarray(model.predict_pairwise(X[:2]))
    assert shares.shape == (2, 4, 4)


# Those of the literature on ties, whose bucket orders need no threshold.
MADE_FOR_TIES = {"PLRTree", "PLRForest", "PLRBagging", "InstancePLR"}


def test_every_other_learner_has_a_threshold_of_ties():
    without = {name for name in NAMES if "ties" not in find_learner(name).estimator().get_params()}
    assert without == MADE_FOR_TIES


@pytest.mark.parametrize("name", [name for name in NAMES if name not in MADE_FOR_TIES])
def test_a_share_ties_predictions_and_auto_none_where_the_rankings_have_no_ties(name):
    never, auto, all_tied = (
        small(name).set_params(ties=ties).fit(X, RANKS) for ties in ("never", "auto", 1.0)
    )
    assert never.ties_ is auto.ties_ is None
    assert (np.sort(auto.predict(X), axis=1) == [1, 2, 3, 4]).all()
    np.testing.assert_array_equal(never.predict(X), auto.predict(X))
    np.testing.assert_array_equal(never.predict_pairwise(X), auto.predict_pairwise(X))
    assert (np.asarray(all_tied.predict(X)) == 1).all()


@pytest.mark.parametrize(
    ("old", "new"),
    [("forest", "Forest"), ("honest", "HonestForest"), ("tree", "Tree"), ("level", "Level"),
     ("pairwise", "Pairwise"), ("DT", "Tree"), ("lr-rf", "LRRF")],
)  # fmt: skip
def test_other_names_lead_to_the_same_learner(old, new):
    assert find_learner(old).name == new


def test_names_and_aliases_are_reported_apart():
    plain = [
        name.lower() for learner in known_learners() for name in (learner.name, *learner.aliases)
    ]
    assert len(set(plain)) == len(plain)


def test_every_learner_says_what_it_is_in_a_line():
    for learner in known_learners():
        assert 10 < len(learner.description) < 80
