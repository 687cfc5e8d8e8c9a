"""One page per package for the API reference, made from the packages' own ``__all__``."""

from __future__ import annotations

from importlib import import_module
from inspect import ismodule
from pathlib import Path

import rankwise


def write(folder: Path) -> None:
    """Write ``PACKAGE.rst`` for every public package and ``index.rst`` for all."""
    folder.mkdir(exist_ok=True)
    packages = [name for name in rankwise.__all__ if ismodule(getattr(rankwise, name))]
    for package in packages:
        _write(folder / f"{package}.rst", page(package))
    _write(folder / "index.rst", index(packages))


def page(package: str) -> str:
    """Return the page of a package: its docstring and a table of its names."""
    name = f"rankwise.{package}"
    names = "\n".join(f"   {public}" for public in import_module(name).__all__)
    return f"""{name}
{"=" * len(name)}

.. automodule:: {name}
   :no-members:

.. currentmodule:: {name}

.. autosummary::
   :toctree: generated
   :nosignatures:

{names}
"""


def index(packages: list[str]) -> str:
    """Return the first page: what stands in ``rankwise`` itself, and the packages."""
    top = "\n".join(
        f"   * - :py:obj:`rw.{name} <rankwise.{package_of(name)}.{name}>`\n     - {summary(name)}"
        for name in rankwise.__all__
        if name not in packages
    )
    pages = "\n".join(f"   {package}" for package in packages)
    return f"""API reference
=============

``import rankwise as rw`` gives the names most people need; the rest stands in the packages.
All names are loaded when they are first used.

.. list-table::
   :widths: 35 65
   :class: rw-names

{top}

.. toctree::
   :caption: Packages
   :maxdepth: 1

{pages}
"""


def package_of(name: str) -> str:
    """Return the package that offers what `rankwise` calls by this name."""
    return str(getattr(rankwise, name).__module__).split(".")[1]


def summary(name: str) -> str:
    """Return the first line of what `rankwise` calls by this name."""
    doc = getattr(rankwise, name).__doc__ or ""
    return doc.strip().splitlines()[0] if doc.strip() else ""


def _write(path: Path, text: str) -> None:
    """Leave an equal file alone, so that Sphinx does not build again what is the same."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
