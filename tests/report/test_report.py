"""``rankwise report``: one page, whole, safe, and true to the model."""

import csv
import re

import numpy as np
import pytest

from cli.conftest import rankwise  # noqa: F401
from cli.reactions import OPTIONS, write_reactions
from rankwise.explanations import _effects, column_effects
from rankwise.report import _facts
from rankwise.report._facts import Point, chosen_rows, ranking_text
from rankwise.report._page import _with_options
from rankwise.report._pictures import curve_picture
from rankwise.report._words import meaning_of_curve
from report.naive import effects
from test_html import HOSTILE, read

QUICK = ("--learner", "Forest(n_estimators=8)")


def texts_of(path):
    """All that a page shows, and its tags."""
    reader = read(path.read_text(encoding="utf-8"))
    return " ".join("".join(reader.texts).split()), reader.tags


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(_facts, "TREES", 5)


def write_hostile(path, n=40):
    """A file whose every name is hostile: columns, labels, categories and rows."""
    rng = np.random.default_rng(0)
    labels = [f"{HOSTILE}{j}" for j in range(3)]
    with open(path, "w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["who", f"{HOSTILE}x", f"{HOSTILE}text", *labels])
        for i in range(n):
            x = rng.random()
            ranks = 1 + np.argsort(np.argsort([x, 0.5, 1 - x + 0.1 * rng.random()]))
            writer.writerow([f"{HOSTILE}{i}", f"{x:.2f}", f"{HOSTILE}{i % 3}", *ranks])
    return labels


def test_a_report_of_values_has_every_part(rankwise, tmp_path, quick):  # noqa: F811
    write_reactions(tmp_path / "reactions.csv")
    done = rankwise("report", "reactions.csv", *OPTIONS, "--drop", "nr", *QUICK)
    assert (done.code, done.out) == (0, "reactions.html\n")
    page = (tmp_path / "reactions.html").read_text(encoding="utf-8")
    shown, tags = texts_of(tmp_path / "reactions.html")
    anchors = [about["id"] for name, about in tags if name == "section"]
    assert anchors == ["data", "tau", "learners", "chances", "columns", "pairs", "rows", "next"]
    linked = [about["href"] for name, about in tags if name == "a"]
    assert linked == [f"#{anchor}" for anchor in anchors]
    assert "what a wrong first choice loses" in shown
    for column in ("temp", "base", "dry"):
        assert f'<th scope="row">{column}</th>' in page
    assert "base=NaH" not in shown
    assert re.search(r"base = (NaH|Et3N|KOH)", shown)
    assert len(re.findall(r"chance that .+? stands before", shown)) == 3
    command = "rankwise fit reactions.csv --labels 'THF,DMF,toluene,\"ionic, wet\"' --drop nr "
    assert command + "--higher-is-better --learner" in shown


def test_a_page_of_hostile_names_needs_no_network_and_runs_nothing(rankwise, tmp_path, quick):  # noqa: F811
    labels = write_hostile(tmp_path / "odd.csv")
    asked = ",".join('"' + label.replace('"', '""') + '"' for label in labels)
    done = rankwise("report", "odd.csv", "--labels", asked, *QUICK)
    assert done.code == 0, done.err
    page = (tmp_path / "odd.html").read_text(encoding="utf-8")
    shown, tags = texts_of(tmp_path / "odd.html")
    assert not {name for name, _ in tags} & {"script", "link", "img", "iframe", "object", "form"}
    assert all(about["href"].startswith("#") for name, about in tags if name == "a")
    assert not {key for _, about in tags for key in about} & {"src", "srcset", "onload", "onclick"}
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e]", page)
    assert "url(" not in page
    assert "\\x1b[31m\\u202e" in shown


def test_learners_that_left_rows_out_themselves_are_asked_for_no_second_check(
    rankwise,  # noqa: F811
    tmp_path,
    quick,
    monkeypatch,
):
    from rankwise.cli import _training

    def never(*_, **__):
        raise AssertionError("cross-validated again")

    monkeypatch.setattr(_training, "validate_beside_floor", never)
    write_reactions(tmp_path / "reactions.csv")
    learner = "Auto(candidates=['Pairwise', 'KNNKemeny'])"
    done = rankwise("report", "reactions.csv", *OPTIONS, "--learner", learner)
    assert done.code == 0, done.err
    shown, _ = texts_of(tmp_path / "reactions.html")
    assert "KNNKemeny" in shown
    assert "had not seen" in shown


