"""``rankwise theory``: how many rows the theorems ask for, and whether their conditions hold."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankwise.cli._console import make_console, note, print_json, print_table, say
from rankwise.cli._options import AsJson, Force, check_free
from rankwise.cli._source import Source, takes_source

if TYPE_CHECKING:
    from rankwise.datasets import Dataset

SIZE_EXAMPLES = (
    "rankwise theory sample-size tree -d 100 -k 5 -r 3 --eps 0.1 --product",
    "rankwise theory sample-size tree -d 100 -k 5 -r 3 --rows 1000000 --product",
    "rankwise theory sample-size forest -d 100 -k 5 -r 3 --beta 0.1 --zeta 0.5 --eps 0.1",
    "rankwise theory sample-size pairwise -k 5 --vc 11 --a 0.5 --B 1 --tolerance 0.5 --eps 0.1",
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
    _check_question(eps, rows)
    if rows is None:
        wanted = {**given, "eps": eps}
        answer = _Answer("tree", wanted, tree_sample_size(**wanted), eps)
    else:
        answer = _Answer("tree", given, rows, tree_guarantee(rows, **given))
    # With n given, eps has no say in the depth.
    answer.splits = tree_depth(**given, eps=0.5 if eps is None else eps, n=rows)
    answer.print(k, constant, as_json, asked=rows)


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
    _check_question(eps, rows)
    # The subsample does not depend on eps.
    size = forest_sample_size(**given, eps=0.5 if eps is None else eps)
    if rows is None:
        answer = _Answer("forest", {**given, "eps": eps}, size.n, eps)
    else:
        answer = _Answer("forest", given, rows, forest_guarantee(rows, **given))
    answer.subsample = size.s
    answer.print(k, constant, as_json, asked=rows)


def pairwise_command(
    k: K,
    vc: Annotated[int, typer.Option("--vc", help="VC dimension of the classifiers.")],
    a: Annotated[float, typer.Option("--a", help="Tsybakov noise: exponent, between 0 and 1.")],
    B: Annotated[float, typer.Option("--B", help="Tsybakov noise: factor.")],
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="Chance that a pair is seen, at worst.")
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
    _check_question(eps, rows)
    if rows is None:
        wanted = {**given, "eps": eps}
        answer = _Answer("pairwise", wanted, pairwise_sample_size(**wanted), eps)
    else:
        answer = _Answer("pairwise", given, rows, pairwise_guarantee(rows, **given))
    answer.print(k, constant, as_json, asked=rows)


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
        Y_clean = _clean_rankings(replace(source, file=clean).read(), dataset, clean)
    if dataset.weights is not None:
        note("the file has weights; the conditions are about rows, and leave them aside")
    report = diagnose(*_frames(dataset), Y_clean=Y_clean, random_state=seed)
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


class _Answer:
    """Rows and eps that belong together, with what follows from them."""

    def __init__(self, family: str, given: dict[str, Any], n: Any, eps: Any) -> None:
        self.family, self.given, self.n, self.eps = family, given, n, float(eps)
        self.splits: int | None = None
        self.subsample: Any = None

    def print(self, k: int, constant: float, as_json: bool, asked: int | None) -> None:
        from rankwise.theory import Guarantee, spearman_guarantee

        eps = Guarantee(self.eps)
        # The theorem on pairs bounds the chance of any wrong ranking, the others a distance.
        spearman = None
        if self.family != "pairwise" and eps.holds:
            spearman = spearman_guarantee(self.eps, k)
        if as_json:
            found = {"eps": self.eps if math.isfinite(self.eps) else None, **_size("rows", self.n)}
            found |= {"guaranteed": eps.holds, "spearman": spearman, "splits": self.splits}
            found |= {} if self.subsample is None else _size("subsample", self.subsample)
            print_json({"family": self.family, **self.given, **found})
            return
        lines = [("rows at hand" if asked else "rows needed", _count(self.n))]
        lines.append(("error eps bought" if asked else "error eps wanted", str(eps)))
        if self.splits is not None:
            lines.append(("splits, log t", f"{self.splits:,}"))
        if self.subsample is not None:
            lines.append(("rows per tree", _count(self.subsample)))
        if spearman is not None:
            most = k * (k * k - 1) / 3
            lines.append(
                ("mean Spearman distance", f"{spearman:.4g} (at most {most:g} is possible)")
            )
        print_table([self.family, ""], lines)
        make_console().print(_SHAPE.format(constant=constant), markup=False, style="dim")


def _check_question(eps: float | None, rows: int | None) -> None:
    if (eps is None) == (rows is None):
        raise ValueError("give --eps (how many rows?) or --rows (which eps?), one of the two")


def _size(name: str, n: Any) -> dict[str, Any]:
    if isinstance(n, int):
        return {name: n, f"{name}_log10": math.log10(n), f"{name}_text": _count(n)}
    return {name: None, f"{name}_log10": n.log10, f"{name}_text": str(n)}


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


def _clean_rankings(clean: Dataset, dataset: Dataset, name: str) -> Any:
    if clean.label_names != dataset.label_names or len(clean) != len(dataset):
        raise ValueError(f"{name} does not have the same rows and labels; give the same, clean")
    return clean.Y


def _frames(dataset: Dataset) -> tuple[Any, Any]:
    """Features and rankings with their names, for the report to speak of."""
    import pandas as pd

    return (
        pd.DataFrame(dataset.X, columns=list(dataset.feature_names)),
        pd.DataFrame(dataset.Y, columns=list(dataset.label_names)),
    )


def _estimate(condition: Any) -> str:
    estimate, low, high = (
        "unknown" if x != x else f"{x:.3g}"
        for x in (condition.estimate, condition.low, condition.high)
    )
    return f"{condition.symbol} = {estimate} ({low} to {high})"
