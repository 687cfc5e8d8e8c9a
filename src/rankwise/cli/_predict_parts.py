"""What `predict` does with several files: a file of predictions for each, here or on a Dask cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli._cluster import cluster_client
from rankwise.cli._console import note, say
from rankwise.cli._options import check_free, refuse_other_ending, refuse_same_file

if TYPE_CHECKING:
    from rankwise.models import TableModel

# Sheet, prefix of added columns, places to fill.
How = tuple[str | None, str, int | None]


def is_several(file: Path) -> bool:
    """Whether a name stands for several files; a scenario is a folder, and one table."""
    # Imported here: help needs no numpy.
    from rankwise.parts.steps import is_pattern

    if file.is_dir():
        return not (file / "description.txt").exists()
    return is_pattern(str(file)) and not file.exists()


def predict_files(
    model: TableModel, files: Path, folder: Path, cluster: str | None, how: How, force: bool
) -> None:
    """Write the predictions of each file into a folder, under its own name."""
    from rankwise.parts.steps import find_files

    found = [Path(name) for name in find_files(files)]
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; name a folder for the predictions of several files")
    targets = [folder / path.name for path in found]
    if len(set(targets)) < len(targets):
        raise ValueError(f"two of the files {files} have the same name; predict them one by one")
    folder.mkdir(exist_ok=True)
    for path, target in zip(found, targets, strict=True):
        check_free(target, force)
        refuse_other_ending(target)
        refuse_same_file(target, path)
    remarks = _run(model, found, targets, cluster, how)
    for path, own in zip(found, remarks, strict=True):
        for remark in own:
            note(f"{path}: {remark}")
    say(f"Wrote {len(targets)} files to {folder}")


def _run(
    model: TableModel, files: list[Path], targets: list[Path], cluster: str | None, how: How
) -> list[list[str]]:
    from rankwise._progress import Progress

    client = cluster_client(cluster)
    if client is None:
        remarks = []
        with Progress("predicting", len(files)) as progress:
            for path, target in zip(files, targets, strict=True):
                remarks.append(_predict_file(path, target, model, how))
                progress.advance()
        return remarks
    from rankwise.dask import naming_losses

    with client, naming_losses():
        (sent,) = client.scatter([model], broadcast=True)
        whole = [[path.resolve() for path in paths] for paths in (files, targets)]
        futures = client.map(_predict_file, *whole, model=sent, how=how, pure=False)
        found: list[list[str]] = client.gather(futures)
        return found


def _predict_file(file: Path, target: Path, model: Any, how: How) -> list[str]:
    from rankwise.cli._predictions import write_predictions

    return write_predictions(model, file, target, *how)
