"""Crafted files of data: none hangs, fills the memory, or comes through as what it is not."""

import errno
import os
import stat
from contextlib import nullcontext

import pandas as pd
import pytest

import rankwise as rw
from rankwise.cli._options import split_names
from rankwise.datasets import DataFileError, Dataset, read, write
from rankwise.datasets.tables import use_table
from rankwise.parts import open_parts

XARFF = "@relation r\n@attribute x numeric\n@attribute L RANKING {a,b,c}\n@data\n"
ARFF = "@relation r\n@attribute instance_id string\n@attribute algorithm string\n"
DEEP = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join(['*' + old] * 9)}]\n"
    for old, new in zip("abcdefghijkl", "bcdefghijklm", strict=True)
)


@pytest.fixture
def scenario(tmp_path):
    runs = "@attribute time numeric\n@attribute runstatus {ok}\n@data\np,s,1,ok\np,t,2,ok\n"
    (tmp_path / "algorithm_runs.arff").write_text(ARFF + runs)
    (tmp_path / "feature_values.arff").write_text(
        "@relation r\n@attribute instance_id string\n@attribute x numeric\n@data\np,1\n"
    )

    def make(description):
        (tmp_path / "description.txt").write_text(description)
        return tmp_path

    return make


@pytest.mark.parametrize("key", ["performance_measures", "maximize", "algorithm_cutoff_time"])
def test_lists_that_repeat_lists_are_refused_and_not_unfolded(key, scenario):
    with pytest.raises(DataFileError, match=f"{key} holds a list or a table"):
        read(scenario(f"{DEEP}{key}: *m\n"))


def test_a_description_may_repeat_what_nobody_asks_for(scenario):
    assert read(scenario(f"{DEEP}maximize: [false]\n")).label_names == ("s", "t")
    with pytest.raises(DataFileError, match="longer than"):
        read(scenario("a: b\n" * 50_000))


# Each of these took a minute and more; what is refused, and what is read.
LONG = {
    "escaped": (XARFF + "\\'" * 200_000 + "\n", True),
    "quotes": (XARFF + "'" * 300_000 + "\n", True),
    "relation": (XARFF.replace(" r\n", " " + "\\'" * 200_000 + "\n") + "1,a>b\n", False),
    "attribute": (XARFF.replace(" x ", " " + "\\'" * 200_000 + " ") + "1,a>b\n", False),
    "chains": (XARFF + "1,'a>b|" + "\\\\\\'" * 100_000 + "'\n", True),
    "many chains": (XARFF + "1," + "a|" * 10_000 + "b\n", False),
}


@pytest.mark.filterwarnings("ignore::rankwise.RankingWarning")
@pytest.mark.parametrize("name", list(LONG))
def test_long_lines_of_quotes_are_read_in_one_go(name, tmp_path):
    path = tmp_path / "long.xarff"
    text, is_refused = LONG[name]
    path.write_text(text)
    with pytest.raises(DataFileError, match="line 5") if is_refused else nullcontext():
        assert len(read(path)) >= 1


def test_comments_and_chains_are_found_outside_quotes_alone(tmp_path):
    path = tmp_path / "quoted.xarff"
    path.write_text(
        "@relation it's % a comment\n@attribute 'x % y' {p, 'q %r'} % that's all\n"
        "@attribute L RANKING {a,'b|c','d %'}\n@data\np,'b|c'>a|'d %'>a % b>a\n'q %r',a>'d %'\n"
    )
    data = read(path)
    assert data.name == "it's"
    assert data.recipe.columns[0].name == "x % y"
    assert data.ranks.shape == (3, 3)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# NUMBER ALTERNATIVES: 999999999999\n", "number of alternatives is '999999999999'"),
        ("# NUMBER ALTERNATIVES: many\n", "expected a whole number"),
        ("# ALTERNATIVE NAME 99999999999: d\n", "an alternative has the number"),
        ("0: 1,2\n", "0 voters have this order"),
    ],
)
def test_numbers_of_preflib_that_cannot_be_are_refused(text, reason, tmp_path):
    path = tmp_path / "votes.soi"
    names = "".join(f"# ALTERNATIVE NAME {j}: {name}\n" for j, name in enumerate("abc", 1))
    path.write_text(f"{names}{text}1: 2,1\n")
    with pytest.raises(DataFileError, match=reason):
        read(path)


# A name that a POSIX file cannot have.
NO_PATHS = ["a\0b.csv", "x" * 300 + ".csv", "y" * 300 + "/z.csv", "a\ud800.csv"]


