"""What ``rankwise compare`` leaves in its folder: tables, folds, pictures, manifest."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise._replacing import write_whole
from rankwise.cli._console import note

if TYPE_CHECKING:
    from rankwise.validation import Comparison, ResultTable

# the name of a format -> the ending of its file
FORMATS = {"csv": ".csv", "json": ".json", "latex": ".tex", "markdown": ".md"}


def write_comparison(
    result: Comparison, folder: Path, formats: Sequence[str], manifest: dict[str, Any]
) -> list[Path]:
    """Write everything a comparison found; each file appears whole. Return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    contents: dict[str, str | bytes] = {"folds.csv": result.fold_table().to_csv()}
    for name, table in named_tables(result).items():
        for chosen in formats:
            contents[name + FORMATS[chosen]] = getattr(table, f"to_{chosen}")()
    contents |= _pictures(result)
    contents["manifest.json"] = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    for name, content in contents.items():
        write_whole(folder / name, content)
    return [folder / name for name in contents]


def named_tables(result: Comparison) -> dict[str, ResultTable]:
    """Return the tables of a comparison by the names of their files."""
    from rankwise.paper import published_table

    tables = {}
    for rate in result.missing:
        tail = f"-missing-{100 * rate:g}" if rate else ""
        tables[f"tau{tail}"] = result.tau_table(rate)
        some = {"tau-x": result.tied_table(rate), "costs": result.cost_table(rate)}
        tables |= {f"{name}{tail}": table for name, table in some.items() if table is not None}
        tables[f"seconds{tail}"] = result.time_table(rate)
        if len(result.scores(rate)) > 1:
            tables[f"wilcoxon{tail}"] = result.wilcoxon_table(rate)
    beside = published_table(result)
    return tables if beside is None else {**tables, "published": beside}


def _pictures(result: Comparison) -> dict[str, bytes]:
    try:
        import matplotlib
    except ImportError:
        note("pictures are left out: they need matplotlib (pip install 'rankwise[plot]')")
        return {}
    matplotlib.use("Agg")
    from rankwise.plots import critical_difference, tau_by_missing

    pictures: dict[str, bytes] = {}
    for rate in result.missing:
        test = result.friedman(rate) if len(result.scores(rate)) > 1 else None
        if test is not None and test.n_datasets:
            tail = f"-missing-{100 * rate:g}" if rate else ""
            ax = critical_difference(test.average_ranks, test.n_datasets, test.alpha)
            pictures |= _saved(f"critical-difference{tail}", ax)
    curves = result.missing_curves()
    if len(result.missing) > 1 and curves:
        pictures |= _saved("tau-by-missing", tau_by_missing(curves))
    return pictures


def _saved(name: str, ax: Any) -> dict[str, bytes]:
    from matplotlib import pyplot

    files = {}
    for ending in ("png", "svg"):
        content = BytesIO()
        ax.figure.savefig(content, format=ending, dpi=150, bbox_inches="tight")
        files[f"{name}.{ending}"] = content.getvalue()
    pyplot.close(ax.figure)
    return files


def finite(value: Any) -> Any:
    """Turn a value into plain JSON for other programs: NaN and infinities become null.

    Examples
    --------
    >>> finite({"tau": float("nan"), "ranks": (1, 2)})
    {'tau': None, 'ranks': [1, 2]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value
