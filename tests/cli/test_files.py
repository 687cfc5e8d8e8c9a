"""``sample``, ``audit`` and ``convert``: files go out, come back, and are judged."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rankwise.datasets import read


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("full.csv", []),
        ("gaps.csv", ["--survival", "0.6", "--noise", "gaussian", "--level", "0.1"]),
        ("top.xarff", ["--top", "2", "--noise", "plackett-luce"]),
        ("named.csv", ["--labels", "tea,coffee,water", "--noise", "mallows", "-q", "0.8"]),
        ("wide.csv", ["--to", "wide", "-k", "4", "-d", "6", "-r", "2", "--noise", "uniform"]),
        ("sfn.csv", ["--family", "SFN", "--noise", "gaussian"]),
    ],
)
def test_what_sample_writes_audit_reads(rankwise, name, options):
    assert rankwise("sample", name, "-n", 120, *options).code == 0
    layout = ["--labels", "L1,L2,L3,L4"] if name == "wide.csv" else []
    outcome = rankwise("audit", name, "--json", *layout)
    assert outcome.code == 0
    report = json.loads(outcome.out)
    assert report["n_samples"] == 120
    expected = {"named.csv": 3, "wide.csv": 4}.get(name, 5)
    assert report["n_labels"] == expected
    assert (report["missing_rate"] > 0) == ("survival" in str(options) or "-q" in options)
    assert (report["tie_rate"] > 0) == ("--top" in options)


def test_the_same_seed_gives_the_same_file_and_another_seed_another(rankwise, tmp_path):
    for name, seed in (("a.csv", 3), ("b.csv", 3), ("c.csv", 4)):
        rankwise("sample", name, "-n", 50, "--noise", "mallows", "--seed", seed)
    a, b, c = ((tmp_path / f"{name}.csv").read_text() for name in "abc")
    assert a == b != c


def test_clean_writes_the_same_rows_without_noise_beside(rankwise):
    outcome = rankwise(
        "sample", "d.csv", "-n", 60, "--noise", "mallows", "-q", 0.7, "--clean", "--json"
    )
    assert json.loads(outcome.out)["files"] == ["d.csv", "d.clean.csv"]
    noisy, clean = read("d.csv"), read("d.clean.csv")
    assert_array_equal(noisy.features, clean.features)
    assert np.isnan(noisy.ranks).any()
    assert not np.isnan(clean.ranks).any()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--noise", "pink"], "--noise pink"),
        (["--level", "0.1"], "--noise"),
        (["--survival", "1.5"], "1.5"),
        (["--top", "0"], "0"),
        (["--rows", "0"], "n_samples is 0"),
        (["--labels", "1"], "at least two"),
        (["--labels", "tea"], "two names or more"),
        (["--labels", "tea,tea"], "tea"),
        (["--sparsity", "11"], "only 10 features"),
        (["--family", "XYZ"], "XYZ"),
        (["--family", "SFN", "-d", "3"], "leave --features"),
        (["--family", "SFN", "-k", "3"], "5 labels"),
        (["--seed", "-1"], "--seed -1"),
        (["--to", "stone"], "stone"),
    ],
)
def test_sample_refuses_what_it_cannot_draw(rankwise, tmp_path, options, reason):
    outcome = rankwise("sample", "x.csv", *options)
    assert outcome.code == 2
    assert reason in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_files_are_replaced_only_by_force(rankwise, tmp_path):
    (tmp_path / "x.csv").write_text("precious")
    for command in (["sample", "x.csv"], ["convert", "generated/iris", "x.csv"]):
        outcome = rankwise(*command)
        assert outcome.code == 2
        assert "--force" in outcome.err
        assert (tmp_path / "x.csv").read_text() == "precious"
    assert rankwise("sample", "x.csv", "--force").code == 0
    assert (tmp_path / "x.csv").read_text() != "precious"


def test_a_missing_folder_is_named(rankwise):
    outcome = rankwise("sample", "no/where.csv")
    assert outcome.code == 2
    assert "there is no folder no" in outcome.err


def test_audit_exits_with_1_on_serious_findings_and_on_warnings_if_strict(rankwise, tmp_path):
    rows = "\n".join(f"{i},{'a>b>c' if i % 2 else 'c>b>a'}" for i in range(40))
    (tmp_path / "fine.csv").write_text(f"x,ranking\n{rows}\n")
    assert rankwise("audit", "fine.csv", "--strict").code == 0
    (tmp_path / "warned.csv").write_text(f"x,year,ranking\n{rows.replace(',', ',2020,')}\n")
    assert rankwise("audit", "warned.csv").code == 0
    assert rankwise("audit", "warned.csv", "--strict").code == 1
    split = "\n".join(f"{i},{'a>b' if i % 2 else 'c>d'}" for i in range(40))
    (tmp_path / "split.csv").write_text(f"x,ranking\n{split}\n")
    outcome = rankwise("audit", "split.csv")
    assert outcome.code == 1
    assert "never compared" in outcome.out


def test_audit_takes_columns_by_name_and_scores(rankwise, tmp_path):
    lines = ["id,rain,maize,millet"] + [f"{i},{i * 3},{i % 7},{i % 5 + 0.5}" for i in range(30)]
    (tmp_path / "yields.csv").write_text("\n".join(lines))
    options = ["--labels", "maize,millet", "--features", "rain", "--higher-is-better", "--json"]
    report = json.loads(rankwise("audit", "yields.csv", *options).out)
    assert [label["name"] for label in report["labels"]] == ["maize", "millet"]
    assert report["n_features"] == 1


def test_audit_reads_long_tables_by_the_roles_of_their_columns(rankwise, tmp_path):
    lines = ["farmer,crop,place"] + [
        f"{i},{c},{p}" for i in range(12) for p, c in enumerate("ab", 1)
    ]
    (tmp_path / "long.csv").write_text("\n".join(lines))
    roles = ["-c", "row=farmer", "-c", "label=crop", "-c", "rank=place"]
    assert json.loads(rankwise("audit", "long.csv", *roles, "--json").out)["n_samples"] == 12
    outcome = rankwise("audit", "long.csv", "-c", "row")
    assert outcome.code == 2
    assert "ROLE=NAME" in outcome.err


def test_benchmarks_are_read_by_name_without_options_for_files(rankwise):
    assert json.loads(rankwise("audit", "generated/iris", "--json").out)["n_samples"] == 150
    outcome = rankwise("audit", "generated/iris", "--labels", "a,b")
    assert outcome.code == 2
    assert "benchmark" in outcome.err


def test_orders_in_a_file_are_serious(rankwise):
    rankwise("sample", "d.csv", "-n", 400, "-k", 5)
    ranks = read("d.csv")
    lines = [",".join([*ranks.feature_names, *ranks.label_names])]
    for x, y in zip(ranks.features, ranks.ranks, strict=True):
        lines.append(",".join(f"{cell:g}" for cell in [*x, *(np.argsort(y) + 1)]))
    with open("orders.csv", "w") as handle:
        handle.write("\n".join(lines))
    outcome = rankwise("audit", "orders.csv")
    assert outcome.code == 1
    assert "looks like orders" in outcome.out


@pytest.mark.parametrize("name", ["iris.csv", "iris.xarff"])
def test_convert_there_and_back_keeps_the_rankings(rankwise, name):
    assert rankwise("convert", "generated/iris", name).code == 0
    assert rankwise("convert", name, "back.csv", "--to", "ranking").code == 0
    assert_array_equal(read("back.csv").ranks.shape, (150, 3))
    assert_array_equal(read("back.csv", labels=read(name).label_names).ranks, read(name).ranks)


def test_convert_says_what_is_wrong_with_the_file_and_where(rankwise, tmp_path):
    (tmp_path / "bad.csv").write_text("A1,L1,L2\n5,0,1\n")
    outcome = rankwise("convert", "bad.csv", "out.csv")
    assert outcome.code == 2
    assert "bad.csv, line 2" in outcome.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("command", [["audit"], ["theory", "diagnose"], ["evaluate", "--trees=2"]])
def test_columns_that_name_rows_are_left_out_by_every_command_that_looks_or_learns(
    rankwise, tmp_path, command
):
    rows = [f"plot {i};{i % 7},5;{i % 2 + 1};{2 - i % 2}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["plot;rain;maize;rye", *rows]))
    done = rankwise(*command, "t.csv", "--labels", "maize,rye")
    assert done.code in (0, 1)
    assert "column 'plot' holds a different text in every row" in done.err


@pytest.mark.parametrize(
    ("text", "options", "remedy"),
    [
        ("plot,a,b\n" + "\n".join(f"p{i % 50},1,2" for i in range(70)), ["-l", "a,b"], "--drop"),
        ("x,a,b\n1,1,2\n", [], "--labels tea,coffee,water"),
        ("x,a,b\n1,0,2\n", ["-l", "a,b"], "--higher-is-better or --lower-is-better"),
        ("x,a,b\n1,1,2\nz,1,2\n", ["-l", "a,b"], "name the column in --nominal"),
        ("row,label,rank\n1,a,1\n1,b,2\n", ["--higher-is-better"], "--column 'value=rank'"),
        ("x,a,b\n1,1,2\n", ["-l", "a,b", "-c", "label=x", "--format", "wide"], "--column: format"),
    ],
)
@pytest.mark.parametrize("command", ["audit", "fit", "evaluate"])
def test_remedies_name_options_and_no_arguments_of_python(
    rankwise, tmp_path, command, text, options, remedy
):
    (tmp_path / "t.csv").write_text(text)
    done = rankwise(command, "t.csv", *options)
    assert done.code == 2
    assert remedy in " ".join(done.err.split())
    assert not any(word in done.err for word in ("labels=", "features=", "nominal=", "columns="))


def test_convert_to_preflib_says_in_options_how_to_drop_features(rankwise, tmp_path):
    (tmp_path / "t.csv").write_text("x,ranking\n1,a>b\n2,b>a\n")
    outcome = rankwise("convert", "t.csv", "t.soc")
    assert outcome.code == 2
    assert "drop them: --features ''" in outcome.err
    assert rankwise("convert", "t.csv", "t.soc", "--features", "").code == 0


def test_compare_names_options_and_no_arguments_of_python(rankwise, tmp_path):
    rows = "\n".join(f"n{i},{i % 5},1,2" for i in range(30))
    (tmp_path / "t.csv").write_text(f"name,x,a,b\n{rows}\n")
    arguments = ("compare", "-d", "t.csv", "-m", "Consensus", "-l", "a,b", "-o", "out")
    outcome = rankwise(*arguments, "--features", "name,x")
    assert outcome.code == 2
    assert "leave it out with --drop" in outcome.err
    assert "features=" not in outcome.err
    assert "nominal=" not in outcome.err


def test_a_dash_prints_what_a_file_would_hold(rankwise, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = rankwise("sample", "-", "-n", "5", "--seed", "3")
    written = rankwise("sample", "five.csv", "-n", "5", "--seed", "3")
    assert (printed.code, written.code) == (0, 0)
    assert printed.out == (tmp_path / "five.csv").read_text()
    as_arff = rankwise("convert", "five.csv", "-", "--to", "xarff")
    rankwise("convert", "five.csv", "five.xarff")
    # the name of the relation is that of the data, not of the file
    assert as_arff.out == (tmp_path / "five.xarff").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["five.csv", "five.xarff"]
    for refused in (("--to", "excel"), ("--json",)):
        outcome = rankwise("convert", "five.csv", "-", *refused)
        assert (outcome.code, outcome.out) == (2, "")
        assert "name a file in place of -" in outcome.err