def test_fit_writes_the_same_report_beside_its_model(rankwise, tmp_path, quick):  # noqa: F811
    write_reactions(tmp_path / "reactions.csv")
    how = (*OPTIONS, *QUICK)
    assert rankwise("fit", "reactions.csv", *how, "--report", "fit.html").code == 0
    assert rankwise("report", "reactions.csv", *how, "-o", "report.html").code == 0
    (one, _), (other, _) = (texts_of(tmp_path / name) for name in ("fit.html", "report.html"))
    assert one.split("Commands to type")[0] == other.split("Commands to type")[0]
    assert "# keep the model" in other
    assert "# keep the model" not in one
    assert (tmp_path / "reactions.rankwise").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("report", "drinks.csv", "-o", "drinks.pdf"), "end its name in .html"),
        (("report", "drinks.csv", "-o", "there.html"), "exists already"),
        (("fit", "drinks.csv", "--report", "there.html"), "exists already"),
        (
            ("fit", "drinks.csv", "--report", "r.html", "--folds", "0"),
            "a report is about the check",
        ),
    ],
)
def test_what_cannot_be_written_is_told_before_anything_is_read(
    rankwise,  # noqa: F811
    tmp_path,
    arguments,
    reason,
):
    (tmp_path / "there.html").write_text("mine")
    done = rankwise(*arguments)
    assert done.code == 2
    assert reason in done.err
    assert (tmp_path / "there.html").read_text() == "mine"


def test_a_report_that_fails_leaves_no_page(rankwise, tmp_path, quick, monkeypatch):  # noqa: F811
    from rankwise import report

    def broken(*_):
        raise ValueError("no ink")

    monkeypatch.setattr(report, "build_page", broken)
    write_reactions(tmp_path / "reactions.csv")
    done = rankwise("report", "reactions.csv", *OPTIONS, *QUICK)
    assert "no ink" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["reactions.csv"]


@pytest.mark.parametrize("n", [2, 3, 7])
def test_effects_are_those_of_changing_cells_one_row_at_a_time(n, monkeypatch):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4))
    weights = rng.normal(size=(4, 3))
    weights[2] = 0

    def positions(rows):
        return rows**2 @ weights

    columns = [[0], [1, 3], [2]]
    order = np.random.default_rng(0).permutation(n)
    donors = []
    for step in range(1, _effects.N_DONORS + 1):
        if step % n:
            donor = np.empty(n, dtype=int)
            donor[order] = np.roll(order, step)
            donors.append(donor)
    assert all((donor != np.arange(n)).all() for donor in donors)
    plain = effects(positions, X, columns, donors)
    for cells in (1 << 20, 1):
        monkeypatch.setattr(_effects, "CELLS", cells)
        np.testing.assert_allclose(column_effects(positions, X, columns), plain, atol=1e-12)
    np.testing.assert_allclose(plain[:, 2], 0, atol=1e-12)


def test_effects_of_a_single_row_are_none():
    assert (column_effects(lambda rows: rows[:, :2], np.ones((1, 2)), [[0], [1]]) == 0).all()


def test_rows_are_chosen_by_how_sure_they_are_and_all_differ():
    chances = np.random.default_rng(0).uniform(0.3, 1, 31)
    chosen = chosen_rows(chances)
    far = abs(chances - 0.5)
    assert far[chosen["sure"]] == far.max()
    assert far[chosen["unsure"]] == far.min()
    assert far[chosen["typical"]] == np.median(far)
    assert chosen_rows(chances[:1]) == {"sure": 0}


def test_rankings_are_written_with_ties_and_without_what_is_missing():
    assert ranking_text(np.array([1.0, 1.0, 2.0, np.nan]), list("abcd")) == "a ~ b > c"


@pytest.mark.parametrize(
    ("taus", "said"), [((0.3, 0.5, 0.6), "will help"), ((0.5, 0.6, 0.6), "bring little")]
)
def test_a_curve_says_whether_more_rows_help(taus, said):
    curve = [Point(10 * 2**i, tau) for i, tau in enumerate(taus)]
    assert said in meaning_of_curve(curve)
    assert read(curve_picture(curve)).tags


def test_an_option_in_an_advice_is_code_that_no_line_divides():
    pieces = _with_options("let predictions tie them (--ties auto).")
    assert "".join(map(str, pieces)) == "let predictions tie them (<code>--ties auto</code>)."
