"""Scikit-learn objects inside a model, kept by skops; its check of types, and a stricter one before.

Skops trusts every estimator of scikit-learn by default. Some of them walk through indices without
looking whether these are in range, so that a crafted file could crash the process. Only classes
that work by numpy alone are taken from a stranger here; the user may name more.
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rankwise.models._errors import RefusedError
from rankwise.models._state import of_any_machine

# How skops puts values together; none of these calls anything but a class of the list below.
_LOADERS = frozenset(
    f"{kind}Node"
    for kind in ("DType", "Dict", "Json", "List", "NdArray", "Object", "Tuple", "Type")
)
_TYPES = frozenset(
    f"{module}.{name}"
    for module, names in {
        "builtins": ("NoneType", "bool", "dict", "float", "int", "list", "str", "tuple"),
        "numpy": ("bool", "bool_", "dtype", "float32", "float64", "int32", "int64", "ndarray"),
        "sklearn.dummy": ("DummyClassifier", "DummyRegressor"),
        "sklearn.impute._base": ("SimpleImputer",),
        "sklearn.linear_model._base": ("LinearRegression",),
        "sklearn.linear_model._bayes": ("BayesianRidge",),
        "sklearn.linear_model._coordinate_descent": ("ElasticNet", "Lasso"),
        "sklearn.linear_model._logistic": ("LogisticRegression",),
        "sklearn.linear_model._ridge": ("Ridge", "RidgeClassifier"),
        "sklearn.naive_bayes": ("GaussianNB",),
        "sklearn.pipeline": ("Pipeline",),
        "sklearn.preprocessing._data": ("MinMaxScaler", "RobustScaler", "StandardScaler"),
        "sklearn.preprocessing._label": ("LabelBinarizer",),
    }.items()
    for name in names
)
# Nothing is built from a dtype but the dtype; skops asks for it by name.
_TRUSTED_OF_SKOPS = ("numpy.dtype",)


def _own_types() -> frozenset[str]:
    """Return the project's own parts of pipelines; these work by numpy alone too."""
    from rankwise import hypotheses
    from rankwise.classifiers import WithSquares

    own = [getattr(hypotheses, name) for name in hypotheses.__all__]
    return frozenset(f"{cls.__module__}.{cls.__name__}" for cls in (*own, WithSquares))


def dump_parts(parts: list[Any]) -> bytes:
    """Return the objects as one skops file."""
    # imported here, as below: few models have such parts
    from skops import io as skops

    data: bytes = skops.dumps(parts)
    return data


def load_parts(data: bytes, trusted: Iterable[str]) -> list[Any]:
    """Return the objects of a skops file, if every type in it is known or named in `trusted`."""
    from skops import io as skops

    trusted = tuple(trusted)
    _check_types(_schema(data), trusted)
    try:
        parts = skops.loads(data, trusted=[*trusted, *_TRUSTED_OF_SKOPS, *_own_types()])
    except Exception as error:  # of any kind: the bytes are a stranger's
        raise RefusedError(f"its scikit-learn parts cannot be loaded: {error}") from None
    if not isinstance(parts, list):
        raise RefusedError("its scikit-learn parts are no list")
    for part in parts:
        _forget_machine(part)
    return parts


def try_out(model: Any, n_bytes: int) -> None:
    """Refuse a model whose scikit-learn parts stumble over a row of zeros.

    What these have learned may be of any shape in a crafted file, and they look at it when they predict.
    """
    while not hasattr(model, "predict_pairwise") and hasattr(model, "ranker"):
        model = model.ranker
    inner = getattr(model, "ranker_", model)  # of a TableRanker, which takes tables
    n_features = getattr(inner, "n_features_in_", 1)
    if type(n_features) is not int or n_features > n_bytes:
        raise RefusedError("its scikit-learn parts cannot be loaded: they are smaller than a row")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inner.predict(np.zeros((1, n_features)))
    except Exception as error:  # as above
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        raise RefusedError(f"its scikit-learn parts do not predict ({reason})") from None


def _forget_machine(part: Any) -> None:
    try:
        params = part.get_params()
        changed = {
            name: value
            for name, value in of_any_machine(params).items()
            if value is not params[name]
        }
        if changed:
            part.set_params(**changed)
    except Exception as error:  # as above
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        raise RefusedError(f"its scikit-learn parts cannot be loaded: {reason}") from None


def _schema(data: bytes) -> Any:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            stored = all(info.compress_type == zipfile.ZIP_STORED for info in infos)
            if not stored or sum(info.file_size for info in infos) > len(data):
                raise RefusedError(
                    "its scikit-learn parts are compressed, which rankwise never does"
                )
            return json.loads(archive.read("schema.json"))
    except RefusedError:
        raise
    except Exception as error:  # as above
        raise RefusedError(f"its scikit-learn parts are damaged ({error})") from None


def _check_types(schema: Any, trusted: tuple[str, ...]) -> None:
    nodes = {(loader, name) for loader, name in _nodes(schema) if name not in trusted}
    strange = sorted({name for _, name in nodes if name not in _TYPES | _own_types()})
    if strange:
        raise RefusedError(
            f"holds {', '.join(strange)}, which is not taken from strangers; if you made the file "
            f"yourself, load it with trusted={[*trusted, *strange]}"
        )
    for loader, name in sorted(nodes):
        if loader not in _LOADERS:
            raise RefusedError(f"its scikit-learn parts hold a {name} by {loader}; do not use it")


def _nodes(schema: Any) -> Iterator[tuple[str, str]]:
    """Yield loader and type of every node; a list instead of recursion, which a file could exhaust."""
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "__loader__" in value or "__class__" in value:
                name = f"{value.get('__module__')}.{value.get('__class__')}"
                yield str(value.get("__loader__")), name
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
