"""How a kernel that only other kernels call is compiled: as far as they need it, and no further.

numba makes machine code of every kernel, also of one that Python never calls, and optimises it on its own
before it does so once more in each kernel that it becomes a part of. An inner kernel is left as it is until
then: without that the first fit on a machine takes almost half as long again.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class InnerLibrary(JITCodeLibrary):
    """The code of an inner kernel and of what it calls, to be linked into others."""

    def _optimize_final_module(self) -> None:
        """Leave that to the kernel that this becomes a part of."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


class InnerCompiler(Compiler):
    """numba's compiler, for inner kernels."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function into a library of its own kind."""
        context = self.state.targetctx  # a copy, for this function alone
        self.state.library = InnerLibrary(context.codegen(), func.__qualname__)
        context.get_executable = _stand_in
        return super().compile_extra(func)


def _stand_in(library: Any, description: Any, environment: Any) -> Any:
    """What numba knows the kernel by; it must not be called, for there is nothing behind it."""
    library._ensure_finalized()
    module, name = description.lookup_module(), description.qualname
    return _dynfunc.make_function(module, name, "", 0, environment, (library,))
