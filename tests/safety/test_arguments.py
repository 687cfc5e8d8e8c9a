"""An argument of an absurd type is named, with what to give instead, wherever it would have failed."""

import datetime
import fractions
import io
import itertools
import re

import numpy as np
import pandas as pd
import pyarrow
import pytest
import scipy.sparse
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import rankwise as rw
from rankwise import consensus, oracles, plots, rankings, validation
from rankwise._arguments import check_arguments
from rankwise._progress import Progress
from rankwise.auto import Leaderboard, interval
from rankwise.baselines import LWD, KernelRidgeKemeny, KNNKemeny, PLRBagging
from rankwise.datasets import (
    Dataset,
    available,
    from_classification,
    from_regression,
    load,
    make_friedman,
    read,
    write,
)
from rankwise.datasets.tables import Column, Recipe
from rankwise.explanations import column_effects
from rankwise.hypotheses import Ball, Rectangle, SigmoidNetwork, SignNetwork
from rankwise.learners import fill_gaps, fit_ranker, gap_means, split_learners
from rankwise.metrics import scorer, tau_b
from rankwise.oracles import Mallows
from rankwise.parts import array_parts, open_parts
from rankwise.theory import Condition, HugeSampleSize, Report, pairwise_risk_bound, strong_sparsity

rng = np.random.default_rng(0)
X = rng.normal(size=(12, 3)).round(2)
Y = np.array([rng.permutation(4) + 1.0 for _ in range(12)])
NAMES = pd.DataFrame([["a", "b"]])
TREE = rw.TreeRanker().fit(X, Y)
DAY = np.timedelta64(1, "D")
HALVES = pd.DataFrame(X, columns=pd.Index(["a", "b", "\ud800"], dtype=object))
TREE_WITH_KEYS = rw.TreeRanker().fit(X, Y).set_params(honest={}.keys())
TWINS = pyarrow.table([[1], [2]], names=["a", "a"])
NESTED: list = []
for _ in range(2000):
    NESTED = [NESTED]
RECIPE = Recipe(tuple(map(Column, "abc")))
SPARSE = scipy.sparse.dok_array((2, 2))
SCORES = {"A": [0.1, 0.2, 0.3], "B": [0.2, 0.1, 0.1]}


class Unwritable:
    def __repr__(self):
        raise RuntimeError("no words")


class NoTable:
    def __array__(self, dtype=None, copy=None):
        return "no array"


