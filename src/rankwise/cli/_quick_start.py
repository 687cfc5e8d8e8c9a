"""A quick start for commands that have little to do: most of their time would go to importing."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

# scikit-learn, SciPy and joblib import these for a function or two, or for their names. They take longer to
# load than scikit-learn itself.
_SELDOM_USED = ("asyncio", "numpy.f2py", "numpy.testing", "scipy.special", "scipy.stats")
# Modules are made of hundreds of thousands of objects, none of them garbage: to look through them once
# takes as long as to import numpy.
_OBJECTS_BETWEEN_COLLECTIONS = 1_000_000


def collect_seldom() -> None:
    """Look for garbage less often: for a process that ends with its command."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)


def collect_no_more() -> None:
    """Leave all that is there to the system, which takes it back at once when the process ends."""
    gc.freeze()


def load_scikit_learn() -> None:
    """Import what estimators are made of, with stand-ins for what it seldom uses.

    The stand-ins are gone when this returns: who imports these modules later gets them, and so does
    scikit-learn when it uses them.
    """
    import_module("numpy")
    late = {name: _LateModule(name) for name in _SELDOM_USED if name not in sys.modules}
    for module in late.values():
        module._stand_in()
    try:
        with suppress(ImportError):  # another version may want more of them; it imports them then
            import_module("sklearn.base")
    finally:
        for module in late.values():
            module._give_way()


class _LateModule(ModuleType):
    """Stands for a module until something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._give_way()
        return getattr(import_module(self.__name__), name)

    def _stand_in(self) -> None:
        package, _, own = self.__name__.rpartition(".")
        sys.modules[self.__name__] = self
        if package in sys.modules:
            setattr(sys.modules[package], own, self)

    def _give_way(self) -> None:
        package, _, own = self.__name__.rpartition(".")
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        if vars(sys.modules.get(package, self)).get(own) is self:
            delattr(sys.modules[package], own)
