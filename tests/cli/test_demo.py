"""``rankwise demo`` runs the whole job and keeps what it promises."""

import json

import numpy as np
import pytest

from rankwise.auto import AutoRanker
from rankwise.cli import _demo_job
from rankwise.cli._demo_problem import LABELS, describe, draw_outings, drop_idle_rows


@pytest.fixture
def _quick_learner(monkeypatch):
    def make(seed):
        return AutoRanker(candidates=["Pairwise"], random_state=seed)

    monkeypatch.setattr(_demo_job, "make_ranker", make)


@pytest.fixture
def _no_pictures(monkeypatch):
    def refuse(*_):
        raise ImportError("drawing pictures needs matplotlib: pip install 'rankwise[plot]'")

    monkeypatch.setattr("rankwise.cli._demo_pictures.require", refuse)


@pytest.mark.usefixtures("_quick_learner")
def test_what_is_chosen_beats_the_consensus(rankwise, tmp_path):
    outcome = rankwise("demo", "--rows", 300, "--json")
    assert outcome.code == 0, outcome.err
    shown = json.loads(outcome.out)
    taus = shown["tau"]
    assert taus["consensus"] < taus["chosen"] < taus["truth"] + 0.05
    assert sum(shown["chosen"].values()) == pytest.approx(1)
    for name in ("outings.csv", "certainty.png", "positions.png"):
        assert (tmp_path / "rankwise-demo" / name).stat().st_size > 0
    assert shown["files"] == [
        f"rankwise-demo/{name}" for name in ("outings.csv", "certainty.png", "positions.png")
    ]


@pytest.mark.usefixtures("_quick_learner")
def test_the_report_tells_every_step_and_what_comes_next(rankwise):
    outcome = rankwise("demo", "--rows", 200, "--output", "here")
    assert outcome.code == 0
    assert outcome.err == ""
    for text in (
        "compiles",
        "1. Audit",
        "2. Learners are tried",
        "3. Predictions",
        "4. Pictures",
        "Next:",
    ):
        assert text in outcome.out
    assert rankwise("audit", "here/outings.csv").code == 0


@pytest.mark.usefixtures("_quick_learner", "_no_pictures")
def test_three_rows_are_predicted_with_their_certainty(rankwise):
    shown = json.loads(rankwise("demo", "--rows", 200, "--json").out)
    assert len({prediction["row"] for prediction in shown["predictions"]}) == 3
    for prediction in shown["predictions"]:
        assert sorted(prediction["order"]) == sorted(LABELS)
        assert 0 <= prediction["certainty"] <= 1
        assert 0 <= prediction["true_chance"] <= 1


@pytest.mark.usefixtures("_quick_learner", "_no_pictures")
def test_without_matplotlib_the_demo_goes_on_and_says_how_to_get_it(rankwise):
    outcome = rankwise("demo", "--rows", 200)
    assert outcome.code == 0
    assert "rankwise[plot]" in outcome.err
    assert "certainty.png" not in outcome.out


@pytest.mark.usefixtures("_quick_learner", "_no_pictures")
def test_the_same_seed_gives_the_same_demo(rankwise):
    demo = ("demo", "--rows", 200, "--json")
    assert rankwise(*demo).out == rankwise(*demo).out


def test_a_folder_that_cannot_be_made_is_named(rankwise, tmp_path):
    (tmp_path / "taken").write_text("")
    outcome = rankwise("demo", "--output", "taken")
    assert outcome.code == 2
    assert "taken" in outcome.err


def test_idle_rows_are_dropped_and_no_others():
    outings = draw_outings(200, seed=0)
    n_useful = int(((~np.isnan(outings.Y)).sum(axis=1) > 1).sum())
    assert 0 < len(drop_idle_rows(outings)) == n_useful < 200


def test_a_day_without_features_has_a_name():
    assert describe(np.zeros(8)) == "plain day"
