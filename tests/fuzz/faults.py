"""Faults on purpose: programs killed at many moments, full disks, folders that may not be written, two writers.

    python tests/fuzz/faults.py --moments 50

After each fault the output is the old one, whole, or the new one, whole; what is resumed ends as if undisturbed.
"""

import argparse
import itertools
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[0] = str(HERE.parent)
RANKWISE = str(Path(sys.executable).parent / "rankwise")
TABLE = "hour,place,ranking\n" + "".join(
    f"{8 + i % 12},{'home' if i % 3 else 'work'},{'tea>coffee>water' if i % 12 > 5 else 'coffee~water>tea'}\n"
    for i in range(60)
)
NEW = "hour,place\n" + "".join(f"{7 + i % 14},home\n" for i in range(4000))
FIT = ["fit", "data.csv", "--learner", "Tree", "--folds", "2", "--force", "-o", "m.rankwise"]
COMMANDS = {
    # what to run, what it writes, and which lines differ from run to run
    "fit": (FIT, ["m.rankwise"], ""),
    "predict": (["predict", "good.rankwise", "new.csv", "--force", "-o", "out.csv"], ["out.csv"], ""),
    "report": (["report", "data.csv", "--learner", "Tree", "--force", "-o", "report.html"], ["report.html"],
               r"[0-9.,]+ (?:s|min|ms)\b|20\d\d-\d\d-\d\d[^<]*"),
    "compare": (["compare", "-d", "data.csv", "-m", "Tree,Consensus,PLRTree", "--folds", "3", "--out", "cmp"],
                ["cmp/tau.csv"], ""),
    "reproduce": (["reproduce", "learning-curve", "--quick", "--jobs", "1", "--out", "rep"],
                  ["rep/learning-curve.csv"], ""),
}  # fmt: skip


def make_folder():
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    (folder / "data.csv").write_text(TABLE)
    (folder / "new.csv").write_text(NEW)
    return folder


