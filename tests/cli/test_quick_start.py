"""Modules that stand for others until they are used, and what a prediction does without."""

import subprocess
import sys

import numpy as np
import pytest

import rankwise as rw
from rankwise.models import Column, Recipe, TableModel, save_model

LOAD = "import sys\nfrom rankwise.cli._quick_start import load_scikit_learn\nload_scikit_learn()\n"
SELDOM = (
    "asyncio",
    "matplotlib",
    "numpy.f2py",
    "rankwise.hypotheses",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "skops",
    "sklearn.ensemble",
    "sklearn.impute",
    "sklearn.linear_model",
    "sklearn.metrics",
    "sklearn.neighbors",
    "sklearn.pipeline",
    "sklearn.preprocessing",
)
# What the mixtures of `rankwise fit` are mostly made of.
MIXTURE = (
    "Forest",
    "ExtraTrees(decomposition='pairwise')",
    "Pairwise(C=0.1)",
    "PairwiseSquares",
    "Kernel",
)


def said_by(script, *arguments):
    """What a new process prints that runs a script."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_scikit_learn_is_there_and_the_stand_ins_are_gone():
    script = LOAD + (
        "print([name in sys.modules for name in ('sklearn.base', 'scipy.special', 'scipy.stats')])\n"
        # numpy has its modules once they are asked for
        "import numpy\nprint('f2py' in vars(numpy), 'testing' in vars(numpy))\n"
        "print(numpy.testing.__name__, numpy.f2py is sys.modules['numpy.f2py'])\n"
    )
    assert said_by(script) == [
        *("[True,", "False,", "False]"),
        *("False", "False", "numpy.testing", "True"),
    ]


@pytest.mark.parametrize(
    "use",
    [
        "import scipy.stats; f = scipy.stats.rankdata",
        "from scipy import stats; f = stats.rankdata",
        pytest.param("import scipy.stats as s; f = s.rankdata", marks=pytest.mark.slow),
        pytest.param("from scipy.stats._stats_py import rankdata as f", marks=pytest.mark.slow),
    ],
)
def test_what_was_left_out_can_be_used(use):
    script = (
        LOAD + f"{use}\nfrom scipy.stats import rankdata\nprint(rankdata is f, f([3, 1]).tolist())"
    )
    assert said_by(script) == ["True", "[2.0,", "1.0]"]


def test_scikit_learn_can_use_what_was_left_out():
    script = LOAD + (
        "from sklearn.dummy import DummyClassifier\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.neighbors import KNeighborsClassifier\n"
        "nearest = KNeighborsClassifier(1, weights='distance')\n"
        "for model in (LogisticRegression(), nearest, DummyClassifier()):\n"
        "    print(model.fit([[0], [1]], [0, 1]).predict([[0]])[0])\n"
        "import sklearn.utils._array_api as used\n"
        "import scipy.special\n"
        "print(used.special.expit is scipy.special.expit)\n"
    )
    assert said_by(script) == ["0", "0", "0", "True"]


def test_what_is_loaded_already_stays():
    script = "import scipy.stats as before\n" + LOAD + "print(sys.modules['scipy.stats'] is before)"
    assert said_by(script) == ["True"]


def test_a_stand_in_has_no_names_of_its_own():
    script = (
        "import sys\nfrom rankwise.cli._quick_start import _LateModule\n"
        "module = sys.modules['scipy.stats'] = _LateModule('scipy.stats')\n"
        "print(hasattr(module, '__no_such_name__'), sys.modules['scipy.stats'] is module)\n"
        "print(hasattr(module, 'no_such_name'), sys.modules['scipy.stats'] is module)\n"
    )
    assert said_by(script) == ["False", "True", "False", "False"]


@pytest.mark.parametrize(
    "ranker",
    [
        pytest.param(rw.ForestRanker(5, random_state=0), id="a forest", marks=pytest.mark.slow),
        pytest.param(rw.AutoRanker(candidates=MIXTURE, random_state=0), id="a mixture"),
    ],
)
def test_a_prediction_loads_little(ranker, tmp_path):
    rng = np.random.default_rng(0)
    X, labels = rng.random((60, 3)), ("tea", "coffee", "water")
    noisy = X + rng.normal(scale=0.3, size=X.shape)
    ranker.fit(X, np.argsort(np.argsort(noisy, axis=1), axis=1) + 1)
    if isinstance(ranker, rw.AutoRanker):
        assert len(ranker.members_) > 2
    recipe = Recipe((Column("a"), Column("b"), Column("c")))
    save_model(TableModel(ranker, recipe, labels), tmp_path / "m.rankwise")
    np.savetxt(tmp_path / "new.csv", X, delimiter=",", header="a,b,c", comments="")
    script = (
        "import sys\nfrom rankwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    print(stop.code)\n"
        f"print([name for name in {SELDOM} if name in sys.modules])\n"
    )
    words = ("predict", tmp_path / "m.rankwise", tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert said_by(script, *words)[-2:] == ["0", "[]"]


def test_modules_are_not_looked_through_for_garbage():
    script = (
        "import gc\nfrom rankwise.cli._quick_start import collect_seldom\ncollect_seldom()\nlooked = []\n"
        "gc.callbacks.append(lambda phase, info: looked.append(gc.get_count()))\n"
        + LOAD
        + "import rankwise.cli._predictions\nprint(len(looked))\n"
    )
    # Python looks through its own modules a few times before that
    assert said_by(script) == ["0"]
