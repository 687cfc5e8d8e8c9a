"""``rankwise theory``: how many rows the theorems ask for, and whether their conditions hold."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from rankwise.cli._console import make_console, note, print_json, print_table, say
from rankwise.cli._options import AsJson, Force, check_free
from rankwise.cli._source import Source, takes_source

SIZE_EXAMPLES = (
    "rankwise theory sample-size tree -d 100 -k 5 -r 3 --eps 0.1 --product",
    "rankwise theory sample-size tree -d 100 -k 5 -r 3 --rows 1000000 --product",
    "rankwise theory sample-size forest -d 9 -k 5 -r 3 --beta .1 --zeta .5 --eps .1",
    "rankwise theory sample-size pairwise -k 5 --vc 11 --a .5 --B 1 -t .5 --eps .1",
)
DIAGNOSE_EXAMPLES = (
    "rankwise theory diagnose drinks.csv --figure drinks.png",
    "rankwise theory diagnose iris --json",
)
EXAMPLES = (*SIZE_EXAMPLES[:2], *DIAGNOSE_EXAMPLES)

_SHAPE = (
    "Constants and logarithmic factors that the theorem hides are --constant (here {constant:g}): "
    "this is the shape of the bound, to compare situations by, and no promise."
)
# Longer numbers are told by their size.
_MOST_DIGITS = 10**15

Criterion = Annotated[str, typer.Option(help="level (Level-Splits) or breiman.")]
D = Annotated[int, typer.Option("--d", "-d", help="Features.")]
K = Annotated[int, typer.Option("--k", "-k", help="Labels.")]
R = Annotated[int, typer.Option("--r", "-r", help="Features that matter to one label.")]
Eps = Annotated[float | None, typer.Option("--eps", help="Error wanted, between 0 and 1.")]
Rows = Annotated[
    int | None, typer.Option("--rows", "-n", help="Rows at hand: tells the eps that they buy.")
]
Delta = Annotated[float, typer.Option(help="Chance of failure, between 0 and 1.")]
Constant = Annotated[float, typer.Option(help="Factor for all that the theorem hides.")]


def tree_command(
    d: D,
    k: K,
    r: R,
    criterion: Criterion = "level",
    C: Annotated[
        float, typer.Option("--C", help="Constant of submodularity or diminishing returns.")
    ] = 1.0,
    eps: Eps = None,
    rows: Rows = None,
    delta: Delta = 0.05,
    product: Annotated[
        bool, typer.Option("--product", help="Features are independent of each other.")
    ] = False,
    constant: Constant = 1.0,
    as_json: AsJson = False,
) -> None:
    """Rows that a tree per label needs for error eps, or the eps that --rows buy."""
    from rankwise.theory import tree_depth, tree_guarantee, tree_sample_size

    given: dict[str, Any] = {"criterion": criterion, "d": d, "k": k, "r": r, "C": C}
    given |= {"delta": delta, "product": product, "constant": constant}
    solved = _solve(given, eps, rows, tree_sample_size, tree_guarantee)
    # With n given, eps has no say in the depth.
    splits = tree_depth(**given, eps=0.5 if eps is None else eps, n=rows)
    _print("tree", solved, as_json, splits=splits)


def forest_command(
    d: D,
    k: K,
    r: R,
    beta: Annotated[float, typer.Option("--beta", help="Gap of strong sparsity.")],
    zeta: Annotated[float, typer.Option("--zeta", help="Density bound of the features.")],
    criterion: Criterion = "level",
    eps: Eps = None,
    rows: Rows = None,
    delta: Delta = 0.05,
    constant: Constant = 1.0,
    as_json: AsJson = False,
) -> None:
    """Rows that a fully grown honest forest needs for error eps, or the eps that --rows buy."""
    from rankwise.theory import forest_guarantee, forest_sample_size

    given: dict[str, Any] = {"criterion": criterion, "d": d, "k": k, "r": r, "beta": beta}
    given |= {"zeta": zeta, "delta": delta, "constant": constant}
    solved = _solve(
        given, eps, rows, lambda **known: forest_sample_size(**known).n, forest_guarantee
    )
    # The subsample does not depend on eps.
    subsample = forest_sample_size(**given, eps=0.5 if eps is None else eps).s
    _print("forest", solved, as_json, subsample=subsample)


def pairwise_command(
    k: K,
    vc: Annotated[int, typer.Option("--vc", help="VC dimension of the classifiers.")],
    a: Annotated[float, typer.Option("--a", help="Tsybakov noise: exponent, from 0 to 1.")],
    B: Annotated[float, typer.Option("--B", help="Tsybakov noise: factor.")],
    tolerance: Annotated[
        float, typer.Option("--tolerance", "-t", help="Chance that a pair is seen, at worst.")
    ],
    eps: Eps = None,
    rows: Rows = None,
    delta: Delta = 0.05,
    constant: Constant = 1.0,
    form: Annotated[str, typer.Option(help="theorem, lambert or approximation.")] = "theorem",
    as_json: AsJson = False,
) -> None:
    """Incomplete rankings that pairs need for error eps, or the eps that --rows buy."""
    from rankwise.theory import pairwise_guarantee, pairwise_sample_size

    given: dict[str, Any] = {"k": k, "vc": vc, "a": a, "B": B, "tolerance": tolerance}
    given |= {"delta": delta, "constant": constant, "form": form}
    solved = _solve(given, eps, rows, pairwise_sample_size, pairwise_guarantee)
    _print("pairwise", solved, as_json)


@takes_source
def diagnose_command(
    *,
    source: Source,
    clean: Annotated[
        str | None,
        typer.Option(help="The same rows without noise, if known: adds the level of the noise."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same report.", min=0)] = 0,
    figure: Annotated[
        Path | None, typer.Option(help="Picture of all estimates with their intervals.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Estimate every condition of the theorems from a file: holds, fails, or cannot tell.

    Exit code: 0 whatever is found, 2 if the file cannot be read or judged.
    """
    # Imported here, so that help needs no numpy.
    from rankwise.theory import diagnose

    _check_figure(figure, force)
    dataset = source.read()
    Y_clean = None
    if clean is not None:
        other = replace(source, file=clean).read()
        if other.label_names != dataset.label_names or len(other) != len(dataset):
            raise ValueError(
                f"{clean} does not have the same rows and labels; give the same, clean"
            )
        Y_clean = other.ranks
    if dataset.weights is not None:
        note("the file has weights; the conditions are about rows, and leave them aside")
    report = diagnose(*dataset, Y_clean=Y_clean, random_state=seed)
    if figure is not None:
        report.plot().savefig(figure, dpi=120)
    if as_json:
        shape = {"rows": len(dataset), "features": dataset.n_features, "labels": dataset.n_labels}
        print_json({"file": source.file, **shape, "conditions": report.to_dict()})
        return
    # Two columns, so that the sentences have room on a terminal of 80 characters.
    rows = [(c.name, f"{c.verdict}: {_estimate(c)}\n{c.text}") for c in report.values()]
    print_table(["condition", "verdict, estimate and 95% interval, and why"], rows)
    if figure is not None:
        say(f"Drew {figure}")


