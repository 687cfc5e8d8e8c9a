"""``fit``, ``predict`` and ``explain``: from a spreadsheet to rankings with their certainty."""

import csv
import json
import os

import numpy as np
import pytest

import rankwise as rw
from cli.reactions import HEADER, LABELS, OPTIONS, QUICK, write_reactions


def read_rows(path, sep=","):
    with open(path, newline="") as handle:
        return list(csv.DictReader(handle, delimiter=sep))


def test_fit_tells_the_audit_the_held_out_tau_and_the_floor(fitted, tmp_path):
    for text in ("audit", "held-out tau", "floor", "consensus", "certainty", "m.rankwise"):
        assert text in fitted.out
    assert (tmp_path / "m.rankwise").stat().st_size > 0


def test_fit_says_what_it_does_with_names_counters_and_texts(fitted):
    assert "'substrate' holds a different text in every row" in fitted.err
    assert "'nr' counts the rows" in fitted.err
    assert "'base' has 3 categories" in fitted.err


def test_fit_as_json_is_complete(rankwise, tmp_path):
    write_reactions(tmp_path / "train.csv")
    outcome = rankwise("fit", "train.csv", *OPTIONS, *QUICK, "--json")
    told = json.loads(outcome.out)
    assert told["model"] == "train.rankwise"
    assert told["columns"] == ["temp", "base", "dry"]
    assert told["labels"] == list(LABELS)
    assert told["check"]["prediction"]["tau"]["mean"] > told["check"]["floor"]["tau"]["mean"]
    assert told["certainty"]["slope"] > 0
    assert told["seconds"] > 0


def test_predict_gives_back_the_rows_with_what_it_adds(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=12, seed=5)
    assert rankwise("predict", "m.rankwise", "new.csv", "-o", "out.csv").code == 0
    given, rows = read_rows(tmp_path / "new.csv"), read_rows(tmp_path / "out.csv")
    assert len(rows) == 12
    for before, after in zip(given, rows, strict=True):
        assert all(after[name] == cell for name, cell in before.items())
        ranks = [int(after[f"position_{label}"]) for label in LABELS]
        assert all(rank == 1 + sum(r < rank for r in ranks) for rank in ranks)
        assert rw.parse_rankings([after["ranking"]])[1] is not None
        first = [label for label, rank in zip(LABELS, ranks, strict=True) if rank == 1]
        assert len(after["ranking"].split(">")[0].split("~")) == len(first)
        pair, top = float(after["first_before_second"]), float(after["first_of_all"])
        assert 0 <= top <= pair <= 1


def test_predict_on_stdout_and_as_json_agree(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=5, seed=6)
    printed = rankwise("predict", "m.rankwise", "new.csv")
    assert printed.err == ""
    rows = list(csv.DictReader(printed.out.splitlines()))
    told = json.loads(rankwise("predict", "m.rankwise", "new.csv", "--json").out)
    assert [row["ranking"] for row in rows] == [one["ranking"] for one in told]
    assert [one["line"] for one in told] == [2, 3, 4, 5, 6]
    # as `explain --row` takes them
    assert [one["row"] for one in told] == [1, 2, 3, 4, 5]
    assert [one["name"] for one in told] == [f"sub-{i:03d}" for i in range(5)]
    assert [row["first_of_all"] for row in rows] == [str(one["first_of_all"]) for one in told]


def test_columns_are_matched_by_name_whatever_their_order_and_separator(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=9, seed=7)
    write_reactions(tmp_path / "other.csv", n=9, seed=7, header=("dry", "temp", "base"), sep=";")
    rankwise("predict", "m.rankwise", "new.csv", "-o", "a.csv")
    rankwise("predict", "m.rankwise", "other.csv", "-o", "b.csv")
    a, b = read_rows(tmp_path / "a.csv"), read_rows(tmp_path / "b.csv", ";")
    assert [row["ranking"] for row in a] == [row["ranking"] for row in b]


def test_chances_have_a_decimal_comma_where_the_table_has_them(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=3, seed=5)
    text = (tmp_path / "new.csv").read_text()
    (tmp_path / "de.csv").write_text(text.replace(",", ";").replace(".", ","))
    rankwise("predict", "m.rankwise", "new.csv", "-o", "out.csv")
    rankwise("predict", "m.rankwise", "de.csv", "-o", "out-de.csv")
    points, commas = read_rows(tmp_path / "out.csv"), read_rows(tmp_path / "out-de.csv", sep=";")
    for name in ("first_before_second", "first_of_all", "position_" + LABELS[0]):
        assert [row[name].replace(",", ".") for row in commas] == [row[name] for row in points]
        assert not any("." in row[name] for row in commas)


