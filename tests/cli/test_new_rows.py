"""``predict`` and ``explain`` take what `fit` takes: any format, a line or several per row, pipes."""

import csv
import io
import sys

import numpy as np
import pytest

import rankwise as rw
from rankwise.datasets import Dataset, _quick_table, read, write

XARFF = """@relation drinks
@attribute hour numeric
@attribute 'where to' {'at home', work, train}
@attribute L RANKING {tea, water}
@data
8,'at home',tea>water
17,work,water>tea
18,train,water>tea
9,'at home',tea>water
"""
LONG = """plot,crop,ton,ph,soil
p1,maize,3,6.5,clay
p1,millet,2,,clay
p2,maize,1,7.5,sand
p2,millet,2,7.5,
p3,maize,3,6.6,clay
p3,millet,2,6.6,clay
"""
ROLES = ("-c", "row=plot", "-c", "label=crop", "-c", "value=ton", "--higher-is-better")
QUICK = ("--learner", "Forest", "--trees", "3", "--folds", "0", "-o", "m.rankwise")


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


def piped(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_an_xarff_file_goes_in_as_it_was_fitted_from_a_file_and_from_a_pipe(
    rankwise, tmp_path, monkeypatch
):
    (tmp_path / "d.xarff").write_text(XARFF)
    assert rankwise("fit", "d.xarff", *QUICK).code == 0
    direct = rankwise("predict", "m.rankwise", "d.xarff")
    rows = rows_of(direct.out)
    assert [row["where to"] for row in rows] == ["at home", "work", "train", "at home"]
    piped(monkeypatch, XARFF.encode())
    assert rankwise("predict", "m.rankwise", "-", "-o", "-").out == direct.out
    piped(monkeypatch, XARFF.encode())
    told = rankwise("explain", "m.rankwise", "-", "--row", "2").out
    assert told.startswith(f"{rows[1]['ranking'].split('>')[0]} stands before")


def test_a_long_table_gives_one_prediction_per_row_of_its_name(rankwise, tmp_path):
    (tmp_path / "l.csv").write_text(LONG)
    assert rankwise("fit", "l.csv", *ROLES, *QUICK).code == 0
    rows = rows_of(rankwise("predict", "m.rankwise", "l.csv").out)
    assert [(r["plot"], r["ph"], r["soil"]) for r in rows] == [
        ("p1", "6.5", "clay"),
        ("p2", "7.5", "sand"),
        ("p3", "6.6", "clay"),
    ]
    assert "crop" not in rows[0]
    assert "ton" not in rows[0]
    (tmp_path / "one.csv").write_text("plot,ph,soil\np1,6.5,clay\np2,7.5,sand\np3,6.6,clay\n")
    alone = rows_of(rankwise("predict", "m.rankwise", "one.csv").out)
    assert [row["ranking"] for row in alone] == [row["ranking"] for row in rows]
    assert rankwise("explain", "m.rankwise", "l.csv", "--row", "3").code == 0
    assert "has 3 rows" in rankwise("explain", "m.rankwise", "l.csv", "--row", "4").err
    (tmp_path / "l.csv").write_text(LONG.replace("7.5,\n", "7.4,\n"))
    failed = rankwise("predict", "m.rankwise", "l.csv")
    assert "l.csv, line 5: row 'p2': column 'ph' is 7.5 on line 4 and 7.4 here" in failed.err


def test_a_benchmark_is_predicted_by_its_name(rankwise):
    assert rankwise("fit", "generated/iris", *QUICK).code == 0
    assert len(rows_of(rankwise("predict", "m.rankwise", "generated/iris").out)) == 150


def test_what_fails_on_its_last_line_prints_nothing(rankwise, tmp_path, monkeypatch):
    (tmp_path / "d.xarff").write_text(XARFF)
    assert rankwise("fit", "d.xarff", *QUICK).code == 0
    (tmp_path / "new.csv").write_text("hour,where to\n" + "8,work\n" * 200 + "late,work\n")
    for least in (0, 10**9):
        monkeypatch.setattr(_quick_table, "LEAST_BYTES", least)
        for more in ((), ("--words",), ("--json",)):
            failed = rankwise("predict", "m.rankwise", "new.csv", *more)
            assert failed.out == ""
            assert "new.csv, line 202: column 'hour' holds 'late'" in failed.err


@pytest.mark.parametrize(
    "content",
    [
        "hour,where to,note\n8,work,x\n9,moon,\n",
        'hour;where to;note\n8,5;"a;b";x\n9;moon; y\n\n10;work;"say ""no"""\n',
        "where to\tnote\thour\nat home\tü\t1.50\n",
    ],
)
def test_the_quick_way_writes_what_the_careful_one_writes(rankwise, tmp_path, monkeypatch, content):
    (tmp_path / "d.xarff").write_text(XARFF)
    assert rankwise("fit", "d.xarff", *QUICK).code == 0
    (tmp_path / "new.csv").write_text(content)
    careful = rankwise("predict", "m.rankwise", "new.csv")
    monkeypatch.setattr(_quick_table, "LEAST_BYTES", 0)
    quick = rankwise("predict", "m.rankwise", "new.csv")
    assert (quick.out, quick.err) == (careful.out, careful.err)


def test_a_terminal_shows_a_table_and_a_pipe_gets_csv(rankwise, tmp_path, monkeypatch):
    (tmp_path / "d.xarff").write_text(XARFF)
    assert rankwise("fit", "d.xarff", *QUICK).code == 0
    (tmp_path / "new.csv").write_text("name,hour,where to\nAnn,8,work\n" + "Bob,9,work\n" * 60)
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    shown = rankwise("predict", "m.rankwise", "new.csv").out
    assert "Ann" in shown
    assert "first of all" in shown
    assert "21 rows more" in shown
    assert rankwise("predict", "m.rankwise", "new.csv", "-o", "-").out.startswith("name,hour,")


def test_leaves_of_many_rows_are_kept_in_a_model_file(rankwise, tmp_path):
    n = 1_000
    x = np.arange(n) % 2
    Y = np.where(x[:, None] == 1, [1, 2], [2, 1])
    write(Dataset(x[:, None], Y, ["x"], ["a", "b"]), tmp_path / "d.csv")
    options = ("--learner", "Tree", "--folds", "0", "-o", "m.rankwise")
    assert rankwise("fit", "d.csv", *options).code == 0
    counts = rw.load_model(tmp_path / "m.rankwise").facts["leaf_rows"]
    assert {array.dtype.itemsize for array in counts} == {2}


def test_an_open_file_is_read_like_its_path(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,ranking\n1,a>b\n2,b>a\n")
    with open(path, "rb") as handle:
        found = read(handle)
    assert found.features.tolist() == read(path).features.tolist()
    with open(path) as handle, pytest.raises(TypeError, match="'rb'"):
        read(handle)
