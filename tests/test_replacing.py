"""Files are written whole or not at all, whoever writes them."""

import os

import pytest

from rankwise._replacing import replacing, write_whole


def write(path, text, error=None):
    with replacing(path) as unfinished:
        unfinished.write_text(text)
        assert not path.is_file() or path.read_text() == "old"
        if error:
            raise error


def test_a_file_that_fails_half_way_leaves_the_old_one_and_no_trace(tmp_path):
    path = tmp_path / "drinks.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write(path, "ne", KeyboardInterrupt())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_new_file_is_as_open_as_any(tmp_path):
    path, other = tmp_path / "drinks.csv", tmp_path / "other.csv"
    write(path, "new")
    other.touch()
    assert path.read_text() == "new"
    assert path.stat().st_mode == other.stat().st_mode


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_stays(tmp_path, make):
    path = tmp_path / "drinks.csv"
    make(path)
    with pytest.raises(ValueError, match=r"drinks\.csv is no file that could be replaced"):
        write(path, "new")
    assert list(tmp_path.iterdir()) == [path]
    assert not path.is_file()


def test_an_error_that_knows_no_file_gets_its_name(tmp_path):
    with pytest.raises(OSError, match=r"drinks\.csv"):
        write(tmp_path / "drinks.csv", "ne", OSError(28, "No space left on device"))
    assert list(tmp_path.iterdir()) == []


def test_a_name_as_long_as_a_name_can_be_is_written(tmp_path):
    path = tmp_path / ("x" * 250)
    write(path, "new")
    assert path.read_text() == "new"


def test_who_stops_the_program_while_the_file_is_made_leaves_none(tmp_path, monkeypatch):
    made = os.open

    def stopped(*arguments, **options):
        os.close(made(*arguments, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "drinks.txt", "tea>water")
    monkeypatch.undo()
    assert not list(tmp_path.iterdir())


def test_an_error_of_the_unfinished_file_names_the_one_that_was_meant(tmp_path):
    with pytest.raises(FileNotFoundError) as failed:
        write_whole(tmp_path / "nowhere" / "drinks.csv", "new")
    assert failed.value.filename == str(tmp_path / "nowhere" / "drinks.csv")
