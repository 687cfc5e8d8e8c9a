"""A chemist's file as text and as workbook, from the lab to a sentence; models that remember how."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from cli.reactions import OPTIONS, QUICK, write_reactions
from rankwise.datasets import read

LAB = Path(__file__).parents[2] / "docs" / "guide" / "lab"
ROLES = ("-c", "row=substrate", "-c", "label=conditions", "-c", "value=yield")
VALUES = (*ROLES, "--higher-is-better", "--unit", "%")


@pytest.fixture
def lab(tmp_path):
    """Write the lab's file, its names alike, as text and as a second sheet with real numbers."""
    text = (LAB / "yields.csv").read_text(encoding="utf-8-sig")
    text = text.replace("CUI, CS2CO3", "CuI, Cs2CO3")
    (tmp_path / "yields.csv").write_text(text, encoding="utf-8-sig")
    book = openpyxl.Workbook()
    book.active.append(["prices of last year"])
    sheet = book.create_sheet("Runs")
    for i, row in enumerate(csv.reader(io.StringIO(text), delimiter=";")):
        numbers = [
            float(cell.replace(",", ".")) if i and cell else cell or None for cell in row[2:4]
        ]
        sheet.append([*row[:2], *numbers, row[4]])
    book.save(tmp_path / "yields.xlsx")
    (tmp_path / "new.csv").write_text((LAB / "new.csv").read_text())
    return tmp_path


def test_text_and_workbook_give_the_same_sentence(rankwise, lab):
    said = []
    for source in (["yields.csv"], ["yields.xlsx", "--sheet", "Runs"]):
        fitted = rankwise("fit", *source, *VALUES, "--trees", 10, "-o", "m.rankwise", "--force")
        assert fitted.code == 0, fitted.err
        assert (
            "37 values are the mean of 2 replicates; pooled standard deviation 5.65 %" in fitted.err
        )
        assert "1 line repeats another one exactly (first: line 10)" in fitted.err
        said.append(rankwise("predict", "m.rankwise", "new.csv", "--words").out)
    assert said[0] == said[1]
    first = said[0].splitlines()[0]
    assert first.startswith("N-1: try CuI, Cs2CO3 first, expected 7")
    told = json.loads(rankwise("predict", "m.rankwise", "new.csv", "--json").out)[0]
    value = told["values"]["CuI, Cs2CO3"]
    assert f"expected {value['expected']:.0f} ± " in first
    assert "; it costs " in first
    assert first.endswith("% against the best (in 90% of the rows held out at fitting).")


def test_the_cost_in_the_sentence_is_that_of_the_held_out_rows(rankwise, lab):
    from sklearn.base import clone

    from rankwise.metrics import regret
    from rankwise.models import load_model
    from rankwise.validation import Costs, cross_validate, plan_folds

    roles = dict(part.split("=") for part in ROLES[1::2])
    data = read(lab / "yields.csv", columns=roles, higher_is_better=True)
    rankwise("fit", "yields.csv", *VALUES, "--learner", "Tree", "-o", "m.rankwise")
    model = load_model(lab / "m.rankwise")
    folds = plan_folds(data, None, usual=5).splits(data, 0)
    costs = Costs(data.values, higher_is_better=True)
    found = cross_validate(clone(model.ranker), *data, cv=folds, costs=costs, by_cost=True)
    lost = regret(data.values, found.ranks, average=False)
    at_most = model.facts["check"]["lost_at_most"]
    assert at_most == pytest.approx(sorted(lost)[int(np.ceil(0.9 * (len(lost) - 1)))])
    assert (lost <= at_most + 1e-9).mean() >= 0.9


@pytest.mark.parametrize("command", ["audit", "fit", "evaluate", "convert", "compare"])
def test_every_command_reads_a_workbook_and_says_which_sheet_it_took(rankwise, lab, command):
    name = ["-d", "yields.xlsx"] if command == "compare" else ["yields.xlsx"]
    name += ["out.csv"] if command == "convert" else []
    quick = {"fit": QUICK, "evaluate": ("--learner", "Consensus"), "compare": ("-m", "Consensus")}
    done = rankwise(command, *name, *VALUES, "--sheet", "Runs", *quick.get(command, ()))
    assert done.code == 0, done.err
    again = ["--force"] if command in ("fit", "convert") else []
    first = rankwise(command, *name, *VALUES, *quick.get(command, ()), *again)
    assert first.code == 2
    assert "no long-table column 'substrate'" in first.err


