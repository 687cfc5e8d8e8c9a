"""Credits of rankers that are no trees: exact where they are known, and always adding up."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

import rankwise as rw
from explanations import naive


def linear_problem():
    rng = np.random.default_rng(0)
    # 25 rows: each is drawn twice, so that the average is that of all rows
    X = rng.uniform(-1, 1, size=(25, 3))
    # weak features keep regressions within 1 to 4, where nothing is cut off
    scores = 0.1 * X @ rng.normal(size=(3, 4)) + rng.normal(size=(25, 4))
    return X, np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0


def amounts(explanation):
    parts = {part.feature: part.amount for part in explanation.contributions}
    return [parts[f"feature {f}"] for f in range(len(parts))]


def test_a_linear_model_is_credited_by_its_coefficients():
    X, Y = linear_problem()
    model = rw.LabelwiseRanker(LinearRegression()).fit(X, Y)
    x = 0.2 * X[0]
    a, b = model.estimators_[0], model.estimators_[2]
    inside = [e.predict(np.concatenate([X, [x]])) for e in (a, b)]
    assert min(map(np.min, inside)) >= 1
    assert max(map(np.max, inside)) <= 4
    explanation = rw.explain(model, x, 0, 2, X=X)
    assert amounts(explanation) == pytest.approx((b.coef_ - a.coef_) * (x - X.mean(axis=0)))
    assert explanation.base == pytest.approx(inside[1][:-1].mean() - inside[0][:-1].mean())
    assert explanation.unit == "positions"


def test_against_one_row_two_features_share_as_shapley_says():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    Y = [[1, 2], [1, 2], [1, 2], [2, 1]]
    model = rw.LabelwiseRanker(DecisionTreeRegressor(random_state=0)).fit(X, Y)
    x, z = X[3], X[0]

    def worth(players):
        row = [x[f] if f in players else z[f] for f in range(2)]
        positions = model.predict_positions([row])[0]
        return positions[1] - positions[0]

    # an order and its reverse are all orders of two
    found = amounts(rw.explain(model, x, 0, 1, X=[z]))
    assert found == pytest.approx(naive.shapley_values(worth, 2))


def rankers():
    return [
        rw.LabelwiseRanker(DecisionTreeRegressor(random_state=0)),
        rw.PairwiseRanker(LogisticRegression(), aggregation="borda"),
        rw.PositionRanker(),
    ]


@pytest.mark.parametrize("ranker", rankers(), ids=lambda ranker: type(ranker).__name__)
def test_credits_of_any_ranker_add_up_and_are_the_same_each_time(ranker):
    X, Y = linear_problem()
    model = ranker.fit(X, Y)
    explanation = rw.explain(model, X[1], 2, 0, X=X, Y=Y)
    assert explanation.base + sum(amounts(explanation)) == pytest.approx(explanation.lead)
    assert explanation == rw.explain(model, X[1], 2, 0, X=X, Y=Y)
    assert explanation.similar_rows is None
    assert "for trees and forests only" in str(explanation)


def test_pairs_are_explained_in_chances():
    X, Y = linear_problem()
    model = rw.PairwiseRanker(LogisticRegression()).fit(X, Y)
    explanation = rw.explain(model, X[1], 2, 0, X=X)
    assert explanation.unit == "certainty"
    assert explanation.lead == pytest.approx(explanation.certainty - 0.5)


def test_without_rows_to_compare_with_they_are_asked_for():
    X, Y = linear_problem()
    with pytest.raises(ValueError, match=r"a PositionRanker needs rows .* X=X"):
        rw.explain(rw.PositionRanker().fit(X, Y), X[0], 0, 1)


def test_pipelines_of_text_and_categories_are_explained():
    X, Y = linear_problem()
    frame = pd.DataFrame(
        {
            "heat": X[:, 0],
            "soil": np.where(X[:, 1] > 0, "clay", "sand"),
            "zone": pd.Categorical(np.where(X[:, 2] > 0, "north", "south")),
        }
    )
    encoder = ColumnTransformer(
        [("words", OneHotEncoder(), ["soil", "zone"])], remainder="passthrough"
    )
    model = rw.PairwiseRanker(make_pipeline(encoder, LogisticRegression())).fit(frame, Y)
    for x in (frame.iloc[[3]], frame.iloc[3]):
        explanation = rw.explain(model, x, 0, 1, X=frame)
        parts = {part.feature: part for part in explanation.contributions}
        total = explanation.base + sum(part.amount for part in parts.values())
        assert total == pytest.approx(explanation.lead)
        assert (parts["soil"].value, parts["zone"].value) == tuple(frame.iloc[3, 1:])
        assert f"soil = {frame.soil[3]}" in str(explanation)
        assert json.loads(json.dumps(explanation.to_dict()))["a"] == "label 0"


def test_models_fitted_on_named_columns_are_explained_by_name():
    X, Y = linear_problem()
    frame = pd.DataFrame(X, columns=["heat", "rain", "wind"])
    for ranker in rankers():
        told = rw.explain(ranker.fit(frame, Y), frame.iloc[0], 0, 1, X=frame)
        bare = rw.explain(ranker.fit(X, Y), X[0], 0, 1, X=X)
        assert {part.feature for part in told.contributions} == {"heat", "rain", "wind"}
        assert [p.amount for p in told.contributions] == pytest.approx(
            [p.amount for p in bare.contributions]
        )


def test_an_auto_ranker_names_the_rows_that_its_forests_find_similar():
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    Y = rw.ranks_from_scores(np.column_stack([X[:, 0], X[:, 1], X[:, 2]]))
    model = rw.AutoRanker(candidates=["Forest", "Consensus"], random_state=0).fit(X, Y)
    (forest,) = [m for m in model.members_ if isinstance(m, rw.ForestRanker)]
    assert rw.explain(model, X[0], 0, 1, X=X, Y=Y).similar_rows == (
        rw.explain(forest, X[0], 0, 1, X=X, Y=Y).similar_rows
    )
