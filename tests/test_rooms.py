"""Rooms import each other by their fronts, except where the list below says why not yet."""

import ast
from pathlib import Path

import rankwise

ROOT = Path(rankwise.__file__).parent
# (who, into whom): learners share the engine of trees and the parts of pairs, and whoever saves or
# draws them must know how they are made. The list may become shorter, not longer.
INSIDE = {
    ("cli", "experiments"),
    ("report", "experiments"),
}


def private_imports():
    """Yield (room, other room, file) of every import of a private module of another room."""
    for path in sorted(ROOT.rglob("*.py")):
        room = path.relative_to(ROOT).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for parts in (name.split(".") for name in names):
                deep = len(parts) > 3 or (len(parts) > 2 and parts[2].startswith("_"))
                inside = deep and parts[0] == "rankwise"
                if inside and parts[1] != room:
                    yield room, parts[1], path.relative_to(ROOT)


def test_no_room_looks_into_another_beyond_the_list():
    found = {(who, whom): file for who, whom, file in private_imports()}
    assert {pair: file for pair, file in found.items() if pair not in INSIDE} == {}
    assert set(found) == INSIDE, "an entry of the list is no longer needed: take it out"
