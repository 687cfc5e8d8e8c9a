"""What the paper promises of pairwise learning, on data whose truth is known."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from rankwise.metrics import kendall_tau
from rankwise.oracles import (
    GaussianFeatures,
    Oracle,
    Partition,
    SparseLinear,
    Survival,
    TopK,
    TruncatedGaussian,
    UniformFeatures,
)
from rankwise.pairwise import PairwiseRanker

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")


def test_the_order_is_not_reversed():
    """Label 0 goes first where x > 0, and is said to go first there."""
    X = np.linspace(-1, 1, 40)[:, None]
    Y = np.where(X > 0, [[1, 2, 3]], [[3, 2, 1]])
    for aggregation in ("copeland", "borda", "kemeny"):
        model = PairwiseRanker(aggregation=aggregation).fit(X, Y)
        assert model.predict([[0.9]]).tolist() == [[1, 2, 3]]
        assert model.predict([[-0.9]]).tolist() == [[3, 2, 1]]
        assert model.predict_pairwise([[0.9]])[0, 0, 2] > 0.9
        assert np.argmin(model.predict_positions([[0.9]])) == 0
    assert model.score(X, Y) == 1
    assert model.score(X, 4 - Y) == -1


@pytest.mark.parametrize("classifier", [LogisticRegression(C=1e6, max_iter=5000), LinearSVC(C=1e4)])
@pytest.mark.parametrize("q", [0.4, 0.7, 1.0])
def test_separable_rankings_are_recovered_whatever_is_deleted(q, classifier):
    """Noiseless scores that are linear in x: each pair is a half-space, and is learnt as one."""
    weights = np.random.default_rng(3).normal(size=(2, 4))
    oracle = Oracle(lambda X: X @ weights, features=GaussianFeatures(2), mechanism=Survival(q))
    X, Y, clean = oracle.sample(3000, random_state=0, return_clean=True)
    scores = np.sort(X @ weights, axis=1)
    clear = np.diff(scores, axis=1).min(axis=1) > 0.2
    model = PairwiseRanker(classifier).fit(X[clear], Y[clear])
    np.testing.assert_array_equal(model.predict(X[clear]), clean[clear])


def test_deleting_two_fifths_of_the_labels_costs_little():
    def tau(q):
        oracle = Oracle(
            SparseLinear(10, 5, 3, random_state=0),
            noise=TruncatedGaussian(0.05),
            mechanism=Survival(q),
        )
        X, Y = oracle.sample(5000, random_state=1)
        X_new, _ = oracle.sample(2000, random_state=2)
        return kendall_tau(oracle.truth(X_new), PairwiseRanker().fit(X, Y).predict(X_new))

    assert tau(1.0) - tau(0.6) < 0.03


@pytest.mark.parametrize("mechanism", [Partition(0.5), TopK(2), TopK(2, rest="missing")])
def test_tied_and_top_k_rankings_teach_the_whole_order(mechanism):
    oracle = Oracle(
        SparseLinear(4, 4, 2, random_state=1), features=UniformFeatures(4), mechanism=mechanism
    )
    X, Y = oracle.sample(3000, random_state=0)
    X_new, _ = oracle.sample(1000, random_state=1)
    model = PairwiseRanker(ties="never").fit(X, Y)
    assert kendall_tau(oracle.truth(X_new), model.predict(X_new)) > 0.9


def test_shares_come_near_the_truth_of_the_oracle():
    oracle = Oracle(
        SparseLinear(4, 3, 2, random_state=0),
        features=UniformFeatures(4),
        noise=TruncatedGaussian(0.1),
        mechanism=Survival(0.7),
    )
    X, Y = oracle.sample(4000, random_state=0)
    error = PairwiseRanker().fit(X, Y).predict_pairwise(X[:500]) - oracle.pairwise(X[:500])
    assert np.abs(error).mean() < 0.03


def test_a_label_without_comparisons_stands_in_the_middle():
    X = np.linspace(-1, 1, 30)[:, None]
    Y = np.where(X > 0, [[1, 2, 3, 4, np.nan]], [[4, 3, 2, 1, np.nan]])
    for aggregation in ("copeland", "borda", "kemeny"):
        model = PairwiseRanker(aggregation=aggregation).fit(X, Y)
        assert model.predict([[1.0]]).tolist() == [[1, 2, 4, 5, 3]]


def test_a_pair_never_compared_is_decided_through_others():
    """Tea is asked about with coffee, coffee with water; tea and water never meet."""
    X = np.linspace(-1, 1, 40)[:, None]
    both = np.where(X > 0, [[1, 2, 3]], [[3, 2, 1]]).astype(float)
    Y = both.copy()
    Y[::2, 0] = np.nan
    Y[1::2, 2] = np.nan
    model = PairwiseRanker().fit(X, Y)
    assert model.pair_counts_[0, 2] == model.pair_counts_[2, 0] == 0
    np.testing.assert_array_equal(model.predict([[-0.9], [0.9]]), [[3, 2, 1], [1, 2, 3]])


def test_random_ties_are_drawn_evenly_and_repeat_with_the_seed():
    """Three labels in a cycle everywhere: Copeland calls them level."""
    X = np.zeros((3, 1))
    Y = np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    many = np.zeros((3000, 1))
    model = PairwiseRanker(KNeighborsClassifier(3), break_ties="random", random_state=0).fit(X, Y)
    ranks = model.predict(many)
    np.testing.assert_array_equal(ranks, model.predict(many))
    np.testing.assert_allclose(ranks.mean(axis=0), 2, atol=0.06)
    assert PairwiseRanker(KNeighborsClassifier(3)).fit(X, Y).predict(many).std(axis=0).max() == 0


def test_two_labels_are_one_classifier():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    before = (X[:, 0] + rng.normal(size=50) > 0).astype(int)
    model = PairwiseRanker(LogisticRegression()).fit(X, np.c_[2 - before, 1 + before])
    expected = LogisticRegression().fit(X, before).predict_proba(X)[:, 1]
    np.testing.assert_allclose(model.predict_pairwise(X)[:, 0, 1], expected)


def test_the_result_does_not_depend_on_n_jobs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = rng.permuted(np.tile(np.arange(1.0, 6), (60, 1)), axis=1)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    tree = DecisionTreeClassifier(max_features=1)
    one = PairwiseRanker(tree, random_state=0).fit(X, Y)
    two = PairwiseRanker(tree, random_state=0, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.predict_pairwise(X), two.predict_pairwise(X))
    other = PairwiseRanker(tree, random_state=1).fit(X, Y)
    assert (one.predict_pairwise(X) != other.predict_pairwise(X)).any()


def test_blocks_of_rows_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    Y = rng.permuted(np.tile(np.arange(1.0, 5), (40, 1)), axis=1)
    model = PairwiseRanker(break_ties="random", random_state=0).fit(X, Y)
    whole, positions = model.predict(X), model.predict_positions(X)
    monkeypatch.setattr("rankwise.pairwise._ranker.BLOCK_CELLS", 50)
    np.testing.assert_array_equal(model.predict(X), whole)
    np.testing.assert_allclose(model.predict_positions(X), positions)
