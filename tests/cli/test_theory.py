"""``rankwise theory``: the numbers of the package, in tables and in JSON."""

import json
import subprocess
import sys

import numpy as np
import pytest

from rankwise import theory

TREE = ["theory", "sample-size", "tree", "-d", 6, "-k", 3, "-r", 2]
FOREST = ["theory", "sample-size", "forest", "--d", 6, "--k", 3, "--r", 2]
FOREST += ["--beta", 0.1, "--zeta", 0.5]
PAIRS = ["theory", "sample-size", "pairwise", "-k", 3, "--vc", 7, "--a", 0.5, "--B", 1]
PAIRS += ["--tolerance", 0.5]


@pytest.fixture(scope="module")
def drinks(tmp_path_factory):
    """Tea first where the first feature is 1; water is never ranked where the second is 1."""
    X = np.random.default_rng(0).integers(0, 2, (300, 3))
    lines = ["warm,late,dry,ranking"]
    for row in X:
        order = "tea>coffee" if row[0] else "coffee>tea"
        lines.append(f"{row[0]},{row[1]},{row[2]},{order}{'' if row[1] else '>water'}")
    path = tmp_path_factory.mktemp("data") / "drinks.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("command", "rows", "shown"),
    [
        ([*TREE, "--product"], 21190, ["21,190", "splits, log2 t          2", "3.6 (at most 8"]),
        ([*FOREST, "--criterion", "breiman"], 141267, ["141,267", "4,709", "3.6"]),
        (PAIRS, 1186235491, ["1,186,235,491"]),
    ],
    ids=["tree", "forest", "pairwise"],
)
def test_rows_and_eps_are_each_others_inverse(rankwise, command, rows, shown):
    outcome = rankwise(*command, "--eps", 0.1)
    assert outcome.code == 0
    assert all(text in outcome.out for text in [*shown, "no promise"])
    found = json.loads(rankwise(*command, "--eps", 0.1, "--json").out)
    assert (found["family"], found["rows"], found["eps"]) == (command[2], rows, 0.1)
    back = json.loads(rankwise(*command, "--rows", rows, "--json").out)
    assert back["eps"] == pytest.approx(0.1, rel=1e-4)
    assert back["guaranteed"] is True
    assert "error eps bought" in rankwise(*command, "--rows", rows).out


def test_options_reach_the_function_by_name(rankwise):
    options = ["--criterion", "breiman", "--C", 1.5, "--delta", 0.1, "--constant", 3]
    found = json.loads(rankwise(*TREE, *options, "--eps", 0.2, "--json").out)
    assert found["rows"] == theory.tree_sample_size("breiman", 6, 3, 2, 1.5, 0.2, 0.1, constant=3)
    assert found["splits"] == theory.tree_depth("breiman", 6, 3, 2, 1.5, 0.2, 0.1, constant=3)
    found = json.loads(rankwise(*PAIRS, "--form", "lambert", "--rows", 10**6, "--json").out)
    assert found["eps"] == theory.pairwise_guarantee(10**6, 3, 7, 0.5, 1, 0.5, 0.05, form="lambert")
    found = json.loads(rankwise(*TREE, "--rows", 10_000, "--json").out)
    assert found["splits"] == theory.tree_depth("level", 6, 3, 2, 1, 0.5, 0.05, n=10_000)


def test_margins_of_nothing_make_every_number_of_rows_too_small(rankwise):
    assert "no number of rows is enough" in rankwise(*PAIRS, "--a", 0, "--eps", 0.1).out
    found = json.loads(rankwise(*PAIRS, "--a", 0, "--eps", 0.1, "--json").out)
    assert (found["rows"], found["rows_log10"]) == (None, None)
    assert "buy no guarantee" in rankwise(*PAIRS, "--a", 0, "--rows", 100).out


def test_a_huge_number_of_rows_is_told_in_words(rankwise):
    command = ["theory", "sample-size", "tree", "-d", 1000, "-k", 5, "--eps", 0.1]
    assert "more than 10^300 rows" in rankwise(*command, "-r", 200).out
    found = json.loads(rankwise(*command, "-r", 200, "--json").out)
    assert found["rows"] is None
    assert found["rows_text"] == "more than 10^300 rows"
    assert found["rows_log10"] > 300
    # (60·5/0.1)^62 log(100 000) = 3000^62·11.51 = 4.39·10^216
    assert "about 4.392 * 10^216" in rankwise(*command, "-r", 60).out


