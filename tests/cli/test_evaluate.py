"""``evaluate``: scores over folds or over the rows of a model, the floor beside them."""

import json

import numpy as np
import pytest

from cli.reactions import OPTIONS, QUICK, write_reactions
from rankwise.cli._folds import Folds


def test_a_learner_is_scored_beside_the_floor_with_intervals(rankwise, tmp_path):
    write_reactions(tmp_path / "d.csv")
    outcome = rankwise("evaluate", "d.csv", *OPTIONS, *QUICK, "--repeats", 2, "--json")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert (told["rows"], told["folds"], told["repeats"]) == (told["rows"], 3, 2)
    for who in ("prediction", "floor"):
        for metric in ("tau", "exact", "top1"):
            figures = told["scores"][who][metric]
            assert figures["low"] <= figures["mean"] <= figures["high"]
            assert figures["n"] == 6
    assert told["scores"]["prediction"]["tau"]["mean"] > told["scores"]["floor"]["tau"]["mean"]


def test_the_table_names_learner_and_floor(rankwise, tmp_path):
    write_reactions(tmp_path / "d.csv")
    outcome = rankwise("evaluate", "d.csv", *OPTIONS, *QUICK)
    for text in ("forest", "consensus (floor)", "Kendall's tau", "exact match", "95 % interval"):
        assert text in outcome.out


def test_features_that_help_nothing_are_told(rankwise, tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal()},{'a>b>c' if rng.random() < 0.8 else 'b>c>a'}" for _ in range(60)]
    (tmp_path / "d.csv").write_text("\n".join(["x,ranking", *rows]))
    assert "help no more than one consensus" in rankwise("evaluate", "d.csv", *QUICK).err


def test_a_model_is_scored_on_new_rows_and_warned_of_its_own(rankwise, tmp_path):
    write_reactions(tmp_path / "d.csv")
    write_reactions(tmp_path / "later.csv", n=25, seed=8, bases=("NaH", "KOH"))
    rankwise("fit", "d.csv", *OPTIONS, *QUICK, "-o", "m.rankwise")
    outcome = rankwise(
        "evaluate", "later.csv", "--higher-is-better", "--model", "m.rankwise", "--json"
    )
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert told["rows"] <= 25
    assert told["folds"] is None
    assert told["scores"]["prediction"]["tau"]["n"] == told["rows"]
    own = rankwise("evaluate", "d.csv", "--higher-is-better", "--model", "m.rankwise")
    assert "fitted to this very file" in own.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--model", "nowhere.rankwise"], "no such file"),
        (["--learner", "oracle"], "choose one of forest"),
        (["--folds", "1"], "--folds"),
        (["--labels", "THF"], "two"),
    ],
)
def test_evaluate_refuses_what_it_cannot_do(rankwise, tmp_path, options, reason):
    write_reactions(tmp_path / "d.csv")
    outcome = rankwise("evaluate", "d.csv", *OPTIONS, *options)
    assert outcome.code == 2
    assert reason in outcome.err


def test_another_models_labels_are_told(rankwise, tmp_path):
    (tmp_path / "d.csv").write_text("x,ranking\n" + "1,a>b\n2,b>a\n" * 10)
    (tmp_path / "e.csv").write_text("x,ranking\n1,a>c\n2,c>a\n")
    rankwise("fit", "d.csv", *QUICK, "-o", "m.rankwise")
    outcome = rankwise("evaluate", "e.csv", "--model", "m.rankwise")
    assert outcome.code == 2
    assert "'c'" in outcome.err


def test_the_interval_is_wider_than_folds_as_if_independent():
    values = [0.5, 0.6, 0.7, 0.6, 0.55]
    folds = Folds({"prediction": {"tau": values}}, np.empty(0), np.empty(0), test_share=0.25)
    found = folds.summary("prediction", "tau")
    naive = 2.776 * np.std(values, ddof=1) / np.sqrt(5)
    assert np.isclose(found["high"] - found["mean"], naive * np.sqrt(1 + 5 * 0.25), rtol=1e-3)


def test_folds_without_a_value_are_left_out_of_the_mean():
    folds = Folds(
        {"prediction": {"tau": [0.5, float("nan")], "exact": [float("nan")]}},
        np.empty(0),
        np.empty(0),
        test_share=0.25,
    )
    assert folds.summary("prediction", "tau") == {
        "mean": 0.5, "sd": None, "low": None, "high": None, "n": 1,
    }  # fmt: skip
    assert folds.summary("prediction", "exact")["mean"] is None
