"""Messages name arguments in Python and options on the command line."""

import pickle

import pytest

from rankwise._messages import Arg, Message, for_command_line
from rankwise.datasets import DataFileError, read


@pytest.mark.parametrize("arg", Arg, ids=lambda arg: arg.name)
def test_every_argument_has_a_spelling_for_both(arg):
    said = Message(f"say {arg:x} once")
    assert "\0" not in said
    assert "--" not in said
    assert "\0" not in for_command_line(said)
    assert for_command_line(said) != said


def test_a_message_is_a_text_and_survives_a_pickle():
    error = DataFileError("t.csv", f"name it in {Arg.NOMINAL}", 3)
    assert str(error) == "t.csv, line 3: name it in nominal="
    assert error.reason == "name it in nominal="
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line) == (str(error), 3)
    assert for_command_line(again) == "t.csv, line 3: name it in --nominal"


def test_what_is_no_message_is_shown_as_it_is():
    assert for_command_line("features= {braces}") == "features= {braces}"
    assert for_command_line(ValueError("a", "b")) == "('a', 'b')"
    assert for_command_line(Message(f"{{x}} {Arg.DROP_ONE:{'{y}'}}")) == "{x} --drop '{y}'"


FILES = {
    "plot,a,b\n" + "\n".join(f"p{i % 50},1,2" for i in range(70)): (
        ["a", "b"],
        "drop=['plot']",
        "--drop plot",
    ),
    "x,a,b\n1,1,2\n": (None, "labels=['tea'", "--labels tea,coffee"),
    "x,a,b\n1,0,2\n": (["a", "b"], "higher_is_better=True or False", "--higher-is-better or"),
    "x,a,b\n1,1,2\nz,1,2\n": (["a", "b"], "in nominal= if", "in --nominal if"),
}


@pytest.mark.parametrize(("text", "case"), FILES.items(), ids=range(len(FILES)))
def test_errors_of_files_are_spelled_for_python_and_for_the_command_line(tmp_path, text, case):
    labels, in_python, in_options = case
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataFileError) as caught:
        read(tmp_path / "t.csv", labels=labels)
    assert in_python in str(caught.value)
    assert "--" not in str(caught.value)
    assert in_options in for_command_line(caught.value)
    assert in_python not in for_command_line(caught.value)


def test_notes_are_texts_for_python_that_the_command_line_spells(tmp_path):
    (tmp_path / "t.csv").write_text("x,a,b\n1,1,58\n2,1,\n")
    idle, large, _ = read(tmp_path / "t.csv", labels=["a", "b"]).notes
    assert "say higher_is_better=True or False" in large
    assert "say --higher-is-better or --lower-is-better" in for_command_line(large)
    assert isinstance(idle, str)
    assert idle.code == "idle-rows"
