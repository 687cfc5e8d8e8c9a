"""A command opens a data file once, and splits it into cells once."""

import csv
import io
import sys

import pytest

from cli.reactions import OPTIONS, QUICK, write_reactions
from rankwise.datasets import read

opened = []


def watch(event, arguments):
    if event == "open":
        opened.append(str(arguments[0]))


# A hook cannot be taken off again: it is put on once, and counts in silence.
sys.addaudithook(watch)


@pytest.fixture
def counted(rankwise, monkeypatch):
    """Run a command; gives its outcome, the opens of a file by its name, and the parses of tables."""
    parses = []

    class Reader:
        def __init__(self, lines, **options):
            self.rows = csv_reader(lines, **options)
            parses.append(0)

        def __iter__(self):
            return self

        def __next__(self):
            parses[-1] += 1
            return next(self.rows)

    csv_reader = csv.reader
    monkeypatch.setattr("rankwise.datasets._table.csv.reader", Reader)

    def run(*arguments, file):
        opened.clear()
        parses.clear()
        outcome = rankwise(*arguments)
        assert outcome.code in (0, 1), outcome.err
        # The header is tried with each separator, by readers of a single line.
        whole = [n for n in parses if n > 5]
        return outcome, sum(name.endswith(file) for name in opened), len(whole)

    return run


@pytest.mark.parametrize(
    "command",
    [
        ["fit", "train.csv", *OPTIONS, *QUICK, "-o", "new.rankwise"],
        ["evaluate", "train.csv", *OPTIONS, *QUICK],
        ["evaluate", "train.csv", "--model", "m.rankwise"],
        ["audit", "train.csv", *OPTIONS],
        ["convert", "train.csv", "out.csv", "--drop", "substrate", *OPTIONS],
        ["predict", "m.rankwise", "train.csv", "-o", "out.csv"],
        ["explain", "m.rankwise", "train.csv", "--row", "30"],
        ["explain", "m.rankwise", "other.csv", "--data", "train.csv"],
        ["theory", "diagnose", "train.csv", "--drop", "temp", *OPTIONS],
    ],
    ids=lambda command: " ".join(command[:3]),
)
def test_a_csv_file_is_opened_once_and_split_once(counted, fitted, tmp_path, command):
    write_reactions(tmp_path / "other.csv", n=3)
    _, opens, parses = counted(*command, file="train.csv")
    assert (opens, parses) == (1, 1)


def test_long_tables_and_xarff_files_are_opened_once(counted, rankwise, tmp_path):
    lines = [
        f"{i},{label},{(i + j) % 3 + 1},{i % 4}" for i in range(30) for j, label in enumerate("abc")
    ]
    (tmp_path / "long.csv").write_text("\n".join(["row,label,rank,x", *lines]))
    assert counted("fit", "long.csv", *QUICK, file="long.csv")[1:] == (1, 1)
    assert counted("evaluate", "long.csv", "--model", "long.rankwise", file="long.csv")[1:] == (
        1,
        1,
    )
    rankwise("convert", "generated/iris", "iris.xarff")
    assert counted("fit", "iris.xarff", *QUICK, file="iris.xarff")[1] == 1


def test_a_parquet_file_is_opened_once(counted, tmp_path):
    pytest.importorskip("pyarrow")
    import pandas as pd

    write_reactions(tmp_path / "train.csv")
    pd.read_csv(tmp_path / "train.csv").to_parquet(tmp_path / "train.parquet")
    fitted, opens, _ = counted("fit", "train.parquet", *OPTIONS, *QUICK, file="train.parquet")
    assert opens == 1
    assert "'substrate' holds a different text in every row" in fitted.err
    command = ("predict", "train.rankwise", "train.parquet", "-o", "out.csv")
    assert counted(*command, file="train.parquet")[1] == 1


def test_predict_descends_the_trees_once_for_ranks_and_chances(
    rankwise, fitted, tmp_path, monkeypatch
):
    from rankwise.engine import Trees

    calls = []

    def counting(name, descend):
        return lambda self, X, *args: (
            calls.append((name, id(self), len(X))) or descend(self, X, *args)
        )

    for name in ("leaves", "sums_of"):
        monkeypatch.setattr(Trees, name, counting(name, getattr(Trees, name)))
    assert rankwise("predict", "m.rankwise", "train.csv", "-o", "out.csv").code == 0
    assert {n for _, _, n in calls} == {40}
    # sums make ranks and chances; what to expect of each label needs the leaves themselves
    assert "sums_of" in {name for name, _, _ in calls}
    assert len({*calls}) == len(calls), "some trees were asked twice"


def test_nominal_columns_of_an_xarff_file_are_asked_for_by_name(rankwise, tmp_path):
    rows = [
        f"{'wet' if i % 2 else 'dry'},{i % 5},{'a>b>c' if i % 2 else 'c>b>a'}" for i in range(40)
    ]
    header = ["@relation soil", "@attribute ground {dry,wet}", "@attribute rain numeric"]
    header += ["@attribute L RANKING {a,b,c}", "@data"]
    (tmp_path / "soil.xarff").write_text("\n".join([*header, *rows]))
    fitted = rankwise("fit", "soil.xarff", *QUICK)
    assert fitted.code == 0, fitted.err
    assert "columns of 0 and 1 such as" not in fitted.err
    (tmp_path / "new.csv").write_text("rain,ground\n1,wet\n1,dry\n")
    done = rankwise("predict", "soil.rankwise", "new.csv")
    assert done.code == 0, done.err
    assert [row["ranking"] for row in csv.DictReader(io.StringIO(done.out))] == ["a>b>c", "c>b>a"]
    scored = rankwise("evaluate", "soil.xarff", "--model", "soil.rankwise")
    assert scored.code == 0, scored.err
    assert "fitted to this very file" in scored.err


def test_predictions_keep_the_cells_of_the_file_as_they_stand(rankwise, fitted, tmp_path):
    write_reactions(tmp_path / "new.csv", n=3)
    text = (tmp_path / "new.csv").read_text().splitlines()
    cells = text[1].split(",")
    cells[2] = "1e1"
    (tmp_path / "new.csv").write_text("\n".join([text[0], ",".join(cells), *text[2:]]))
    printed = rankwise("predict", "m.rankwise", "new.csv").out.splitlines()
    assert printed[1].startswith(",".join(cells[:5]))


def test_the_recipe_of_every_format_with_texts_names_their_categories(tmp_path):
    (tmp_path / "t.csv").write_text("c,ranking\nx,a>b\ny,b>a\nz,a>b\n")
    (tmp_path / "long.csv").write_text(
        "row,label,rank,c\n" + "".join(f"{r},a,1,{c}\n{r},b,2,{c}\n" for r, c in enumerate("xyz"))
    )
    (tmp_path / "t.xarff").write_text(
        "@relation r\n@attribute c {x,y,z}\n@attribute L RANKING {a,b}\n@data\nx,a>b\nz,b>a\n"
    )
    for name in ("t.csv", "long.csv", "t.xarff"):
        (column,) = read(tmp_path / name).recipe.columns
        assert (column.name, column.categories) == ("c", ("x", "y", "z"))
