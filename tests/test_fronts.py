"""Packages import each other by their fronts."""

import ast
from pathlib import Path

import rankwise

ROOT = Path(rankwise.__file__).parent


def private_imports():
    """Yield (package, other package, file) of every import of a private module of another."""
    for path in sorted(ROOT.rglob("*.py")):
        package = path.relative_to(ROOT).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for parts in (name.split(".") for name in names):
                deep = len(parts) > 3 or (len(parts) > 2 and parts[2].startswith("_"))
                inside = deep and parts[0] == "rankwise"
                if inside and parts[1] != package:
                    yield package, parts[1], path.relative_to(ROOT)


def test_no_package_looks_into_another():
    assert list(private_imports()) == []
