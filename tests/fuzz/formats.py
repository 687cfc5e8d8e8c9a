"""Files of the formats that are no tables: XARFF, PrefLib, ASlib folders, texts of rankings; made by their rules."""

from fuzz.mutate import ODD_NUMBERS, ODD_TEXTS
from fuzz.tables import LABELS, Made, as_arff, make_table, ranking_text, ranking_texts

PLAIN = ["tea", "coffee", "water", "milk", "L1", "a b", "é"]


def xarff(rng):
    """Make features and rankings, in a part of the cases of several chains."""
    made = make_table(rng, "new")
    labels = rng.sample(PLAIN, rng.choice([2, 3, 4]))
    order = rng.sample(labels, len(labels))
    texts = []
    for _ in made.rows:
        text = ranking_text(rng, labels, rng.choice([">", ">~", " > "])).replace('"', "'")
        if rng.random() < 0.15:
            # chains of one order never contradict each other
            pairs = [
                sorted(rng.sample(order, 2), key=order.index) for _ in range(rng.choice([2, 3, 30]))
            ]
            text = "|".join(f"{a}>{b}" for a, b in pairs)
        texts.append(rng.choice(ODD_TEXTS) if rng.random() < 0.02 else text)
    return as_arff(made, rng, labels, texts)


def preflib(rng, kind):
    """Make a PrefLib file of a kind."""
    names = [*PLAIN, *LABELS] if rng.random() < 0.3 else PLAIN
    labels = list(dict.fromkeys(rng.choices(names, k=rng.choice([2, 3, 5, 9]))))
    k = len(labels)
    first = rng.choice([1, 1, 1, 0, 7])
    lines = [f"# {rng.choice(['TITLE', 'FILE NAME'])}: t"]
    lines += (
        [f"# NUMBER ALTERNATIVES: {rng.choice(ODD_NUMBERS) if rng.random() < 0.03 else k}"]
        if rng.random() < 0.9
        else []
    )
    lines += [f"# ALTERNATIVE NAME {first + j}: {label}" for j, label in enumerate(labels)]
    for _ in range(rng.choice([1, 2, 5, 20])):
        order = rng.sample(range(first, first + k), k)
        if kind[2] == "i" and rng.random() < 0.5:
            order = order[: rng.randrange(1, k + 1)]
        groups = [str(number) for number in order]
        if kind[0] == "t" and len(order) > 1 and rng.random() < 0.5:
            at = rng.randrange(len(order) - 1)
            groups[at : at + 2] = ["{" + ",".join(groups[at : at + 2]) + "}"]
        lines.append(
            f"{rng.choice(ODD_NUMBERS) if rng.random() < 0.02 else rng.choice([1, 2, 40])}: {','.join(groups)}"
        )
    return rng.choice(["\n", "\r\n"]).join([*lines, ""]).encode()


def scenario(rng):
    """Make the files of an ASlib folder."""
    algorithms = rng.sample(PLAIN, rng.choice([2, 3]))
    instances = [f"i{i}" for i in range(rng.choice([1, 2, 5]))]
    maximize = rng.random() < 0.3
    cutoff = rng.choice(ODD_NUMBERS) if rng.random() < 0.1 else rng.choice([10, 1, "'?'"])
    description = (
        f"scenario_id: s\nperformance_measures: {rng.choice(['[runtime]', 'runtime', '- runtime'])}\n"
        f"maximize: [{str(maximize).lower()}]\nperformance_type: [{rng.choice(['runtime', 'solution_quality'])}]\n"
        f"algorithm_cutoff_time: {cutoff}\n"
    ).replace(": - ", ":\n- ")
    repetitions = range(1, rng.choice([2, 2, 3]))

    def table(header, rows):
        return as_arff(Made(header, rows, {}, "new"), rng)

    numbers = [1, 2, 3.5, 100, None]
    runs = [[i, r, a, rng.choice(numbers), rng.choice(["ok", "ok", "ok", "timeout", "crash"])]
            for i in instances for r in repetitions for a in algorithms if rng.random() < 0.95]  # fmt: skip
    header = ["instance_id", "repetition", "algorithm", "runtime", "runstatus"]
    new = make_table(rng, "new", n_rows=len(instances))
    files = {
        "description.txt": description.encode(),
        "algorithm_runs.arff": table(header, runs),
        "feature_values.arff": table(["instance_id", "repetition", *map(str, new.header)],
                                     [[i, 1, *row] for i, row in zip(instances, new.rows, strict=False)]),
        "cv.arff": table(["instance_id", "repetition", "fold"],
                         [[i, r, rng.choice([1, 2])] for i in instances for r in repetitions]),
    }  # fmt: skip
    if rng.random() < 0.2:
        del files["cv.arff"]
    return files


def texts(rng):
    """Make texts of rankings of the same labels."""
    labels = rng.sample(LABELS, rng.choice([2, 3, 5]))
    found = ranking_texts(rng, labels, rng.choice([1, 2, 5]))
    if rng.random() < 0.4:
        at = rng.randrange(len(found))
        text, place = found[at], rng.randrange(len(found[at]) + 1)
        found[at] = (
            text[:place]
            + rng.choice([">", "~", "<", "->", "'", '"', ",", *ODD_TEXTS])
            + text[place:]
        )
    return found
