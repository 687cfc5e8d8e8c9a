"""A scikit-learn pipeline that ends in a ranker: the ranker as rankers are kept, other steps by skops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankwise._fitted import find_ranker
from rankwise._saved_state import check_fitted_part
from rankwise.models._codec import Kind

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

_EMPTY = (None, "passthrough")


def _take_apart(pipeline: Pipeline) -> dict[str, Any]:
    return {"steps": [[name, step] for name, step in pipeline.steps]}


def _put_together(state: dict[str, Any]) -> Pipeline:
    steps = state.get("steps")
    if set(state) != {"steps"} or not isinstance(steps, list) or not steps:
        raise ValueError("its Pipeline has no steps")
    for step in steps:
        if not (isinstance(step, list) and len(step) == 2 and isinstance(step[0], str)):
            raise ValueError("its Pipeline has a step without a name")
    from sklearn.pipeline import Pipeline

    return Pipeline([(name, step) for name, step in steps])


def _check(pipeline: Pipeline) -> None:
    if find_ranker(pipeline) is None:
        raise ValueError("its Pipeline does not end in a ranker")
    if len({name for name, _ in pipeline.steps}) < len(pipeline.steps):
        raise ValueError("its Pipeline has two steps of one name")
    for _, step in pipeline.steps[:-1]:
        if step not in _EMPTY:
            check_fitted_part(step, "transform")


def pipeline_kind() -> Kind:
    """Return how a pipeline around a ranker is kept.

    One inside a ranker, such as the classifier of its pairs, is a part that skops keeps whole.
    """
    from sklearn.pipeline import Pipeline

    return Kind(
        Pipeline,
        _take_apart,
        _put_together,
        _check,
        alone=True,
        is_meant=lambda pipeline: find_ranker(pipeline) is not None,
    )
