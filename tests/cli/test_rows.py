"""Rows are counted from one place: by the line of the file on which they stand, or by their name."""

import pytest

# The eighth row stands on line 10, since a header and a blank line are above it.
ODD, LINE = 7, 10


def table(odd, header="x,y,A,B,C"):
    rows = [[f"{3 * i}", f"{i % 3}", *("123" if i % 2 else "321")] for i in range(24)]
    rows[ODD] = odd(rows)
    return "\n".join([header, "", *map(",".join, rows)]) + "\n"


FAR = table(lambda rows: ["1e200", *rows[ODD][1:]])
ONE = ["--labels", "A,B,C"]
CASES = {
    "a cell that is no number": (table(lambda rows: ["red", *rows[ODD][1:]]), ["audit", *ONE]),
    "a rank that is none": (table(lambda rows: ["1", "1", "0", "1", "2"]), ["audit", *ONE]),
    "nothing compared": (table(lambda rows: ["1", "1", "", "", "2"]), ["audit", *ONE]),
    "contradictions": (table(lambda rows: [*rows[20][:2], "1", "2", "3"]), ["audit", *ONE]),
    "ties refused": (
        table(lambda rows: ["1", "1", "1", "1", "2"]),
        ["fit", *ONE, "--learner", "LRT", "-o", "m.rankwise"],
    ),
    "gaps refused": (
        table(lambda rows: ["1", "1", "1", "", "2"]),
        ["fit", *ONE, "--learner", "Forest(decomposition='labelwise')", "-o", "m.rankwise"],
    ),
    "distances, fit": (FAR, ["fit", *ONE, "--learner", "Kernel", "-o", "m.rankwise"]),
    "distances, evaluate": (FAR, ["evaluate", *ONE, "--learner", "KNNKemeny"]),
    "distances, compare": (FAR, ["compare", *ONE, "--learners", "KNNKemeny", "--folds", "3"]),
}


@pytest.mark.parametrize(("text", "words"), CASES.values(), ids=CASES)
def test_a_command_names_the_line_of_the_row_at_fault(rankwise, tmp_path, monkeypatch, text, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(text)
    outcome = rankwise(words[0], "data.csv", *words[1:])
    assert f"line {LINE}" in outcome.out + outcome.err


def test_a_row_that_cannot_be_predicted_is_named_by_its_line(rankwise, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plain = table(lambda rows: rows[ODD])
    (tmp_path / "data.csv").write_text(plain)
    (tmp_path / "new.csv").write_text(FAR)
    rankwise("fit", "data.csv", *ONE, "--learner", "Kernel", "-o", "m.rankwise")
    outcome = rankwise("predict", "m.rankwise", "new.csv")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: new.csv, line {LINE}: X, feature 'x' is 1e+200")


def test_rows_with_names_are_called_by_them(rankwise, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = table(lambda rows: [*rows[20][:2], "1", "2", "3"], "x,y,A,B,C,plot").splitlines()
    named = [lines[0], *(f"{line},P-{i}" for i, line in enumerate(lines[2:]))]
    (tmp_path / "data.csv").write_text("\n".join(named))
    outcome = rankwise("audit", "data.csv", *ONE)
    assert "(first: rows P-7 and P-20)" in " ".join(outcome.out.split())
