"""Pictures that pages and docstrings draw themselves, for light and for dark pages.

``{drawn} ax`` in a page runs the sessions above it, as ``tests/test_docs.py`` does, and shows the figure of
what they call ``ax``. Lines within the directive are run after these and are not shown; ``docs`` is the
folder of the pages to them. Below the docstring of each function in ``rankwise.plots`` stands what its
example draws. So no picture can be older than the code beside it. A figure is drawn once, its text and
ground in colours that nothing else has; two files are made of it by naming other colours there.
"""

from __future__ import annotations

import inspect
import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from docutils import nodes
from docutils.parsers.rst import directives
from sessions import SESSION, run_session
from sphinx.util.docutils import SphinxDirective

FOLDER = Path("_generated", "drawn")
# Of text and frames, and of what lies behind boxes: stand-ins, and the theme's own colours.
INK, PAPER = "#012345", "#fedcba"
INKS = {"light": "#222832", "dark": "#ced6dd"}
PAPERS = {"light": "#ffffff", "dark": "#14181e"}
PLOTS = "rankwise.plots."
STYLE = {
    **dict.fromkeys(
        ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], INK
    ),
    **dict.fromkeys(["axes.facecolor", "figure.facecolor"], PAPER),
    "font.size": 11,
    "svg.hashsalt": "rankwise",
    "figure.max_open_warning": 0,
}
# Inches; a phone would make the letters of a broader picture too small, and scrolls it instead.
BROAD = 8.0
# A picture of the common width is made as narrow as a phone can show it.
COMMON, NARROW = 6.4, 4.8
LETTERS = 44  # of the name of an axis, for which that is wide enough


class Drawn(SphinxDirective):
    """Show the figure of a name of the page's sessions."""

    has_content = True
    required_arguments = 1
    option_spec = {"alt": directives.unchanged_required}  # noqa: RUF012 (docutils reads it so)

    def run(self) -> list[nodes.Node]:
        """Return the picture twice; the style shows one of the two."""
        page = Path(self.env.doc2path(self.env.docname))
        above = "\n".join(page.read_text(encoding="utf-8").splitlines()[: self.lineno - 1])
        # names and sessions done, kept until the page is read to its end
        state = self.env.temp_data.setdefault(
            "drawn", {"names": {"docs": Path(self.env.srcdir)}, "done": 0, "pictures": 0}
        )
        sessions = [session[1] for session in SESSION.finditer(above + "\n")]
        names = state["names"]
        with mpl.rc_context(STYLE):
            for session in sessions[state["done"] :]:
                run_session(session, names)
            exec("\n".join(self.content), names)
            state["done"] = len(sessions)
            state["pictures"] += 1
            name = f"{self.env.docname.replace('/', '-')}-{state['pictures']}"
            axes = names[self.arguments[0]]
            files = save(axes, Path(self.env.srcdir), name)
        pictures = [
            nodes.image(
                uri=f"/{file.as_posix()}",
                alt=self.options["alt"],
                classes=["rw-drawn", f"only-{theme}"],
                candidates={},
            )
            for theme, file in files.items()
        ]
        if axes.figure.get_figwidth() < BROAD:
            return list(pictures)
        return [nodes.container("", *pictures, classes=["rw-broad"])]


def save(axes: Any, docs: Path, name: str) -> dict[str, Path]:
    """Write the figure of Axes for light and for dark pages; return the files by theme, below `docs`."""
    figure = axes.figure
    if figure.get_figwidth() == COMMON and len(axes.get_xlabel()) <= LETTERS:
        figure.set_size_inches(NARROW, max(3.0, 0.85 * figure.get_figheight()))
    written = io.StringIO()
    figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    plt.close(figure)
    (docs / FOLDER).mkdir(parents=True, exist_ok=True)
    files = {theme: FOLDER / f"{name}-{theme}.svg" for theme in INKS}
    for theme, file in files.items():
        text = written.getvalue().replace(INK, INKS[theme]).replace(PAPER, PAPERS[theme])
        (docs / file).write_text(text, encoding="utf-8")
    return files


def _draw_example(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Put the picture of its example below the docstring of a function that draws."""
    if what != "function" or not name.startswith(PLOTS):
        return
    names = dict(inspect.unwrap(obj).__globals__)  # as doctest has it
    with mpl.rc_context(STYLE):
        run_session(obj.__doc__, names)
        files = save(names["ax"], Path(app.srcdir), name)
    for theme, file in files.items():
        lines += ["", f".. image:: /{file.as_posix()}", f"   :class: rw-drawn only-{theme}"]
        lines += [f"   :alt: What the example draws: {obj.__doc__.splitlines()[0]}", ""]


def setup(app: Any) -> None:
    """Add the directive and the pictures of docstrings."""
    mpl.use("Agg")
    app.add_directive("drawn", Drawn)
    # after numpydoc, which writes the docstring anew
    app.connect("autodoc-process-docstring", _draw_example, priority=900)