@pytest.mark.parametrize("name", NO_PATHS, ids=["zero", "long", "long folder", "half"])
def test_what_no_file_can_be_called_is_said(name, tmp_path, monkeypatch):
    monkeypatch.delenv("RANKWISE_DATA", raising=False)
    reason = "zero byte|longer name|half of a character"
    model = rw.TreeRanker().fit([[1.0], [2.0]], [[1, 2], [2, 1]])
    with pytest.raises(DataFileError, match=reason):
        read(tmp_path / name)
    with pytest.raises(rw.models.ModelFileError, match=reason):
        rw.load_model(tmp_path / name)
    for writing in (
        lambda: rw.save_model(model, tmp_path / name),
        lambda: write(Dataset([[1.0]], [[1, 2]]), tmp_path / name),
        lambda: rw.datasets.load("iris", cache=tmp_path / name),
        lambda: rw.validation.compare(["Tree"], [str(tmp_path / name)], out=tmp_path / "out"),
    ):
        with pytest.raises(ValueError, match=reason) as caught:
            writing()
        assert not isinstance(caught.value, UnicodeError)
    assert list(tmp_path.iterdir()) == []


def test_half_a_character_is_named_wherever_it_stands(tmp_path):
    half = "tea\ud800"
    for names in ({"label_names": [half, "b"]}, {"feature_names": [half]}, {"row_names": [half]}):
        with pytest.raises(ValueError, match=r"called 'tea\\ud800', which holds half"):
            Dataset([[1.0]], [[1, 2]], **names)
    for ending in ("xarff", "soi"):
        data = Dataset([[]], [[1, 2]], name=half)
        with pytest.raises(ValueError, match=r"tea\\ud800' ends in half of a character") as caught:
            write(data, tmp_path / f"a.{ending}")
        assert not isinstance(caught.value, UnicodeError)
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_that_a_float_cannot_tell_apart_are_told(tmp_path):
    large = [2**53 + 1, 2**53]
    path = tmp_path / "large.csv"
    path.write_text(f"x,y,ranking\n{large[0]},1,a>b\n{large[1]},{2**60},b>a\n")
    notes = [note for note in read(path).notes if "2**53" in note]
    assert notes == [
        f"column 'x' holds {large[0]} (line 2), and whole numbers above 2**53 are rounded: some that "
        "differ may become equal; name the column in nominal= if they are names of something"
    ]
    assert read(path, nominal=["x"]).features[:, 0].tolist() == [0.0, 1.0]
    frame = pd.DataFrame({"x": large, "z": [0.5, 1.5]})
    for X in (frame, frame[["x"]].to_numpy(), [[n] for n in large], frame.astype(object)):
        with pytest.warns(UserWarning, match=r"row 0: feature '?[x0]'? is 9007199254740993"):
            rw.TreeRanker().fit(X, [[1, 2], [2, 1]])
    with pytest.warns(UserWarning, match="column 'x' holds 9007199254740993"):
        rw.TableRanker(rw.TreeRanker()).fit(frame, [[1, 2], [2, 1]])


def test_a_file_keeps_its_mode_and_a_link_its_place(tmp_path):
    model = rw.TreeRanker().fit([[1.0], [2.0]], [[1, 2], [2, 1]])
    secret, link = tmp_path / "secret.rankwise", tmp_path / "link.rankwise"
    secret.touch(0o600)
    link.symlink_to(secret.name)
    rw.save_model(model, link)
    assert link.is_symlink()
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert rw.load_model(secret).predict([[1.0]]).tolist() == [[1, 2]]
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(ValueError, match="circle of links"):
        rw.save_model(model, tmp_path / "round")
    assert sorted(os.listdir(tmp_path)) == ["link.rankwise", "round", "secret.rankwise"]


