"""``rankwise learners``, and that what `compare` knows `fit` and `evaluate` know as well."""

import json

import numpy as np
import pytest

import rankwise as rw
from rankwise.learners import known_learners

NAMES = [learner.name for learner in known_learners()]
TRUSTED = [
    "sklearn.ensemble._forest.RandomForestClassifier",
    "sklearn.tree._classes.DecisionTreeClassifier",
    "sklearn.tree._tree.Tree",
]


def write_drinks(path, n=45):
    """Complete rankings of three drinks by hour and mood, without gaps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)).round(3)
    ranks = rw.ranks_from_scores(X @ rng.normal(size=(2, 3)) + rng.normal(scale=0.3, size=(n, 3)))
    lines = [",".join(map(str, (*x, *r.astype(int)))) for x, r in zip(X, ranks, strict=True)]
    path.write_text("\n".join(["hour,mood,tea,coffee,water", *lines]))


def test_the_list_names_every_learner_and_what_it_takes(rankwise):
    outcome = rankwise("learners")
    assert outcome.code == 0, outcome.err
    for learner in known_learners():
        assert learner.name in outcome.out
        assert learner.description in outcome.out
    found = json.loads(rankwise("learners", "--json").out)
    assert [row["name"] for row in found] == NAMES
    takes = {row["name"]: row["takes"] for row in found}
    assert takes["KNNKemeny"] == {
        "missing_labels": True, "ties": True, "weights": False, "missing_features": False,
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_fit_takes_every_learner_and_its_model_predicts(rankwise, tmp_path, name):
    write_drinks(tmp_path / "d.csv")
    # the same with fewer trees, which take long to write
    is_foreign = name in ("PairwiseForest", "CostForest")
    text = f"{name}(estimator__n_estimators=3)" if is_foreign else name
    text = "Auto(candidates=['Tree', 'Pairwise'])" if name == "Auto" else text
    options = ["--labels", "tea,coffee,water", "--folds", 2, "--learner", text, "-o", "m.rankwise"]
    outcome = rankwise("fit", "d.csv", *options)
    assert outcome.code == 0, outcome.err
    if is_foreign:
        # classifiers of other packages are loaded from files of one's own only
        model = rw.load_model(tmp_path / "m.rankwise", trusted=TRUSTED)
        assert model.predict(np.zeros((2, 2))).ranks.shape == (2, 3)
    else:
        assert rankwise("predict", "m.rankwise", "d.csv", "-o", "out.csv").code == 0


@pytest.mark.parametrize("text", ["RF(n_estimators=3, max_depth=2)", "honest", "LR-RF", "RPC"])
def test_evaluate_takes_what_compare_takes(rankwise, tmp_path, text):
    write_drinks(tmp_path / "d.csv")
    labels = ["--labels", "tea,coffee,water", "--folds", 3]
    evaluated = rankwise("evaluate", "d.csv", *labels, "--learner", text, "--json")
    compared = rankwise("compare", "-d", "d.csv", *labels, "-m", text, "--json")
    assert (evaluated.code, compared.code) == (0, 0), evaluated.err + compared.err
    tau = json.loads(evaluated.out)["scores"]["prediction"]["tau"]["mean"]
    (row, *_) = json.loads(compared.out)["tables"]["tau"]["rows"]
    # the same folds, other seeds of the learner
    (cell,) = (value for name, value in row.items() if name != "data set")
    assert cell["mean"] == pytest.approx(tau, abs=0.2)


def test_your_own_estimator_is_evaluated_and_fit_says_what_it_lacks(rankwise, tmp_path):
    write_drinks(tmp_path / "d.csv")
    options = ["--labels", "tea,coffee,water", "--folds", 2, "--learner", "validation.rankers:Mean"]
    assert rankwise("evaluate", "d.csv", *options).code == 0
    outcome = rankwise("fit", "d.csv", *options)
    assert outcome.code == 2
    assert "Mean has no predict_pairwise" in outcome.err


def test_an_option_that_does_not_apply_is_said_to_change_nothing(rankwise, tmp_path):
    write_drinks(tmp_path / "d.csv")
    options = ["--labels", "tea,coffee,water", "--folds", 2, "--learner", "RPC", "--trees", 7]
    outcome = rankwise("evaluate", "d.csv", *options)
    assert outcome.code == 0
    assert "--trees does not apply to RPC" in outcome.err


def test_weights_in_a_file_reach_compare_as_they_reach_evaluate(rankwise, tmp_path):
    rows = [f"{i * i % 7},{50 if i % 2 else 1},{1 + i % 2},{2 - i % 2}" for i in range(40)]
    (tmp_path / "d.csv").write_text("\n".join(["x,@weight,tea,coffee", *rows]))
    options = ["--labels", "tea,coffee", "-c", "weight=@weight", "--folds", 4]
    evaluated = rankwise("evaluate", "d.csv", *options, "--learner", "Consensus", "--json")
    compared = rankwise("compare", "-d", "d.csv", *options, "-m", "Consensus,KNNKemeny", "--json")
    assert (evaluated.code, compared.code) == (0, 0), evaluated.err + compared.err
    tau = json.loads(evaluated.out)["scores"]["prediction"]["tau"]["mean"]
    assert json.loads(compared.out)["tables"]["tau"]["rows"][0]["Consensus"]["mean"] == tau
    assert "KNNKemeny on d is left out" in compared.err


@pytest.mark.parametrize("command", ["fit", "evaluate"])
@pytest.mark.parametrize(
    ("learner", "row", "message"),
    [
        ("LWD", "1,1,1,2", "row on line 8 has tied labels, which LWD does not take"),
    ],
)
def test_what_a_learner_does_not_take_is_refused_before_it_is_fitted(
    rankwise, tmp_path, command, learner, row, message
):
    rows = [f"{i},{1 + i % 3},{1 + (i + 1) % 3},{1 + (i + 2) % 3}" for i in range(12)]
    rows[6] = row
    (tmp_path / "d.csv").write_text("\n".join(["hour,tea,coffee,water", *rows]))
    options = ["--labels", "tea,coffee,water", "--folds", 2, "--learner", learner]
    outcome = rankwise(command, "d.csv", *options)
    assert outcome.code == 2
    assert f"error: {message}; choose a --learner that does" in outcome.err