def test_missing_columns_are_named(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=3, header=("substrate", "dry"))
    outcome = rankwise("predict", "m.rankwise", "new.csv", "-o", "out.csv")
    assert outcome.code == 2
    assert "lacks the columns 'temp', 'base'" in outcome.err
    assert not (tmp_path / "out.csv").exists()


def test_categories_never_seen_are_told_and_taken_as_missing(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=3, bases=("pyridine",))
    write_reactions(tmp_path / "gap.csv", n=3, bases=("",))
    outcome = rankwise("predict", "m.rankwise", "new.csv", "-o", "a.csv")
    assert outcome.code == 0
    assert "column 'base' holds 'pyridine' (3 rows), never seen at fitting" in outcome.err
    rankwise("predict", "m.rankwise", "gap.csv", "-o", "b.csv")
    a, b = read_rows(tmp_path / "a.csv"), read_rows(tmp_path / "b.csv")
    assert [row["ranking"] for row in a] == [row["ranking"] for row in b]


def test_a_text_where_numbers_belong_is_named_with_its_line(fitted, rankwise, tmp_path):
    text = write_reactions(tmp_path / "new.csv", n=3).read_text().splitlines()
    cells = text[2].split(",")
    cells[HEADER.index("temp")] = "warm"
    (tmp_path / "new.csv").write_text("\n".join([*text[:2], ",".join(cells), text[3]]))
    outcome = rankwise("predict", "m.rankwise", "new.csv", "-o", "out.csv")
    assert outcome.code == 2
    assert "new.csv, line 3: column 'temp' holds 'warm'" in outcome.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.rankwise", "new.csv", "train.csv"]


def test_added_columns_that_are_there_already_ask_for_a_prefix(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=3)
    rankwise("predict", "m.rankwise", "new.csv", "-o", "out.csv")
    outcome = rankwise("predict", "m.rankwise", "out.csv")
    assert outcome.code == 2
    assert "--prefix" in outcome.err
    assert "again_ranking" in rankwise("predict", "m.rankwise", "out.csv", "--prefix", "again_").out


def test_files_are_replaced_only_by_force(fitted, rankwise, tmp_path):
    (tmp_path / "out.csv").write_text("precious")
    for command in (
        ["fit", "train.csv", *OPTIONS, "-o", "m.rankwise"],
        ["predict", "m.rankwise", "train.csv", "-o", "out.csv"],
    ):
        outcome = rankwise(*command)
        assert outcome.code == 2
        assert "--force" in outcome.err
    assert (tmp_path / "out.csv").read_text() == "precious"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("target", ["folder", "pipe", "link"])
@pytest.mark.parametrize(
    "command",
    [
        ["fit", "train.csv", *OPTIONS, "-o"],
        ["predict", "m.rankwise", "train.csv", "-o"],
        ["convert", "train.csv", "--drop", "substrate", *OPTIONS],
        ["sample"],
    ],
)
def test_what_is_no_file_is_never_replaced(fitted, rankwise, tmp_path, command, target):
    (tmp_path / "folder").mkdir()
    # a pipe stands for devices such as /dev/null, which a test must not endanger
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for force in ([], ["--force"]):
        outcome = rankwise(*command, target, *force)
        assert outcome.code == 2
        assert "not a file; choose another name" in outcome.err
        assert "--force" not in outcome.err
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    "command",
    [
        ["predict", "m.rankwise", "train.csv", "-o", "out.ods"],
        ["convert", "train.csv", "out.JSON", "--drop", "substrate", *OPTIONS],
    ],
)
def test_endings_of_files_that_are_not_written_are_refused(fitted, rankwise, tmp_path, command):
    before = sorted(tmp_path.iterdir())
    outcome = rankwise(*command)
    assert outcome.code == 2
    assert "choose a name with .csv" in outcome.err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    [
        ["fit", "train.csv", *OPTIONS, "-o", "train.csv"],
        ["convert", "train.csv", "train.csv", "--drop", "substrate", *OPTIONS],
        ["predict", "m.rankwise", "train.csv", "-o", "m.rankwise"],
        ["predict", "m.rankwise", "train.csv", "-o", "train.csv"],
    ],
)
def test_what_is_read_is_not_written_over_even_by_force(fitted, rankwise, tmp_path, command):
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    outcome = rankwise(*command, "--force")
    assert outcome.code == 2
    assert "is what is being read" in outcome.err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04 nothing", "damaged or truncated"),
        (b"substrate,temp\n", "not a rankwise model file"),
        (b"", "not a rankwise model file"),
    ],
)
@pytest.mark.parametrize("command", ["predict", "explain"])
def test_a_file_that_is_no_model_is_refused_in_one_line(
    rankwise, tmp_path, content, reason, command
):
    (tmp_path / "m.rankwise").write_bytes(content)
    write_reactions(tmp_path / "new.csv", n=3)
    outcome = rankwise(command, "m.rankwise", "new.csv")
    assert outcome.code == 2
    assert outcome.err.startswith("error: m.rankwise: ")
    assert reason in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_model_without_a_table_is_told(rankwise, tmp_path):
    rw.save_model(rw.TreeRanker().fit([[0.0], [1.0]], [[1, 2], [2, 1]]), tmp_path / "m.rankwise")
    write_reactions(tmp_path / "new.csv", n=3)
    outcome = rankwise("predict", "m.rankwise", "new.csv")
    assert outcome.code == 2
    assert "rankwise.load" in outcome.err


