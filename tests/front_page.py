"""Run the session of the front page with the rankwise that is installed: what `make wheel` does.

Started by ``python -I``, so that neither this folder nor the sources are found by an import.
"""

import doctest
import re
import sys
from pathlib import Path


def main() -> None:
    page = Path(__file__).parents[1] / "docs" / "index.md"
    (session,) = re.findall(r"```pycon\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failed, tried = runner.run(test)
    import rankwise

    print(
        f"{tried - failed} of {tried} lines of {page.name} hold with {Path(rankwise.__file__).parent}"
    )
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