def start(command, folder, **options):
    env = os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "100"}
    return subprocess.Popen(
        [RANKWISE, *command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True, **options,
    )  # fmt: skip


def run(command, folder, **options):
    child = start(command, folder, **options)
    said, _ = child.communicate(timeout=600)
    return child.returncode, said


def kill(child):
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()


def content(path, varies):
    """Return what a file says, without what differs from run to run: seconds."""
    if not path.exists():
        return None
    text = path.read_bytes().decode("utf-8", "replace")
    if path.suffix == ".csv":
        rows = [line.split(",") for line in text.splitlines()]
        kept = [j for j, name in enumerate(rows[0]) if "seconds" not in name]
        return "\n".join(",".join(row[j] for j in kept if j < len(row)) for row in rows)
    return re.sub(varies, "", text) if varies else text


def kills(name, moments):
    """Kill a command at so many moments of its life; count what is left, and whether it goes on well."""
    command, outputs, varies = COMMANDS[name]
    folder = make_folder()
    run([*FIT[:-1], "good.rankwise"], folder)
    run(command, folder)  # compiles what is to be compiled
    for output in outputs:
        remove(folder / output)
    begun = time.monotonic()
    code, said = run(command, folder)
    seconds = time.monotonic() - begun
    if code:
        raise AssertionError(f"{name}: {said}")
    whole = {output: content(folder / output, varies) for output in outputs}
    counts = {"old": 0, "new": 0, "none": 0, "broken": 0, "left behind": 0, "not resumed": 0}
    differed = []
    for moment in range(moments):
        is_old = moment % 2 == 0  # half of the time there is an old output
        for output in outputs:
            if not is_old:
                remove(folder / output)
            elif not (folder / output).exists():
                run(command, folder)
        child = start(command, folder)
        time.sleep(seconds * 1.1 * (moment + 0.5) / moments)
        kill(child)
        counts[state(folder, outputs, whole, varies, is_old, name)] += 1
        if name in ("compare", "reproduce"):
            code, said = run(command, folder)
            now = {output: content(folder / output, varies) for output in outputs}
            if code or now != whole:
                counts["not resumed"] += 1
                differed.append(difference(moment, code, said, whole, now))
    counts["left behind"] = len(list(folder.rglob("*.part")))
    code, said = run(command, folder)
    counts["broken"] += bool(code)
    shutil.rmtree(folder)
    return counts | ({"differed": differed} if differed else {})


def difference(moment, code, said, whole, now):
    """Tell in what a run that went on differs from the undisturbed one: its exit code, or lines of its files."""
    lines = []
    for output, expected in whole.items():
        found = now[output]
        if found is None:
            lines.append(f"{output} is not there")
        elif found != expected:
            pairs = itertools.zip_longest(expected.splitlines(), found.splitlines(), fillvalue="")
            lines += [f"{output}: {a!r} became {b!r}" for a, b in pairs if a != b][:5]
    told = {"moment": moment, "exit code": code, "lines": lines}
    return told | ({"said": said[-1000:]} if code else {})


def state(folder, outputs, whole, varies, is_old, name):
    if name in ("compare", "reproduce"):
        return "old" if is_old else "none"  # judged by going on
    for output in outputs:
        path = folder / output
        if not path.exists():
            return "broken" if is_old else "none"
        if content(path, varies) != whole[output]:
            return "broken"
    return "old" if is_old else "new"


def remove(path):
    """Remove an output; of a folder of results, all of it, so that everything is computed anew."""
    if path.parent.name in ("cmp", "rep"):
        shutil.rmtree(path.parent, ignore_errors=True)
    path.unlink(missing_ok=True)


def full_disk():
    """A file may not grow beyond some kilobytes: the old one stays, the error names it."""
    folder = make_folder()
    run([*FIT[:-1], "good.rankwise"], folder)
    results = {}
    for name in ("predict", "fit", "report"):
        command, (output,), _ = COMMANDS[name]
        (folder / output).write_text("old")
        limit = 1000
        code, said = run(command, folder, preexec_fn=lambda limit=limit: resource.setrlimit(
            resource.RLIMIT_FSIZE, (limit, limit)))  # fmt: skip
        kept = (folder / output).read_text() == "old" and not list(folder.glob(".*.part"))
        plain = code == 2 and "Traceback" not in said and output.partition(".")[0] in said
        results[name] = "old kept, named" if kept and plain else f"BROKEN: {code} {said[-300:]}"
    with open("/dev/full", "w") as full:
        child = subprocess.run([RANKWISE, "predict", "good.rankwise", "new.csv"], cwd=folder, stdout=full,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    plain = child.returncode == 2 and "Traceback" not in child.stderr and "No space" in child.stderr
    results["stdout"] = "named" if plain else f"BROKEN: {child.returncode} {child.stderr[-300:]}"
    shutil.rmtree(folder)
    return results


def ordinary_user():
    """A user without a home, of an installation that may not be written: all works, and this is said once."""
    if os.geteuid() or not shutil.which("setpriv"):
        return {"skipped": "needs to be root, and setpriv"}
    folder = make_folder()
    folder.chmod(0o777)
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))} | {
        "HOME": "/nonexistent"
    }

    def call(*command):
        return subprocess.run(
            [*user, RANKWISE, *command], cwd=folder, env=env, capture_output=True, text=True
        )

    results = {}
    child = call(*FIT)
    told = child.stderr.count("cannot keep its compiled code on disk")
    fine = child.returncode == 0 and told == 1 and (folder / "m.rankwise").exists()
    results["no home"] = (
        "works, said once" if fine else f"BROKEN: {child.returncode} {told} {child.stderr[-400:]}"
    )
    locked = folder / "locked"
    locked.mkdir()
    (locked / "m.rankwise").write_text("old")
    locked.chmod(0o555)
    child = call(*FIT[:-1], "locked/m.rankwise")
    plain = child.returncode == 2 and "Traceback" not in child.stderr and "locked" in child.stderr
    kept = (locked / "m.rankwise").read_text() == "old"
    results["read-only folder"] = (
        "old kept, named" if kept and plain else f"BROKEN: {child.stderr[-400:]}"
    )
    (folder / "data.csv").chmod(0o000)
    child = call("audit", "data.csv")
    plain = child.returncode == 2 and "may not be read by you" in child.stderr
    results["unreadable input"] = "named" if plain else f"BROKEN: {child.stderr[-400:]}"
    shutil.rmtree(folder)
    return results