@pytest.mark.parametrize("learner", ["tree", "level", "honest", "pairwise"])
def test_every_learner_fits_gaps_and_texts_and_predicts(rankwise, tmp_path, learner):
    write_reactions(tmp_path / "train.csv")
    options = [*OPTIONS, *QUICK, "--learner", learner, "-o", "m.rankwise"]
    outcome = rankwise("fit", "train.csv", *options)
    assert outcome.code == 0, outcome.err
    assert rankwise("predict", "m.rankwise", "train.csv", "-o", "out.csv").code == 0
    assert len(read_rows(tmp_path / "out.csv")) == 40


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--learner", "oracle"], "choose one of Auto, Forest"),
        (["--folds", "1"], "2 folds or more"),
        (["--folds", "60"], "too few for 60 folds"),
        (["--drop", "temp,wind"], "--drop wind"),
        (["--drop", "temp", "--features", "base"], "--features already says"),
        (["--drop", "temp,base,dry"], "no column to learn from"),
        (["--features", "wind"], "wind"),
        (["-o", "no/m.rankwise"], "there is no folder no"),
    ],
)
def test_fit_refuses_what_it_cannot_do(rankwise, tmp_path, options, reason):
    write_reactions(tmp_path / "train.csv")
    outcome = rankwise("fit", "train.csv", *OPTIONS, *options)
    assert outcome.code == 2
    assert reason in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["train.csv"]


def test_dropped_columns_are_not_asked_for(rankwise, tmp_path):
    write_reactions(tmp_path / "train.csv")
    told = json.loads(
        rankwise("fit", "train.csv", *OPTIONS, *QUICK, "--drop", "base,temp", "--json").out
    )
    assert told["columns"] == ["dry"]
    write_reactions(tmp_path / "new.csv", n=2, header=("dry",))
    assert rankwise("predict", "train.rankwise", "new.csv").code == 0


def test_without_a_check_certainty_is_told_to_be_the_learners_own(rankwise, tmp_path):
    write_reactions(tmp_path / "train.csv")
    outcome = rankwise("fit", "train.csv", *OPTIONS, "--trees", "4", "--folds", "0")
    assert outcome.code == 0
    assert "as the learner gives it" in outcome.out


def test_ranking_texts_and_benchmarks_are_fitted_as_they_are(rankwise, tmp_path):
    rows = [f"{i % 12},{'a>b>c' if i % 12 < 6 else 'c>b>a'}" for i in range(30)]
    (tmp_path / "texts.csv").write_text("\n".join(["hour,ranking", *rows]))
    assert rankwise("fit", "texts.csv", *QUICK).code == 0
    (tmp_path / "new.csv").write_text("hour\n1\n11\n")
    told = json.loads(rankwise("predict", "texts.rankwise", "new.csv", "--json").out)
    assert [one["ranking"] for one in told] == ["a>b>c", "c>b>a"]
    outcome = rankwise("fit", "generated/iris", *QUICK, "-o", "iris.rankwise", "--json")
    assert json.loads(outcome.out)["rows"] == 150


