"""A child that runs cases of one surface: one byte per case says how it went, failures are told as JSON."""

import importlib
import json
import linecache
import os
import random
import resource
import sys
import time
import traceback
import warnings
from pathlib import Path

ANSWER, REFUSAL, FAILURE = b"a", b"r", b"f"
HERE = Path(__file__).resolve().parent


class CaseError(AssertionError):
    """An answer without a property that it must have."""


def run_case(surface, seed, number, folder):
    """Run a case, and return how it went, what failed, and which kind of case it was."""
    rng = random.Random(f"{surface.NAME}:{seed}:{number}")
    kind, act = surface.case(rng, number, folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            act()
    except BaseException as error:
        if surface.is_named(error):
            return REFUSAL, None, kind
        if isinstance(error, KeyboardInterrupt):
            raise
        return FAILURE, error, kind
    return ANSWER, None, kind


def is_ours(error):
    """Whether rankwise raised an error itself, and did not run into one: its line says so."""
    frames = traceback.extract_tb(error.__traceback__)
    where = frames[-1].filename if frames else ""
    ours = "/src/rankwise/" in where or "/site-packages/rankwise/" in where
    return ours and linecache.getline(where, frames[-1].lineno).lstrip().startswith("raise ")


def raised_in(error):
    """Return the file of the innermost frame of an error."""
    frames = traceback.extract_tb(error.__traceback__)
    return frames[-1].filename if frames else ""


def describe(error):
    """Return type, text and the last frames of an error."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "/rankwise/" in frame.filename
    ]
    where = f"{own[-1].filename.rpartition('/rankwise/')[2]}:{own[-1].name}" if own else "?"
    return {
        "type": type(error).__name__,
        "text": ascii(str(error))[:300],
        "where": where,
        "frames": [f"{_place(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _place(filename):
    """Return a file without the folders of this machine: counts are published."""
    *_, own = filename.rpartition("/site-packages/")
    return own.removeprefix(f"{HERE.parents[1]}/")


def limit_memory(n_bytes):
    """Allow so much more than is in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + n_bytes
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main():
    name, seed, start, stop, folder, megabytes = sys.argv[1:]
    folder = Path(folder)
    surface = importlib.import_module(f"fuzz.{name}")
    surface.prepare(folder)
    limit_memory(int(megabytes) << 20)
    log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    failures = open(folder / "failures", "a", encoding="utf-8")
    for number in range(int(start), int(stop)):
        begun = time.process_time()
        how, error, kind = run_case(surface, int(seed), number, folder)
        if error is not None:
            told = {"number": number, "kind": kind, **describe(error)}
            failures.write(json.dumps(told) + "\n")
            failures.flush()
            surface.keep(folder, f"{name}-{seed}-{number}")
        # the kind of each case, and the seconds of the processor that it took, for the tables
        line = how + f"{kind} {time.process_time() - begun:.3f}\n".encode()
        os.write(log, line)


if __name__ == "__main__":
    sys.path[0] = str(HERE.parent)
    main()
