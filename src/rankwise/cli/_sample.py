"""``rankwise sample``: draw made-up data from an oracle into a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._console import print_json, say
from rankwise.cli._options import (
    STANDARD,
    AsJson,
    Force,
    check_free,
    split_names,
    write_dataset,
)

if TYPE_CHECKING:
    from rankwise.oracles import Oracle

EXAMPLES = (
    "rankwise sample drinks.csv --labels tea,coffee,water -n 200 --noise mallows",
    "rankwise sample votes.xarff -d 20 -k 8 -r 4 --survival 0.6 --clean",
    "rankwise sample sfn.csv --family SFN --noise gaussian --level 0.1",
)

_N_FEATURES, _N_LABELS, _SPARSITY = 10, 5, 3


def sample_command(
    output: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The file to write, whose ending says the format, or - for standard output.",
        ),
    ],
    rows: Annotated[int, typer.Option("--rows", "-n", help="Number of rows.")] = 1000,
    family: Annotated[
        str | None,
        typer.Option(help="A family of the paper, SFN or LFN: 100 or 1000 features, 5 labels."),
    ] = None,
    features: Annotated[
        int | None, typer.Option("--features", "-d", help=f"Boolean features ({_N_FEATURES}).")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option("--labels", "-k", help=f"How many labels ({_N_LABELS}), or names: tea,water."),
    ] = None,
    sparsity: Annotated[
        int | None,
        typer.Option("--sparsity", "-r", help=f"Informative features per label ({_SPARSITY})."),
    ] = None,
    noise: Annotated[
        str, typer.Option(help="none, gaussian or uniform (on scores), mallows or plackett-luce.")
    ] = "none",
    level: Annotated[
        float | None,
        typer.Option(
            help="Of the noise: standard deviation (gaussian, 0.05), bound (uniform, 0.25), theta "
            "(mallows, 1; low is noisy), scale (plackett-luce, 0.05)."
        ),
    ] = None,
    survival: Annotated[
        float | None, typer.Option("--survival", "-q", help="Chance that a label is observed.")
    ] = None,
    top: Annotated[
        int | None, typer.Option(help="Keep the order of the first TOP labels; tie the rest.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same file.")] = 0,
    to: Annotated[
        str | None, typer.Option(help="Format, where the ending does not say it.")
    ] = None,
    clean: Annotated[
        bool,
        typer.Option("--clean", help="Also write NAME.clean.*: the same rows without any noise."),
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Draw features and rankings from an oracle of the paper into a file."""
    # Imported here, so that help needs no numpy.
    from rankwise._naming import shape_text
    from rankwise.datasets import Dataset
    from rankwise.oracles import Survival, TopK, family_oracle

    if seed < 0:
        raise ValueError(f"--seed {seed}: give 0 or more")
    names = _label_names(labels)
    drawn: dict[str, Any] = {"noise": _noise(noise, level), "random_state": seed}
    drawn["mechanism"] = [] if survival is None else [Survival(survival)]
    drawn["mechanism"] += [] if top is None else [TopK(top)]
    if family is None:
        oracle = _sparse_oracle(features, names, sparsity, **drawn)
    elif features is not None or sparsity is not None:
        raise ValueError(
            "--family sets the numbers of features; leave --features and --sparsity out"
        )
    elif names is not None and len(names) != 5:
        raise ValueError(f"--family has 5 labels, and --labels names {len(names)}")
    else:
        oracle = family_oracle(family, **drawn)
    beside = output.parent / f"{output.stem}.clean{output.suffix}"
    prints = str(output) == STANDARD
    if prints and (clean or as_json):
        raise ValueError("- prints one table; name a file for --clean or --json")
    for path in () if prints else (output, beside) if clean else (output,):
        check_free(path, force)
    X, Y, Y_clean = oracle.sample(rows, random_state=seed + 1, return_clean=True)
    tables = {output: Y} | ({beside: Y_clean} if clean else {})
    for path, ranks in tables.items():
        dataset = Dataset(X, ranks, label_names=names or ())
        write_dataset(dataset, path, format=to, force=force)
    if as_json:
        shape = {"rows": rows, "features": X.shape[1], "labels": Y.shape[1]}
        print_json({"files": [str(path) for path in tables], **shape, "oracle": repr(oracle)})
    elif not prints:
        for path in tables:
            say(f"Wrote {path}: {shape_text(rows, X.shape[1], Y.shape[1])}")


def _label_names(labels: str | None) -> tuple[str, ...] | None:
    """Read ``--labels``: a number gives L1, L2, ...; anything else is a list of names."""
    if labels is None:
        return None
    if labels.strip().lstrip("+-").isdecimal():
        n_labels = int(labels)
        if n_labels < 2:
            raise ValueError(f"--labels {n_labels}: a ranking needs at least two")
        return tuple(f"L{j + 1}" for j in range(n_labels))
    names = split_names(labels) or []
    if len(names) < 2:
        raise ValueError(f"--labels {labels}: give a number, or two names or more: tea,water")
    return tuple(names)


def _sparse_oracle(
    features: int | None,
    names: tuple[str, ...] | None,
    sparsity: int | None,
    random_state: int,
    **drawn: Any,
) -> Oracle:
    from rankwise.oracles import Oracle, SparseLinear

    n_features = _N_FEATURES if features is None else features
    n_labels = _N_LABELS if names is None else len(names)
    n_informative = min(_SPARSITY, n_features) if sparsity is None else sparsity
    scores = SparseLinear(n_features, n_labels, n_informative, random_state=random_state)
    return Oracle(scores, **drawn)


def _noise(kind: str, level: float | None) -> Any:
    from rankwise.oracles import Mallows, PlackettLuce, TruncatedGaussian, UniformNoise

    kinds: dict[str, tuple[Any, float]] = {
        "gaussian": (TruncatedGaussian, 0.05),
        "uniform": (UniformNoise, 0.25),
        "mallows": (Mallows, 1.0),
        "plackett-luce": (PlackettLuce, 0.05),
    }
    if kind == "none":
        if level is not None:
            raise ValueError("--level is about noise; say which with --noise")
        return None
    if kind not in kinds:
        raise ValueError(f"--noise {kind}: give none, {', '.join(kinds)}")
    make, usual = kinds[kind]
    return make(usual if level is None else level)