def test_python_loads_what_the_command_wrote_and_predicts_the_same(fitted, rankwise, tmp_path):
    import pandas as pd

    write_reactions(tmp_path / "new.csv", n=6, seed=9)
    rankwise("predict", "m.rankwise", "new.csv", "-o", "out.csv")
    model = rw.load_model(tmp_path / "m.rankwise")
    frame = model.predict_table(pd.read_csv(tmp_path / "new.csv"))
    rows = read_rows(tmp_path / "out.csv")
    assert frame["ranking"].tolist() == [row["ranking"] for row in rows]
    assert frame["first_of_all"].tolist() == [float(row["first_of_all"]) for row in rows]


def test_explain_names_features_and_judges_by_held_out_rows(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=4, seed=3)
    outcome = rankwise("explain", "m.rankwise", "new.csv", "--row", 2, "-a", "THF", "-b", "DMF")
    assert outcome.code == 0, outcome.err
    assert "THF" in outcome.out
    assert "temp" in outcome.out
    assert "--data FILE" in outcome.out
    assert "held-out rows" in outcome.out
    options = ["--data", "train.csv", "--higher-is-better", "--json"]
    told = json.loads(rankwise("explain", "m.rankwise", "new.csv", *options).out)
    assert told["row"] == 1
    assert 0 <= told["held_out_chance"] <= 1


def test_explain_agrees_with_predict_about_the_chance(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=4, seed=3)
    told = json.loads(rankwise("predict", "m.rankwise", "new.csv", "--json").out)
    why = json.loads(rankwise("explain", "m.rankwise", "new.csv", "--row", 3, "--json").out)
    assert np.isclose(why["held_out_chance"], told[2]["first_before_second"], atol=5e-4)


def test_explain_finds_a_row_by_the_name_that_predict_shows(fitted, rankwise, tmp_path):
    path = write_reactions(tmp_path / "new.csv", n=4, seed=3)
    path.write_text(path.read_text().replace("sub-001", "sub-002"))
    by_number, by_name = (
        rankwise("explain", "m.rankwise", "new.csv", "--row", row, "--json")
        for row in ("4", "sub-003")
    )
    assert (by_name.out, by_name.code) == (by_number.out, 0)
    twice = rankwise("explain", "m.rankwise", "new.csv", "--row", "sub-002").err
    assert "2 rows of new.csv are called so (first: 2 and 3)" in twice
    missed = rankwise("explain", "m.rankwise", "new.csv", "--row", "sub003").err
    assert "no row of new.csv is called so; did you mean 'sub-003'" in missed


def test_a_model_where_data_belongs_is_told_from_a_damaged_file(fitted, rankwise):
    outcome = rankwise("audit", "m.rankwise", *OPTIONS)
    assert outcome.err.startswith("error: m.rankwise: is a model, where a file of data belongs")


def test_explain_says_that_rows_have_no_names(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=4, header=("temp", "base", "dry"))
    outcome = rankwise("explain", "m.rankwise", "new.csv", "--row", "sub-001")
    assert "rows of new.csv have no names; say the number of one, 1 to 4" in outcome.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--row", "9"], "has 4 rows"),
        (["--row", "0"], "rows are counted from 1"),
        (["--row", "-3"], "no row of new.csv is called so; they are called 'sub-000'"),
        (["--first", "gin"], "'gin' is no label"),
        (["--first", "THF", "--second", "THF"], "THF"),
    ],
)
def test_explain_refuses_what_is_not_there(fitted, rankwise, tmp_path, options, reason):
    write_reactions(tmp_path / "new.csv", n=4)
    outcome = rankwise("explain", "m.rankwise", "new.csv", *options)
    assert outcome.code == 2
    assert reason in outcome.err


def write_tied(path, n=60):
    """Coffee is first early, tea and soup are tied behind it; late these two are tied in front."""
    hours = np.random.default_rng(0).integers(6, 20, n)
    rows = [f"{hour},{'coffee>tea~soup' if hour < 12 else 'tea~soup>coffee'}" for hour in hours]
    path.write_text("\n".join(["hour,ranking", *rows]))


def test_tied_predictions_are_written_and_read_back(rankwise, tmp_path):
    write_tied(tmp_path / "drinks.csv")
    assert rankwise("fit", "drinks.csv", *QUICK, "-o", "m.rankwise").code == 0
    (tmp_path / "new.csv").write_text("hour\n7\n18\n")
    assert rankwise("predict", "m.rankwise", "new.csv", "-o", "out.csv").code == 0
    rows = read_rows(tmp_path / "out.csv")
    assert [row["ranking"] for row in rows] == ["coffee>soup~tea", "soup~tea>coffee"]
    assert [row["position_tea"] for row in rows] == ["2", "1"]
    told = json.loads(rankwise("evaluate", "out.csv", "--model", "m.rankwise", "--json").out)
    assert told["scores"]["prediction"]["tau_x"]["mean"] == 1


