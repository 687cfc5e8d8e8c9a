"""The lowest versions that pyproject.toml allows, as pip's constraints: every ``>=`` becomes ``==``.

``make minima`` installs them and runs a short selection of the suite, so that no bound is a guess.
"""

import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
NOT_INSTALLED = {"docs"}  # the pages are built with the newest versions alone


def declared(project: dict) -> list[str]:
    """Requirements of the package and of its extras, but for those that name the package itself."""
    extras = project["optional-dependencies"].items()
    asked = [
        *project["dependencies"],
        *(r for e, rs in extras if e not in NOT_INSTALLED for r in rs),
    ]
    return [requirement for requirement in asked if not requirement.startswith(project["name"])]


def constraints(pyproject: Path = PYPROJECT) -> list[str]:
    """One line for each requirement; one without a lower bound is an error."""
    requirements = declared(tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"])
    if without := [r for r in requirements if ">=" not in r]:
        raise SystemExit(f"pyproject.toml gives no lower bound (name>=version) for {without}")
    return [requirement.split(",")[0].replace(">=", "==") for requirement in requirements]


if __name__ == "__main__":
    sys.stdout.write("\n".join(constraints()) + "\n")
