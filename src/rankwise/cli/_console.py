"""What is printed where: results on stdout, notes and errors on stderr, chatter on terminals."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

from rankwise._messages import for_command_line
from rankwise._terminal import visible, visible_json

if TYPE_CHECKING:
    from rich.console import Console, RenderHook

# A pipe has no width; tables written to one are not to be cut.
_PIPE_WIDTH = 160
# Names, which stand in the first column, are folded to no less than this.
_NAME_WIDTH = 24


def make_console(*, stderr: bool = False) -> Console:
    """Return a console for stdout or stderr that honours NO_COLOR and pipes."""
    # Imported here, as in all of this module: `--json` and `--version` need no rich.
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    console = _Console(stderr=stderr, width=width, highlight=False, soft_wrap=False)
    console.push_render_hook(_visible_hook())
    return console


def _visible_hook() -> RenderHook:
    """Return what makes all that a console prints visible: names may hold what a terminal obeys."""
    from rich.console import RenderHook
    from rich.segment import Segment

    class _Visible:
        def __init__(self, shown: Any) -> None:
            self._shown = shown

        def __rich_console__(self, console: Console, options: Any) -> Iterator[Segment]:
            for text, style, control in console.render(self._shown, options):
                yield Segment(text if control else visible(text), style, control)

    class _Hook(RenderHook):
        def process_renderables(self, renderables: list[Any]) -> list[Any]:
            return [_Visible(shown) for shown in renderables]

    return _Hook()


def print_plain(text: str) -> None:
    """Print a text on stdout as it is, but for what a terminal would obey."""
    print(visible(text))


def print_error(message: str | Exception) -> None:
    """Print one red line on stderr."""
    _print_line("error: ", message, "bold red")


def note(message: str | Warning) -> None:
    """Print a remark on stderr."""
    _print_line("note: ", message, "yellow")


def say(message: str) -> None:
    """Print chatter: on a terminal only."""
    if sys.stderr.isatty():
        make_console(stderr=True).print(message, markup=False, style="dim")


def stdout_text() -> TextIO:
    """Return stdout for texts of files; where it is a terminal, nothing that this would obey."""
    if not sys.stdout.isatty():
        return sys.stdout

    class _VisibleText(io.TextIOBase):
        def write(self, text: str) -> int:
            return sys.stdout.write(visible(text))

    return cast(TextIO, _VisibleText())


def print_json(value: Any) -> None:
    """Print a value as strict JSON on stdout."""
    sys.stdout.write(json_text(value))


def json_text(value: Any) -> str:
    """Return a value as strict JSON that nothing obeys."""
    text = json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False)
    return f"{visible_json(text)}\n"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; numbers stand right, and pipes get neither lines nor colour."""
    sys.stdout.write(table_text(columns, rows))


def table_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as it is to be printed on stdout."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    cells = [list(row) for row in rows]
    texts = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in cells]
    box = SIMPLE_HEAD if sys.stdout.isatty() else None
    table = Table(box=box, pad_edge=False, collapse_padding=box is not None)
    console = make_console()
    first, *others = _widths(columns, texts, console.width)
    for j, column in enumerate(columns):
        is_number = bool(cells) and all(isinstance(row[j], (int, float)) for row in cells)
        side: Any = "right" if is_number else "left"
        # what is wide is folded by rich, but never what has a width of its own
        room: dict[str, Any] = {"width": first} if j == 0 else {"max_width": others[j - 1]}
        table.add_column(column, justify=side, overflow="fold", **room)
    for row in texts:
        # Text objects, never markup: names may hold square brackets.
        table.add_row(*map(Text, row))
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """How wide columns are: where room is short, heads are folded at words first, then names."""
    from rich.cells import cell_len

    cells = [[cell_len(row[j]) for row in rows] for j in range(len(columns))]
    whole = [max([cell_len(head), *own]) for head, own in zip(columns, cells, strict=True)]
    edges = 2 * len(columns)
    if sum(whole) + edges <= width:
        return whole
    words = [max(map(cell_len, head.split()), default=0) for head in columns]
    narrow = [max([word, *own]) for word, own in zip(words, cells, strict=True)]
    room = width - sum(narrow[1:]) - edges
    return [min(whole[0], max(room, _NAME_WIDTH)), *narrow[1:]]


def _print_line(head: str, message: object, style: str) -> None:
    from rich.text import Text

    line = " ".join(for_command_line(message).split())
    make_console(stderr=True).print(Text.assemble((head, style), line), soft_wrap=True)