def grouped():
    return pd.DataFrame({"a": [1, 2]}).groupby("a")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rw.save_model(rw.TreeRanker().fit(X, Y), 1.5), "the path '1.5' is a float"),
        (lambda: rw.load_model(NotImplemented), "is a NotImplementedType"),
        (lambda: rw.load_model("x", trusted=len), "trusted is .*; give a list of names"),
        (lambda: write(Dataset(X, Y), "x.csv", format=np.ones(3)), "format is .*; give a text"),
        (lambda: read("x.csv", drop=1.5), "drop is 1.5; give a list of names"),
        (lambda: read("x.csv", like=1.5), "like is a float; give a FittedTable or None"),
        (lambda: read("x.csv", unit=3), "unit is 3; give a text"),
        (lambda: available(np.ones(2)), "unknown kind"),
        (lambda: Dataset(X, Y, label_names=3), "label_names is 3; give a list of names"),
        (lambda: Dataset(X, Y, label_names=memoryview(X)), "label_names is .*; give a list of names"),
        (lambda: Dataset(X, Y, notes=3), "notes is 3; give a list of names"),
        (lambda: Dataset(X, Y, row_names=3), "row_names is 3; give a list of names"),
        (lambda: Dataset(X, Y, recipe=3), "recipe is a int; give a Recipe"),
        (lambda: make_friedman({}), "n_samples is {}; use a whole number"),
        (lambda: make_friedman(2**64), "n_samples is .*; use a whole number from 0 to 100000000"),
        (lambda: make_friedman(30, noise="ranks"), "noise is 'ranks'; use a finite number"),
        (lambda: from_regression(X, [X]), "columns holds .*; give names or numbers"),
        (lambda: from_regression(X, 1.5), "columns is 1.5; give a list"),
        (lambda: from_classification(X, [0, 1] * 6, classifier=3), "classifier is 3; give one"),
        (lambda: open_parts([3]), "the path '3' is a int"),
        (lambda: open_parts("x.csv", labels=3), "labels is 3; give a list"),
        (lambda: array_parts(X, Y, rows_per_part=X), "rows_per_part is .*; give a whole number"),
        (lambda: split_learners(3), "text is 3; give a text"),
        (lambda: validation.wilcoxon_pairs(1.5), "scores is a float"),
        (lambda: validation.wilcoxon_pairs(SPARSE), "scores is a dok_array"),
        (lambda: validation.wilcoxon_pairs({"A": [1], "B": "a"}), r"scores\['B'\] is 'a'; give a list"),
        (lambda: validation.average_ranks({"A": 1}), r"scores\['A'\] is 1; give a list of numbers"),
        (lambda: validation.nemenyi({}, 3), "n_methods is {}; give a whole number"),
        (lambda: validation.nemenyi(3, 3, "é"), "alpha is 'é'; give a number"),
        (lambda: validation.draw_folds(2**64, 2), "n_samples is .*; use a whole number from 0 to"),
        (lambda: validation.draw_folds("a", 2), "n_samples is 'a'; use a whole number"),
        (lambda: validation.draw_folds(9, 2, repetition=pd.Timedelta(1)), "repetition is Timedelta"),
        (lambda: validation.compare(1.5, ["x"]), "methods is 1.5; give a list"),
        (lambda: validation.compare(["Tree"], ["generated/iris"], missing=[{}]), "missing: "),
        (lambda: validation.compare(["Tree"], ["generated/iris"], options=[1]), "options is .*a dict"),
        (lambda: validation.compare(["Tree"], ["generated/iris"], out=DAY), "out is .*a path"),
        (lambda: validation.compare(["Tree"], ["generated/iris"], backend="x"), "backend is 'x' .*; give"),
        (lambda: validation.cross_validate(rw.TreeRanker(), X, Y, cv="1"), "cv is '1'; give a number"),
        (lambda: validation.cross_validate(rw.TreeRanker(), X, Y, cv=[3]), "fold 0 of cv is 3"),
        (lambda: validation.cross_validate(rw.TreeRanker(), X, Y, sample_weight=scipy.sparse.coo_array(X)),
         "X has 12 rows but sample_weight has 0"),
        (lambda: validation.cross_validate("a", X, Y), "ranker is 'a'; give an estimator"),
        (lambda: validation.cross_validate(rw.TreeRanker, X, Y), "ranker is <class"),
        (lambda: validation.cross_validate(rw.TreeRanker(), X, Y, costs=(1,)), "costs is .*Costs"),
        (lambda: validation.cross_validate(rw.TreeRanker(), X, Y, metrics={"a": 3}), "'a' stands for 3"),
        (lambda: validation.cross_validate(rw.TreeRanker(), X, Y, each_fold=3), "each_fold is 3"),
        (lambda: plots.learning_curve(SPARSE), "curves must be a dict"),
        (lambda: plots.learning_curve({"a": ([1], [1])}, log_x=3), "log_x is 3; use True or False"),
        (lambda: rw.explain(TREE, X[0], 0, 1, leaf_rows=1.5), "leaf_rows is 1.5; give what leaf_rows"),
        (lambda: plots.leaderboard(b"x"), "board is b'x'; give a fitted AutoRanker"),
        (lambda: plots.pair_chances("rate"), "chances: .*; give numbers"),
        (lambda: plots.pair_chances(np.eye(2), np.array(1.5)), "labels is .*; give a list of names"),
        (lambda: plots.noise_levels([[1]]), r"record 0 is \[1\]; give dicts"),
        (lambda: plots.noise_levels([{"tau": 1}]), "record 0 has no 'operator'; give "),
        (lambda: plots.noise_levels([], learners=1.5), "learners is 1.5; give a list"),
        (lambda: plots.noise_operators([], "SFN", np.array("a")), "learner is "),
        (lambda: oracles.GaussianFeatures(2, mean=len), "mean: .*; give numbers"),
        (lambda: oracles.GaussianFeatures(2, covariance=["a"]), "covariance: .*; give numbers"),
        (lambda: oracles.BooleanFeatures(2, p=10**400), r"p is 10*\.\.\.; use numbers from 0 to 1"),
        (lambda: oracles.Survival(grouped()), "q is .*; use numbers from 0 to 1"),
        (lambda: oracles.family_grid(X), "name is .*; give a text"),
        (lambda: oracles.RandomSubset(1, keep_positions=X), "keep_positions is .*; use True or False"),
        (lambda: oracles.Survival(0.5, keep_positions=3), "keep_positions is 3; use True or False"),
        (lambda: oracles.MissingByRank([1], keep_positions=X), "keep_positions is .*; use True or"),
        (lambda: oracles.Partition(SPARSE), "p is .*; use numbers from 0 to 1"),
        (lambda: oracles.UniformNoise().draw((1, "a"), rng), "shape: .*; give numbers"),
        (lambda: oracles.TruncatedGaussian(0.1).draw((2, np.inf), rng), r"shape is \(2, inf\); give"),
        (lambda: oracles.UniformNoise().draw((2**40, 9), rng), "cells in shape is .* which takes"),
        (lambda: plots.critical_difference(SPARSE, 5), "average_ranks"),
        (lambda: read("x.csv", columns=SPARSE), "columns= is .*; give a role and a name"),
        (lambda: rw.audit(X, Y, rows=...), "rows is Ellipsis; give a list"),
        (lambda: validation.cross_validate(rw.TreeRanker(), [[1, 2], [3]], Y), "X and y: .*; give one row"),
        (lambda: oracles.BooleanFeatures(2**64), "n_features is .* which takes .* GB"),
        (lambda: validation.draw_folds(12, 2, groups=[[1, 2], [3]]), "groups: .*; give one text or"),
        (lambda: open_parts([]), "files names no file; give at least one"),
        (lambda: open_parts(itertools.repeat("a.csv")), "files is .*, which has no end"),
        (lambda: fit_ranker(np.array(1.0), X, Y), "ranker is array.*; give an estimator"),
        (lambda: fit_ranker(rw.TreeRanker, X, Y), "ranker is <class .*; give an estimator"),
        (lambda: LWD(Unwritable()).fit(X, Y), "estimator is of type Unwritable; give a scikit-learn"),
        (lambda: TREE.predict(np.array([[Unwritable()] * 3])), "holds the Unwritable of type Unwritable"),
        (lambda: rw.TreeRanker(ties="x" * 10**5).fit(X, Y), r"^ties is 'x{50,56}\.\.\.; use"),
        (lambda: oracles.make_family("SFN", pd.DataFrame(X), 9), "noise is a DataFrame; give a noise"),
        (lambda: rankings.ranks_from_top_k([["a", "b"]], labels=np.ndarray), "labels is <class"),
        (lambda: rankings.ranks_from_pairs({"row": [1]}, row=SPARSE), "row is .*; give the name of a"),
        (lambda: rankings.ranks_from_pairs({"row": [1]}, split=X), "split is .*True or False"),
        (lambda: rankings.long_from_ranks(Y, row=np.array((1, 2.0), "i,f")[()], label=[]), "label 1 is"),
        (lambda: rankings.ranks_from_orders(NAMES, n_labels=1.5), "n_labels is 1.5; use a whole"),
        (lambda: rw.audit(X, Y, are_ranks=SPARSE), "are_ranks is "),
        (lambda: tau_b(Y, grouped()), "Y_pred"),
        (lambda: pairwise_risk_bound(0.1, 3, 0.5, 1, 0.5, misfit=1j), "misfit is 1j"),
        (lambda: rw.TreeRanker(max_depth=DAY).fit(X, Y), "max_depth is .*; use a whole number"),
        (lambda: rw.ForestRanker(max_features=fractions.Fraction(10**400)).fit(X, Y), "max_features"),
        (lambda: LWD(n_jobs=DAY).fit(X, Y), "n_jobs is .*; give a whole number"),
        (lambda: Rectangle(time_limit=DAY).fit(X, Y[:, 0] > 2), "time_limit is "),
        (lambda: KernelRidgeKemeny(alpha=fractions.Fraction(10**400)).fit(X, Y), "alpha is "),
        (lambda: PLRBagging(2**64).fit(X, Y), "n_estimators is .*; give 1,000,000 trees or fewer"),
        (lambda: rw.PairwiseRanker(rw.TreeRanker()).fit(X, Y), "is a ranker; a classifier is needed"),
        (lambda: rw.TableRanker(rw.TreeRanker(), drop=[[1], []]).fit(X, Y), "drop is .*; give a list"),
        (lambda: rw.TableRanker(rw.TreeRanker(), features=[[1]]).fit(X, Y), "features is .*; give a list"),
        (lambda: rw.TableRanker(rw.TreeRanker(), features=dict).fit(X, Y), "features is "),
        (lambda: rw.explain(rw.TableRanker(rw.TreeRanker()).fit(X, Y), [[1], [2, 3]], 0, 1), "x is no row"),
        (lambda: array_parts(X, Y, rows_per_part=0), "rows_per_part is 0; use a whole number of 1 or more"),
        (lambda: array_parts(X, Y, rows_per_part=-1), "rows_per_part is -1; use a whole number"),
        (lambda: array_parts(X, [[1, 2], [1]] * 6), "y: .*; give numbers"),
        (lambda: array_parts(X, Y.astype(str)[:, :2] + "a"), "y: .*; give numbers"),
        (lambda: array_parts(np.ma.masked_greater(X, 1), Y), "X: it has masked cells; give numbers"),
        (lambda: array_parts(X, Y, sample_weight=["a"] * 12), "sample_weight: .*; give numbers"),
        (lambda: rw.ForestRanker(2).fit_parts(X), "parts is .*; give a Parts"),
        (lambda: rw.ForestRanker(2).fit_parts(array_parts(X, Y), memory_limit=0.5), "memory_limit is 0.5"),
        (lambda: oracles.match_gaussian(Y, [0.1], bound=object()), "bound is .*; give a number"),
        (lambda: oracles.match_gaussian(Y, [[0.1]]), r"alphas has shape \(1, 1\); give a flat list"),
        (lambda: oracles.UniformNoise().pairwise([[0.5, 0.4]]), "scores is .*; give an array of numpy"),
        (lambda: oracles.UniformNoise().pairwise(X[0]), r"scores has shape \(3,\)"),
        (lambda: oracles.TopK(1).observe(X, Y[:3], np.random.default_rng()), "X has shape"),
        (lambda: oracles.BooleanFeatures(2).sample(3, "x"), "rng is 'x'; give a Generator"),
        (lambda: oracles.UniformFeatures(5).sample(10**15, rng), "n_samples is .* GB; give less"),
        (lambda: rankings.ranks_from_top_k(list), "lists is <class 'list'>; give a list of lists"),
        (lambda: rankings.ranks_from_top_k([memoryview(X)]), "row 0: expected a list of labels"),
        (lambda: rw.TableRanker(rw.TreeRanker()).fit(np.zeros(12, "i,f"), Y), "array of records"),
        (lambda: rw.TableRanker(rw.TreeRanker()).fit_dataset(3), "data is 3; give a Dataset"),
        (lambda: rw.TableRanker.of(TREE, int), "recipe is <class 'int'>; give a Recipe"),
        (lambda: read("x.csv", within=X), "within is .*; give a difference"),
        (lambda: rankings.long_from_ranks(Y, row=memoryview(X)), "label 0 is <memory.*; give a name"),
        (lambda: SigmoidNetwork(2**31).fit(X, Y[:, 0] > 2), "hidden is 2147483648.* GB; give less"),
        (lambda: SignNetwork(10**400).fit(X, Y[:, 0] > 2), "hidden is 10*.* GB; give less"),
        (lambda: pairwise_risk_bound(0.1, 10**200, 0.5, 1, 0.5), "k is so large"),
        (lambda: Mallows(1.0).log_partition(10**15), "n_labels is .* GB; give less"),
        (lambda: rw.PairwiseRanker().fit(X, Y, values=1.0), r"values has shape \(\); give a table"),
        (lambda: strong_sparsity(X, [[10**400, 1]] * 12, on="scores"), "Y: .*; give numbers"),
        (lambda: rw.TreeRanker().fit(pd.DataFrame(index=range(12)), Y), "X is a table without columns"),
        (lambda: read("x.csv", columns={"row": 3}), "columns.'row'. is 3; give a text"),
        (lambda: rw.TableRanker(rw.TreeRanker()).fit(HALVES, Y), "which holds half of a character"),
        (lambda: Dataset(X, Y, groups=itertools.count()), "groups is count.0., which has no end"),
        (lambda: rankings.ranks_from_top_k(itertools.repeat(["a"])), "lists is repeat.*no end"),
        (lambda: rw.load_model("x", trusted=range(10**12)), "trusted is range.* no end within"),
        (lambda: rw.check_rankings(Y, warn=NAMES), "warn is .*; use True or False"),
        (lambda: Progress(shown=NAMES), "progress is a DataFrame; use True, False or None"),
        (lambda: load("solvents", raw=NAMES), "raw is .*; use True or False"),
        (lambda: rw.audit(memoryview(X), Y[:3]), "X has 12 rows but Y has 3"),
        (lambda: rw.TableRanker.of(TREE, Recipe((Column("a"),)), means=10**400), "means: .*; give"),
        (lambda: interval([1.0], [1.0], most=iter("a")), "most is .*; give a number"),
        (lambda: rankings.check_true_positions(Y * 9, {"a", "b", "c", "d"}), "true positions are whole"),
        (lambda: rw.TreeRanker(max_depth=Unwritable()).fit(X, Y), "max_depth is of type Unwritable; use"),
        (lambda: rw.PairwiseRanker().fit(X, Y, values=10**400), "values: .*; give numbers"),
        (lambda: Dataset(X, Y).take(SPARSE), "rows has shape .*; give numbers from 0 to 11"),
        (lambda: Dataset(X, Y).to_frame(label_prefix="\ud800"), "holds half of a character"),
        (lambda: Dataset(X, Y).take([[1, 2], [3]]), "rows: .*; give rows by number"),
        (lambda: consensus.kemeny_batch(range(10**12)), "W is not a table of numbers"),
        (lambda: consensus.copeland(np.broadcast_to(1.0, (2, 10**6))), "the number of labels is 1000000"),
        (lambda: plots.tau_by_missing({"a": memoryview(X)}), "curve 'a' must be"),
        (lambda: oracles.UniformNoise().rank(np.ones((1, 0)), rng), r"scores has shape \(1, 0\)"),
        (lambda: rw.TableRanker.of(TREE_WITH_KEYS, Recipe((Column("a"),))), "honest is dict_keys"),
        (lambda: validation.summarize([1.0, 2.0], -0.5), "test_share is -0.5; use a finite number of 0"),
        (lambda: validation.compare(["Tree"], ["x"], progress=NAMES), "progress is .*; give a function"),
        (lambda: oracles.CallableNoise(len).draw(NAMES, rng), "shape is .*; give a list"),
        (lambda: Recipe((Column("a"),)).expand([["x"]]), "codes: .*; give numbers"),
        (lambda: TREE.predict([[1.0, 2.0, 3.0], SPARSE]), "X: .*; give numbers"),
        (lambda: rw.TreeRanker().fit(TWINS, Y[:1]), "X is a Table, which does not become a table"),
        (lambda: available(NESTED), "unknown kind of type list"),
        (lambda: rw.TableRanker.of(TREE, RECIPE, ...), "label_names is Ellipsis; give a list of names"),
        (lambda: rw.TableRanker.of(TREE, RECIPE, ["a"]), "there are 1 label_names and 4 labels"),
        (lambda: rw.explain(TREE, X[0], 0, 1, leaf_rows=[[[1], [2, 3]]]), "leaf_rows: .*; give numbers"),
        (lambda: oracles.SparseLinear(3, 10**12, 1), "n_labels is .* GB; give less"),
        (lambda: validation.plan_folds(Dataset(X, Y), repeats=-2), "repeats is -2; use a whole number"),
        (lambda: oracles.Survival(0.5).probabilities(X, 10**20), "n_labels is .* GB; give less"),
        (lambda: rankings.ranks_from_pairs({"row": [1]}, row=np.array("row")), "row is .*; give the name"),
        (lambda: column_effects(lambda X: X, X, [[0]], seed=-1), "seed is -1; use a whole number of 0"),
        (lambda: oracles.CallableNoise(len).draw([2], rng), r"shape is \[2\]; give .n_samples, n_labels"),
        (lambda: rankings.ranks_from_pairs({"row": [1], "better": memoryview(X)}), "table: its columns"),
        (lambda: rankings.format_rankings(NoTable()), "ranks is .*; give a table"),
        (lambda: rw.audit(X, Y, n_folds="a"), "n_folds .*'a'"),
        (lambda: oracles.make_family("SFN", pd.Series([1]), 9), "noise is a Series; give a noise object"),
        (lambda: rw.pairwise.KernelRanker(width=1.7e308).fit(X, Y), "cannot be compared at the width"),
        (lambda: Dataset(X, Y).take([12]), "rows has 12; give numbers from 0 to 11"),
        (lambda: gap_means(SPARSE), "X: .*; give numbers"),
        (lambda: fill_gaps(X, [1.0]), "X has 3 features and means 1 numbers"),
        (lambda: validation.shares_closed([1], [2, 3], [1]), "lost, gaps and sizes have 1, 2 and 1"),
        (lambda: validation.Costs(Y, True).gap_closed(X), r"asked has shape \(12, 3\)"),
        (lambda: validation.summarize(np.ma.masked_all(3)), "values: it has masked cells; give numbers"),
        (lambda: validation.ResultTable("t", ["a"], [3]), "row 0 is 3; give a list"),
        (lambda: HugeSampleSize("x"), "log10 is 'x'; give a number"),
        (lambda: Report(3), "conditions is 3; give a list"),
        (lambda: Leaderboard([3]), "standings holds 3; give what Standing makes"),
        (lambda: interval([1.0], [1.0, 2.0]), "there are 1 values and 2 shares"),
        (lambda: scorer(SPARSE), "there is no scorer <.*; choose from"),
        (lambda: column_effects(lambda X: X, X, [[7]]), "columns has 7; give numbers from 0 to 2"),
    ],
)  # fmt: skip
def test_an_argument_of_an_absurd_type_is_named_with_what_to_give(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({1, 2}, "X: .*; give numbers"),
        (grouped(), "X: "),
        (pd.DataFrame({"a": [1, 2j]}, dtype=object), "column 'a' holds the complex number '2j' .row 1"),
        (pd.DataFrame(X, columns=["a", "a", "b"]), "two columns called 'a'"),
        (pd.DataFrame(X).astype("Sparse"), "X is a sparse matrix"),
        (pd.DataFrame({"a": ["x"] * 12}), "column 'a' holds the text 'x'"),
        ([[1.0], [2.0, 3.0]], "row 1 has 2 cells and row 0 has 1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("estimator", [rw.TreeRanker(), Ball()], ids=["ranker", "hypothesis"])
def test_a_table_of_an_absurd_kind_is_refused_alike_by_rankers_and_hypotheses(
    estimator, table, message
):
    y = Y[:, 0] > 2 if isinstance(estimator, Ball) else Y
    with pytest.raises((ValueError, TypeError), match=message):
        estimator.fit(table, y)


@pytest.mark.parametrize(
    "y",
    [grouped(), pd.DataFrame({"a": [0, 1]}).astype("Sparse"), np.zeros(12, [("a", int)])],
    ids=["groups", "sparse", "records"],
)
def test_classes_of_a_hypothesis_that_are_no_column_are_named(y):
    with pytest.raises(TypeError, match=r"y .*; give one class per row"):
        Ball().fit(X, y)


@pytest.mark.parametrize(
    ("model", "parameter", "value"),
    [
        (KNNKemeny(), "embedding", X),
        (rw.PairwiseRanker(), "n_jobs", frozenset("a")),
        (rw.PairwiseRanker(), "aggregation", pd.Index([1, 2])),
        (rw.PositionRanker(), "estimator", ("a", 1)),
        (rw.LabelwiseRanker(LogisticRegression()), "estimator", pd.DataFrame()),
        (rw.TableRanker(rw.TreeRanker()), "drop", 0.0),
        (rw.ForestRanker(3), "n_jobs", datetime.timedelta(1)),
    ],
)
def test_a_parameter_that_is_set_to_something_absurd_after_fitting_is_named(
    model, parameter, value, tmp_path
):
    model.fit(X, Y)
    model.set_params(**{parameter: value})
    for ask in (model.predict, model.predict_pairwise, model.predict_positions):
        with pytest.raises((ValueError, TypeError), match=f"^{parameter} (is|must be) "):
            ask(X)
    with pytest.raises((ValueError, TypeError), match=f"^{parameter} (is|must be) "):
        rw.save_model(model, tmp_path / "model.rankwise")


def test_a_missing_cell_of_pandas_among_objects_is_named_by_the_label_that_asks():
    frame = pd.DataFrame(X, columns=list("abc"))
    new = frame.astype(object)
    new.iloc[2, 1] = pd.NA
    model = LWD().fit(frame, pd.DataFrame(Y, columns=list("wxyz")))
    with pytest.raises(ValueError, match=r"predicting label 'w', position 1: .*NaN"):
        model.predict(new)


def test_a_missing_cell_of_pandas_among_objects_is_a_gap_to_classifiers_that_take_gaps():
    frame, new = (pd.DataFrame(X, columns=list("abc")) for _ in range(2))
    new.iloc[2, 1] = np.nan
    hidden = frame.astype(object)
    hidden.iloc[2, 1] = pd.NA
    model = rw.PairwiseRanker(DecisionTreeClassifier(random_state=0)).fit(frame, Y)
    assert (model.predict_pairwise(hidden) == model.predict_pairwise(new)).all()


def test_classifiers_that_were_fitted_to_an_array_do_not_warn_of_the_names_of_new_rows(recwarn):
    model = rw.PairwiseRanker(random_state=0).fit(X, Y)
    model.predict(pd.DataFrame(X).astype("category").rename(columns=str))
    assert not [w for w in recwarn if "LogisticRegression" in str(w.message)]


def test_the_gate_of_arguments_leaves_what_it_does_not_know_to_the_function():
    @check_arguments
    def brew(where: io.BytesIO, n: int | None = None, many: dict[str, int] | None = None) -> int:
        return 1 if n is None else n

    brew = check_arguments(brew.__wrapped__)
    assert brew("anywhere") == 1
    assert brew(3, many="what") == 1
    assert brew(None, np.int8(4)) == 4
    with pytest.raises(TypeError, match=re.escape("brew() missing 1 required positional argument")):
        brew()
    with pytest.raises(TypeError, match="unexpected keyword argument 'cups'"):
        brew(1, cups=3)


@pytest.mark.parametrize("kind", ["dia", "coo", "bsr", "dok", "lil"])
def test_folds_are_drawn_of_every_kind_of_sparse_matrix(kind):
    ranker = rw.PairwiseRanker(LogisticRegression())
    sparse = getattr(scipy.sparse, f"{kind}_array")(X)
    found, dense = (validation.cross_validate(ranker, part, Y, cv=2) for part in (sparse, X))
    assert found.scores["tau"] == pytest.approx(dense.scores["tau"])


def test_a_dataclass_that_takes_its_fields_as_they_are_is_held_to_them():
    with pytest.raises(TypeError, match=r"low is <COO.*; give a number"):
        Condition("r", "r", 1.0, scipy.sparse.coo_array(X), 2.0, "holds", "two")
    with pytest.raises(
        TypeError, match=r"verdict is .'holds'.; give 'holds', 'fails' or 'cannot tell'"
    ):
        Condition("r", "r", 1.0, 0.0, 2.0, ["holds"], "two")


def test_the_bound_of_many_labels_takes_no_time_for_each_pair():
    assert pairwise_risk_bound(0.1, 10**9, 0.5, 1, 1.0, misfit=0.0) == pytest.approx(0.1)


def test_classes_of_a_hypothesis_may_be_texts_of_any_length():
    y = np.array(["tea", "water"] * 6, dtype=np.dtypes.StringDType())
    assert set(Ball().fit(X, y).predict(X)) <= {"tea", "water"}


def test_a_table_ranker_is_fitted_again_to_a_table_of_other_columns():
    model = rw.TableRanker(rw.TreeRanker()).fit(pd.DataFrame(X), Y)
    assert model.fit(np.hstack([X, X]), Y).n_features_in_ == 6
