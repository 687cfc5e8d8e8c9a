"""Methods by name: every name leads to an estimator, every mistake to a helpful error."""

import pytest
from sklearn.base import BaseEstimator, clone

from rankwise.learners import find_learner, known_learners, split_learners
from rankwise.validation._compare import _fingerprint
from rankwise.validation._store import code_version

BASELINES = {
    "BoostLR", "Consensus", "InstanceMallows", "InstancePLR", "InstancePlackettLuce", "KNNKemeny",
    "LRRF", "LRT", "LWD", "PLRBagging", "PLRForest", "PLRTree", "RPC",
}  # fmt: skip


class MyRanker(BaseEstimator):
    def __init__(self, depth=1, random_state=None):
        self.depth = depth
        self.random_state = random_state


NAMES = [learner.name for learner in known_learners()]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_gives_an_estimator_that_can_be_cloned(name):
    model = find_learner(name).estimator()
    assert clone(model) is not model
    assert hasattr(model, "fit")


def test_the_systems_of_the_comparison_are_known():
    assert set(NAMES) >= BASELINES


@pytest.mark.parametrize("text", ["LR-RF", "lrrf", "LR_RF", " LRRF "])
def test_case_and_hyphens_do_not_matter(text):
    assert find_learner(text).name == "LRRF"


def test_parameters_reach_the_estimator_and_the_name():
    method = find_learner("rf( max_depth = 3, max_features='sqrt')")
    assert method.name == "RF(max_depth=3, max_features='sqrt')"
    model = method.estimator(seed=7)
    assert (model.n_estimators, model.max_depth, model.random_state) == (50, 3, 7)


def test_a_seed_that_was_chosen_is_kept():
    assert find_learner("RF(random_state=3)").estimator(seed=7).random_state == 3


def test_own_estimators_are_found_by_module_and_name():
    method = find_learner("learners.test_learners:MyRanker(depth=4)")
    assert method.name == "MyRanker(depth=4)"
    assert method.estimator(seed=5).get_params() == {"depth": 4, "random_state": 5}
    assert len(_fingerprint(method)["source"]) == 64


def test_every_parameter_is_part_of_the_fingerprint():
    prints = [_fingerprint(find_learner(text)) for text in ("RF", "RF(max_depth=3)", "Tree")]
    assert prints[0]["parameters"]["n_estimators"] == "50"
    assert len({str(found) for found in prints}) == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Tee", r"unknown learner 'Tee'; choose one of .*RPC.*LRT"),
        ("", "write NAME"),
        ("RF(", "write NAME"),
        ("RF(3)", "name=value"),
        ("RF(max_depth=open('x'))", "name=value"),
        ("RF(**{'a': 1})", "name=value"),
        ("nowhere:Ranker", "No module named"),
        ("learners.test_learners:Missing", "no attribute"),
        ("learners.test_learners:BASELINES", "is a set"),
        ("builtins:dict", "is no estimator"),
    ],
)
def test_a_mistake_is_reported_with_its_remedy(text, reason):
    with pytest.raises(ValueError, match=reason):
        find_learner(text)


def test_an_unknown_parameter_is_reported_with_those_known():
    with pytest.raises(ValueError, match=r"no parameter 'depth'; known are .*max_depth"):
        find_learner("RF(depth=3)").estimator()


def test_commas_within_parentheses_do_not_split():
    assert split_learners("A(x=[1,2]), B,, C(y={'a': 1})") == ["A(x=[1,2])", "B", "C(y={'a': 1})"]


def test_code_under_development_is_part_of_the_version_and_a_release_is_only_its_number(
    monkeypatch,
):
    monkeypatch.setattr("rankwise.__version__", "1.0")
    assert code_version() == "1.0"
    monkeypatch.setattr("rankwise.__version__", "1.1.dev0")
    number, _, code = code_version().partition("+")
    assert (number, len(code)) == ("1.1.dev0", 64)
