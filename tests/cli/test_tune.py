"""``rankwise tune``, and ``rankwise fit`` without a learner named."""

import json
import shlex

import pytest

from cli.reactions import OPTIONS, write_reactions
from cli.test_learners import write_drinks
from rankwise.cli._fit import say_compiling
from rankwise.cli._report import next_commands
from rankwise.cli._source import Source

LABELS = ("--labels", "tea,coffee,water")


def test_all_combinations_are_tried_and_the_best_is_named_as_fit_takes_it(rankwise, tmp_path):
    write_drinks(tmp_path / "d.csv")
    grid = "max_depth=1,4; min_samples_leaf=1,20"
    outcome = rankwise("tune", "d.csv", *LABELS, "--learner", "tree", "--grid", grid, "--json")
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    tried = {standing["learner"]: standing["tau"] for standing in found["tried"]}
    assert {*tried} == {
        "Consensus",
        *(f"Tree(max_depth={d}, min_samples_leaf={m})" for d in (1, 4) for m in (1, 20)),
    }
    assert tried[found["best"]] == max(tau for name, tau in tried.items() if name != "Consensus")
    text = rankwise("tune", "d.csv", *LABELS, "--learner", "tree", "--grid", grid)
    assert found["best"] in text.out
    assert "weight" not in text.out
    fitted = rankwise("fit", "d.csv", *LABELS, "--learner", found["best"], "--folds", 0)
    assert fitted.code == 0, fitted.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--learner", "tree", "--grid", "max_depth"], "write NAME=VALUE,VALUE"),
        (["--learner", "tree", "--grid", "max_depth=deep"], "write NAME=VALUE,VALUE"),
        (["--learner", "tree", "--grid", "height=3"], "there is no parameter 'height'"),
        (["--learner", "Consensus"], "has no list of parameters to try"),
        (["--learner", "oak"], "unknown learner 'oak'"),
    ],
)
def test_what_cannot_be_tried_is_refused(rankwise, tmp_path, options, said):
    write_drinks(tmp_path / "d.csv")
    outcome = rankwise("tune", "d.csv", *LABELS, *options)
    assert outcome.code == 2
    assert said in outcome.err


def test_fit_without_a_learner_shows_who_was_tried_and_writes_a_model_that_explains(
    rankwise, tmp_path, monkeypatch
):
    monkeypatch.setattr("rankwise.auto._candidates._COMPLETE", ("Tree", "Pairwise"))
    write_drinks(tmp_path / "d.csv")
    outcome = rankwise("fit", "d.csv", *LABELS, "-o", "m.rankwise", "--json")
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert {s["learner"] for s in found["leaderboard"]} >= {"Consensus", "Tree", "Pairwise"}
    assert sum(found["chosen"].values()) == pytest.approx(1)
    assert found["check"]["prediction"]["tau"]["mean"] > found["check"]["floor"]["tau"]["mean"]
    shown = rankwise("fit", "d.csv", *LABELS, "-o", "m.rankwise", "--force").out
    assert found["reason"].split(";")[0] in " ".join(shown.split())
    assert "rows left out" in shown
    predicted = rankwise("predict", "m.rankwise", "d.csv")
    assert predicted.code == 0
    explained = rankwise("explain", "m.rankwise", "d.csv", "--row", 2)
    assert explained.code == 0, explained.err
    assert "training rows that the model keeps" in explained.out


def test_who_speaks_of_trees_or_has_values_gets_a_forest(rankwise, tmp_path):
    write_drinks(tmp_path / "d.csv")
    for options in (["--trees", 3], ["--lower-is-better", "--trees", 3]):
        outcome = rankwise("fit", "d.csv", *LABELS, *options, "--force", "--json")
        assert outcome.code == 0, outcome.err
        assert json.loads(outcome.out)["learner"] == "Forest"


