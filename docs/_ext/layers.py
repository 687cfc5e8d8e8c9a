"""The picture of the data flow, drawn from the layers that import-linter checks.

`write` reads ``[tool.importlinter]`` of pyproject.toml and the first sentence of each package's
docstring, so that the picture and the table on the architecture page follow the code.
"""

from __future__ import annotations

import ast
import tomllib
from functools import lru_cache
from html import escape
from itertools import pairwise
from pathlib import Path

WIDTH, ROW, GAP, MARGIN = 860, 50, 10, 128
# Boxes in a row.
MOST = 3

# Which layers belong together; each band is named by the first of its packages from the top.
BANDS = {
    "cli": "what people run",
    "learners": "what is kept and compared",
    "baselines": "what learns",
    "audits": "what data is, and where it comes from",
    "ranker": "what everything stands on",
}


def read_layers(pyproject: Path) -> list[list[str]]:
    """Return the layers from the top, each a list of packages.

    Brackets, which make a package optional for import-linter, are left out.
    """
    contracts = tomllib.loads(pyproject.read_text())["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["type"] == "layers")
    return [
        [name.strip(" ()").removeprefix("rankwise.") for name in layer.split("|")]
        for layer in layers
    ]


def purpose(source: Path, package: str) -> str:
    """Return the first sentence of the package's docstring."""
    path = source / package / "__init__.py"
    if not path.exists():
        path = source / f"{package}.py"
    doc = ast.get_docstring(ast.parse(path.read_text())) or ""
    first = " ".join(doc.split("\n\n")[0].split()).replace("``", "`")
    return first.replace(":func:", "")


@lru_cache
def imports(source: Path, package: str) -> frozenset[str]:
    """Return the packages that this package imports, anywhere in its files."""
    folder = source / package
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [source / f"{package}.py"]
    found = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                names = [node.module]
                if node.module == "rankwise":
                    names = [f"rankwise.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            found |= {n.split(".")[1] for n in names if n.startswith("rankwise.")}
    return frozenset(found - {package})


def write(root: Path, target: Path) -> None:
    """Write the picture (`layers.html`) and the table (`packages.md`) for the architecture page."""
    layers, source = read_layers(root / "pyproject.toml"), root / "src" / "rankwise"
    target.mkdir(exist_ok=True)
    _write(target / "layers.html", picture(layers, source))
    _write(target / "packages.md", table(layers, source))


def picture(layers: list[list[str]], source: Path) -> str:
    """Return the layers as one SVG, top to bottom, in the page's own colours."""
    # A layer of many takes several rows: in narrower boxes names would run into each other.
    layers = [layer[i : i + MOST] for layer in layers for i in range(0, len(layer), MOST)]
    height = len(layers) * (ROW + GAP) + 2 * GAP
    parts = [
        f'<div class="rw-broad"><svg class="rw-layers" role="img" viewBox="0 0 {WIDTH} {height}" '
        'xmlns="http://www.w3.org/2000/svg">',
        "<title>Packages of rankwise: a package imports only from layers below it</title>",
    ]
    starts = {}
    for number, layer in enumerate(layers):
        y = GAP + number * (ROW + GAP)
        for package in layer:
            if package in BANDS:
                starts[number] = BANDS[package]
        parts += _layer(layer, y, source)
    bounds = [*sorted(starts), len(layers)]
    for first, after in pairwise(bounds):
        parts += _band(starts[first], first, after)
    return "\n".join([*parts, "</svg></div>"])


def _layer(layer: list[str], y: int, source: Path) -> list[str]:
    width = (WIDTH - MARGIN - GAP * (len(layer) - 1)) / len(layer)
    parts = []
    for column, package in enumerate(layer):
        x = MARGIN + column * (width + GAP)
        # a picture has no code in its texts
        text = _shortened(purpose(source, package).replace("`", ""), int((width - 20) / 7))
        kind = "rw-private" if package.startswith("_") else "rw-package"
        parts.append(
            f'<g class="{kind}"><rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{ROW}" rx="5"/>'
            f'<text class="rw-name" x="{x + 12:.0f}" y="{y + 20}">{escape(package)}</text>'
            f'<text class="rw-says" x="{x + 12:.0f}" y="{y + 39}">{escape(text)}</text></g>'
        )
    return parts


def _band(name: str, first: int, after: int) -> list[str]:
    top, bottom = GAP + first * (ROW + GAP), after * (ROW + GAP)
    words, lines = name.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 14:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    middle = (top + bottom) / 2 - 8 * (len(lines) - 1)
    texts = [
        f'<text class="rw-band" x="{MARGIN - 22}" y="{middle + 4 + 16 * i:.0f}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    line = f'<path class="rw-brace" d="M{MARGIN - 10} {top} V{bottom}"/>'
    return [line, *texts]


def _shortened(text: str, length: int) -> str:
    text = (
        text.split(": ")[0].rstrip(".") if len(text) > length and ": " in text else text.rstrip(".")
    )
    if len(text) <= length:
        return text
    return text[: length - 1].rsplit(" ", 1)[0].rstrip(",") + " …"


def table(layers: list[list[str]], source: Path) -> str:
    """Return what each package is for and what it imports, as a table in Markdown."""
    lines = ["| package | purpose | imports from |", "|---|---|---|"]
    for layer in layers:
        for package in layer:
            used = ", ".join(f"`{name}`" for name in sorted(imports(source, package))) or "none"
            lines.append(f"| `{package}` | {purpose(source, package)} | {used} |")
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    """Leave an equal file alone, so that Sphinx does not build again what is the same."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
