"""The parent of the fuzzer: workers are started, watched and, beyond a limit, ended; results are counted.

python tests/fuzz/run.py --surface readers models --cases 2000 --seed 1
"""

import argparse
import collections
import importlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).parent
# not its own folder: the names in it are those of folders beside it
sys.path[0] = str(HERE.parent)

from fuzz import worker  # noqa: E402
from rankwise._replacing import write_whole  # noqa: E402

SURFACES = ("readers", "models", "arrays", "arguments", "properties")
FOUND = HERE / "found"


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--surface", nargs="+", choices=SURFACES, default=list(SURFACES))
    parser.add_argument("--cases", type=int, default=2000, help="cases of each surface")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seconds", type=float, default=10.0, help="what a case may take")
    parser.add_argument("--megabytes", type=int, default=1024, help="what a case may take")
    parser.add_argument(
        "--minutes", type=float, help="stop a surface after so long, with what was run"
    )
    parser.add_argument("--out", type=Path, help="a folder for the counts, as JSON")
    parser.add_argument("--again", help="one case, SURFACE:SEED:NUMBER, in this process")
    return parser.parse_args()


def main():
    said = options()
    if said.again:
        return again(*said.again.split(":"))
    failed = False
    for surface in said.surface:
        result = run_surface(surface, said)
        show(result)
        failed |= bool(result["failures"])
        if said.out is not None:
            said.out.mkdir(parents=True, exist_ok=True)
            text = json.dumps(result, indent=1, sort_keys=True) + "\n"
            write_whole(said.out / f"{surface}-{said.seed}.json", text)
    return int(failed)


def run_surface(name, said):
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    begun, at, stop = time.time(), said.start, said.start + said.cases
    failures, slow_start = [], False
    try:
        while at < stop:
            done = lines(folder / "log")
            command = [
                sys.executable,
                HERE / "worker.py",
                name,
                said.seed,
                at,
                stop,
                folder,
                said.megabytes,
            ]
            child = subprocess.Popen(
                list(map(str, command)), stdout=subprocess.DEVNULL, stderr=open(folder / "stderr", "ab"),
                env=os.environ | {"OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"},
            )  # fmt: skip
            why = watch(child, folder / "log", done, said, begun)
            n_done = lines(folder / "log") - done
            at += n_done
            if why == "time is up":
                break
            if child.returncode and at < stop:
                kind = {"type": why or "exit", "text": tail(folder / "stderr")}
                if child.returncode < 0 and not why:
                    kind["type"] = signal.Signals(-child.returncode).name
                failures.append({"number": at, "kind": "?", "where": "?", "frames": [], **kind})
                if not n_done and slow_start:
                    break  # it fails before the first case, twice
                slow_start = not n_done
                with open(folder / "log", "ab") as log:
                    log.write(b"f? 0\n")
                at += 1
        if (folder / "failures").exists():
            text = (folder / "failures").read_text()
            failures += [json.loads(line) for line in text.splitlines()]
        keep_found(folder, name, said.seed, failures)
        return summary(name, said, folder, failures, time.time() - begun)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def watch(child, log, done, said, begun):
    """Wait for a worker; end it where a case takes too long. The first case comes after much compiling.

    Time is that of the processor, for others may use the machine; twelve times as much by the clock, for a case
    may sleep.
    """
    seen, first, since = done, True, (time.monotonic(), 0.0)
    while child.poll() is None:
        time.sleep(0.1)
        now = lines(log)
        used = seconds_of(child.pid)
        if now != seen:
            seen, first, since = now, False, (time.monotonic(), used)
        patience = said.seconds * (60 if first else 1)
        waited = max(used - since[1], (time.monotonic() - since[0]) / 12)
        why = "hang" if waited > patience else ""
        if said.minutes and time.time() - begun > said.minutes * 60:
            why = "time is up"
        if why:
            child.kill()
            child.wait()
            return why
    return ""


def seconds_of(pid):
    """Return the seconds that a process has had of the processor."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def tail(path):
    return path.read_bytes()[-400:].decode("utf-8", "replace")


def keep_found(folder, name, seed, failures):
    for failure in failures:
        for path in folder.glob(f"found/{name}-{seed}-{failure['number']}*"):
            FOUND.mkdir(exist_ok=True)
            shutil.copy(path, FOUND / path.name)


def summary(name, said, folder, failures, seconds):
    by_kind = collections.defaultdict(collections.Counter)
    slowest = 0.0
    for line in (folder / "log").read_text().splitlines() if (folder / "log").exists() else []:
        kind, _, took = line[1:].rpartition(" ")
        by_kind[kind][{"a": "answers", "r": "refusals"}.get(line[0], "failures")] += 1
        slowest = max(slowest, float(took))
    return {
        "surface": name,
        "seed": said.seed,
        "first": said.start,
        "cases": sum(counts.total() for counts in by_kind.values()),
        "kinds": {kind: dict(counts) for kind, counts in sorted(by_kind.items())},
        "failures": failures,
        "slowest_seconds": round(slowest, 2),
        "limits": {"seconds": said.seconds, "megabytes": said.megabytes},
        "minutes": round(seconds / 60, 1),
        "python": platform.python_version(),
    }


def show(result):
    print(f"\n{result['surface']}, seed {result['seed']}: {result['cases']:,} cases in {result['minutes']} min, "
          f"the slowest took {result['slowest_seconds']} s")  # fmt: skip
    print(f"  {'kind':<28}{'answers':>10}{'refusals':>10}{'failures':>10}")
    for kind, counts in result["kinds"].items():
        shown = "".join(f"{counts.get(how, 0):>10,}" for how in ("answers", "refusals", "failures"))
        print(f"  {kind:<28}{shown}")
    groups = collections.defaultdict(list)
    for failure in result["failures"]:
        groups[failure["type"], failure["where"]].append(failure)
    for (kind, where), found in sorted(groups.items(), key=lambda item: -len(item[1])):
        first = found[0]
        print(f"  {len(found)} x {kind} in {where}: {first['text'][:160]}")
        print(
            f"      --again {result['surface']}:{result['seed']}:{first['number']}  ({first['kind']})"
        )
    if not result["failures"]:
        print("  no failure")


def again(name, seed, number):
    surface = importlib.import_module(f"fuzz.{name}")
    folder = Path(tempfile.mkdtemp())
    surface.prepare(folder)
    how, error, kind = worker.run_case(surface, int(seed), int(number), folder)
    print(kind, {b"a": "an answer", b"r": "a refusal", b"f": "a failure"}[how])
    if error is not None:
        traceback.print_exception(error)
        surface.keep(folder, f"{name}-{seed}-{number}")
        print(*(folder / "found").glob("*") if (folder / "found").exists() else ())
    return int(error is not None)


if __name__ == "__main__":
    sys.exit(main())
