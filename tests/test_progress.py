"""Progress: shown on terminals once patience ends, as lines in logs, and not at all elsewhere."""

from rankwise._progress import Progress


def test_time_left_does_not_count_what_was_there_before_nor_the_first_piece(monkeypatch):
    times = [100.0]
    monkeypatch.setattr("rankwise._progress.time.monotonic", lambda: times[0])
    with Progress("Comparing", shown=False) as progress:
        assert progress.seconds_left(1.0) is None
        progress.report(900.0, 1000.0)
        progress.report(900.0, 1000.0)
        assert progress.seconds_left(10.0) is None
        times[0] = 170.0  # what is compiled comes first
        progress.report(905.0, 1000.0)
        assert progress.seconds_left(10.0) is None
        times[0] = 176.0
        progress.report(908.0, 1000.0)
        assert progress.seconds_left(10.0) is None  # 3 of the 100 that were to be done
        times[0] = 180.0
        progress.report(910.0, 1000.0)
        assert progress.seconds_left(10.0) == 20.0


def test_logs_get_a_line_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr("rankwise._progress._SECONDS_PER_LOG_LINE", 0.0)
    with Progress("Comparing", logs=True) as progress:
        progress.report(0.0, 4.0, "iris", 0.0, 2.0)
        progress.report(1.0, 4.0, "iris", 1.0, 2.0)
        progress.report(2.0, 4.0, "iris", 2.0, 2.0)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Comparing 0 %, iris 0 %"
    assert lines[1] == "Comparing 25 %, iris 50 %"
    assert lines[2].endswith("iris 100 %, 0 s left")


def test_bars_are_shown_on_a_terminal_only(capsys, monkeypatch):
    with Progress("Comparing", patience=0.0, logs=True) as progress:
        progress.report(1.0, 2.0, "iris", 1.0, 2.0)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with Progress("Comparing", patience=0.0) as progress:
        progress.report(0.0, 0.0, "", 0.0, 0.0)
        progress.report(1.0, 2.0, "iris", 1.0, 2.0)
    assert "Comparing" in capsys.readouterr().err


def test_the_step_is_shown_once_patience_ends(monkeypatch, capsys):
    monkeypatch.setattr("rankwise._progress.PATIENCE", 0.01)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Progress(shown=True) as progress:
        progress.step("Counting")
        assert progress._timer is not None
        progress._timer.join()
        assert progress._bars is not None
    assert "Counting" in capsys.readouterr().err


def test_short_work_shows_nothing(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Progress("folds", total=3) as progress:
        for _ in range(3):
            progress.advance()
    assert capsys.readouterr().err == ""