def test_the_next_command_names_the_options_of_the_file(rankwise, tmp_path, monkeypatch):
    lines = ["my plot,kind,yield (%),rain"]
    lines += [
        f"p{i},{kind},{(i * 7 + j * 3) % 11},{i % 5}"
        for i in range(12)
        for j, kind in enumerate("ab")
    ]
    (tmp_path / "long.csv").write_text("\n".join(lines))
    said = []
    monkeypatch.setattr("rankwise.cli._tune.say", said.append)
    read = [
        "--column",
        "row=my plot",
        "-c",
        "label=kind",
        "-c",
        "value=yield (%)",
        "--higher-is-better",
    ]
    outcome = rankwise(
        "tune", "long.csv", *read, "--learner", "KNNKemeny", "--grid", "n_neighbors=2"
    )
    assert outcome.code == 0, outcome.err
    words = shlex.split(said[-1].removeprefix("Next: rankwise "))
    assert words[-1] == "KNNKemeny(n_neighbors=2)"
    assert rankwise(*words, "-o", "m.rankwise").code == 0


def test_fit_names_the_report_it_wrote_and_folds_long_lines_under_their_text(
    rankwise, tmp_path, monkeypatch
):
    monkeypatch.setattr("rankwise.auto._candidates._COMPLETE", ("Tree", "Pairwise"))
    write_drinks(tmp_path / "d.csv")
    monkeypatch.setattr("rankwise.cli._console._PIPE_WIDTH", 60)
    shown = rankwise("fit", "d.csv", *LABELS, "--report", "r.html").out.splitlines()
    assert "report        r.html" in shown
    why = next(i for i, line in enumerate(shown) if line.startswith("why "))
    assert shown[why + 1].startswith(" " * 14)
    assert max(map(len, shown[: why + 2])) <= 60


def test_who_has_compiled_learners_is_not_told_to_wait_for_them(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr("rankwise.cli._fit.say", said.append)
    monkeypatch.setattr("rankwise.__file__", str(tmp_path / "rankwise" / "__init__.py"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    say_compiling()
    assert len(said) == 1
    (tmp_path / "cache" / "engine").mkdir(parents=True)
    (tmp_path / "cache" / "engine" / "leaves.py311.nbi").touch()
    say_compiling()
    assert len(said) == 1


def test_where_values_stand_parameters_are_judged_by_what_choices_cost(rankwise, tmp_path):
    write_reactions(tmp_path / "r.csv")
    tried = ["--learner", "tree", "--grid", "max_depth=1,4"]
    by_cost = json.loads(rankwise("tune", "r.csv", *OPTIONS, *tried, "--json").out)
    assert by_cost["measure"] == "gap_closed"
    assert "gap closed" in rankwise("tune", "r.csv", *OPTIONS, *tried).out
    write_drinks(tmp_path / "d.csv")
    by_rank = json.loads(rankwise("tune", "d.csv", *LABELS, *tried, "--json").out)
    assert by_rank["measure"] == "kendall_tau"


def test_commands_to_type_mean_the_learner_that_was_taken():
    source = Source("my file.csv", labels="tea,soup")
    for learner in ("Auto", "Forest", "Tree(splitter='random')"):
        commands = [shlex.split(command) for _, command in next_commands(source, learner)]
        fit, evaluate = commands[0], next(words for words in commands if words[1] == "evaluate")
        assert fit[:5] == ["rankwise", "fit", "my file.csv", "--labels", "tea,soup"]
        # `fit` tries many, and `evaluate` takes a forest, unless a learner is named
        assert ("--learner" in fit) == (learner != "Auto")
        assert evaluate[evaluate.index("--learner") + 1] == learner


def test_reasons_why_learners_were_not_tried_stand_below_the_table(rankwise, tmp_path):
    lines = ["x,A,B,C", *(f"{i},{i % 5},{i * 3 % 7},{9 - i % 4}" for i in range(14)), "3,5,,"]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    read = ["--labels", "A,B,C", "--higher-is-better", "--learner", "KNNKemeny"]
    outcome = rankwise("tune", "d.csv", *read, "--grid", "n_neighbors=2,500")
    assert outcome.code == 0, outcome.err
    table, _, below = outcome.out.partition("KNNKemeny(n_neighbors=500): ")
    assert below.startswith("n_neighbors is 500, but X has")
    assert "see below" in table
    assert "n_neighbors is" not in table
    # the row of one label is named by its line, once
    assert outcome.err.count("fewer than two labels") == 1
    assert "line 16" in outcome.err
