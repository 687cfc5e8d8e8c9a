"""Formulas as MathML, which browsers draw themselves: no script, no font and no network is needed."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def formula(text: str, **how: Any) -> str:
    """Return a formula as MathML, with a gap between a function and what it is taken of: log n."""
    gap = r'\1<mspace width="0.1667em"></mspace>'
    return re.sub(r"(&ApplyFunction;</mo>)(?!\s*<mo[^>]*>\()", gap, tex2mathml(text, **how))


def _visit_inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(formula(node.astext()))
    raise nodes.SkipNode


def _visit_block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="rw-formula">{formula(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Make this the way in which formulas are written."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
