"""A scenario read in the plainest way: line by line, by another reader of ARFF."""

import math
import statistics
from collections import defaultdict

import arff as liac
import yaml


def read_plainly(folder, penalty=10):
    """Values, features and folds of each instance by name, and what the description says."""
    described = yaml.safe_load((folder / "description.txt").read_text())
    measure, maximize = described["performance_measures"][0], described["maximize"][0]
    cutoff = described["algorithm_cutoff_time"] or None
    runs = defaultdict(list)
    for run in _records(folder / "algorithm_runs.arff"):
        is_ok = run["runstatus"] == "ok" and not (cutoff and run[measure] > cutoff)
        runs[run["instance_id"], run["algorithm"]].append((run[measure], is_ok))
    means, failed = {}, set()
    for cell, own in runs.items():
        good = [value for value, is_ok in own if is_ok]
        if 2 * len(good) > len(own):
            means[cell] = statistics.fmean(good)
        else:
            failed.add(cell)
    worst = min(means.values()) if maximize else max(means.values())
    values = means | dict.fromkeys(failed, penalty * cutoff if cutoff else worst)
    features = defaultdict(lambda: defaultdict(list))
    for row in _records(folder / "feature_values.arff"):
        name = row.pop("instance_id")
        row.pop("repetition")
        for feature, value in row.items():
            features[name][feature].append(math.nan if value is None else value)
    folds = {
        (row["instance_id"], row["repetition"]): row["fold"] for row in _records(folder / "cv.arff")
    }
    return {
        "values": values,
        "failed": failed,
        "features": features,
        "folds": folds,
        "cutoff": cutoff,
        "maximize": maximize,
    }


def _records(path):
    content = liac.loads(path.read_text())
    names = [name for name, _ in content["attributes"]]
    return [dict(zip(names, row, strict=True)) for row in content["data"]]
