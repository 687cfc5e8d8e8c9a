"""The published figures in the package are those of the paper."""

import math

import pytest

from rankwise.datasets import available
from rankwise.learners import find_learner
from rankwise.paper import published, published_figures
from rankwise.paper._published import TOLERANCE_OF_SYSTEMS, is_far


@pytest.mark.data
def test_the_packaged_figures_are_those_of_the_data_folder(data_folder):
    text = (data_folder / "published.csv").read_text().strip().splitlines()
    figures = published_figures()
    assert len(figures) == len(text) - 1 == 241
    for line, figure in zip(text[1:], figures, strict=True):
        table, _, _, tau, sd = line.split(",")
        assert (figure.table, figure.tau) == (table, float(tau))
        assert figure.sd == float(sd) if sd else math.isnan(figure.sd)


def test_every_figure_belongs_to_a_benchmark_and_the_other_systems_to_a_known_method():
    assert {figure.dataset for figure in published_figures()} == set(available("complete"))
    for method in {figure.method for figure in published_figures() if figure.on == "ranks"}:
        assert find_learner(method).name == method


@pytest.mark.parametrize(
    ("dataset", "method", "tau"),
    [
        ("cpu", "RPC", 0.45),
        ("vowel", "LRRF", 0.97),
        ("cold", "BoostLR", 0.21),
        ("iris", "KNNKemeny", 0.95),
        ("wine", "LWD", 0.91),
    ],
)
def test_figures_are_found_by_our_names(dataset, method, tau):
    assert published(dataset, method).tau == tau


@pytest.mark.parametrize(("dataset", "method"), [("cold", "LRT"), ("iris", "RF"), ("tea", "RPC")])
def test_what_was_not_published_on_ranks_has_no_figure(dataset, method):
    assert published(dataset, method) is None


def test_a_distance_of_just_the_tolerance_is_not_far():
    assert not is_far(0.80, 0.83, TOLERANCE_OF_SYSTEMS)
    assert not is_far(0.86, 0.83, TOLERANCE_OF_SYSTEMS)
    assert is_far(0.7999, 0.83, TOLERANCE_OF_SYSTEMS)
    assert not is_far(math.nan, 0.83, TOLERANCE_OF_SYSTEMS)