def _solve(
    given: dict[str, Any], eps: float | None, rows: int | None, size: Any, guarantee: Any
) -> tuple[dict[str, Any], Any, float]:
    """Return what was given, and the rows and the eps that belong together."""
    if (eps is None) == (rows is None):
        raise ValueError("give --eps (how many rows?) or --rows (which eps?), one of the two")
    if rows is None:
        given = {**given, "eps": eps}
        return given, size(**given), float(given["eps"])
    return given, rows, float(guarantee(rows, **given))


def _print(
    family: str,
    solved: tuple[dict[str, Any], Any, float],
    as_json: bool,
    *,
    splits: int | None = None,
    subsample: Any = None,
) -> None:
    from rankwise.theory import Guarantee, spearman_guarantee

    given, n, number = solved
    eps, k = Guarantee(number), given["k"]
    # The theorem on pairs bounds the chance of any wrong ranking, the others a distance.
    spearman = spearman_guarantee(number, k) if family != "pairwise" and eps.holds else None
    if as_json:
        found = {"eps": number if math.isfinite(number) else None, **_size("rows", n)}
        found |= {"guaranteed": eps.holds, "spearman": spearman, "splits": splits}
        found |= {} if subsample is None else _size("subsample", subsample)
        print_json({"family": family, **given, **found})
        return
    rows, error = ("needed", "wanted") if "eps" in given else ("at hand", "bought")
    lines = [(f"rows {rows}", _count(n)), (f"error eps {error}", str(eps))]
    if splits is not None:
        lines.append(("splits, log2 t", f"{splits:,}"))
    if subsample is not None:
        lines.append(("rows per tree", _count(subsample)))
    if spearman is not None:
        most = f"(at most {k * (k * k - 1) / 3:g} is possible)"
        lines.append(("mean Spearman distance", f"{spearman:.4g} {most}"))
    print_table([family, ""], lines)
    shape = _SHAPE.format(constant=given["constant"])
    make_console().print(shape, markup=False, style="dim")


def _size(name: str, n: Any) -> dict[str, Any]:
    if isinstance(n, int):
        return {name: n, f"{name}_log10": math.log10(n), f"{name}_text": _count(n)}
    log10 = n.log10 if math.isfinite(n.log10) else None
    return {name: None, f"{name}_log10": log10, f"{name}_text": str(n)}


def _count(n: Any) -> str:
    if not isinstance(n, int):
        return str(n)
    if n < _MOST_DIGITS:
        return f"{n:,}"
    exponent = len(str(n)) - 1
    return f"about {n // 10 ** (exponent - 3) / 1000:g} * 10^{exponent}"


def _check_figure(figure: Path | None, force: bool) -> None:
    """Find out before the long work whether the picture can be drawn and kept."""
    if figure is None:
        return
    from rankwise._extras import require

    check_free(figure, force)
    canvas = require("matplotlib.figure", "drawing the report").Figure().canvas
    kinds = canvas.get_supported_filetypes()
    if figure.suffix[1:].lower() not in kinds:
        raise ValueError(f"{figure}: end the name in .png, .pdf or .svg, to say what to draw")


def _estimate(condition: Any) -> str:
    estimate, low, high = (
        "unknown" if x != x else f"{x:.3g}"
        for x in (condition.estimate, condition.low, condition.high)
    )
    return f"{condition.symbol} = {estimate} ({low} to {high})"
