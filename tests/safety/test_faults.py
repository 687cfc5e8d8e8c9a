"""The quick part of `make faults`: kills, a full disk, a clock that jumps, two writers at once."""

import itertools
import subprocess
import sys
import threading
import time

import pytest

from rankwise._replacing import write_whole
from rankwise.validation._store import Store

WRITER = """
import resource, sys
from rankwise._replacing import write_whole
if sys.argv[2] == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    try:
        write_whole(sys.argv[1], "x" * 100_000)
    except OSError as error:
        sys.exit(f"{error.filename} {error.strerror}")
print("ready", flush=True)
while True:
    for letter in "ab":
        write_whole(sys.argv[1], letter * 300_000)
"""


def start(path, how):
    command = [sys.executable, "-c", WRITER, str(path), how]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def assert_whole(path):
    text = path.read_text()
    assert text in ("a" * 300_000, "b" * 300_000, "old")


def test_whoever_is_killed_leaves_a_whole_file(tmp_path):
    path = tmp_path / "drinks.txt"
    path.write_text("old")
    for milliseconds in (0, 3, 7, 12):
        with start(path, "free") as child:
            assert child.stdout.readline() == "ready\n"
            time.sleep(milliseconds / 1000)
            child.kill()
        assert_whole(path)


def test_a_full_disk_leaves_the_old_file_and_is_named(tmp_path):
    path = tmp_path / "drinks.txt"
    path.write_text("old")
    child = start(path, "full")
    _, said = child.communicate()
    assert child.returncode == 1
    assert "drinks.txt File too large" in said
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_of_two_writers_at_once_one_is_whole(tmp_path):
    path = tmp_path / "drinks.txt"
    path.write_text("old")

    def write(letter):
        for _ in range(5):
            write_whole(path, letter * 300_000)

    writers = [threading.Thread(target=write, args=(letter,)) for letter in "ab"]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert_whole(path)
    assert_whole(path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("jump", [-1e9, 1e9])
def test_a_clock_that_jumps_loses_no_result(jump, tmp_path, monkeypatch):
    now = itertools.count(time.time(), jump)
    monkeypatch.setattr(time, "time", lambda: next(now))
    for fold in range(3):
        Store(tmp_path).put({"fold": fold}, {"tau": 0.5})
    assert [Store(tmp_path).get({"fold": fold}) for fold in range(3)] == [{"tau": 0.5}] * 3
