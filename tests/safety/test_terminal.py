"""Names from files reach a terminal as signs to be seen, never as orders to obey."""

import contextlib
import json

import pandas as pd
import pytest

import rankwise as rw
from rankwise._terminal import visible, visible_json
from rankwise.cli._main import run

EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202etea"
SIGNS = ["\x1b", "\x07", "\x9b", "\u202e", "\r"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "evil.csv"
    rows = "".join(
        f"{i},{i % 3},{order}\n"
        for i, order in enumerate([f"{EVIL}>b>c", f"b>{EVIL}>c", f"c>b>{EVIL}"] * 8)
    )
    path.write_text(f"hour{EVIL},day,ranking\n{rows}", encoding="utf-8")
    return path


def assert_seen_and_not_obeyed(text):
    assert "tea" in text
    assert not [sign for sign in SIGNS if sign in text]


@pytest.mark.filterwarnings("ignore")
def test_no_command_lets_a_name_speak_to_the_terminal(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    model = str(tmp_path / "m.rankwise")
    for command in (
        ["audit", str(table)],
        ["audit", str(table), "--json"],
        ["fit", str(table), "-o", model, "--learner", "Tree", "--folds", "2"],
        ["explain", model, str(table), "--row", "1"],
        ["predict", model, str(table), "--words"],
        ["predict", model, str(table), "--json"],
        ["predict", model, str(table)],
        ["evaluate", model, str(table)],
        ["fit", str(table), "-o", model, "--features", EVIL],
    ):
        with contextlib.suppress(SystemExit):
            run(command)
        out, err = capsys.readouterr()
        assert not [sign for sign in SIGNS if sign in out + err], command
        if command[0] in ("audit", "explain"):
            assert_seen_and_not_obeyed(out)
        if command[-1] == "--json":
            assert repr(EVIL)[1:-1] in repr(json.loads(out))


def test_what_python_prints_is_seen_too():
    frame = pd.DataFrame([[1, 2], [2, 1]] * 4, columns=[EVIL, "b"])
    X = pd.DataFrame({f"x{EVIL}": range(8)})
    assert_seen_and_not_obeyed(str(rw.audit(X, frame)))
    model = rw.TreeRanker().fit(X, frame)
    assert_seen_and_not_obeyed(str(rw.explain(model, X[:1], EVIL, "b")))


def test_every_sign_is_replaced_by_one_and_json_loses_nothing():
    text = "".join(map(chr, range(0x300))) + "\ud800\u2066é茶\n\t"
    assert len(visible(text)) == len(text)
    assert visible(text).replace("\n", "").replace("\t", "").encode()
    assert all(c.isprintable() or c in "\n\t\xa0\xad" for c in visible(text))
    whole = json.dumps(text, ensure_ascii=False)
    assert json.loads(visible_json(whole)) == text
