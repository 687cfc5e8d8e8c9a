"""Hostile names in pictures and tables: an SVG that parses, Markdown and LaTeX in which nothing acts."""

import io
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import rankwise as rw
from rankwise.validation import Estimate, ResultTable

HOSTILE = "<script>alert(1)</script>&\x1b[31m\u202e$\\frac{$\x00\x9b|`[x](y)"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("picture", ["explanation", "tree", "importances"])
def test_a_hostile_name_makes_no_picture_that_nothing_reads(picture):
    plt = pytest.importorskip("matplotlib.pyplot")
    from rankwise import plots

    X = pd.DataFrame({f"x{HOSTILE}": np.arange(12.0), "b": np.arange(12.0) % 3})
    Y = pd.DataFrame([[1, 2, 3], [3, 1, 2]] * 6, columns=[f"1{HOSTILE}", f"2{HOSTILE}", "c"])
    model = rw.TreeRanker(decomposition="joint").fit(X, Y)
    if picture == "explanation":
        rw.explain(model, X[:1], *Y.columns[:2], X=X, Y=Y).plot()
    elif picture == "tree":
        plots.draw_tree(model)
    else:
        plots.label_importances(model)
    made = io.BytesIO()
    with plt.rc_context({"svg.fonttype": "none"}):
        plt.gcf().savefig(made, format="svg")
    plt.close("all")
    root = ElementTree.fromstring(made.getvalue())
    assert "alert(1)" in "".join(root.itertext())
    assert not [part.tag for part in root.iter() if part.tag.endswith(("script", "foreignObject"))]


def test_a_hostile_name_stays_a_name_in_markdown_and_latex():
    table = ResultTable(HOSTILE, [HOSTILE, "b"], [[HOSTILE, Estimate(0.5)]], [HOSTILE])
    for text in (table.to_markdown(), table.to_latex()):
        assert not [sign for sign in "\x1b\u202e\x00\x9b" if sign in text]
    markdown = table.to_markdown()
    for sign in "<>[]`&":
        assert markdown.count(sign) == markdown.count(f"\\{sign}")
    body = [line for line in table.to_latex().splitlines() if not line.startswith("%")]
    assert not [line for line in body if "\\frac" in line or "<script" in line]
