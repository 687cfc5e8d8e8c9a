"""Ask pip-audit whether a package that rankwise needs has a known weakness.

    python tests/dependency_audit.py

Exit code: 0 if nothing is known, 1 if something is, 3 if pip-audit or its data cannot be reached, which is
said plainly: then the lowest versions of pyproject.toml, which `make minima` tries, are all that stands.
"""

import importlib.util
import json
import subprocess
import sys
from typing import Any

UNKNOWN = 3


def main() -> int:
    if importlib.util.find_spec("pip_audit") is None:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "pip-audit"]
        if subprocess.run(install, capture_output=True).returncode:
            return not_asked("pip-audit is not installed and cannot be fetched")
    command = [sys.executable, "-m", "pip_audit", "--local", "--skip-editable", "--format", "json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return not_asked("pip-audit got no answer within five minutes")
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return not_asked(
            done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no answer"
        )
    return judge([package for package in found if package.get("name") != "rankwise"])


def judge(packages: list[dict[str, Any]]) -> int:
    """Print what was found; a package that nobody looked up is not a package without weakness."""
    weak = [package for package in packages if package.get("vulns")]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    for package in weak:
        names = ", ".join(weakness["id"] for weakness in package["vulns"])
        print(f"{package['name']} {package['version']}: {names}")
    if skipped and len(skipped) == len(packages):
        return not_asked(f"of {len(packages)} packages, none was found where weaknesses are listed")
    print(
        f"{len(packages) - len(skipped)} packages were looked up, {len(weak)} have a known weakness."
    )
    if skipped:
        print(f"NOT AUDITED: {', '.join(skipped)}.")
    return 1 if weak else UNKNOWN if skipped else 0


def not_asked(why: str) -> int:
    print(f"NOT AUDITED: {why}. Nothing is known of the packages in this environment.")
    return UNKNOWN


if __name__ == "__main__":
    sys.exit(main())
