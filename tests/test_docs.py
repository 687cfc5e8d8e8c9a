"""The pages show real output, and the picture of the architecture is the architecture.

``make docs`` builds the pages and runs the gallery; here runs what stands in the pages themselves.
"""

import doctest
import json
import re
import sys
from dataclasses import asdict
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import rankwise
from rankwise.paper import read_report

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

import auto_page  # noqa: E402
import blocks  # noqa: E402
import commands  # noqa: E402
import costs_page  # noqa: E402
import drawn as pictures  # noqa: E402
import faults  # noqa: E402
import incomplete_page  # noqa: E402
import layers  # noqa: E402
import reproduction  # noqa: E402
import shading  # noqa: E402
import speed  # noqa: E402
import ties_page  # noqa: E402
import transcript  # noqa: E402
from sessions import SESSION, rerun  # noqa: E402

PAGES = sorted(
    str(path.relative_to(DOCS))
    for path in DOCS.glob("**/*.md")
    if not path.relative_to(DOCS).parts[0].startswith("_") and SESSION.search(path.read_text())
)
SOURCE = Path(rankwise.__file__).parent


def sessions(page):
    """All sessions of a page, one after another; a page is one conversation."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return "\n".join(session[1] for session in SESSION.finditer(text))


@pytest.mark.parametrize("page", PAGES)
def test_the_sessions_of_a_page_print_what_the_page_shows(page):
    test = doctest.DocTestParser().get_doctest(sessions(page), {}, page, page, 0)
    said = []
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize(
    ("name", "folder"), [("first_hour.md", "first_hour"), ("guide/values.md", "guide/lab")]
)
def test_commands_print_what_their_page_shows(name, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    page = (DOCS / name).read_text(encoding="utf-8")
    again = transcript.rerun(page, DOCS / folder)
    assert transcript.without_times(again) == transcript.without_times(page)


@pytest.mark.parametrize("page", reproduction.pages(DOCS), ids=lambda page: page.name)
def test_tables_of_the_papers_experiments_are_those_of_the_run_beside_them(page):
    text = page.read_text(encoding="utf-8")
    assert blocks.BLOCK.search(text)
    assert reproduction.refreshed(text, DOCS / "reproduction") == text


def test_verdicts_in_the_pages_are_those_of_the_rules_on_the_files_of_the_run():
    result, _ = read_report(DOCS / "reproduction")
    written = pd.read_csv(DOCS / "reproduction" / "verdicts.csv")
    assert written.to_dict("records") == [asdict(verdict) for verdict in result.verdicts]


@pytest.mark.parametrize("module", [auto_page, costs_page, incomplete_page, ties_page])
def test_the_tables_of_results_are_those_of_the_folds_beside_them(module):
    page = module.PAGE
    text = page.path(DOCS).read_text(encoding="utf-8")
    assert {name for _, name, _ in blocks.BLOCK.findall(text)} == set(page.blocks)
    assert page.refreshed(DOCS) == text


def test_tables_are_kept_beside_their_page_and_what_was_not_run_says_so(tmp_path):
    def make(cups, teas=None):
        lines = {"cups": [f"{cups.n.sum():.6f}"]}
        return lines if teas is None else lines | {"teas": [str(len(teas))]}

    page = blocks.ResultPage("tea", ("cups", "teas"), make)
    (tmp_path / "results").mkdir()
    empty = "<!-- cups -->\n<!-- end --> and <!-- teas -->\n<!-- end -->"
    page.path(tmp_path).write_text(empty)
    assert page.refreshed(tmp_path).count("Not run yet: `make tea` does it.") == 2
    page.keep(tmp_path, cups=pd.DataFrame({"n": [0.1234561, 1.0]}))
    text = page.path(tmp_path).read_text()
    assert "1.123456\n" in text
    assert text.count("`make tea`") == 1
    page.keep(tmp_path, teas=pd.DataFrame({"n": [1, 2, 3]}))
    assert page.path(tmp_path).read_text() == empty.replace(
        "cups -->\n", "cups -->\n1.123456\n"
    ).replace("teas -->\n", "teas -->\n3\n")


def test_a_forest_is_judged_by_the_best_of_the_three_on_each_set():
    taus = {
        "default": (0.9, 0.6),
        "joint": (0.8, 0.7),
        "RF per pair": (0.85, 0.5),
        "ET per pair": (0.1, 0.1),
    }
    folds = pd.DataFrame(
        [
            {
                "dataset": "tea",
                "missing": 0.3,
                "method": method,
                "repetition": 0,
                "fold": fold,
                "tau": tau,
            }
            for method, pair in taus.items()
            for fold, tau in enumerate(pair)
        ]
    )
    found = incomplete_page.judged(folds).loc[("tea", 0.3)]
    assert found.best == "joint"
    assert found.behind == pytest.approx(0.0)
    assert found.error == pytest.approx(0.1)


def test_shares_of_the_gap_are_ratios_over_all_rows_and_the_best_is_marked():
    known = ["tea", "s", 0, 8, 2]
    rows = [
        [*known[:2], method, *known[2:], lost, lost, 4.0, 9.0, 0.0, 5.0, 0.1]
        for method, amounts in {"a": (1.0, 3.0), "b": (4.0, 0.0)}.items()
        for lost in amounts
    ]
    folds = pd.DataFrame(rows, columns=costs_page.FOLDS)
    assert list(costs_page.closed(folds))[-1].startswith("| tea | **0.500** (")
    assert list(costs_page.spent(folds))[-1] == "| tea (s) | 9 | 2 | 2 | 5 |"
    shares = {costs_page.PLAIN: 0.5, costs_page.WEIGHED: 0.7, costs_page.CHOSEN: 0.5}
    found = [["tea", method, share, 0.7] for method, share in shares.items()]
    found.append(["tea", costs_page.DEFAULT, 0.75, 0.68])
    lines = list(costs_page.of_generated(pd.DataFrame(found, columns=costs_page.GENERATED)))
    assert f"| {costs_page.CHOSEN} | 0.500 | +0.200 | +0.200 | 100% |" in lines
    assert f"| {costs_page.DEFAULT} | 0.750 | -0.050 | -0.050 | 0% |" in lines
    assert "68% lie within" in lines[-1]


def test_the_default_is_judged_by_what_is_published_and_by_the_best_of_our_own():
    own = [
        [part, name, missing, "Auto", 0, 0, tau, tau_x, 3.0]
        for part, name, missing, tau, tau_x in (
            ("complete", "iris", 0.0, 0.966, np.nan),
            ("complete", "vowel", 0.0, 0.9, np.nan),
            ("incomplete", "iris", 0.3, 0.85, np.nan),
            ("tied", "partial/iris", 0.0, 0.5, 0.95),
        )
    ]
    own.append(["incomplete", "iris", 0.3, "RF", 0, 0, 0.875, np.nan, 1.0])
    own.append(["tied", "partial/iris", 0.0, "RF", 0, 0, 0.9, 0.8, 1.0])
    others = [
        [name, 0.0, method, 0, 0, tau, 1.0]
        for name in ("iris", "vowel")
        for method, tau in (("RF", 0.904), ("LRT", 0.8))
    ]
    columns = [name for name in auto_page.KEPT if name not in ("part", "tau_x")]
    lines = auto_page.write_blocks(
        pd.DataFrame(own, columns=auto_page.KEPT), pd.DataFrame(others, columns=columns)
    )
    lines = {name: list(block) for name, block in lines.items()}
    (said,) = lines["complete summary"]
    assert "Of 2: first on 1, first or within 0.005 of the first on 2" in said
    assert "furthest behind on vowel, by 0.004" in said
    assert "by its two decimals, on 1." in said
    assert lines["complete"][2].startswith("| iris | **0.966** ")
    assert "| **0.904** (RF) | -0.004 " in lines["complete"][3]
    assert "| iris | 30% | 0.850 " in lines["incomplete"][2]
    assert "| **0.950** " in lines["tied"][2]


@pytest.mark.parametrize("has_peer", [True, False])
def test_equal_algorithms_are_compared_fold_by_fold(has_peer):
    taus = {
        "ours: tree entropy": (0.9, 0.6),
        "ours: tree": (0.7, 0.6),
        "ours: ForestRanker": (0.9, 0.9),
    }
    times = [["tea", "entropy", "ours", 0.001]]
    if has_peer:
        taus["scikit-lr: tree entropy"] = (0.8, 0.7)
        times.append(["tea", "entropy", "scikit-lr", 0.004])
    folds = pd.DataFrame(
        [
            ["tea", method, 0, fold, tau]
            for method, pair in taus.items()
            for fold, tau in enumerate(pair)
        ],
        columns=["dataset", "method", "repetition", "fold", "tau_x"],
    )
    spent = pd.DataFrame(times, columns=["dataset", "criterion", "whose", "seconds"])
    made = {name: "\n".join(lines) for name, lines in ties_page.write_blocks(folds, spent).items()}
    # ahead of their tree by 0.15 ± 0.09, of ours by 0.25 ± 0.09
    assert f"first on 1 of 1 sets, on {0 if has_peer else 1} by more than 2" in made["summary"]
    assert ("scikit-lr" in made["summary"]) == has_peer
    assert made["equal"] == ties_page.NO_PEER or "| tea | +0.000 ± 0.173 |" in made["equal"]
    assert ("4.0" in made["speed"]) == has_peer
    assert (made["equal"] == ties_page.NO_PEER) != has_peer


def test_a_lead_is_over_the_best_of_the_others_by_its_own_number_of_folds():
    drawn = {"cake": 3, "tea": 1}
    rng = np.random.default_rng(0)
    rows = [
        [name, method, repetition, fold, mean + rng.normal(0, 0.1)]
        for name, n in drawn.items()
        for method, mean in {
            "ours: tree": 0.6,
            "ours: neighbours": 0.4,
            ties_page.DEFAULT: 0.9,
        }.items()
        for repetition in range(n)
        for fold in range(10)
    ]
    folds = pd.DataFrame(rows, columns=["dataset", "method", "repetition", "fold", "tau_x"])
    wide = folds.pivot_table(
        index=["dataset", "repetition", "fold"], columns="method", values="tau_x", sort=False
    )
    found = ties_page.leads(wide)
    assert (found.other == "ours: tree").all()
    for name, n in drawn.items():
        gaps = (wide[ties_page.DEFAULT] - wide["ours: tree"]).loc[name]
        assert found.gap[name] == pytest.approx(gaps.mean())
        overlap = 1 / (10 * n) + 1 / 9
        assert found.error[name] == pytest.approx(gaps.std() * np.sqrt(overlap))
    assert [line.split(" | ")[1] for line in list(ties_page.lead(wide))[2:]] == ["3", "1"]


def test_the_table_of_speed_is_the_last_whole_run(tmp_path):
    line = {
        "script": "bench_trees.py", "options": [], "when": "2026-01-01", "commit": "c", "bench": "tea",
        "peer": "urn", "figure": 2.0, "peer_figure": 8.0, "ratio": 4.0, "goal": 3.0, "unit": "s",
        "tau": 0.9, "machine": {"processor": "p", "cores": 2, "load": 0.1, "python": "3"},
        "versions": {"scikit-learn": "1"},
    }  # fmt: skip
    lines = [
        line,
        line | {"when": "2026-01-02", "ratio": 5.0},
        line | {"options": ["--quick"], "when": "2026-01-03", "ratio": 6.0, "bench": "milk"},
        line | {"options": ["--only", "x"], "when": "2026-01-03", "ratio": 7.0},
        line | {"options": ["--only", "x"], "when": "2026-01-03", "ratio": 8.0, "bench": "cup"},
        line | {"options": ["--only", "x"], "when": "2026-01-01", "ratio": 9.0, "bench": "old"},
    ]
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "history.jsonl").write_text("\n".join(map(json.dumps, lines)))
    speed.write(tmp_path, tmp_path / "made")
    text = (tmp_path / "made" / "speed.md").read_text()
    assert "| tea | 2 s | urn | 8 s | 5 | 3 | 0.900 |  |" in text
    # what the whole run left out comes from later runs of parts
    assert "| cup | 2 s | urn | 8 s | 8 | 3 | 0.900 |  |" in text
    assert [text.count(word) for word in ("tea", "cup", "milk", "old")] == [1, 1, 0, 0]
    assert "No whole run" in (tmp_path / "made" / "bandwidth.md").read_text()


def test_the_table_of_sizes_has_a_line_for_each_case():
    case = {"learner": "tea", "rows": 10_000, "features": 20, "labels": 5, "missing": 0.3,
            "fit": 12.3, "predict": 0.0123, "megabytes": 1.25}  # fmt: skip
    assert list(speed.sizes([case]))[2:] == ["| `tea` | 10,000 | 20 | 5 | 30% | 12 | 0.012 | 1.2 |"]


def test_cells_are_shaded_by_how_far_they_are_behind_the_best_of_their_row():
    cells = ["iris", "0.900", "0.950", "0.945", "0.849", ""]
    assert shading.steps_of(cells) == [None, 3, 0, 0, None, None]
    assert shading.steps_of(["average rank", "2.9", "1.0"]) == [None, None, None]
    assert shading.steps_of(["a word", "another"]) == [None, None]


def test_a_picture_is_drawn_once_in_the_ink_of_each_theme(tmp_path):
    with mpl.rc_context(pictures.STYLE):
        figure = Figure(figsize=(2, 1))
        figure.subplots().set_title("tea")
        figure.text(0.5, 0.5, "boxed", bbox={"facecolor": mpl.rcParams["axes.facecolor"]})
        files = pictures.save(figure.axes[0], tmp_path, "cup")
    light, dark = ((tmp_path / files[theme]).read_text() for theme in ("light", "dark"))
    for standing, inks in ((pictures.INK, pictures.INKS), (pictures.PAPER, pictures.PAPERS)):
        assert standing not in light + dark
        assert inks["light"] in light
        assert inks["light"] not in dark
        light = light.replace(inks["light"], inks["dark"])
    assert light == dark


@pytest.mark.parametrize("name", rankwise.plots.__all__)
def test_the_example_of_every_plot_leaves_axes_to_show(name):
    assert re.search(r"^    >>> ax = ", getattr(rankwise.plots, name).__doc__, re.M)


def test_the_picture_has_every_package_once_and_imports_point_down():
    found = layers.read_layers(ROOT / "pyproject.toml")
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    drawn = re.findall(r'class="rw-name"[^>]*>([^<]*)<', layers.picture(found, SOURCE))
    assert len(drawn) == len(set(drawn))
    assert packages <= set(drawn)
    depth = {package: number for number, layer in enumerate(found) for package in layer}
    for package in packages:
        below = {name for name in layers.imports(SOURCE, package) if name in depth}
        assert all(depth[package] < depth[name] for name in below), package


def test_every_package_says_its_purpose_in_the_table():
    table = layers.table(layers.read_layers(ROOT / "pyproject.toml"), SOURCE)
    assert "|  |" not in table


def test_the_page_of_commands_has_every_command_with_its_options_and_defaults(tmp_path):
    commands.write(tmp_path)
    page = (tmp_path / "commands.md").read_text(encoding="utf-8")
    for name in ("fit", "theory diagnose", "theory sample-size tree"):
        options = re.split(r"^#{2,3} ", page.split(f"# rankwise {name}\n")[1], flags=re.M)[0]
        assert "| `--json` |" in options, name
    assert re.search(r"^\| `--seed` \|[^|]* Default: `0`\. \|$", page, re.M)
    # what is quoted to be typed keeps its quotes
    assert "`'RF(max_depth=5)'`" in page


def test_a_page_may_run_no_other_program(tmp_path):
    with pytest.raises(ValueError, match="not 'rm'"):
        transcript.rerun("```console\n$ rm -r here\n```", tmp_path)


def test_sessions_of_a_page_share_names_and_get_their_real_output():
    first = "```pycon\n>>> tea = 1\n>>> tea\n2\n```\n"
    second = "```pycon\n>>> for _ in range(2):\n...     print(tea)\n```\n"
    page = f"{first}text\n{second}"
    expected = page.replace("2\n```\ntext", "1\n```\ntext").replace("tea)\n", "tea)\n1\n1\n")
    assert rerun(page) == expected


def test_no_two_runs_have_their_times_in_common():
    board = "time   {0} s\nForest  0.67  0.49 to 0.85  100%  {0}\nKernel  0.7  0.5 to -0.1   {0}\n"
    same = "Kendall's tau  forest  0.673  0.169  0.496 to 0.849\n"
    one, other = (transcript.without_times(board.format(t) + same) for t in (0.5, 12.5))
    assert one == other
    assert one.endswith(same)


def test_a_transcript_that_differs_is_seen(tmp_path):
    (tmp_path / "drinks.csv").write_text("tea,coffee\n1,2\n")
    page = "```console\n$ cat drinks.csv\ntea,water\n1,2\n```\n"
    assert transcript.rerun(page, tmp_path) == page.replace("water", "coffee")


def test_the_gallery_has_ten_examples_and_each_says_what_it_is():
    examples = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
    assert len(examples) >= 10
    for example in examples:
        title, line = example.read_text(encoding="utf-8").splitlines()[1:3]
        assert len(line) >= len(title)
        assert set(line) == {"="}


def drawn(path, height):
    fig = Figure(figsize=(3, 2))
    fig.subplots().plot([0, 1], [0, height])
    fig.axes[0].set_ylim(0, 1)
    fig.savefig(path)


@pytest.mark.parametrize(
    ("images", "output", "expected"),
    [
        (["a", "b"], "tau 0.9", []),
        (["a", "b", "a"], "tau 0.9", []),
        (["b", "a", "again"], "tau 0.9", ["a.png and again.png stand side by side"]),
        (["a"], "&lt;Axes: xlabel=", ["shows <Axes"]),
        (["a", "again"], "&lt;Axes: ", ["a.png and again.png stand side by side", "shows <Axes"]),
    ],
)
def test_pictures_shown_twice_and_axes_in_words_are_faults_of_a_page(
    tmp_path, images, output, expected
):
    for name, height in {"a": 0.9, "again": 0.9, "b": 0.3}.items():
        drawn(tmp_path / f"{name}.png", height)
    shown = "".join(f'<p></p><img alt="a tree" src="{name}.png" srcset="x 2x"/>' for name in images)
    (tmp_path / "page.html").write_text(f"{shown}<pre>{output}</pre>")
    found = faults.faults(tmp_path / "page.html")
    assert len(found) == len(expected)
    assert all(part in fault for part, fault in zip(expected, found, strict=True))
    if expected:
        with pytest.raises(SystemExit, match=r"page\.html: "):
            faults.main(tmp_path)
    else:
        faults.main(tmp_path)


def test_every_link_of_the_readme_leads_somewhere():
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert links
    assert all((ROOT / link).exists() for link in links)


def test_two_hyphens_of_an_option_become_no_dash():
    conf = (DOCS / "conf.py").read_text(encoding="utf-8")
    action = re.search(r'^smartquotes_action = "(\w*)"', conf, re.MULTILINE)
    assert action is not None
    assert "d" not in action[1].lower()
