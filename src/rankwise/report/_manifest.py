"""The manifest of a run: what ran where, with which versions and seeds, and what was cut."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rankwise.experiments._reproduce import Reproduction

_PACKAGES = ("rankwise", "numpy", "scipy", "scikit-learn", "numba", "joblib", "matplotlib")


def make_manifest(result: Reproduction, *, command: str = "", **more: Any) -> dict[str, Any]:
    """Describe a run so that it can be repeated.

    Parameters
    ----------
    result : Reproduction
        What came out.
    command : str
        How it was started.
    **more
        Further entries, such as ``jobs``.

    Returns
    -------
    dict
        For a JSON file.
    """
    return {
        "command": command,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "wall_seconds": round(result.seconds, 1),
        "units": result.n_units,
        "units_from_earlier_runs": result.n_reused,
        "failures": result.failures,
        "parts": list(result.parts),
        "cut": result.protocol.cuts(),
        "seed": result.protocol.seed,
        "protocol": asdict(result.protocol),
        **more,
        "versions": {"python": platform.python_version(), **_versions()},
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    """The name of the processor; Linux tells more than Python does."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