def two_writers():
    """Two at once write the same file, and two at once fill the same folder of results."""
    folder = make_folder()
    run(FIT, folder)
    whole = (folder / "m.rankwise").read_bytes()
    children = [start(FIT, folder) for _ in range(2)]
    codes = [child.communicate()[0] and child.returncode for child in children]
    same = (folder / "m.rankwise").read_bytes() == whole
    results = {"fit": "whole" if same and not any(codes) else f"BROKEN: {codes}"}
    command, (output,), varies = COMMANDS["compare"]
    run(command, folder)
    expected = content(folder / output, varies)
    shutil.rmtree(folder / "cmp")
    children = [start(command, folder) for _ in range(2)]
    said = [child.communicate()[0] for child in children]
    codes = [child.returncode for child in children]
    same = content(folder / output, varies) == expected
    results["compare"] = "equal" if same and not any(codes) else f"BROKEN: {codes} {said[0][-200:]}"
    shutil.rmtree(folder)
    return results


def vanished_input(moments=5):
    """The table is removed while the program starts and reads: an answer, or an error that names it."""
    folder = make_folder()
    run([*FIT[:-1], "good.rankwise"], folder)
    command = COMMANDS["predict"][0]
    begun = time.monotonic()
    run(command, folder)
    seconds, results = time.monotonic() - begun, {"answers": 0, "named": 0, "BROKEN": 0}
    for moment in range(moments):
        (folder / "new.csv").write_text(NEW)
        child = start(command, folder)
        time.sleep(seconds * moment / moments)
        (folder / "new.csv").unlink()
        said, _ = child.communicate()
        named = child.returncode == 2 and "new.csv" in said and "Traceback" not in said
        results["answers" if child.returncode == 0 else "named" if named else "BROKEN"] += 1
    shutil.rmtree(folder)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--commands", nargs="*", default=list(COMMANDS), choices=list(COMMANDS))
    parser.add_argument("--out", type=Path, help="a folder for the counts, as JSON")
    said = parser.parse_args()
    found = {"moments": said.moments}
    for name, check in (
        ("full disk", full_disk), ("ordinary user", ordinary_user), ("two writers", two_writers),
        ("vanished input", vanished_input),
    ):  # fmt: skip
        found[name] = check()
        print(f"{name}: {found[name]}", flush=True)
    for name in said.commands:
        found[f"kill -9, {name}"] = kills(name, said.moments)
        print(
            f"kill -9 at {said.moments} moments of {name}: {found[f'kill -9, {name}']}", flush=True
        )
    if said.out:
        from rankwise._replacing import write_whole

        said.out.mkdir(parents=True, exist_ok=True)
        kept = said.out / "faults.json"
        before = json.loads(kept.read_text()) if kept.exists() else {}
        if before.get("moments") == said.moments:  # commands that were left out keep their counts
            found = before | found
        write_whole(kept, json.dumps(found, indent=1) + "\n")
    broken = any(key in json.dumps(found) for key in ("BROKEN:", '"BROKEN": 1'))
    killed = [counts for name, counts in found.items() if name.startswith("kill -9")]
    return int(broken or any(counts["broken"] or counts["not resumed"] for counts in killed))


if __name__ == "__main__":
    sys.exit(main())