def test_predictions_go_to_a_workbook_with_numbers_as_numbers(rankwise, lab):
    rankwise("fit", "yields.csv", *VALUES, *QUICK, "-o", "m.rankwise")
    (lab / "new.csv").write_text("id;pKa;halide\n007;9,4;=I\n008;;Cl\n")
    assert rankwise("predict", "m.rankwise", "new.csv", "-o", "out.xlsx").code == 0
    rows = list(openpyxl.load_workbook(lab / "out.xlsx").active.values)
    assert rows[0][:4] == ("id", "pKa", "halide", "ranking")
    assert rows[1][:3] == ("007", 9.4, "=I")
    assert rows[2][:3] == ("008", None, "Cl")
    assert isinstance(rows[1][-1], float)
    again = rankwise("predict", "m.rankwise", "out.xlsx", "--prefix", "p_")
    assert again.code == 0, again.err
    found = list(csv.DictReader(io.StringIO(again.out)))
    assert [row["ranking"] for row in found] == [row["p_ranking"] for row in found]


def test_sheets_of_predict_and_explain_are_chosen_and_told(rankwise, lab):
    rankwise("fit", "yields.csv", *VALUES, *QUICK, "-o", "m.rankwise")
    book = openpyxl.Workbook()
    for title, pka in (("old", 2.5), ("new", 9.5)):
        sheet = book.create_sheet(title)
        sheet.append(["substrate", "pKa", "halide"])
        sheet.append([title, pka, "I"])
    del book["Sheet"]
    book.save(lab / "two.xlsx")
    told = rankwise("predict", "m.rankwise", "two.xlsx", "--words")
    assert "has the sheets 'old', 'new'; 'old' is taken, say --sheet 'new' for another" in told.err
    assert told.out.startswith("old: try ")
    chosen = rankwise("predict", "m.rankwise", "two.xlsx", "--words", "--sheet", "new")
    assert chosen.out.startswith("new: try ")
    asked = ("explain", "m.rankwise", "two.xlsx", "--sheet", "new", "--data", "yields.xlsx")
    explained = rankwise(*asked, "--data-sheet", "Runs")
    assert explained.code == 0, explained.err
    assert "pKa = 9.5" in explained.out
    assert "  row S-" in explained.out


def test_similar_rows_of_a_wide_table_have_the_names_that_were_left_out(rankwise, tmp_path):
    write_reactions(tmp_path / "train.csv")
    rankwise("fit", "train.csv", *OPTIONS, *QUICK, "-o", "m.rankwise")
    told = rankwise("explain", "m.rankwise", "train.csv", "--data", "train.csv")
    assert told.code == 0, told.err
    assert "  row sub-0" in told.out
    # A table without that column has lines.
    write_reactions(tmp_path / "later.csv", header=("temp", "base", "dry"))
    told = rankwise("explain", "m.rankwise", "later.csv", "--data", "later.csv")
    assert "  row on line " in told.out


def test_a_model_remembers_what_was_said_of_its_values(rankwise, tmp_path):
    lines = []
    for i in range(20):
        for label, seconds in (("p", 10 * (i % 5)), ("q", 60 - 15 * (i % 4)), ("r", 25)):
            lines.append(f"i{i},{label},{seconds},{i % 5}")
    (tmp_path / "d.csv").write_text("\n".join(["row,label,value,size", *lines]))
    said = ("--lower-is-better", "--cutoff", 60, "--unit", "s", "--penalty", 2)
    rankwise("fit", "d.csv", *said, *QUICK, "-o", "m.rankwise")
    silent, aloud = (
        json.loads(rankwise("evaluate", "d.csv", "--model", "m.rankwise", *options, "--json").out)
        for options in ((), said)
    )
    assert silent == aloud
    assert (silent["cutoff"], silent["penalty"], silent["unit"]) == (60, 2, "s")


def test_words_say_that_no_row_like_this_one_measured_the_first_label():
    from types import SimpleNamespace

    from rankwise.cli._words import sentence

    model = SimpleNamespace(
        label_names=("a", "b"),
        facts={"unit": "%", "check": {"lost_at_most": 2.5}},
        recipe=SimpleNamespace(columns=()),
    )
    added = ["a>b", 1, 2, 0.7, 0.7, None, None, 60.0, 3.0]
    assert sentence(model, {"row": "N-1"}, 2, added) == (
        "N-1: try a first, which no row like this one has measured; it costs at most 2.5 % against the "
        "best (in 90% of the rows held out at fitting)."
    )
