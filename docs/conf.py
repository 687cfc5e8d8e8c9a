"""How Sphinx builds these pages: `make docs`. Nothing is fetched; every warning is an error."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import commands  # noqa: E402  (it stands in _ext)
import layers  # noqa: E402
import measured  # noqa: E402
import packages  # noqa: E402
import speed  # noqa: E402

import rankwise  # noqa: E402

# Written before Sphinx looks for pages, so that none can be older than the code.
commands.write(HERE / "_generated")
layers.write(HERE.parent, HERE / "_generated")
measured.write(HERE, HERE / "_generated")
packages.write(HERE / "api")
speed.write(HERE.parent, HERE / "_generated")

project = "rankwise"
author = "The rankwise developers"
copyright = "The rankwise developers, BSD-3-Clause"
version = release = rankwise.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "drawn",
    "mathml",
    "shading",
]
exclude_patterns = ["_build", "_generated", "_ext", "gallery/**/*.ipynb", "gallery/**/*.py"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
myst_substitutions = {"version": rankwise.__version__}
myst_heading_anchors = 3
html_math_renderer = "mathml"  # drawn by the browser itself
smartquotes_action = "qe"  # quotes and dots, but no dashes: --flag stays what is typed

toc_object_entries_show_parents = "hide"
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections name the types
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

default_role = "py:obj"  # names in docstrings link to their pages where there is one

html_theme = "pydata_sphinx_theme"
html_title = "rankwise"
html_static_path = ["_static"]
html_css_files = ["rankwise.css"]
html_js_files = ["rankwise.js"]
html_sidebars = {"index": [], "getting_started": []}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "rankwise"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "image_scrapers": ("pictures.figures_without_pyplot", "matplotlib"),
    "capture_repr": (),  # what an example shows it prints; a cell may end with an Axes
    "reset_modules": ("pictures.start_plainly",),
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": False,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 600,  # how long an example took on this machine says nothing
    "remove_config_comments": True,
    "image_srcset": ["2x"],
    "copyfile_regex": r".*\.(csv|soi|toc)",
    "backreferences_dir": None,
}


def _without_foreign_links(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Keep the words of links into scikit-learn's own documentation, which is not here."""
    lines[:] = [re.sub(r":(?:ref|term):`(.*?)(?: <.*?>)?`", r"\1", line) for line in lines]


def _keep_units_beside_numbers(app: Any, doctree: nodes.document, docname: str) -> None:
    """Let no line end between a number and its unit: 5 %, 12 s, 3 MB."""
    for text in list(doctree.findall(nodes.Text)):
        if not isinstance(text.parent, nodes.FixedTextElement | nodes.literal):
            kept = re.sub(
                r"(?<=\d) (?=(?:%|s|ms|[kMG]B)(?!\w))", "\N{NO-BREAK SPACE}", text.astext()
            )
            text.parent.replace(text, nodes.Text(kept))


def setup(app: Any) -> None:
    """Tell Sphinx what stands above."""
    app.connect("autodoc-process-docstring", _without_foreign_links)
    app.connect("doctree-resolved", _keep_units_beside_numbers)
