"""Formulas as MathML, which browsers draw themselves: no script, no font and no network is needed."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def _visit_inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _visit_block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(
        f'<div class="rw-formula">{tex2mathml(node.astext(), as_block=True)}</div>\n'
    )
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Make this the way in which formulas are written."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
