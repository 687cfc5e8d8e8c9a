"""Tables on the console: nothing is cut, whatever the width."""

import pytest
from rich.cells import cell_len

from rankwise.cli._console import table_text

HEAD = ["", "", "mean", "sd", "95 % interval"]
ROWS = [
    [
        "lost by the best of so many (kJ/mol)",
        "consensus (floor)",
        "2.335",
        "0.5087",
        "1.387 to 3.282",
    ],
    ["", "single best", "65.68", "1.053", "-0.7965 to 1"],
]


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize("name", ["a", "b" * 30, "word " * 12, "溶媒" * 9])
def test_tables_keep_to_the_width_and_lose_nothing(monkeypatch, width, name):
    monkeypatch.setattr("rankwise.cli._console._PIPE_WIDTH", width)
    rows = [[name, *ROWS[0][1:]], *ROWS]
    text = table_text(HEAD, rows)
    assert max(map(cell_len, text.splitlines())) <= width
    shown = "".join(text.split())
    letters = "".join("".join(row) for row in (HEAD, *rows)).replace(" ", "")
    assert sorted(shown) == sorted(letters)


def test_heads_are_folded_before_names_and_cells_are_whole_where_there_is_room(monkeypatch):
    monkeypatch.setattr("rankwise.cli._console._PIPE_WIDTH", 80)
    rows = [["a condition with a name of 37 letters", "0.08", "4.6", "12 to 14"]]
    text = table_text(["label", "mean place", "rows of each test fold", "95 % interval"], rows)
    assert "a condition with a name of 37 letters" in text
    assert "12 to 14" in text
