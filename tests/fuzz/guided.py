"""Readers under atheris: bytes are mutated towards lines of rankwise that no input has reached yet.

    python tests/fuzz/guided.py --kinds csv xarff --minutes 10

atheris is no dependency of the tests; without it this says so and ends. Each reader starts from files made by the
rules of its format; a bare error, a minute by the clock or two gigabytes end its run, and the input is kept under `found/`.
"""

import argparse
import importlib.util
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[0] = str(HERE.parent)
KINDS = ("csv", "xarff", "toi", "runs", "sheet", "texts")
SEEDS = 300


class Named(io.BytesIO):
    def __init__(self, content, name):
        super().__init__(content)
        self.name = name


def seeds(kind, folder):
    """Write files to begin with, made by the rules of the format."""
    from fuzz import formats, tables

    rng = random.Random(f"guided:{kind}")
    for i in range(SEEDS):
        content = {
            "csv": lambda: tables.as_csv(tables.make_table(rng, rng.choice(tables.LAYOUTS[:-1])), rng),
            "xarff": lambda: formats.xarff(rng),
            "toi": lambda: formats.preflib(rng, "toi"),
            "runs": lambda: formats.scenario(rng)["algorithm_runs.arff"],
            "sheet": lambda: sheet(tables.as_workbook(tables.make_table(rng), rng)),
            "texts": lambda: "\n".join(formats.texts(rng)).encode("utf-8", "surrogatepass"),
        }[kind]()  # fmt: skip
        (folder / f"seed{i}").write_bytes(content)


def sheet(workbook):
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        return archive.read("xl/worksheets/sheet1.xml")


def target(kind, folder):
    """Return what is called with the bytes of each case: an answer, or the error of the reader."""
    from datasets.test_fuzz import check_dataset
    from fuzz import formats, tables
    from rankwise.datasets import DataFileError, read
    from rankwise.rankings import parse_rankings

    rng = random.Random(0)
    workbook = tables.as_workbook(tables.make_table(rng, "ranking"), rng)
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    scenario = formats.scenario(rng)
    if kind == "runs":
        for name, content in scenario.items():
            (folder / name).write_bytes(content)

    def act(data):
        if kind == "texts":
            try:
                parse_rankings(data.decode("utf-8", "replace").split("\n"))
            except UnicodeError:
                raise
            except ValueError:
                return
            return
        if kind == "runs":
            (folder / "algorithm_runs.arff").write_bytes(data)
            source = folder
        elif kind == "sheet":
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as archive:
                for name, content in parts.items():
                    archive.writestr(name, data if name.endswith("sheet1.xml") else content)
            source = Named(packed.getvalue(), "case.xlsx")
        else:
            source = Named(data, f"case.{kind}")
        try:
            check_dataset(read(source))
        except DataFileError:
            return

    return act


def child(kind, folder):
    import atheris

    with atheris.instrument_imports(
        include=["rankwise.datasets", "rankwise.rankings", "rankwise._cells"]
    ):
        act = target(kind, Path(folder))
    atheris.Setup([sys.argv[0], *sys.argv[4:]], act)
    atheris.Fuzz()


def run(kind, minutes):
    """Run one reader for so long, and return what libFuzzer counted."""
    with tempfile.TemporaryDirectory() as home:
        corpus, work = Path(home, "corpus"), Path(home, "work")
        corpus.mkdir()
        work.mkdir()
        seeds(kind, corpus)
        command = [sys.executable, str(HERE / "guided.py"), "--child", kind, str(work), str(corpus),
                   f"-max_total_time={minutes * 60:.0f}", "-timeout=60", "-rss_limit_mb=2048", "-max_len=20000", "-report_slow_units=60",
                   f"-artifact_prefix={home}/found-"]  # fmt: skip
        env = os.environ | {"PYTHONWARNINGS": "ignore"}
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=env)
        said = done.stderr
        covered = [int(found) for found in re.findall(r"cov: (\d+)", said)]
        cases = re.findall(
            r"Done (\d+) runs|stat::number_of_executed_units: (\d+)|^#(\d+)", said, re.MULTILINE
        )
        found = [
            path for path in sorted(Path(home).glob("found-*")) if "slow-unit" not in path.name
        ]
        for path in found:
            (HERE / "found").mkdir(exist_ok=True)
            (HERE / "found" / f"guided-{kind}-{path.name}").write_bytes(path.read_bytes())
        return {
            "kind": kind, "minutes": minutes, "cases": max((int(n) for row in cases for n in row if n), default=0),
            "edges at first": covered[0] if covered else 0, "edges": covered[-1] if covered else 0,
            "failures": len(found) + (done.returncode != 0 and not found), "last": said[-600:] if done.returncode else "",
        }  # fmt: skip


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(*sys.argv[2:4])
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--minutes", type=float, default=10.0, help="for each reader")
    parser.add_argument("--out", type=Path, help="a folder for the counts, as JSON")
    said = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print(
            "atheris is not installed; `pip install atheris`, for one Python that it has a wheel for"
        )
        return 3
    results = []
    for kind in said.kinds:
        results.append(run(kind, said.minutes))
        print({key: value for key, value in results[-1].items() if value != ""}, flush=True)
        if said.out is not None:
            from rankwise._replacing import write_whole

            said.out.mkdir(parents=True, exist_ok=True)
            write_whole(said.out / f"guided-{kind}.json", json.dumps(results[-1], indent=1) + "\n")
    return int(any(result["failures"] for result in results))


if __name__ == "__main__":
    sys.exit(main())
