"""``fit`` and ``predict`` of several files, whose rows are read in parts."""

import json

import numpy as np
import pandas as pd
import pytest

from rankwise.models import load_model


@pytest.fixture
def trials(tmp_path):
    """Three files of 100 rows in which `a` decides, and one file with all of them."""
    (tmp_path / "trials").mkdir()
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(300) < 0.5, "b": rng.normal(size=300)})
    frame["x"] = np.where(frame["a"], 1, 3)
    frame["y"], frame["z"] = 2, 4 - frame["x"]
    for i in range(3):
        frame.iloc[100 * i : 100 * (i + 1)].to_parquet(
            tmp_path / f"trials/{i}.parquet", index=False
        )
    frame.to_csv(tmp_path / "all.csv", index=False)
    return frame


def test_several_files_become_one_model_that_predicts_several_files(rankwise, trials):
    done = rankwise(
        "fit", "trials/*.parquet", "--labels", "x,y,z", "--trees", 10, "-o", "m.rankwise", "--json"
    )
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert (facts["rows"], facts["labels"]) == (300, ["x", "y", "z"])
    assert facts["check"]["prediction"]["tau"]["mean"] > 0.99
    assert rankwise("predict", "m.rankwise", "trials/*.parquet", "-o", "out").code == 0
    found = pd.concat([pd.read_parquet(f"out/{i}.parquet") for i in range(3)], ignore_index=True)
    assert (found["position_x"] == trials["x"]).all()
    again = rankwise("predict", "m.rankwise", "trials/*.parquet", "-o", "out")
    assert (again.code, "--force" in again.err) == (2, True)
    assert (
        rankwise("evaluate", "trials/0.parquet", "--labels", "x,y,z", "--model", "m.rankwise").code
        == 0
    )


def test_a_folder_and_a_single_file_in_parts_give_the_same_forest(rankwise, trials):
    in_parts = ("all.csv", "-o", "two.rankwise", "--memory", "2GB")
    for name, *more in (("trials", "-o", "one.rankwise"), in_parts):
        done = rankwise("fit", name, "--labels", "x,y,z", "--trees", 5, *more)
        assert done.code == 0, done.err
    one, two = load_model("one.rankwise"), load_model("two.rankwise")
    # a Boolean is a category in a text, and a number in Parquet
    assert [column.name for column in one.recipe.columns] == ["a", "b"]
    rows = np.array([[1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_array_equal(one.predict(rows).ranks, two.predict(rows).ranks)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-o", "m.rankwise", "--learner", "LRT"], "learns from rows in memory"),
        (["-o", "m.rankwise", "--memory", "much"], "give a number with a unit"),
        (["-o", "m.rankwise", "--memory", "1 MB"], "draw fewer rows with max_samples"),
        (["-o", "m.rankwise", "--rows-per-tree", "1000"], "from 1 to 300"),
        ([], "name the model"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_written(rankwise, trials, tmp_path, more, message):
    done = rankwise("fit", "trials/*.parquet", "--labels", "x,y,z", *more)
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "m.rankwise").exists()
