"""Credits of trees: against the plain twin, and that they add up to what the model predicts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankwise as rw
from engine import naive as naive_tree
from explanations import naive
from explanations.problems import DECOMPOSITIONS, problems, tree_of

forests = st.builds(
    lambda n_trees, decomposition, criterion, **options: rw.ForestRanker(
        n_trees,
        decomposition=decomposition,
        criterion="breiman" if decomposition == "mixed" else criterion,
        **options,
    ),
    st.integers(2, 3),
    st.sampled_from(DECOMPOSITIONS),
    criterion=st.sampled_from(["breiman", "level"]),
    honest=st.booleans(),
    min_samples_leaf=st.sampled_from([1, 2]),
    random_state=st.integers(0, 99),
)


def amounts(explanation):
    return {part.feature: part.amount for part in explanation.contributions}


def lead_by_model(model, x, a, b):
    if model._compares:
        return model.predict_pairwise([x])[0, a, b] - 0.5
    positions = model.predict_positions([x])[0]
    return positions[b] - positions[a]


def credits_by_twin(model, x, a, b, rows):
    """Mean over all rankings of what the trees of each kind add to the lead."""
    total = model._n_rankings()
    found = [
        (member._n_rankings() / total, *credits_of_kind(member, x, a, b, rows))
        for member in model._members
    ]
    return sum(w * base for w, base, _ in found), sum(w * credits for w, _, credits in found)


def credits_of_kind(model, x, a, b, rows):
    """Sum over the trees of what each adds to the lead, by the plain twin."""
    k, n = model.n_labels_, model._n_rankings()
    pair = list(zip(*np.triu_indices(k, 1), strict=True)).index((min(a, b), max(a, b)))
    sign = 1 if a < b else -1
    if model.decomposition_ == "labelwise":
        parts = [(r * k + a, lambda v: -v[0]) for r in range(n)]
        parts += [(r * k + b, lambda v: v[0]) for r in range(n)]
    elif model.decomposition_ == "joint":
        parts = [(r, lambda v: v[b] - v[a]) for r in range(n)]
    elif model._with_ties:
        # a pair has two comparisons, and the lead is a quarter of their difference
        sides, n_pairs = ((pair, sign / 4), (pair + k * (k - 1) // 2, -sign / 4)), k * (k - 1)
        if model.decomposition_ == "pairwise":
            parts = [
                (r * n_pairs + place, lambda v, share=share: share * float(v[0]))
                for r in range(n)
                for place, share in sides
            ]
        else:
            parts = [
                (r, lambda v: sum(s * float(v[place]) for place, s in sides)) for r in range(n)
            ]
    elif model.decomposition_ == "pairwise":
        parts = [(r * k * (k - 1) // 2 + pair, lambda v: sign * float(v[0]) / 2) for r in range(n)]
    else:
        parts = [(r, lambda v: sign * float(v[pair]) / 2) for r in range(n)]
    found = [naive.path_credits(tree_of(model._trees, t, of), x, rows) for t, of in parts]
    return sum(base for base, _ in found) / n, sum(np.array(c) for _, c in found) / n


@given(problems(), forests, st.sampled_from(["training", "other", "none"]))
def test_credits_are_those_of_the_twin_and_add_up_to_the_lead(problem, forest, rows):
    X, Y, x, others = problem
    model = forest.fit(X, Y)
    # trees alone; rows that vote beside them have tests of their own
    vars(model).pop("_near", None)
    given_rows = {"training": X, "other": others, "none": None}[rows]
    explanation = rw.explain(model, x, 0, 1, X=given_rows)
    base, credits = credits_by_twin(model, x, 0, 1, [] if given_rows is None else given_rows)
    assert explanation.base == pytest.approx(base, abs=1e-9)
    found = amounts(explanation)
    assert [found[f"feature {f}"] for f in range(len(x))] == pytest.approx(credits, abs=1e-9)
    assert explanation.base + sum(found.values()) == pytest.approx(explanation.lead, abs=1e-9)
    assert explanation.lead == pytest.approx(lead_by_model(model, x, 0, 1), abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(problems(), forests)
def test_why_b_before_a_is_the_same_with_the_sign_turned(problem, forest):
    X, Y, x, _ = problem
    model = forest.fit(X, Y)
    one, other = rw.explain(model, x, 0, 1, X=X, Y=Y), rw.explain(model, x, 1, 0, X=X, Y=Y)
    assert amounts(one) == pytest.approx({f: -v for f, v in amounts(other).items()}, abs=1e-12)
    assert (one.lead, one.base) == pytest.approx((-other.lead, -other.base), abs=1e-12)
    assert one.certainty == pytest.approx(1 - other.certainty)
    assert [r.row for r in one.similar_rows] == [r.row for r in other.similar_rows]


@settings(max_examples=15, deadline=None)
@given(problems(), forests)
def test_similarity_is_the_share_of_trees_with_the_same_leaf(problem, forest):
    X, Y, x, _ = problem
    model = forest.fit(X, Y)
    k = model.n_labels_
    kinds = []
    for member in model._members:
        n = member._n_rankings()
        used = range(n)
        if member.decomposition_ == "labelwise":
            used = [r * k + j for r in range(n) for j in (0, 1)]
        elif member.decomposition_ == "pairwise":  # of labels 0 and 1: the first of each ranking
            n_pairs = k * (k - 1) // 2
            used = [r * n_pairs for r in range(n)]
            if member._with_ties:  # and the first of the other halves, which compare 1 with 0
                used = [(2 * r + side) * n_pairs for r in range(n) for side in (0, 1)]
        kinds.append([tree_of(member._trees, t, lambda v: None) for t in used])

    def similarity(row):
        same = [
            [
                naive_tree.nodes_passed(t, row)[-1] == naive_tree.nodes_passed(t, x)[-1]
                for t in trees
            ]
            for trees in kinds
        ]
        sizes = [member._n_rankings() for member in model._members]
        return np.average([np.mean(own) for own in same], weights=sizes)

    expected = {i: similarity(row) for i, row in enumerate(X) if similarity(row) > 0}
    found = rw.explain(model, x, 0, 1, X=X, Y=Y, n_rows=len(X)).similar_rows
    assert {row.row: row.similarity for row in found} == pytest.approx(expected)
    assert [r.similarity for r in found] == sorted((r.similarity for r in found), reverse=True)
    assert all((r.rank_a, r.rank_b) == tuple(Y[r.row, :2]) for r in found)


def test_a_feature_that_no_tree_cuts_has_no_credit():
    X = np.array([[0.0, 5.0], [1.0, 5.0], [0.0, 5.0], [1.0, 5.0]])
    model = rw.TreeRanker().fit(X, [[1, 2], [2, 1], [1, 2], [2, 1]])
    assert amounts(rw.explain(model, [0, 5], 0, 1, X=X)) == {"feature 0": 1.0, "feature 1": 0.0}
