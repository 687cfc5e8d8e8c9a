"""Fixtures shared by the whole suite."""

import os
from pathlib import Path

import pytest

HOW_TO_GET_THE_DATA = (
    "needs the benchmark files: set RANKWISE_DATA to a folder that holds lr/, partial/, xarff/ and "
    "aslib/ (where each file is published: docs/data.md)"
)


def _data_folder() -> Path | None:
    folder = os.environ.get("RANKWISE_DATA", "")
    return Path(folder) if folder and (Path(folder) / "lr").is_dir() else None


def pytest_collection_modifyitems(items):
    if _data_folder() is not None or os.environ.get("RANKWISE_REQUIRE_DATA"):
        return
    for item in items:
        if "data" in item.keywords or "data_folder" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=HOW_TO_GET_THE_DATA))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of benchmark files; a test that asks for it is skipped where there is none."""
    folder = _data_folder()
    if folder is None:
        pytest.fail(HOW_TO_GET_THE_DATA)
    return folder
