"""The manifest of a run: what ran where, with which versions and seeds, and what was cut."""

from __future__ import annotations

import platform
from dataclasses import asdict
from typing import Any

from rankwise.paper._reproduce import Reproduction
from rankwise.validation.running import describe_environment


def make_manifest(result: Reproduction, **more: Any) -> dict[str, Any]:
    """Describe a run so that it can be repeated.

    Parameters
    ----------
    result : Reproduction
        What came out.
    **more
        Further entries, such as ``jobs``.

    Returns
    -------
    dict
        For a JSON file: command, times, parts, protocol and what was cut of it, seeds, failures,
        versions, machine.
    """
    around = describe_environment()
    return {
        "command": around.pop("command"),
        "wall_seconds": round(result.seconds, 1),
        # Also of units that earlier runs finished; each runs on one core.
        "seconds_of_all_units": round(sum(r["seconds"] for r in result.records["timing"]), 1),
        "units": result.n_units,
        "units_from_earlier_runs": result.n_reused,
        "failures": result.failures,
        "parts": list(result.parts),
        "cut": result.protocol.cuts(),
        "seed": result.protocol.seed,
        "protocol": asdict(result.protocol),
        **more,
        **around,
        "machine": {**around["machine"], "processor": _processor()},
    }


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
