"""Friendly messages where an optional dependency is missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

# import name -> the extra of pyproject.toml that installs it
_EXTRA_OF = {
    "matplotlib": "plot",
    "pooch": "data",
    "yaml": "data",
    "dask": "dask",
    "distributed": "dask",
    "openpyxl": "excel",
    "pyarrow": "parquet",
}


def require(module: str, purpose: str) -> ModuleType:
    """Import an optional `module`, or say which extra brings it.

    Parameters
    ----------
    module : str
        Import name, for example ``"matplotlib.pyplot"``.
    purpose : str
        What the user was trying to do, for the message: ``"drawing plots"``.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        extra = _EXTRA_OF.get(package)
        remedy = f"pip install 'rankwise[{extra}]'" if extra else f"pip install {package}"
        raise ImportError(f"{purpose} needs {package}, which is not installed: {remedy}") from error
