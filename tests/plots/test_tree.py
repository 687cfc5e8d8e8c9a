"""Drawings of trees: what is in the boxes, which way is yes, and what is left out."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import rankwise as rw
from plots.seen import LONG, misplaced, model_of, problem
from rankwise.plots import draw_tree

HOURS = [[7.0, 0], [8.0, 1], [16.0, 0], [17.0, 1]]
DRINKS = [[2, 1, 3], [2, 1, 3], [1, 2, 3], [1, 3, 2]]


def boxes(ax):
    """Texts by place, without the yes and no on the branches."""
    return {t.get_position(): t.get_text() for t in ax.texts if t.get_text() not in ("yes", "no")}


def answer_by_picture(ax, x):
    """Follow the yes and no of the picture down to a leaf."""
    texts = boxes(ax)
    place = min(texts, key=lambda p: p[1])
    while texts[place].endswith("?"):
        feature, question = texts[place].split("\n")
        value, threshold = x[int(feature.split()[1])], float(question.strip("≤? "))
        below = [end for line in ax.lines for end in [line.get_xydata()] if tuple(end[0]) == place]
        left, right = sorted(tuple(end[1]) for end in below)
        place = left if value <= threshold else right
    return texts[place]


def test_the_picture_answers_as_the_model_does():
    for decomposition in ("labelwise", "joint", "joint_pairwise"):
        model = rw.TreeRanker(decomposition=decomposition).fit(HOURS, DRINKS)
        for j in (0, 2):
            ax = draw_tree(model, label=j)
            for x in HOURS:
                expected = model.predict_positions([x])[0, j]
                assert answer_by_picture(ax, x) == f"position\n{expected:.2f}"


def test_leaves_of_a_tree_for_all_labels_list_them_the_first_on_top():
    ax = draw_tree(rw.TreeRanker(decomposition="joint", max_depth=1).fit(HOURS, DRINKS))
    early, late = (text for text in boxes(ax).values() if "label" in text)
    assert early == "label 1 1.0\nlabel 0 2.0\nlabel 2 3.0"
    assert late == "label 0 1.0\nlabel 1 2.5\nlabel 2 2.5"


@pytest.mark.parametrize("decomposition", ["auto", "joint"])
def test_a_label_that_is_predicted_as_tied_with_the_one_above_says_so(decomposition):
    ranks = [[2, 1, 3], [2, 1, 3], [1, 2, 2], [1, 2, 2]]
    model = rw.TreeRanker(decomposition=decomposition, max_depth=1).fit(HOURS * 5, ranks * 5)
    early, late = (text for text in boxes(draw_tree(model)).values() if "label" in text)
    assert early == "label 1 1.0\nlabel 0 2.0\nlabel 2 3.0"
    assert late == "label 0 1.0\nlabel 1 2.5\n~ label 2 2.5"
    assert not any("~" in text for text in boxes(draw_tree(model, label=0)).values())
    strict = model.set_params(ties="never", decomposition="joint").fit(HOURS * 5, ranks * 5)
    assert not any("~" in text for text in boxes(draw_tree(strict)).values())


def test_yes_is_written_on_the_left_branch():
    ax = draw_tree(rw.TreeRanker(max_depth=1).fit(HOURS, DRINKS), label=0)
    yes, no = (next(t for t in ax.texts if t.get_text() == word) for word in ("yes", "no"))
    assert yes.get_position()[0] < no.get_position()[0]


def test_a_cut_tree_says_what_is_left_out():
    model = model_of(12, "joint")
    ax = draw_tree(model, max_depth=2)
    n_leaves = len(model.splits_[0]) + 1
    hidden = [int(t.split("\n")[1].split()[0]) for t in boxes(ax).values() if t.startswith("…\n")]
    drawn = len([t for t in boxes(ax).values() if not t.endswith(("?", "leaves"))])
    assert sum(hidden) + drawn == n_leaves
    assert f"{drawn} of {n_leaves} leaves are shown" in ax.get_title()
    assert "cut" not in draw_tree(model_of(12, "level")).get_title()


def test_a_level_splits_tree_asks_one_question_per_level():
    ax = draw_tree(model_of(3, "level"))
    by_level = {}
    for (_, depth), text in boxes(ax).items():
        if text.endswith("?"):
            by_level.setdefault(depth, set()).add(text)
    assert [len(questions) for questions in by_level.values()] == [1, 1, 1]


def test_a_tree_of_one_leaf_is_one_box():
    model = rw.TreeRanker(max_depth=0).fit(HOURS, DRINKS)
    ax = draw_tree(model, label=0)
    assert [text.get_text() for text in ax.texts] == ["position\n1.50"]


def test_a_cut_between_known_and_missing_values_says_so():
    X = [[1.0], [1.0], [np.nan], [np.nan]]
    ax = draw_tree(rw.TreeRanker().fit(X, DRINKS), label=0)
    assert ax.texts[0].get_text() == "feature 0\nis known?"


def test_any_tree_of_a_forest_can_be_drawn():
    model = model_of(3, "forest")
    pictures = {tuple(sorted(boxes(draw_tree(model, "tea", tree=t)).items())) for t in (0, 4)}
    assert len(pictures) == 2


@pytest.mark.parametrize(
    ("k", "kind"), [(3, "level"), (12, "level"), (40, "joint"), (12, "pairwise")]
)
def test_no_boxes_overlap_or_are_cut_off(k, kind):
    ax = draw_tree(model_of(k, kind))
    assert misplaced(ax) == []


def test_what_cannot_be_drawn_is_refused():
    model = model_of(3, "labelwise")
    with pytest.raises(ValueError, match="its own tree: pass label, one of tea, coffee, water"):
        draw_tree(model)
    with pytest.raises(ValueError, match="no label 'tee'; did you mean 'tea'"):
        draw_tree(model, "tee")
    for depth in (-1, 1.5, True):
        with pytest.raises(
            (TypeError, ValueError), match=r"max_depth is .*; use a whole number of 0 or more"
        ):
            draw_tree(model, "tea", max_depth=depth)
    with pytest.raises(ValueError, match="tree is 5; use a whole number from 0 to 4"):
        draw_tree(model_of(3, "forest"), "tea", tree=5)
    with pytest.raises(ValueError, match="not fitted"):
        draw_tree(rw.TreeRanker())
    X, Y = problem(3)
    with pytest.raises(TypeError, match="draws TreeRanker and ForestRanker, got PositionRanker"):
        draw_tree(rw.PositionRanker().fit(X.to_numpy(), Y.to_numpy()), 0)


def test_a_picture_that_has_no_room_is_refused_however_deep_the_tree():
    rng = np.random.default_rng(0)
    X = np.arange(300.0)[:, None]
    Y = np.argsort(rng.random((300, 3)), axis=1) + 1
    model = rw.TreeRanker().fit(X, Y)
    with pytest.raises(ValueError, match="boxes side by side, and a picture holds 64"):
        draw_tree(model, 0, max_depth=10**9)


def test_with_the_training_rows_boxes_tell_how_many_come_and_who_is_first():
    model = rw.TreeRanker(decomposition="joint", max_depth=1).fit(HOURS, DRINKS)
    cut, early, late = boxes(draw_tree(model, X=[*HOURS, HOURS[0], HOURS[0]])).values()
    assert cut == "6 rows, label 1 first\nfeature 0\n≤ 12?"
    assert early == "4 rows\nlabel 1 1.0\nlabel 0 2.0\nlabel 2 3.0"
    assert late.startswith("2 rows\nlabel 0 1.0")
    (one, *_) = boxes(draw_tree(model, label=0, X=HOURS)).values()
    assert one == "4 rows\nfeature 0\n≤ 12?"


@pytest.mark.parametrize("kind", ["joint", "level", "forest"])
def test_rows_of_a_tree_add_up_level_by_level(kind):
    X, _ = problem(3)
    ax = draw_tree(model_of(3, kind), "tea", X=X, max_depth=2)
    counts = {}
    for place, text in boxes(ax).items():
        line = text.removeprefix("…\n").split("\n")[0]
        counts[place] = int(line.split()[0].replace(",", ""))
    root = min(counts, key=lambda place: place[1])
    assert counts[root] == len(X)
    for place in counts:
        ends = [
            tuple(line.get_xydata()[1]) for line in ax.lines if tuple(line.get_xydata()[0]) == place
        ]
        assert not ends or sum(counts[end] for end in ends) == counts[place]


def test_leaves_with_the_same_label_in_front_have_the_same_colour():
    model = rw.TreeRanker(decomposition="joint").fit(HOURS, DRINKS)
    colours = {}
    for text in draw_tree(model).texts:
        if "label" in text.get_text():
            colours.setdefault(text.get_text()[:7], set()).add(
                text.get_bbox_patch().get_edgecolor()
            )
    assert len(colours) == 2
    assert all(len(found) == 1 for found in colours.values())
    assert len(set.union(*colours.values())) == 2


def test_names_are_cut_only_where_there_is_no_room():
    names = [LONG.format(j) for j in range(3)]
    Y = pd.DataFrame(DRINKS, columns=names)
    model = rw.TreeRanker(decomposition="joint", max_depth=1).fit(HOURS, Y)
    ax = draw_tree(model)
    assert all("…" not in text for text in boxes(ax).values())
    assert misplaced(ax) == []
    small = draw_tree(model, ax=Figure(figsize=(3, 2)).subplots())
    assert any("…" in text for text in boxes(small).values())


def test_large_thresholds_are_rounded_numbers_without_exponents():
    X = [[123456.7], [123456.7], [9876543.2], [9876543.2]]
    ax = draw_tree(rw.TreeRanker().fit(X, DRINKS), label=0)
    assert ax.texts[0].get_text() == "feature 0\n≤ 5,000,000?"
