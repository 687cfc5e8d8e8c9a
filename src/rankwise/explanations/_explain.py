"""`explain`: why one label stands before another in one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from rankwise._fitted import (
    as_one_row,
    check_model,
    check_ranker,
    checked_rows,
    feature_names,
    find_label,
    find_ranker,
    label_texts,
    one_row,
    reaching_rows,
)
from rankwise._messages import Arg, Message
from rankwise._naming import shown
from rankwise._parameters import check_numbers, is_list, is_whole
from rankwise.auto import AutoRanker
from rankwise.explanations._columns import in_columns, in_sources, with_row_names
from rankwise.explanations._explanation import Contribution, Explanation, SimilarRow
from rankwise.explanations._paths import Credits, similarities, tree_credits
from rankwise.explanations._paths import leaf_rows as rows_of_leaves
from rankwise.explanations._replacements import (
    N_DRAWS,
    credit_changes,
    lead,
    replacement_credits,
    speaks_of_certainty,
)
from rankwise.rankings import check_rankings, label_names
from rankwise.tables import TableRanker
from rankwise.tree import BaseTreeRanker


def explain(
    model: Any,
    x: ArrayLike,
    a: Any,
    b: Any,
    *,
    X: ArrayLike | None = None,
    Y: ArrayLike | None = None,
    n_rows: int = 5,
    leaf_rows: Sequence[np.ndarray] | None = None,
) -> Explanation:
    """Explain why label `a` stands before label `b` in one row, or does not.

    Trees and forests: each cut on the way of x through a tree changes the mean of the leaves below,
    and the change is credited to the feature of the cut; trees are averaged. Other rankers, and rows
    that vote beside the trees of a forest (rankings with ties): features
    of x replace those of rows of `X` in random order, from a fixed seed, and each change is credited
    to the feature replaced; this asks the model for 100 (n_features + 1) predictions. In both cases
    base and contributions add up to the predicted lead.

    Parameters
    ----------
    model : ranker or Pipeline
        Any fitted estimator of this package, or a scikit-learn pipeline that ends in one: then in terms
        of the columns that go into it, with their cells as they are given, as far as the steps tell what
        was made of them; a feature made of several columns goes by the name that its step gives it. Of a
        `TableRanker` in terms of the columns of the table.
    x : array-like of shape (n_features,) or (1, n_features)
        The row; NaN = missing, where the model takes that.
    a, b : label
        By name, or by number where the labels have no names.
    X : array-like of shape (n_samples, n_features), optional
        The training rows: the average that the row is compared with is over them. Trees do
        without: the average is then over their leaves, all counted alike. So does `AutoRanker`, which
        keeps some of its rows. Other rankers need it.
    Y : array-like of shape (n_samples, n_labels), optional
        Their ranks. With X and Y, trees and forests, and what `AutoRanker` mixes of them, also name
        the training rows that are most similar.
    n_rows : int, default=5
        How many similar rows to name.
    leaf_rows : sequence of ndarray, optional
        Trees and forests: how many training rows ended in each leaf, as `rankwise.explanations.leaf_rows`
        gives them. The average is then over these rows, whether X is there or not.

    Returns
    -------
    Explanation
        Print it, plot it, or read its numbers.

    Raises
    ------
    ValueError
        Where a label is unknown, the two are one, or a ranker other than a tree or forest gets no X.

    Examples
    --------
    Tea, coffee or water, by the hour of the day:

    >>> import rankwise as rw
    >>> X = [[7, 0], [8, 1], [9, 0], [15, 1], [16, 0], [17, 1]]
    >>> Y = [[2, 1, 3], [2, 1, 3], [3, 1, 2], [1, 2, 3], [1, 3, 2], [1, 3, 2]]
    >>> model = rw.TreeRanker().fit(X, Y)
    >>> print(rw.explain(model, [8, 0], 1, 0, X=X, Y=Y, n_rows=2))
    label 1 stands before label 0 here: predicted ranks 1 and 2 of 3; certainty that label 1 stands
    before label 0: 100%.
    On average over the 6 rows of X label 1 is 0.17 positions behind label 0, here 1.00 positions ahead
    of it.
    What features add to the lead of label 1, in positions:
       +1.17  feature 0 = 8
    Most similar training rows (share of trees in which they fall into the same leaf):
      row 0: 100%, label 1 (1) > label 0 (2)
      row 1: 100%, label 1 (1) > label 0 (2)
      2 of 2 put label 1 before label 0.
    """
    if leaf_rows is not None and not is_list(leaf_rows):
        raise TypeError(f"leaf_rows is {shown(leaf_rows)}; give what leaf_rows(model, X) returns")
    how: dict[str, Any] = {"n_rows": n_rows, "leaf_rows": leaf_rows}
    if isinstance(model, Pipeline):
        return _of_pipeline(model, as_one_row(x), a, b, X, Y, how)
    if isinstance(model, TableRanker):
        return _of_table(model, as_one_row(x), a, b, X, Y, how)
    row = one_row(model, x)
    first, second = find_label(model, a, "a"), find_label(model, b, "b")
    if first == second:
        raise ValueError(f"a and b are both {a!r}; name two labels")
    if not is_whole(n_rows) or n_rows < 0:
        raise ValueError(f"n_rows must be a whole number from 0 up, got {shown(n_rows)}")
    rows, ranks = _check_training(model, X, Y)
    counts, over = _average(model, rows, leaf_rows)
    credits = _credits(model, row, first, second, rows, counts)
    similar = None
    trees = _trees_of(model)
    if rows is not None and ranks is not None and trees:
        x_, X_ = np.asarray(row), np.asarray(rows)
        found = [w * similarities(member, x_, first, second, X_) for w, member in trees]
        shares = np.sum(found, axis=0) / sum(weight for weight, _ in trees)
        similar = _similar_rows(shares, ranks[:, [first, second]], int(n_rows), X)
    return _assemble(model, row, (first, second), credits, similar, over)


def _trees_of(model: Any) -> list[tuple[float, Any]]:
    """Return the trees and forests that a model is made of, with their weights."""
    if isinstance(model, AutoRanker):
        parts = zip(model.chosen_.values(), model.members_, strict=True)
        return [(weight, one) for weight, one in parts if isinstance(one, BaseTreeRanker)]
    return [(1.0, model)] if isinstance(model, BaseTreeRanker) else []


def _of_pipeline(
    pipeline: Pipeline, x: Any, a: Any, b: Any, X: Any, Y: Any, how: dict[str, Any]
) -> Explanation:
    check_model(pipeline)
    (ranker, row), rows = reaching_rows(pipeline, x), X
    if X is not None:
        _, rows = reaching_rows(pipeline, X)
    row, rows = (part.toarray() if hasattr(part, "tocoo") else part for part in (row, rows))
    found = explain(ranker, row, a, b, X=rows, Y=Y, **how)
    return with_row_names(in_sources(found, pipeline, ranker, x), X)


def _of_table(
    model: TableRanker, x: Any, a: Any, b: Any, X: Any, Y: Any, how: dict[str, Any]
) -> Explanation:
    check_ranker(model)
    row = model._for_ranker(model.encode(x))
    rows = None if X is None else model._for_ranker(model.encode(X))
    if Y is not None:
        _, Y = _check_training(model, X, Y)
    pair = [find_label(model, label, name) for label, name in ((a, "a"), (b, "b"))]
    ranker = find_ranker(model.ranker_)
    found = explain(model.ranker_, row, *(ranker.labels_[j] for j in pair), X=rows, Y=Y, **how)
    names = label_texts(model)
    found = replace(found, a=names[pair[0]], b=names[pair[1]])
    inside = feature_names(ranker)
    if isinstance(model.ranker_, Pipeline):
        inside = list(model.recipe_.feature_names)
    if {part.feature for part in found.contributions} == set(inside):
        cells = model.cells(x)[0]
        sizes = [len(column.features) for column in model.recipe_.columns]
        columns = list(zip(feature_names(model), sizes, cells, strict=True))
        found = in_columns(found, inside, columns)
    return with_row_names(found, X)


def _average(
    model: Any, X: Any, given: Sequence[np.ndarray] | None
) -> tuple[list[np.ndarray] | None, str]:
    """Return how many rows count in each leaf of a tree, and what the average is over, in words."""
    if not isinstance(model, BaseTreeRanker):
        if X is None:
            n, whose = (
                len(getattr(model, "comparison_rows_", ())),
                "training rows that the model keeps",
            )
        else:
            n, whose = len(X), "rows of X"
        return None, f"{'' if n <= N_DRAWS else f'{N_DRAWS} of '}the {n:,} {whose}"
    if given is not None:
        counts, leaves = list(given), [int((m._trees.feature < 0).sum()) for m in model._members]
        shapes = [check_numbers("leaf_rows", one).shape for one in counts]
        if shapes != [(n,) for n in leaves]:
            raise ValueError(
                "leaf_rows are not those of this model; take them anew, or leave them out"
            )
        trees = sum(len(member._trees.roots) for member in model._members)
        n = round(sum(int(one.sum(dtype=np.int64)) for one in counts) / trees)
        return counts, f"the {n:,} training rows"
    if X is None:
        return None, "the leaves of the trees, all counted alike,"
    return rows_of_leaves(model, np.asarray(X)), f"the {len(X):,} rows of X"


def _credits(
    model: Any, x: Any, a: int, b: int, X: Any, counts: list[np.ndarray] | None
) -> Credits:
    if isinstance(model, BaseTreeRanker):
        by_trees = tree_credits(model, np.asarray(x), a, b, counts)
        base, by_feature, rest = 0.0, np.zeros(len(by_trees.by_feature)), 1.0
        for voter in model._voters:
            rows = voter.rows() if X is None else np.asarray(X)
            said = credit_changes(_lead_by(model, voter, a, b), x, rows)
            base += voter.share * said.base
            by_feature += voter.share * said.by_feature
            rest -= voter.share
        return Credits(rest * by_trees.base + base, rest * by_trees.by_feature + by_feature)
    X = _kept_rows(model) if X is None else X
    if X is None:
        raise ValueError(
            f"explaining a {type(model).__name__} needs rows to compare with: pass the training data, "
            "explain(model, x, a, b, X=X). TreeRanker, ForestRanker and AutoRanker do without"
        )
    return replacement_credits(model, x, a, b, X)


def _lead_by(model: Any, voter: Any, a: int, b: int) -> Callable[[np.ndarray], np.ndarray]:
    """What a voter beside the trees says of the lead of a over b."""
    return lambda X: model._shares_of(voter.votes(X))[:, a, b] - 0.5


def _kept_rows(model: Any) -> Any:
    """Training rows that a model keeps to be compared with, or None."""
    rows, names = (getattr(model, a, None) for a in ("comparison_rows_", "feature_names_in_"))
    if rows is None or names is None:
        return rows
    # imported here: only models that were fitted to DataFrames need it
    import pandas as pd

    return pd.DataFrame(rows, columns=names)


def _check_training(
    model: Any, X: ArrayLike | None, Y: ArrayLike | None
) -> tuple[Any, np.ndarray | None]:
    if X is None:
        if Y is not None:
            raise ValueError("Y is given without X; pass both, the training rows and their ranks")
        return None, None
    rows = checked_rows(model, X)
    rows = rows.toarray() if hasattr(rows, "tocoo") else rows
    if Y is None:
        return rows, None
    # what is thin in Y was reported when the model was fitted
    ranks = check_rankings(Y, warn=False)
    if ranks.shape != (len(rows), model.n_labels_):
        raise ValueError(
            f"Y has shape {ranks.shape}; with this model and X it must be "
            f"({len(rows)}, {model.n_labels_}): a row for each of X, a column for each label"
        )
    names, known = label_names(Y), [str(label) for label in model.labels_]
    if names is None or not getattr(model, "_labels_are_named", True) or names == known:
        return rows, ranks
    if sorted(names) != sorted(known):
        unknown = next(name for name in names if name not in known)
        raise ValueError(f"Y has a column {unknown!r}, which is no label of the model")
    return rows, ranks[:, [names.index(name) for name in known]]


def _similar_rows(
    shares: np.ndarray, ranks: np.ndarray, n_rows: int, X: Any
) -> tuple[SimilarRow, ...]:
    ranked = np.flatnonzero((shares > 0) & ~np.isnan(ranks).any(axis=1))
    nearest = ranked[np.argsort(-shares[ranked], kind="stable")][:n_rows]
    names = getattr(X, "index", None)
    return tuple(
        SimilarRow(
            row=int(i),
            name=str(i if names is None or callable(names) else names[i]),
            similarity=float(shares[i]),
            rank_a=float(ranks[i, 0]),
            rank_b=float(ranks[i, 1]),
        )
        for i in nearest
    )


def _assemble(
    model: Any,
    row: Any,
    pair: tuple[int, int],
    credits: Credits,
    similar: tuple[SimilarRow, ...] | None,
    over: str,
) -> Explanation:
    a, b = pair
    hint = "Similar training rows are known for trees and forests only."
    if _trees_of(model):
        hint = Message(f"For similar training rows {Arg.TRAINING_DATA}.")
    cells = row.iloc[0].tolist() if hasattr(row, "iloc") else row[0].tolist()
    names, labels = feature_names(model), label_texts(model)
    order = np.argsort(-np.abs(credits.by_feature), kind="stable")
    ranks = np.asarray(model.predict(row))[0]
    positions = np.asarray(model.predict_positions(row))[0]
    return Explanation(
        a=labels[a],
        b=labels[b],
        contributions=tuple(
            Contribution(names[f], cells[f], float(credits.by_feature[f])) for f in order
        ),
        base=float(credits.base),
        lead=float(lead(model, row, a, b)[0]),
        unit="certainty" if speaks_of_certainty(model) else "positions",
        certainty=float(np.asarray(model.predict_pairwise(row))[0, a, b]),
        ranks=(ranks[a].item(), ranks[b].item()),
        positions=(float(positions[a]), float(positions[b])),
        n_labels=int(model.n_labels_),
        similar_rows=similar,
        hint="" if similar is not None else hint,
        over=over,
    )