@pytest.mark.parametrize("command", [TREE, FOREST, PAIRS], ids=lambda command: command[2])
def test_rows_that_buy_nothing_say_so(rankwise, command):
    outcome = rankwise(*command, "--rows", 2)
    assert outcome.code == 0
    assert "these rows buy no guarantee" in outcome.out
    assert "Spearman" not in outcome.out
    found = json.loads(rankwise(*command, "--rows", 2, "--json").out)
    assert found["guaranteed"] is False
    assert found["spearman"] is None


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (TREE, "give --eps (how many rows?) or --rows (which eps?)"),
        ([*TREE, "--eps", 0.1, "--rows", 5], "one of the two"),
        ([*TREE, "--eps", 1], "eps is 1; use a number with 0 < eps < 1"),
        ([*TREE, "--eps", 0], "eps is 0; use"),
        ([*TREE, "--eps", "nan"], "eps is nan; use"),
        ([*TREE, "--rows", 0], "n is 0; use a whole number from 1"),
        ([*TREE, "--rows", "1e6"], "'--rows' / '-n'"),
        ([*TREE, "--eps", 0.1, "--C", 0.5], "C is 0.5; use a finite number of 1 or more"),
        ([*TREE, "--eps", 0.1, "-r", 7], "r is 7; use a whole number from 1 to 6"),
        ([*TREE, "--eps", 0.1, "--criterion", "gini"], "criterion is 'gini'; use 'level' or"),
        ([*FOREST, "--eps", 0.1, "--beta", 0], "beta is 0; use"),
        ([*PAIRS, "--eps", 0.1, "--a", 2], "a is 2; use a number with 0 <= a <= 1"),
        ([*PAIRS, "--eps", 0.1, "--form", "guess"], "form is 'guess'; use 'theorem'"),
        ([*PAIRS[:-2], "--eps", 0.1], "Missing option '--tolerance'"),
        (["theory", "sample-size", "bush"], "No such command 'bush'"),
        (["theory", "diagnose"], "Missing argument"),
        (["theory", "diagnose", "nowhere.csv"], "no such file"),
    ],
)
def test_bad_input_gives_one_line_on_stderr_and_code_2(rankwise, arguments, reason):
    outcome = rankwise(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ")
    assert len(outcome.err.splitlines()) == 1
    assert reason in outcome.err


def test_diagnose_tells_every_condition_with_the_names_of_the_file(rankwise, drinks):
    outcome = rankwise("theory", "diagnose", drinks)
    assert outcome.code == 0
    table = " ".join(outcome.out.split())
    # a second place of three is no last place of two: where water is missing moves coffee as well
    text = "sparsity holds: r = 2 (2 to 2) 'coffee' depends on 2 of 3 features: 'warm', 'late'"
    assert text in table
    assert "deletion tolerance cannot tell: phi = 0 (0 to " in table
    assert "where late = 1" in table
    found = json.loads(rankwise("theory", "diagnose", drinks, "--json").out)
    assert (found["rows"], found["features"], found["labels"]) == (300, 3, 3)
    assert found["conditions"]["sparsity"]["estimate"] == 2
    assert "inconsistency" not in found["conditions"]


def test_diagnose_takes_the_clean_rankings_and_draws(rankwise, tmp_path):
    rankwise("sample", "d.csv", "-n", 100, "-d", 4, "--noise", "mallows", "--clean")
    command = ["theory", "diagnose", "d.csv", "--clean", "d.clean.csv", "--figure", "d.png"]
    outcome = rankwise(*command, "--json", "--seed", 3)
    assert outcome.code == 0
    assert 0 < json.loads(outcome.out)["conditions"]["inconsistency"]["estimate"] < 1
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")
    again = rankwise(*command)
    assert again.code == 2
    assert "--force" in again.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--figure", "no/where.png"], "there is no folder no"),
        (["--figure", "picture.xyz"], "end the name in .png, .pdf or .svg"),
        (["--clean", "short.csv"], "short.csv does not have the same rows and labels"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_what_cannot_be_done_is_told_before_the_work(rankwise, drinks, tmp_path, options, reason):
    lines = drinks.read_text().splitlines()
    (tmp_path / "short.csv").write_text("\n".join(lines[:50]))
    outcome = rankwise("theory", "diagnose", drinks, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["0,a>b"] * 5, "there are 5 rows; give at least 20"),
        (["0,a>b"] * 20 + [",b>a"], "row 20: feature 'x' is nan; conditions need finite features"),
    ],
    ids=["few", "gap"],
)
def test_files_that_cannot_be_judged_say_why(rankwise, tmp_path, lines, reason):
    (tmp_path / "odd.csv").write_text("\n".join(["x,ranking", *lines]))
    outcome = rankwise("theory", "diagnose", "odd.csv")
    assert outcome.code == 2
    assert reason in outcome.err


def test_help_shows_examples_and_imports_nothing_heavy(rankwise):
    for command in (["theory"], TREE[:3], FOREST[:3], PAIRS[:3], ["theory", "diagnose"]):
        outcome = rankwise(*command, "--help")
        assert outcome.code == 0
        assert "rankwise theory" in outcome.out.split("Examples:")[1]
    script = (
        "import sys\nfrom rankwise.cli._main import run\n"
        "run(['theory', 'sample-size', 'tree', '--help'])\n"
        "heavy = {'numpy', 'numba', 'scipy', 'pandas', 'sklearn', 'matplotlib'}\n"
        "sys.exit(bool(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0
