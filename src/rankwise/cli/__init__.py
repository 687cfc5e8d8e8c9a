"""The command line: ``rankwise --help`` shows every command with examples.

Exit codes: 0 done, 1 serious findings or a failure, 2 bad input, 130 stopped by Ctrl-C.
"""

from rankwise.cli._main import main

__all__ = ["main"]
