"""AutoRanker: what it tries, what it chooses, and that choosing is honest."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from rankwise.auto import FLOOR, MIXTURE, AutoRanker, _choice, _search
from rankwise.auto._candidates import find_candidates
from rankwise.auto._search import folds_of
from rankwise.baselines import Consensus, KNNKemeny
from rankwise.metrics import kendall_tau, tau_x
from rankwise.rankings import ranks_from_scores

QUICK = ["Forest(n_estimators=10)", "Pairwise", "KNNKemeny(scale=True)"]
pytestmark = pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")


def draw(n=120, k=4, noise=0.3, seed=0, curved=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    scores = (np.sin(2 * X) if curved else X) @ np.random.default_rng(99).normal(size=(3, k))
    return X, ranks_from_scores(scores + noise * rng.normal(size=(n, k)))


def auto(candidates=QUICK, **more):
    return AutoRanker(candidates=candidates, random_state=0, **more)


def test_it_is_near_the_best_of_its_candidates_on_new_rows():
    for curved in (False, True):
        X, Y = draw(200, curved=curved)
        new, truth = draw(1000, seed=1, noise=0.0, curved=curved)
        model = auto().fit(X, Y)
        alone = [
            rw.learners.find_learner(name).estimator(0).fit(X, Y).score(new, truth)
            for name in QUICK
        ]
        assert model.score(new, truth) > max(alone) - 0.03
        assert model.score_ > next(s.tau for s in model.leaderboard_ if s.learner == FLOOR)


def test_where_features_say_nothing_it_stays_near_the_floor():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    Y = ranks_from_scores(np.arange(4) * 0.5 + rng.normal(size=(300, 4)))
    new = ranks_from_scores(np.arange(4) * 0.5 + rng.normal(size=(2000, 4)))
    predicted = auto().fit(X, Y).predict(rng.normal(size=(2000, 3)))
    floor = rw.baselines.Consensus().fit(X, Y).predict(np.zeros((2000, 3)))
    assert kendall_tau(new, predicted) > kendall_tau(new, floor) - 0.02


def test_the_floor_is_kept_unless_a_mixture_beats_it_on_rows_left_out():
    n_kept = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(16, 3))
        by_chance = ranks_from_scores(np.arange(4) * 0.8 + rng.normal(size=(16, 4)))
        model = auto().fit(X, by_chance)
        kept = model.chosen_ == {FLOOR: 1.0}
        assert kept or model.score_ > next(s.tau for s in model.leaderboard_ if s.learner == FLOOR)
        n_kept += kept
    assert n_kept > 0
    by_features = ranks_from_scores(np.hstack([X, -X[:, :1]]))
    assert FLOOR not in auto().fit(X, by_features).chosen_


def test_the_leaderboard_says_who_was_tried_and_what_became_of_it():
    X, Y = draw()
    model = auto().fit(X, Y)
    board = model.leaderboard_
    tried = [standing for standing in board if standing.learner != MIXTURE]
    assert {s.learner for s in tried} == {FLOOR, *QUICK}
    assert sum(s.weight for s in tried) == pytest.approx(1)
    assert {s.learner: s.weight for s in tried if s.weight} == model.chosen_
    assert [s.tau for s in tried] == sorted((s.tau for s in tried), reverse=True)
    assert all(s.low <= s.tau <= s.high and s.rows == len(X) for s in tried)
    frame = board.to_frame()
    assert frame["learner"].tolist() == [s.learner for s in board]
    assert str(board).count("\n") == len(board)
    assert board._repr_html_().count("<tr>") == len(board) + 1
    assert f"{model.score_:.3f}" in model.reason_


def test_names_in_a_leaderboard_are_no_html():
    odd = rw.auto.Standing("<b>", 0.5, 0.4, 0.6, 1.0, 1.0, 9, "<script>")
    assert "<b>" not in rw.auto.Leaderboard((odd,))._repr_html_()


def test_the_order_of_rows_does_not_matter():
    X, Y = draw(90)
    order = np.random.default_rng(1).permutation(len(X))
    one, other = auto().fit(X, Y), auto().fit(X[order], Y[order])
    assert one.chosen_ == other.chosen_
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_labels_in_another_order_and_rankings_upside_down_change_little():
    X, Y = draw(120)
    new, _ = draw(500, seed=1)
    predicted = auto().fit(X, Y).predict(new)
    order = [2, 0, 3, 1]
    moved = auto().fit(X, Y[:, order]).predict(new)
    reversed_ = auto().fit(X, 5 - Y).predict(new)
    assert kendall_tau(predicted[:, order], moved) > 0.93
    assert kendall_tau(5.0 - predicted, reversed_) > 0.93


def test_threads_change_nothing_and_a_seed_decides_all():
    X, Y = draw(60)
    one, *others = (auto(n_jobs=n).fit(X, Y).predict_positions(X) for n in (None, 1, 2))
    for other in others:
        np.testing.assert_array_equal(one, other)


def test_incomplete_tied_weighted_and_gappy_data_is_taken():
    X, Y = draw(80)
    rng = np.random.default_rng(0)
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    missing = np.where(rng.random(Y.shape) < 0.3, np.nan, Y)
    weights = rng.integers(0, 3, len(X))
    for features, ranks, own in ((gaps, missing, None), (gaps, np.minimum(Y, 3), weights)):
        candidates = ["Forest(n_estimators=5)", "Kernel", "KNNKemeny(scale=True)", "InstancePLR"]
        if own is not None:
            candidates = candidates[:2]
        model = auto(candidates).fit(features, ranks, sample_weight=own)
        shares = model.predict_pairwise(features)
        np.testing.assert_allclose(shares + shares.transpose(0, 2, 1), 1)
        assert np.isfinite(model.predict_positions(features)).all()


def test_rows_left_out_are_predicted_once(monkeypatch):
    X, Y = draw(60)
    monkeypatch.setattr(KNNKemeny, "predict", None)
    asked = []

    def counted(self, rows, predict=KNNKemeny._predict_vectors):
        asked.append(len(rows))
        return predict(self, rows)

    monkeypatch.setattr(KNNKemeny, "_predict_vectors", counted)
    auto(["KNNKemeny(scale=True)"], refit=False).fit(X, Y)
    assert sum(asked) == len(X)


def test_what_cannot_learn_from_the_data_is_not_tried():
    X, Y = draw(40)
    names = {
        kind: [c.name for c in find_candidates("auto", X, ranks, weights, tied)]
        for kind, ranks, weights, tied in (
            ("complete", Y, None, False),
            ("weighted", Y, np.arange(40.0), False),
            ("incomplete", np.where(Y == 4, np.nan, Y), None, False),
            ("tied", np.minimum(Y, 3), None, True),
        )
    }
    assert all(found[0] == FLOOR for found in names.values())
    assert {"KNNKemeny(scale=True)"} == {*names["complete"]} - {*names["weighted"]}
    assert "InstancePLR" in names["tied"]
    assert "LRRF" not in names["tied"]
    assert "Forest(decomposition='joint_pairwise')" in names["incomplete"]


def test_ties_are_predicted_where_they_were_learned_and_as_asked():
    X, Y = draw(150, noise=0.1)
    tied = np.minimum(Y, 2)
    model = auto().fit(X, tied)
    assert model.leaderboard_.measure == "tau_x"
    predicted = model.predict(X)
    assert model.ties_ is not None
    assert tau_x(tied, predicted) > 0.8
    assert (np.sort(auto(ties="never").fit(X, tied).predict(X), axis=1) == [1, 2, 3, 4]).all()
    assert auto().fit(X, Y).ties_ is None


def test_shares_are_chances():
    X, Y = draw(400, noise=1.0)
    new, truth = draw(4000, noise=1.0, seed=5)
    chances = auto(["Forest(n_estimators=30)"]).fit(X, Y).predict_pairwise(new)
    i, j = np.triu_indices(4, 1)
    said, came = chances[:, i, j].ravel(), (truth[:, i] < truth[:, j]).ravel()
    for low in (0.5, 0.6, 0.7, 0.8):
        inside = (said >= low) & (said < low + 0.1)
        assert abs(came[inside].mean() - said[inside].mean()) < 0.06


def test_rows_of_a_group_are_left_out_together():
    groups = np.repeat(np.arange(20), 5)
    for train, test in folds_of(100, groups, 0):
        assert not set(groups[train]) & set(groups[test])
    # copies of a row in one group: neighbours must not find a copy of the row left out
    X, Y = draw(40, noise=3.0)
    X, Y = np.repeat(X, 4, axis=0), np.repeat(Y, 4, axis=0)
    names = [f"plot {i // 4}" for i in range(160)]
    seen = auto(["KNNKemeny(n_neighbors=1)"]).fit(X, Y)
    kept = auto(["KNNKemeny(n_neighbors=1)"]).fit(X, Y, groups=names)
    tau = {s.learner: s.tau for s in seen.leaderboard_}["KNNKemeny(n_neighbors=1)"]
    honest = {s.learner: s.tau for s in kept.leaderboard_}["KNNKemeny(n_neighbors=1)"]
    assert tau > 0.95
    assert honest < 0.5
    with pytest.raises(ValueError, match="groups has 3 entries for 160 rows"):
        auto().fit(X, Y, groups=[1, 2, 3])


def test_many_rows_are_tried_in_part_first_and_the_best_go_on(monkeypatch):
    monkeypatch.setattr(_search, "FEW_ROWS", (60,))
    X, Y = draw(200)
    poor = ["Tree(max_depth=1)", "Tree(max_depth=0)"]
    model = auto(["Pairwise", "Kernel", *poor]).fit(X, Y)
    rows = {s.learner: s.rows for s in model.leaderboard_}
    notes = {s.learner: s.note for s in model.leaderboard_}
    assert rows["Pairwise"] == rows["Kernel"] == rows[FLOOR] == 200
    assert rows["Tree(max_depth=1)"] == 60
    assert {notes[name] for name in poor} == {"fell behind"}
    assert not any(notes[name] for name in ("Pairwise", "Kernel", FLOOR))
    assert model.score_ > 0.6


def test_a_limit_of_time_is_kept_and_said():
    X, Y = draw(3000)
    auto(["Forest", "LRRF"]).fit(X[:50], Y[:50])  # compiled before
    start = time.monotonic()
    model = AutoRanker(time_budget=0.5, random_state=0).fit(X, Y)
    assert time.monotonic() - start < 20  # without a limit it takes far longer
    notes = {standing.note for standing in model.leaderboard_}
    assert "no time was left" in notes
    assert model.score(X, Y) > 0


def test_what_would_take_too_long_is_given_up_after_a_fold():
    fits = []

    class Slow(Consensus):
        def _fit(self, X, ranks, weights):
            fits.append(len(X))
            time.sleep(0.2)
            super()._fit(X, ranks, weights)

    X, Y = draw(60)
    model = AutoRanker(time_budget=1.0, candidates=[Slow()], random_state=0).fit(X, Y)
    assert len(fits) == 1
    assert [standing.note for standing in model.leaderboard_] == ["", "no time was left"]


def test_without_refit_there_is_a_leaderboard_and_nothing_to_predict_with():
    X, Y = draw(60)
    model = auto(refit=False).fit(X, Y)
    assert len(model.leaderboard_) >= 4
    with pytest.raises(ValueError, match="refit=True"):
        model.predict(X)


def test_it_explains_and_comes_back_from_a_file(tmp_path):
    X, Y = draw(80)
    frames = pd.DataFrame(X, columns=list("abc")), pd.DataFrame(Y, columns=["w", "x", "y", "z"])
    model = auto().fit(*frames)
    said = rw.explain(model, frames[0].iloc[[0]], "w", "x")
    assert said.base + sum(c.amount for c in said.contributions) == pytest.approx(said.lead)
    assert "training rows that the model keeps" in str(said)
    rw.save_model(model, tmp_path / "m.rankwise")
    loaded = rw.load_model(tmp_path / "m.rankwise")
    for method in ("predict", "predict_positions", "predict_pairwise"):
        np.testing.assert_array_equal(
            getattr(model, method)(frames[0]), getattr(loaded, method)(frames[0])
        )
    assert loaded.leaderboard_ == model.leaderboard_
    assert loaded.reason_ == model.reason_


@pytest.mark.parametrize(
    ("candidates", "said"),
    [
        ("Forest", "use 'auto', or a list of learners"),
        ([], "use 'auto', or a list of learners"),
        (["Froest"], "unknown learner 'Froest'"),
        ([3], "holds a int"),
    ],
)
def test_candidates_that_are_none_are_refused(candidates, said):
    X, Y = draw(20)
    with pytest.raises((ValueError, TypeError), match=said):
        AutoRanker(candidates=candidates).fit(X, Y)


def test_rankers_of_ones_own_are_tried():
    X, Y = draw(60)
    model = AutoRanker(candidates=[rw.TreeRanker(max_depth=2)], random_state=0).fit(X, Y)
    assert {s.learner for s in model.leaderboard_} >= {FLOOR, "TreeRanker(max_depth=2)"}


def test_two_rows_are_enough_and_one_is_not():
    X, Y = draw(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert auto().fit(X, Y).predict(X).shape == (2, 4)
    with pytest.raises(ValueError, match="at least 2"):
        auto().fit(X[:1], Y[:1])


def test_a_learner_that_is_named_twice_is_tried_once_and_nothing_large_is_kept():
    X, Y = draw(40)
    model = auto(["Tree", "tree", "Tree", FLOOR]).fit(X, Y)
    names = [s.learner for s in model.leaderboard_ if s.learner != MIXTURE]
    assert sorted(names) == [FLOOR, "Tree"]
    assert not {"_members", "_held", "_groups"} & {*vars(model)}


def test_one_group_may_hold_nearly_all_rows(monkeypatch):
    monkeypatch.setattr(_search, "FEW_ROWS", (20,))
    monkeypatch.setattr(_search, "MOST_ASKED", 3)
    X, Y = draw(60)
    model = auto(["Tree"]).fit(X, Y, groups=[0] * 58 + [1, 2])
    assert model.predict(X).shape == Y.shape


def test_what_was_predicted_of_rows_left_out_is_what_the_leaderboard_measures(monkeypatch):
    X, Y = draw(60)
    monkeypatch.setattr(_choice, "_better_alone", lambda stage, worth: 1)  # behind the floor
    model = auto(["Pairwise"])
    left_out = model.fit_left_out(X, Y)
    truth = Y[left_out.rows]
    taus = {standing.learner: standing.tau for standing in model.leaderboard_}
    counted = {"sample_weight": left_out.counts}
    assert list(model.chosen_) == ["Pairwise"]
    assert kendall_tau(truth, left_out.ranks, **counted) == pytest.approx(taus["Pairwise"])
    assert kendall_tau(truth, left_out.floor, **counted) == pytest.approx(taus[FLOOR])
    assert sorted(left_out.rows) == list(range(60))
    assert vars(model).keys() == vars(auto(["Pairwise"]).fit(X, Y)).keys()


def test_ranks_and_shares_at_once_are_those_of_each_alone(monkeypatch):
    X, Y = draw(90)
    learners = [
        "Forest(n_estimators=9)",
        "Forest(n_estimators=4, decomposition='pairwise')",
        "LRRF(n_estimators=9)",
    ]
    learners += ["Pairwise", "KNNKemeny", "Kernel"]
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    monkeypatch.setattr("rankwise.auto._ranker.MIXED_ROWS", 32)
    for rows in (X, gaps):
        model = rw.AutoRanker(candidates=learners, n_jobs=2, random_state=0).fit(rows, Y)
        for member, fills in zip(model.members_, model._fills, strict=True):
            own = member._check_predict(np.nan_to_num(rows) if fills else rows)
            positions, shares = member._positions_and_shares(own)
            np.testing.assert_allclose(positions, member._predict_positions(own), atol=1e-12)
            np.testing.assert_allclose(shares, member._predict_shares(own), atol=1e-12)
        ranks, shares = model._answer_and_shares(rows)
        np.testing.assert_array_equal(ranks, model.predict(rows))
        np.testing.assert_allclose(shares, model.predict_pairwise(rows), atol=1e-12)


def test_a_learner_without_a_figure_has_empty_cells():
    X, Y = draw(20)
    learners = ["KNNKemeny(n_neighbors=3)", "KNNKemeny(n_neighbors=50)"]
    board = rw.AutoRanker(candidates=learners, refit=False, random_state=0).fit(X, Y).leaderboard_
    assert "nan" not in str(board)
    assert "n_neighbors is 50" in str(board)


def test_progress_counts_the_learners_that_were_tried(monkeypatch):
    told = []
    monkeypatch.setattr(_search.Progress, "step", lambda self, what: told.append(what))
    auto().fit(*draw(60))
    assert [text.split(":")[0] for text in told] == [
        f"tried {i} of 4 on 60 rows" for i in (1, 2, 3, 4)
    ]
    assert all(" leads with " in text for text in told)