def test_fit_tells_tau_x_where_rankings_have_ties_and_elsewhere_not(rankwise, tmp_path):
    write_tied(tmp_path / "drinks.csv")
    shown = rankwise("fit", "drinks.csv", *QUICK, "-o", "m.rankwise").out
    assert shown.count("tau_x, where ties count, ") == 2
    tried = ["--learner", "Auto(candidates=['Tree', 'Pairwise'])"]
    shown = rankwise("fit", "drinks.csv", *tried, "-o", "m.rankwise", "--force").out
    assert "held-out tau  1.000 on rows left out (tau_x: ties count)" in shown
    (tmp_path / "drinks.csv").write_text((tmp_path / "drinks.csv").read_text().replace("~", ">"))
    shown = rankwise("fit", "drinks.csv", *QUICK, "-o", "m.rankwise", "--force").out
    assert "tau_x" not in shown


def test_a_row_that_ties_all_labels_teaches_that_they_are_equal(rankwise, tmp_path):
    write_tied(tmp_path / "drinks.csv")
    with (tmp_path / "drinks.csv").open("a") as file:
        file.write("\n23,tea~soup~coffee" * 15)
    fitted = rankwise("fit", "drinks.csv", *QUICK, "-o", "m.rankwise")
    assert "left out" not in fitted.err
    (tmp_path / "new.csv").write_text("hour\n7\n23\n")
    told = json.loads(rankwise("predict", "m.rankwise", "new.csv", "--json").out)
    assert [row["ranking"] for row in told] == ["coffee>soup~tea", "coffee~soup~tea"]
    scored = json.loads(rankwise("evaluate", "drinks.csv", *QUICK, "--json").out)
    assert scored["rows"] == 75


def test_ties_can_be_left_out_or_given_a_share(rankwise, tmp_path):
    write_tied(tmp_path / "drinks.csv")
    (tmp_path / "new.csv").write_text("hour\n7\n")
    for ties, wanted in (("never", ">"), ("1", "~")):
        rankwise("fit", "drinks.csv", *QUICK, "--ties", ties, "-o", "m.rankwise", "--force")
        text = json.loads(rankwise("predict", "m.rankwise", "new.csv", "--json").out)[0]["ranking"]
        assert text.count(wanted) == 2
    wrong = rankwise("fit", "drinks.csv", *QUICK, "--ties", "2", "-o", "m.rankwise", "--force")
    assert "--ties 2: use auto, never or a share from 0 to 1" in wrong.err


def test_the_first_places_alone_are_written(fitted, rankwise, tmp_path):
    write_reactions(tmp_path / "new.csv", n=4, seed=5)
    whole = json.loads(rankwise("predict", "m.rankwise", "new.csv", "--json").out)
    first = json.loads(rankwise("predict", "m.rankwise", "new.csv", "--top", 1, "--json").out)
    for one, other in zip(whole, first, strict=True):
        n_first = sum(rank == 1 for rank in one["positions"].values())
        expected = {
            label: 1 if rank == 1 else 1 + n_first for label, rank in one["positions"].items()
        }
        assert other["positions"] == expected
        assert other["ranking"].count(">") == 1


def test_what_becomes_of_categories_is_told_by_audit_and_fit_and_by_no_other_command(
    rankwise, tmp_path
):
    table, model = tmp_path / "t.csv", tmp_path / "t.rankwise"
    lines = [f"{'KOH' if i % 2 else 'none'},{i},{'a>b' if i % 3 else 'b>a'}" for i in range(20)]
    table.write_text("\n".join(["base,hour,ranking", *lines]) + "\n")
    tree = ("--learner", "Tree")
    for told, command in (
        (True, ("audit", table)),
        (True, ("fit", table, *tree, "-o", model)),
        (False, ("predict", model, table, "--prefix", "new_")),
        (False, ("explain", model, table)),
        (False, ("evaluate", table, *tree)),
        (False, ("compare", "-m", "Tree", table, "-o", tmp_path / "out")),
    ):
        outcome = rankwise(*map(str, command))
        assert outcome.code == 0, outcome.err
        assert ("2 categories, encoded as" in outcome.err) is told, command
