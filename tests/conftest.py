"""Fixtures shared by the whole suite."""

import contextlib
import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

# How many random examples a property is tried on, where its test does not say it: `make slow` takes
# the long profile.
settings.register_profile("short", max_examples=25, deadline=None)
settings.register_profile("long", max_examples=200, deadline=None)
settings.load_profile("short")

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


# No worker starts to test before all have told what they collected, which comes after this.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session):
    workers = getattr(session.config, "workerinput", None)
    if workers is not None and len(session.items) > 2000:  # the whole suite, or most of it
        with contextlib.suppress(Exception):  # tests will tell
            from warm_up import warm_up

            warm_up(int(workers["workerid"].removeprefix("gw")), workers["workercount"])
        gc.freeze()  # the half a million objects of the suite itself are no garbage


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of benchmark files; a test that asks for it is skipped where there is none."""
    folder = _data_folder()
    if folder is None:
        pytest.fail(HOW_TO_GET_THE_DATA)
    return folder
