"""DataFrames reach the classifiers as DataFrames: columns can be chosen by name."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rankwise.pairwise import PairwiseRanker, PositionRanker

pytestmark = pytest.mark.filterwarnings("ignore::rankwise.rankings.RankingWarning")

N = 60
RNG = np.random.default_rng(5)
FRAME = pd.DataFrame(RNG.normal(size=(N, 3)), columns=["hour", "heat", "noise"])
FIRST = (FRAME.hour + FRAME.heat > 0).to_numpy()
Y = pd.DataFrame(
    np.where(FIRST[:, None], [[1.0, 2, 3]], [[3.0, 2, 1]]), columns=["tea", "ale", "rum"]
)
RANKERS = [PairwiseRanker, PositionRanker]
EXACT = {"C": 100, "solver": "newton-cholesky", "tol": 1e-8}


def by_name(*columns, extra=()):
    return make_pipeline(
        make_column_transformer((StandardScaler(), list(columns)), *extra),
        LogisticRegression(**EXACT),
    )


@pytest.mark.parametrize("ranker", RANKERS)
@pytest.mark.parametrize("gaps", [False, True])
def test_columns_chosen_by_name_are_those_chosen_by_hand(ranker, gaps):
    ranks = Y.to_numpy().copy()
    if gaps:
        ranks[::3, 0] = np.nan
    named = ranker(by_name("heat", "hour")).fit(FRAME, ranks)
    chosen = FRAME[["heat", "hour"]].to_numpy()
    by_hand = ranker(make_pipeline(StandardScaler(), LogisticRegression(**EXACT)))
    by_hand.fit(chosen, ranks)
    np.testing.assert_allclose(
        named.predict_positions(FRAME), by_hand.predict_positions(chosen), atol=1e-6
    )
    assert (named.predict(FRAME) == Y.to_numpy()).mean() > 0.9


@pytest.mark.parametrize("ranker", RANKERS)
def test_text_reaches_the_encoder_of_a_pipeline(ranker):
    frame = FRAME.assign(place=np.where(FIRST, "home", "pub"))
    encoded = (OneHotEncoder(handle_unknown="ignore"), ["place"])
    model = ranker(by_name("hour", extra=[encoded])).fit(frame, Y)
    assert (model.predict(frame) == Y).to_numpy().all()
    with pytest.raises(ValueError, match=r"(labels 'tea' and 'ale'|position 1): Log.*string"):
        ranker(LogisticRegression()).fit(frame, Y)


def test_integers_beside_floats_can_be_chosen_by_kind():
    frame = FRAME.assign(guests=FIRST.astype(np.int64))
    chooser = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="int64"))
    )
    model = PairwiseRanker(make_pipeline(chooser, LogisticRegression(C=100))).fit(frame, Y)
    assert (model.predict(frame) == Y).to_numpy().all()
    assert model.estimators_[0, 1][0].transformers_[0][2] == ["guests"]


@pytest.mark.parametrize(
    "frame", [FRAME, FRAME.astype({"hour": "float32"}), FRAME.round().astype(int)]
)
def test_complete_rows_of_a_frame_are_shared_and_not_copied(frame):
    seen = []

    class Recording(LogisticRegression):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

    PairwiseRanker(Recording()).fit(frame, Y)
    arrays = [np.asarray(part) for part in seen]
    assert all(list(part.columns) == list(frame.columns) for part in seen)
    assert len(arrays) == 3
    assert all(np.shares_memory(arrays[0], array) for array in arrays)
    assert all(array.flags.c_contiguous for array in arrays)


def test_names_are_checked_once_and_for_all_pairs():
    model = PairwiseRanker(LogisticRegression()).fit(FRAME, Y)
    with pytest.warns(UserWarning, match="does not have valid feature names") as told:
        predicted = model.predict(FRAME.to_numpy())
    assert len(told) == 1
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(FRAME[["heat", "hour", "noise"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(FRAME), predicted)
        unnamed = PairwiseRanker(LogisticRegression()).fit(FRAME.set_axis([0, 1, 2], axis=1), Y)
        unnamed.predict(FRAME.to_numpy())


def test_frames_with_text_are_still_checked():
    frame = FRAME.assign(place="home")
    encoded = (OneHotEncoder(), ["place"])
    model = PairwiseRanker(by_name("hour", extra=[encoded]))
    with pytest.raises(ValueError, match="row 7, feature 'heat'"):
        model.fit(frame.assign(heat=np.where(np.arange(N) == 7, np.inf, 0.0)), Y)
    with pytest.raises(ValueError, match="60 and 59 rows"):
        model.fit(frame, Y[:-1])
    model.fit(frame, Y)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        model.predict(frame[:0])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.drop(columns="place"))
