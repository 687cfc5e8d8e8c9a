"""HTML of pages and notebooks: whole, without network, and nothing in it that data has brought."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise as rw
from rankwise import theory
from rankwise._html import Html, Number, join, notebook, page, section, table, tag, text
from rankwise._svg import WIDTH, bar, interval
from rankwise.auto import Leaderboard, Standing
from rankwise.datasets import Dataset
from rankwise.validation import Estimate, ResultTable, compare

HOSTILE = "<script>alert('tea & \"milk\"')</script>\x1b[31m\u202e"
EMPTY = ("meta", "wbr", "line", "circle", "rect", "path", "br", "img", "source")


class Reader(HTMLParser):
    """Collects texts and tags, and refuses tags that are not closed in their order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.texts = [], [], []

    def handle_starttag(self, name, attributes):
        self.tags.append((name, dict(attributes)))
        if name not in EMPTY:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.tags.append((name, dict(attributes)))

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)


def read(html):
    """Parse HTML, and return its reader."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@given(st.text())
def test_any_text_is_shown_as_letters_and_opens_no_tag(name):
    reader = read(tag("p", name, title=name))
    assert [found for found, _ in reader.tags] == ["p"]
    text(name).encode("utf-8")
    if name.isprintable():
        assert "".join(reader.texts) == name


@pytest.mark.parametrize("letter", ["\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\ud800"])
def test_letters_that_nobody_reads_are_spelled_out(letter):
    assert text(letter) == ascii(letter)[1:-1]


def test_html_is_not_made_safe_twice():
    assert text(tag("b", "a < b")) == "<b>a &lt; b</b>"
    assert join([Html("<i>"), "<i>", ""], "") == "<i>&lt;i&gt;"


def test_texts_stand_left_and_numbers_right_and_gaps_are_shown():
    made = table(["label", "rows", "why"], [["tea", Number("1"), "good"], ["coffee", None, "bad"]])
    assert '<th class="text">label</th><th>rows</th><th class="text">why</th>' in made
    assert '<th scope="row">tea</th><td>1</td><td class="text">good</td>' in made
    assert '<td class="missing">—</td>' in made
    assert "<thead></thead>" in table(["", ""], [["tea", "1"]])
    assert '<td class="best">2</td>' in table(["", "n"], [["tea", Number("2", is_best=True)]])


def test_a_page_is_whole_and_needs_no_network():
    made = page(HOSTILE, section("tea", HOSTILE, tag("p", HOSTILE)))
    reader = read(made)
    names = {name for name, _ in reader.tags}
    assert not names & {"script", "link", "iframe", "img"}
    assert "@import" not in made
    assert "url(" not in made
    assert "prefers-color-scheme: dark" in made


def test_bars_grow_from_the_middle_and_intervals_stay_on_their_scale():
    assert f'width="{WIDTH / 4:.1f}"' in bar(1.0, 2.0, "half")
    assert 'width="0.0"' in bar(0.0, 0.0, "none")
    drawn = interval((2.0, -9.0, 9.0), (0.0, 1.0), "beyond")
    assert f'cx="{WIDTH:.1f}"' in drawn
    assert 'x2="0.0"' in drawn
    read(interval((np.nan, np.nan, np.nan), (0.0, 1.0), "unknown"))


@pytest.fixture(scope="module")
def shown_in_notebooks():
    """An object whose names are hostile, for each kind that notebooks show."""
    X = pd.DataFrame({HOSTILE: [7.0, 8, 16, 17], "hour": [1.0, 2, 3, 4]})
    Y = pd.DataFrame([[1, 2], [1, 2], [2, 1], [2, 1]], columns=[HOSTILE, "tea"])
    tree = rw.TreeRanker().fit(X, Y)
    drinks = Dataset(X, Y, feature_names=list(X), label_names=list(Y), name=HOSTILE, notes=[HOSTILE],
                     row_names=[HOSTILE] * 4)  # fmt: skip
    condition = theory.Condition(HOSTILE, "r", 1.0, 0.5, np.inf, "holds", HOSTILE)
    return {
        "audit": rw.audit(X, Y),
        "explanation": rw.explain(tree, X.iloc[[0]], HOSTILE, "tea", X=X, Y=Y),
        "dataset": drinks,
        "condition": condition,
        "report": theory.Report([condition]),
        "leaderboard": Leaderboard((Standing(HOSTILE, 0.5, 0.4, 0.6, 1.0, 1.0, 9, HOSTILE),)),
        "table": ResultTable(HOSTILE, [HOSTILE], [[Estimate(0.5)]], [HOSTILE]),
        "comparison": compare(["Consensus"], [drinks], folds=2),
    }


SHOWN = (
    "audit",
    "explanation",
    "dataset",
    "condition",
    "report",
    "leaderboard",
    "table",
    "comparison",
)


@pytest.mark.parametrize("kind", SHOWN)
def test_what_notebooks_show_has_hostile_names_as_letters(kind, shown_in_notebooks):
    html = shown_in_notebooks[kind]._repr_html_()
    reader = read(html)
    assert not {name for name, _ in reader.tags} & {"script", "link", "img"}
    assert "<script>alert('tea & \"milk\"')</script>\\x1b[31m\\u202e" in "".join(reader.texts)
    assert html.count("<style>") == 1


def test_a_notebook_shows_explanations_as_bars_to_both_sides():
    X, Y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, [[1, 2], [1, 2], [2, 1], [1, 2]] * 5
    made = rw.explain(rw.TreeRanker(random_state=0).fit(X, Y), [1, 0], 0, 1, X=X)
    assert made.lead < 0
    html = made._repr_html_()
    assert html.count("<rect") == len([part for part in made.contributions if part.amount])
    assert "--against" in html.split("</style>")[1]


def test_a_long_dataset_shows_its_first_rows_and_how_many_there_are():
    many = Dataset(np.zeros((9, 20)), np.tile([1.0, np.nan, 2], (9, 1)))
    shown = "".join(read(many._repr_html_()).texts)
    assert "9 rows, 20 features, 3 labels" in shown
    assert "the first 5 of 9 rows" in shown
    assert "A8" in shown
    assert "A9" not in shown


def test_notebooks_take_the_colour_of_their_text():
    assert "--ink: currentColor" in notebook("tea")
    assert "prefers-color-scheme" not in notebook("tea")