def test_a_cell_that_spreadsheets_calculate_is_kept_and_told(tmp_path):
    """A CSV is data: it reads back as it was. Who opens it in a spreadsheet is warned."""
    data = Dataset([[-1.0], [2.5]], [[1, 2], [2, 1]], ["=x0"], ["a", "b"])
    with pytest.warns(UserWarning, match=r"'=x0' is written as it is, and a spreadsheet would"):
        write(data, tmp_path / "a.csv")
    assert read(tmp_path / "a.csv").feature_names == ("=x0",)
    write(data, tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx").feature_names == ("=x0",)
    with pytest.warns(UserWarning, match="'@SUM"):
        write(Dataset([[1.0]], [[1, 2]], ["x"], ["@SUM(1)", "b"]), tmp_path / "b.csv")


@pytest.mark.filterwarnings("error")
def test_numbers_with_a_sign_are_no_formulas(tmp_path):
    data = Dataset([[-1e-300], [2.5]], [[1, 2], [2, 1]], ["x"], ["a", "b"], row_names=["-", "+5"])
    write(data, tmp_path / "a.csv")  # a warning would be an error
    assert "-1e-300" in (tmp_path / "a.csv").read_text(encoding="utf-8")


def test_replicates_too_far_apart_for_a_deviation_are_named(tmp_path):
    path = tmp_path / "yields.csv"
    path.write_text("row,label,value\nr,a,1e300\nr,a,-1e300\nr,b,1\n")
    with pytest.raises(DataFileError, match="so far apart"):
        read(path, higher_is_better=True, within="sd")


@pytest.mark.parametrize("line", ['"","""",""', '",","",""', '"" ,"\'",""', ' "","" , ', ",,"])
def test_the_quick_reader_passes_over_the_lines_that_the_careful_one_does(
    line, tmp_path, monkeypatch
):
    path = tmp_path / "drinks.csv"
    path.write_text(f"x,@group,ranking\n1,g,a>b\n{line}\n2,h,b>a\n")
    told = []
    for least in (0, 1 << 40):
        monkeypatch.setattr("rankwise.datasets._quick_table.LEAST_BYTES", least)
        try:
            data = read(path)
            told.append((len(data), data.notes, data.groups))
        except DataFileError as error:
            told.append(str(error))
    assert told[0] == told[1]


def test_no_command_waits_for_a_pipe_that_nobody_writes_to(tmp_path):
    for name in ("rows.csv", "rows.parquet"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(DataFileError, match="pipe or a device"):
            read(tmp_path / name)
        with pytest.raises(DataFileError, match="pipe or a device"):
            use_table(tmp_path / name, lambda table: table.header)
        with pytest.raises(DataFileError, match="pipe or a device"):
            open_parts(tmp_path / name)


def test_a_scenario_of_which_a_part_is_a_pipe_is_refused(scenario):
    folder = scenario("maximize: [false]\n")
    os.mkfifo(folder / "cv.arff")
    (folder / "feature_values.arff").unlink()
    os.mkfifo(folder / "feature_values.arff")
    with pytest.raises(DataFileError, match="pipe or a device"):
        read(folder)


def test_names_that_cannot_be_split_at_commas_are_named():
    with pytest.raises(ValueError, match="cannot be split at commas"):
        split_names("a\nb.csv")


def test_a_table_beside_a_scenario_that_leads_to_itself_is_named(scenario):
    folder = scenario("maximize: [false]\n")
    (folder / "more.arff").symlink_to("more.arff")
    with pytest.raises(DataFileError, match=r"more\.arff: cannot be read"):
        read(folder)


def test_a_pipe_beside_a_scenario_is_not_waited_for(scenario):
    folder = scenario("maximize: [false]\n")
    os.mkfifo(folder / "more.arff")
    with pytest.raises(DataFileError, match=r"more\.arff: is a pipe"):
        read(folder)


def test_a_scenario_may_hold_a_file_whose_name_is_no_text(scenario):
    folder = scenario("maximize: [false]\n")
    (folder / "more\udcff.arff").write_text("")
    assert read(folder).label_names == ("s", "t")


def test_a_column_of_a_thousand_letters_is_named_in_part(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"{'x' * 100_000},b\n1,2\n")
    with pytest.raises(DataFileError, match=r"there is no label column 'a'") as told:
        read(path, labels=["a", "b"])
    assert len(str(told.value)) < 1000


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"within": [1]}, r"within is \[1\]; give a difference"),
        ({"within": 10**400}, "give a difference"),
        ({"columns": "row"}, "columns= is 'row'; give a role and a name"),
    ],
    ids=["list", "large", "text"],
)
def test_options_of_a_wrong_type_are_named(option, message, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,a,b\n1,2,3\n")
    with pytest.raises((TypeError, ValueError), match=message):
        read(path, labels=["a", "b"], higher_is_better=True, **option)


@pytest.mark.parametrize(
    "use",
    [
        read,
        rw.load_model,
        lambda path: rw.save_model(rw.TreeRanker().fit([[1], [2]], [[1, 2], [2, 1]]), path),
    ],
    ids=["read", "load", "save"],
)
def test_a_folder_that_may_not_be_opened_is_told_of(use, tmp_path, monkeypatch):
    usual = os.stat

    def denied(path, *others, **named):
        if "secret" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return usual(path, *others, **named)

    monkeypatch.setattr(os, "stat", denied)
    with pytest.raises(ValueError, match="lies in a folder that you may not open"):
        use(tmp_path / "secret" / "t.csv")


def test_a_path_of_bytes_is_told():
    with pytest.raises(ValueError, match="is made of bytes; give the path as a text"):
        rw.load_model(b"drinks.rankwise")
