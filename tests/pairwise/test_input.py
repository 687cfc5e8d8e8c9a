"""Bad and unusual input: a right answer, or an error or warning that names the labels."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from rankwise.pairwise import PairwiseRanker, PositionRanker
from rankwise.rankings import RankingWarning

LABELS = ["tea", "coffee", "water"]


def table(n=20):
    """X, and Y as a DataFrame in which every pair is seen in both orders."""
    X = np.linspace(-1, 1, n)[:, None]
    Y = np.where(X > 0, [[1.0, 2.0, 3.0]], [[3.0, 2.0, 1.0]])
    return X, pd.DataFrame(Y, columns=LABELS)


def test_one_warning_names_every_thin_pair():
    X, Y = table()
    Y["milk"] = np.nan
    Y.loc[Y.tea == 3, "tea"] = 1.5
    Y.loc[Y.coffee == 2, "coffee"] = 4
    with pytest.warns(RankingWarning) as told:
        model = PairwiseRanker().fit(X, Y)
    assert len(told) == 1
    text = str(told[0].message)
    assert "3 never compared" in text
    assert "'tea' and 'milk'" in text
    assert "2 seen in one order only" in text
    assert "'tea' before 'coffee'" in text
    assert "pair_counts_" in text
    assert list(model.estimators_) == [(0, 2)]
    assert told[0].filename == __file__


def test_rows_without_labels_are_counted_and_ignored():
    X, Y = table()
    emptied = Y.copy()
    emptied.iloc[:3] = np.nan
    with pytest.warns(RankingWarning, match="3 of 20 rows"):
        model = PairwiseRanker().fit(X, emptied)
    left = PairwiseRanker().fit(X[3:], Y.iloc[3:])
    np.testing.assert_array_equal(model.predict_pairwise(X), left.predict_pairwise(X))


@pytest.mark.parametrize(
    ("Y", "ties"),
    [
        (np.ones((4, 3)), "never"),
        (np.full((4, 3), np.nan), "never"),
        (np.full((4, 3), np.nan), "auto"),
    ],
)
@pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")
def test_rankings_without_any_comparison_are_refused(Y, ties):
    with pytest.raises(ValueError, match="at least one row must order two labels"):
        PairwiseRanker(ties=ties).fit(np.zeros((4, 1)), Y)


def test_borda_says_that_it_needs_probabilities_and_copeland_does_without():
    X, Y = table()
    assert (PairwiseRanker(LinearSVC()).fit(X, Y).predict(X) == Y).to_numpy().all()
    for classifier in (LinearSVC(), make_pipeline(StandardScaler(), LinearSVC())):
        with pytest.raises(TypeError, match=r"predict_proba; use aggregation='copeland'"):
            PairwiseRanker(classifier, aggregation="borda").fit(X, Y)


def test_missing_features_are_refused_by_the_classifier_with_the_pair_named():
    X, Y = table()
    X[3] = np.nan
    with pytest.raises(ValueError, match=r"labels 'tea' and 'coffee': LogisticRegression.*NaN"):
        PairwiseRanker(LogisticRegression()).fit(X, Y)
    model = PairwiseRanker(LogisticRegression()).fit(np.nan_to_num(X), Y)
    with pytest.raises(ValueError, match=r"predicting the pair of labels 'tea' and 'coffee'"):
        model.predict(X)


def test_missing_features_are_welcome_where_the_classifier_takes_them():
    X, Y = table(60)
    X[3] = np.nan
    model = PairwiseRanker(HistGradientBoostingClassifier(max_iter=5)).fit(X, Y)
    assert model.score(np.nan_to_num(X), Y) > 0.9
    assert model.__sklearn_tags__().input_tags.allow_nan
    assert not PairwiseRanker().__sklearn_tags__().input_tags.allow_nan


@pytest.mark.filterwarnings("ignore:positions with one label")
@pytest.mark.parametrize("ranker", [PairwiseRanker, PositionRanker])
def test_stacks_that_cannot_predict_before_they_are_fitted_are_taken(ranker):
    X, Y = table(40)
    stack = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=1))], cv=2)
    assert ranker(stack).fit(X, Y).score(X, Y) > 0.9


def test_stacks_without_probabilities_are_told_once_they_are_fitted():
    X, Y = table(40)
    trees = [("tree", DecisionTreeClassifier(max_depth=1))]
    stack = StackingClassifier(trees, final_estimator=LinearSVC(), cv=2)
    with pytest.raises(TypeError, match="StackingClassifier has no predict_proba; use aggregation"):
        PairwiseRanker(stack, aggregation="borda").fit(X, Y)
    with pytest.raises(TypeError, match="StackingClassifier has no predict_proba; use another"):
        PositionRanker(stack).fit(X, Y)


def test_infinite_features_are_refused_by_row():
    X, Y = table()
    X[4] = np.inf
    with pytest.raises(ValueError, match="row 4"):
        PairwiseRanker().fit(X, Y)


def test_a_classifier_that_needs_more_rows_says_for_which_pair():
    X, Y = table()
    Y.loc[4:, "water"] = np.nan
    Y.loc[0, "water"] = 5
    with pytest.raises(ValueError, match=r"labels 'tea' and 'water': CalibratedClassifierCV"):
        PairwiseRanker(CalibratedClassifierCV(LogisticRegression(), cv=3)).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"aggregation": "mean"}, ValueError, "aggregation is 'mean'"),
        ({"ties": "last"}, ValueError, "ties is 'last'"),
        ({"estimator": LinearRegression()}, TypeError, "LabelwiseRanker"),
        ({"estimator": LogisticRegression}, TypeError, "LogisticRegression()"),
        ({"estimator": "logistic"}, TypeError, "give a scikit-learn classifier"),
        ({"estimator": StandardScaler()}, TypeError, "give a scikit-learn classifier"),
        ({"estimator": KMeans(2)}, TypeError, "KMeans is a clusterer; a classifier is needed"),
        ({"estimator": OneClassSVM()}, TypeError, "OneClassSVM is an outlier detector"),
        ({"n_jobs": "2"}, ValueError, "n_jobs is '2'; give a whole number"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
        ({"n_jobs": 1.5}, ValueError, "n_jobs is 1.5"),
        ({"random_state": "x"}, ValueError, "random_state is 'x'; use a whole number from 0"),
        ({"random_state": -1}, ValueError, "random_state is -1; use a whole number from 0"),
    ],
)
def test_wrong_parameters_are_named(options, kind, text):
    with pytest.raises(kind, match=text):
        PairwiseRanker(**options).fit(*table())


def test_a_classifier_that_writes_into_shared_features_is_stopped():
    class Careless(LogisticRegression):
        def fit(self, X, y):
            X -= X.mean(axis=0)
            return super().fit(X, y)

    X, Y = table()
    X += 1
    before = X.copy()
    with pytest.raises(ValueError, match="read-only"):
        PairwiseRanker(Careless()).fit(X, Y)
    PairwiseRanker(make_pipeline(StandardScaler(copy=False), LogisticRegression())).fit(X, Y)
    np.testing.assert_array_equal(X, before)


def test_classifiers_that_give_no_number_are_stopped():
    class Broken(LogisticRegression):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    model = PairwiseRanker(Broken()).fit(*table())
    with pytest.raises(ValueError, match=r"'tea' and 'coffee': Broken: gave the probability nan"):
        model.predict([[0.0]])


def test_complete_rows_are_shared_and_not_copied():
    seen = []

    class Recording(LogisticRegression):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

    X, Y = table()
    PairwiseRanker(Recording()).fit(X, Y)
    assert len(seen) == 3
    assert all(np.shares_memory(part, X) for part in seen)


def test_names_survive_to_the_output():
    X, Y = table()
    X = pd.DataFrame(X, columns=["hour"], index=range(100, 120))
    model = PairwiseRanker().fit(X, Y.set_index(X.index))
    assert list(model.predict(X).columns) == LABELS
    assert list(model.predict_positions(X).index) == list(X.index)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, np.float64])
def test_read_only_features_of_any_kind_are_taken(dtype):
    X, Y = table()
    X = np.asfortranarray(X > 0).astype(dtype)
    X.flags.writeable = False
    assert PairwiseRanker().fit(X, Y).score(X, Y) == 1


def test_it_lives_with_the_tools_of_scikit_learn():
    X, Y = table(200)
    Y = Y.to_numpy()
    model = PairwiseRanker(LogisticRegression(C=100))
    search = GridSearchCV(model, {"estimator__C": [1e-9, 100.0], "aggregation": ["borda"]}, cv=2)
    shuffled = np.random.default_rng(0).permutation(len(X))
    search.fit(X[shuffled], Y[shuffled])
    assert search.best_score_ > 0.9
    assert search.best_params_["estimator__C"] == 100
    assert cross_val_score(model, X[shuffled], Y[shuffled], cv=4).min() > 0.9
    copied = pickle.loads(pickle.dumps(clone(model).fit(X, Y)))
    np.testing.assert_array_equal(copied.predict(X), Y)


def test_a_generator_seeds_ties_and_classifiers():
    X, Y = table()
    # a cycle: all labels win once, so that only the draw of ties decides
    cycle = np.array([[1, 2, 3], [3, 1, 2], [2, 3, 1]] * 20)
    features = np.zeros((60, 1))

    def ranked(state):
        model = PairwiseRanker(DummyClassifier(), random_state=state, break_ties="random")
        return model.fit(features, cycle).predict(features)

    for seeded in (np.random.default_rng, np.random.RandomState):
        first = ranked(seeded(0))
        np.testing.assert_array_equal(first, ranked(seeded(0)))
        np.testing.assert_array_equal(np.sort(first, axis=1), np.tile([1, 2, 3], (60, 1)))
        assert len(np.unique(first, axis=0)) > 1
    unseeded = PairwiseRanker(random_state=None, break_ties="random").fit(X, Y).predict(X)
    np.testing.assert_array_equal(np.sort(unseeded, axis=1), np.sort(Y, axis=1))


def test_a_seed_of_the_users_own_is_kept_and_one_is_given_where_it_is_drawn_on():
    X, Y = table()
    model = PairwiseRanker(LogisticRegression(random_state=7), random_state=0).fit(X, Y)
    assert {m.random_state for m in model.estimators_.values()} == {7}
    for solver, n_seeds in (("saga", 3), ("lbfgs", 1)):
        model = PairwiseRanker(LogisticRegression(solver=solver), random_state=0).fit(X, Y)
        assert len({m.random_state for m in model.estimators_.values()}) == n_seeds


def test_a_progress_bar_is_shown_on_request_alone(capsys):
    X, Y = table()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PairwiseRanker().fit(X, Y)
        assert capsys.readouterr().err == ""
        loud = PairwiseRanker(verbose=1).fit(X, Y)
    assert "fitting pairs" in capsys.readouterr().err
    assert len(loud.estimators_) == 3
