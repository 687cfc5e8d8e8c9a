"""``evaluate``: scores over folds or over the rows of a model, the floor beside them."""

import json

import numpy as np
import pytest

import rankwise as rw
from cli.reactions import OPTIONS, QUICK, write_reactions


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
    assert told["scores"]["prediction"]["regret"]["n"] == told["rows"]
    own = rankwise("evaluate", "d.csv", "--higher-is-better", "--model", "m.rankwise")
    assert "fitted to this very file" in own.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--model", "nowhere.rankwise"], "no such file"),
        (["--learner", "oracle"], "choose one of Auto, Forest"),
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


def write_grades(path, values, *, header="x,a,b,c"):
    """Write 30 rows in which label a wins for small x, c for large; `values` turns places into cells."""
    places = [(1, 2, 3) if x < 15 else (3, 2, 1) for x in range(30)]
    xs = [x * 0.5 if x < 15 else 10 + x * 0.5 for x in range(30)]
    rows = [",".join(map(str, (x, *map(values, row)))) for x, row in zip(xs, places, strict=True)]
    path.write_text("\n".join([header, *rows]))


def tau_of(outcome):
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)["scores"]["prediction"]["tau"]["mean"]


@pytest.mark.parametrize("option", ["--higher-is-better", "--lower-is-better"])
def test_a_model_remembers_which_scores_are_better(rankwise, tmp_path, option):
    # whole numbers from 1 to 3, which would pass for ranks
    write_grades(tmp_path / "d.csv", lambda p: 4 - p if option[2] == "h" else p)
    rankwise("fit", "d.csv", "-l", "a,b,c", option, *QUICK, "-o", "m.rankwise")
    outcome = rankwise("evaluate", "d.csv", "--model", "m.rankwise", "--json")
    assert tau_of(outcome) == 1
    assert f"{option[2:].replace('-', ' ')}, as at fitting" in outcome.err
    explained = rankwise("explain", "m.rankwise", "d.csv", "--data", "d.csv")
    assert "5 of 5 put a before b" in explained.out


def test_what_the_user_says_of_scores_goes_before_what_the_model_remembers(rankwise, tmp_path):
    write_grades(tmp_path / "d.csv", lambda p: 4 - p)
    write_grades(tmp_path / "ranks.csv", lambda p: p)
    rankwise("fit", "d.csv", "-l", "a,b,c", "--higher-is-better", *QUICK, "-o", "m.rankwise")
    said = rankwise("evaluate", "ranks.csv", "--lower-is-better", "--model", "m.rankwise", "--json")
    assert tau_of(said) == 1
    assert "as at fitting" not in said.err


def test_a_model_of_scores_is_scored_on_texts(rankwise, tmp_path):
    write_grades(tmp_path / "d.csv", lambda p: 4 - p)
    (tmp_path / "texts.csv").write_text("x,ranking\n1,a>b>c\n24,c>b>a\n")
    rankwise("fit", "d.csv", "-l", "a,b,c", "--higher-is-better", *QUICK, "-o", "m.rankwise")
    assert tau_of(rankwise("evaluate", "texts.csv", "--model", "m.rankwise", "--json")) == 1


def test_predictions_in_the_file_are_not_taken_for_the_truth(rankwise, tmp_path):
    write_grades(tmp_path / "d.csv", lambda p: p)
    write_grades(tmp_path / "turned.csv", lambda p: 4 - p)
    rankwise("fit", "d.csv", "-l", "a,b,c", *QUICK, "-o", "m.rankwise")
    rankwise("predict", "m.rankwise", "turned.csv", "-o", "out.csv")
    assert tau_of(rankwise("evaluate", "out.csv", "--model", "m.rankwise", "--json")) == -1


def write_visits(path, visits):
    """Write a long table: one line per visit and label, a first at home and last elsewhere."""
    lines = ["who,drink,value,x,place"]
    for i, (x, place) in enumerate(visits):
        values = {"a": 3, "b": 2, "c": 1} if place == "home" else {"a": 1, "b": 2, "c": 3}
        lines += [f"v{i},{label},{value},{x},{place}" for label, value in values.items()]
    path.write_text("\n".join(lines))


def test_long_tables_are_read_by_the_roles_and_categories_of_the_model(rankwise, tmp_path):
    places = ("home", "work", "train")
    write_visits(tmp_path / "d.csv", [(i % 4, places[i % 3]) for i in range(30)])
    write_visits(tmp_path / "later.csv", [(1, "work"), (2, "home"), (3, "moon")])
    roles = ("-c", "row=who", "-c", "label=drink")
    asked = rankwise("fit", "d.csv", *roles, *QUICK, "-o", "m.rankwise")
    assert asked.code == 2
    assert "say --higher-is-better or --lower-is-better" in asked.err
    rankwise("fit", "d.csv", *roles, "--higher-is-better", *QUICK, "-o", "m.rankwise")
    later = rankwise("evaluate", "later.csv", "--model", "m.rankwise", "--json")
    assert tau_of(later) == 1
    assert "column 'place' holds 'moon' (1 row), never seen at fitting" in later.err
    explained = rankwise("explain", "m.rankwise", "d.csv", "--row", "1", "--data", "d.csv")
    assert explained.code == 0, explained.err


@pytest.mark.parametrize(
    "reading",
    [
        "scores",
        {"layout": "wide"},
        {"layout": "x", "columns": {}, "rankings": [], "higher_is_better": None},
        {"layout": "wide", "columns": {"row": 1}, "rankings": [], "higher_is_better": None},
        {"layout": "wide", "columns": {}, "rankings": [], "higher_is_better": "no"},
    ],
)
def test_a_model_that_tells_nonsense_of_its_file_is_refused(rankwise, tmp_path, reading):
    write_grades(tmp_path / "d.csv", lambda p: p)
    rankwise("fit", "d.csv", "-l", "a,b,c", *QUICK, "-o", "m.rankwise")
    model = rw.load_model(tmp_path / "m.rankwise")
    model.facts["reading"] = reading
    rw.save_model(model, tmp_path / "n.rankwise")
    outcome = rankwise("evaluate", "d.csv", "--model", "n.rankwise")
    assert outcome.code == 2
    assert "fit it anew" in outcome.err


def test_where_values_count_the_floor_ties_nothing(rankwise, tmp_path):
    """In most rows all labels are worth the same: the consensus that ties them all chooses none."""
    lines = ["row,label,value,x"]
    for row in range(30):
        values = (5, 5, 5) if row % 3 else (9, 5, 1)
        lines += [f"{row},{label},{v},{row % 7}" for label, v in zip("abc", values, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    outcome = rankwise("evaluate", "d.csv", "--higher-is-better", *QUICK, "--json")
    assert outcome.code == 0, outcome.err
    floor = json.loads(outcome.out)["scores"]["floor"]
    assert floor["tau"]["mean"] == 1
    assert floor["regret"]["mean"] == 0
