"""What every baseline takes and refuses, and the two that only dress up what is there already."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from baselines.strategies import features
from rankwise.baselines import (
    LRT,
    LWD,
    RPC,
    Consensus,
    InstanceMallows,
    InstancePlackettLuce,
    KernelRidgeKemeny,
    KNNKemeny,
)
from rankwise.baselines._logistic import nearly_free_logistic
from rankwise.consensus import borda, copeland, kemeny, pairwise_matrix
from rankwise.pairwise import PairwiseRanker

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")

LABELS = ["tea", "coffee", "water"]
NEIGHBOURS = [KNNKemeny(3), InstanceMallows(3), InstancePlackettLuce(3)]
ALL = [Consensus(), RPC(), LWD(), KernelRidgeKemeny(0.1, 0.5), *NEIGHBOURS]


def name_of(model):
    return type(model).__name__


def table(n=20):
    X = np.random.default_rng(0).uniform(-1, 1, (n, 2))
    Y = np.where(X[:, :1] > 0, [[1.0, 2.0, 3.0]], [[3.0, 2.0, 1.0]])
    Y[::7] = [2, 1, 3]
    return X, pd.DataFrame(Y, columns=LABELS)


@pytest.mark.parametrize("model", ALL, ids=name_of)
def test_names_survive_and_positions_agree_with_shares(model):
    X, Y = table()
    X = pd.DataFrame(X, columns=["hour", "guests"], index=range(100, 120))
    fitted = clone(model).fit(X, Y.set_index(X.index))
    ranks = fitted.predict(X)
    assert list(ranks.columns) == LABELS
    assert list(ranks.index) == list(X.index)
    np.testing.assert_array_equal(np.sort(ranks, axis=1), np.tile([1, 2, 3], (20, 1)))
    shares = fitted.predict_pairwise(X)
    np.testing.assert_allclose(shares + shares.transpose(0, 2, 1), 1, atol=1e-6)
    positions = fitted.predict_positions(X).to_numpy()
    assert positions.min() >= 1
    assert positions.max() <= 3
    if not isinstance(model, LWD):  # it predicts positions first, and shares by them
        np.testing.assert_allclose(positions, 3.5 - shares.sum(axis=2), atol=1e-6)


@pytest.mark.parametrize("model", [m for m in ALL if not isinstance(m, Consensus)], ids=name_of)
def test_rankings_that_features_decide_are_learned(model):
    X, Y = table(60)
    assert clone(model).fit(X, Y).score(X, Y) > Consensus().fit(X, Y).score(X, Y) + 0.3


@pytest.mark.parametrize("model", ALL, ids=name_of)
def test_read_only_tables_and_copies_work(model):
    X, Y = table()
    X, Y = np.asfortranarray(X), Y.to_numpy().copy()
    X.flags.writeable = Y.flags.writeable = False
    fitted = clone(model).fit(X, Y)
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.predict(X), fitted.predict(X))


@pytest.mark.parametrize("model", ALL, ids=name_of)
def test_incomplete_rankings_are_taken(model):
    X, Y = table(40)
    Y = Y.mask(np.random.default_rng(1).random(Y.shape) < 0.3)
    assert clone(model).fit(X, Y).predict(X).shape == (40, 3)


@pytest.mark.parametrize(
    "model",
    [LWD(), InstanceMallows(3), InstancePlackettLuce(3), KNNKemeny(3, embedding="hamming")],
    ids=name_of,
)
def test_ties_are_refused_by_row_and_label_where_the_publication_has_none(model):
    X, Y = table()
    Y.loc[4, "water"] = Y.loc[4, "coffee"]
    with pytest.raises(
        ValueError, match="row 4: label 'coffee' and label 'water' are tied at rank 2"
    ):
        clone(model).fit(X, Y)


@pytest.mark.parametrize(
    "model",
    [Consensus(), RPC(), KNNKemeny(3), KNNKemeny(3, embedding="lehmer"), KernelRidgeKemeny(0.1, 1)],
    ids=name_of,
)
def test_ties_are_taken_where_the_publication_has_them(model):
    X, Y = table()
    Y.loc[4, "water"] = Y.loc[4, "coffee"]
    assert clone(model).fit(X, Y).score(X, Y) > 0


@pytest.mark.parametrize("embedding", ["hamming", "lehmer"])
@pytest.mark.parametrize("model", [KNNKemeny(3), KernelRidgeKemeny(0.1, 1)], ids=name_of)
def test_missing_labels_are_refused_by_embeddings_that_have_no_place_for_them(model, embedding):
    X, Y = table()
    Y.loc[2, "tea"] = np.nan
    with pytest.raises(ValueError, match=r"row 2: label 'tea' is missing.*embedding='kemeny'"):
        clone(model).set_params(embedding=embedding).fit(X, Y)


@pytest.mark.parametrize("model", [*NEIGHBOURS, KernelRidgeKemeny(0.1, 1)], ids=name_of)
def test_rows_that_compare_nothing_are_never_asked(model):
    X, Y = table()
    emptied = Y.copy()
    emptied.iloc[:8, 1:] = np.nan
    some = clone(model).fit(X, emptied)
    np.testing.assert_array_equal(some.predict(X), clone(model).fit(X[8:], Y.iloc[8:]).predict(X))
    emptied.iloc[:] = np.nan
    with pytest.raises(ValueError, match="at least one row must order two labels"):
        clone(model).fit(X, emptied)


@pytest.mark.parametrize("model", [KNNKemeny(), InstanceMallows(), InstancePlackettLuce()])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_few_rows_have_few_neighbours(model, n):
    X, Y = features(n), np.tile([2.0, 1.0, 3.0], (n, 1))
    fitted = clone(model).fit(X, Y)
    assert 1 <= fitted.n_neighbors_ <= max(1, n - 1)
    np.testing.assert_array_equal(fitted.predict(features(2, 1)), Y[[0, 0]])


@pytest.mark.parametrize(
    ("model", "kind", "text"),
    [
        (KNNKemeny(0), ValueError, "n_neighbors is 0"),
        (KNNKemeny(2.5), TypeError, "n_neighbors is 2.5"),
        (KNNKemeny("best"), TypeError, "n_neighbors is 'best'"),
        (KNNKemeny(True), TypeError, "n_neighbors is True"),
        (InstanceMallows(21), ValueError, "n_neighbors is 21, but X has n_samples = 20"),
        (KNNKemeny(embedding="cosine"), ValueError, "embedding is 'cosine'"),
        (KernelRidgeKemeny(alpha=0), ValueError, "alpha is 0"),
        (KernelRidgeKemeny(gamma="scale"), ValueError, "gamma is 'scale'"),
        (Consensus("mean"), ValueError, "method is 'mean'"),
    ],
)
def test_wrong_parameters_are_named(model, kind, text):
    with pytest.raises(kind, match=text):
        model.fit(*table())


def test_features_beyond_distances_are_refused_by_cell():
    X, Y = table()
    X[3, 1] = 1e200
    for model in (*NEIGHBOURS, KernelRidgeKemeny(0.1, 0.5)):
        with pytest.raises(ValueError, match="row 3, feature 1"):
            clone(model).fit(X, Y)


@pytest.mark.parametrize(
    ("method", "rule"), [("borda", borda), ("copeland", copeland), ("kemeny", kemeny)]
)
def test_consensus_predicts_that_of_its_rule(method, rule):
    rng = np.random.default_rng(0)
    Y = np.argsort(rng.normal(size=(31, 5)) + np.arange(5) / 2, axis=1).argsort(axis=1) + 1.0
    weights = rng.integers(0, 3, 31)
    X = np.full((31, 1), np.nan)
    model = Consensus(method).fit(X, Y, weights)
    order = np.argsort(rule(Y, sample_weight=weights), kind="stable")
    np.testing.assert_array_equal(np.argsort(model.ranks_), order)
    np.testing.assert_array_equal(model.predict(X[:2]), [model.ranks_] * 2)
    np.testing.assert_allclose(
        model.predict_pairwise(X[:1])[0], pairwise_matrix(Y, sample_weight=weights)
    )


def test_rpc_is_pairs_with_the_weighted_vote():
    X, Y = table(50)
    assert nearly_free_logistic()[-1].C == 100.0
    pairs = PairwiseRanker(nearly_free_logistic(), aggregation="borda").fit(X, Y)
    model = RPC().fit(X, Y)
    np.testing.assert_allclose(model.predict_pairwise(X), pairs.predict_pairwise(X))
    np.testing.assert_array_equal(model.predict(X), pairs.predict(X))
    parameters = {"estimator", "ties", "ties_for", "n_jobs", "random_state", "verbose"}
    assert set(model.get_params()) == parameters


def test_plain_arrays_are_checked_as_any_other_table():
    rng = np.random.default_rng(3)
    X, Y = rng.integers(9, size=(20, 3)), np.argsort(rng.random((20, 3)), axis=1) + 1
    expected = LRT().fit(X, Y).predict(X)
    for same in (X.tolist(), X.astype(np.float32), np.asfortranarray(X * 1.0), pd.DataFrame(X)):
        model = LRT().fit(same, Y)
        assert model.n_features_in_ == 3
        assert (model.predict(same) == expected).all()
        with pytest.raises(ValueError, match="X has 2 features, but LRT is expecting 3"):
            model.predict(X[:, :2])
    for empty in (X[:0], X[:, :0]):
        with pytest.raises(ValueError, match=r"Found array with 0 (sample|feature)"):
            LRT().fit(empty, Y)


def test_names_of_features_are_forgotten_with_an_array_and_missed_in_one():
    X, Y = pd.DataFrame({"hour": [7, 8, 17, 18]}), [[1, 2], [1, 2], [2, 1], [2, 1]]
    model = LRT().fit(X, Y)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X.to_numpy())
    model.fit(X.to_numpy(), Y)
    assert not hasattr(model, "feature_names_in_")
    with pytest.warns(UserWarning, match="fitted without feature names"):
        model.predict(X)
