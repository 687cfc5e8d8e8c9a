"""What a result was computed with: versions, machine, command."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "joblib", "pandas", "matplotlib")


def describe_environment() -> dict[str, Any]:
    """Return versions, machine, time and command, for the manifest of a run.

    Examples
    --------
    >>> sorted(describe_environment())
    ['command', 'machine', 'time', 'versions']
    """
    import rankwise

    versions = {"rankwise": rankwise.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "command": shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]]),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
        "versions": versions,
    }


def _processor() -> str:
    """The name of the processor; Linux knows more than Python does."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
