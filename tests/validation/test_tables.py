"""Tables: what each format must keep, and letters that mean something to it."""

import csv
import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.cli._compare_files import FORMATS
from rankwise.validation import Estimate, ResultTable
from rankwise.validation._tables import PValue

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=8)


def example():
    rows = [
        ["drinks", Estimate(0.9, 0.1, best=True), 3, None],
        ["teas", Estimate(math.nan), 2, math.nan],
    ]
    return ResultTable("Tau", ["set", "RF", "rank", "p"], rows, ["A note."])


@given(rows=st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_csv_gives_back_any_text(rows):
    table = ResultTable("t", ["a", "b"], rows)
    read = list(csv.reader(io.StringIO(table.to_csv())))
    assert read == [["a", "b"], *map(list, rows)]


@given(title=TEXTS, cell=TEXTS, name=TEXTS)
def test_every_format_keeps_its_shape_whatever_the_texts_are(title, cell, name):
    table = ResultTable(title, [name, "x"], [[cell, Estimate(0.5, best=True)]])
    assert json.loads(table.to_json())["rows"][0][name or ""] == cell or name == "x"
    head, rule, row = table.to_markdown().splitlines()[2:5]
    assert rule == "|:--|--:|"
    for line in (head, row):
        assert line.replace("\\\\", "").replace("\\|", "").count("|") == 3
    body = table.to_latex().splitlines()[5]
    assert body.replace("\\&", "").count("&") == 1
    assert body.endswith(r"\\")


def test_csv_has_full_precision_and_a_column_for_the_deviation():
    read = list(csv.DictReader(io.StringIO(example().to_csv())))
    assert read[0] == {"set": "drinks", "RF": "0.9", "RF sd": "0.1", "rank": "3", "p": ""}
    assert read[1]["RF"] == read[1]["RF sd"] == ""


def test_json_is_strict_and_has_null_for_what_is_absent():
    rows = json.loads(example().to_json(), parse_constant=pytest.fail)["rows"]
    assert rows[0]["RF"] == {"mean": 0.9, "sd": 0.1}
    assert rows[1] == {"set": "teas", "RF": {"mean": None, "sd": None}, "rank": 2, "p": None}


def test_latex_sets_the_best_in_bold_and_escapes_names():
    table = ResultTable(
        "100%\nsure", ["a_b & c", "RF"], [["x%{y}\\z^~", Estimate(0.9, 0.1, best=True)]]
    )
    text = table.to_latex()
    assert text.startswith("% 100% sure\n")
    assert r"a\_b \& c & RF \\" in text
    assert r"x\%\{y\}\textbackslash{}z\textasciicircum{}\textasciitilde{}" in text
    assert r"\textbf{0.900 $\pm$ 0.100}" in text
    assert r"\begin{tabular}{lr}" in text


def test_markdown_escapes_what_would_break_a_cell():
    text = ResultTable("t", ["a|b"], [["*x*_y_"]], ["1 * 2"]).to_markdown()
    assert r"| a\|b |" in text
    assert r"| \*x\*\_y\_ |" in text


def test_absent_figures_are_dashes_on_the_screen():
    assert example().to_rows()[1] == ["teas", "—", "2", "—"]
    assert str(Estimate(0.5, note="(0.52)")) == "0.500 (0.52)"


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="row 1 of table 't' has 1 cells for 2 columns"):
        ResultTable("t", ["a", "b"], [[1, 2], [1]])


@pytest.mark.parametrize("name", FORMATS)
def test_tables_without_rows_can_be_written(name):
    assert getattr(ResultTable("t", ["a", "b"], []), f"to_{name}")()


def test_a_small_p_value_is_not_shown_as_nothing():
    table = ResultTable("Tests", ["a", "p"], [["x", PValue(8.7e-05)], ["y", PValue(0.0421)]])
    assert "8.7e-05" in table.to_markdown()
    assert "0.042" in table.to_markdown()
    assert "8.7e-05" in table.to_csv()
