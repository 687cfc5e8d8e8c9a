"""Whatever a dataset carries comes back from a file, or `write` says that it does not."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from rankwise.datasets import Dataset, read, write
from rankwise.datasets.tables import Column, Recipe
from rankwise.rankings import ranks_from_scores

NUMBERS = st.one_of(st.floats(allow_nan=True, allow_infinity=False), st.integers(-5, 5).map(float))
AMOUNTS = st.one_of(st.just(np.nan), st.floats(0.001, 1e6))
CATEGORIES = ["ArBr", "ArI", "a b", "it's", "x,y", "=1", "10", "NA", "2024-01-02", "é;{}"]
NAMES = ["S1", "001", "1e5", "a b", "x;y", "=A1", "nan", "naïve", "-", "TRUE", "4,2"]
LABELS = ["tea", "a,b", "L10", "L9", "x y", "10", "=2", "Ω"]


@st.composite
def full_datasets(draw, with_features=True):
    n = draw(st.integers(1, 5))
    labels = draw(st.permutations(LABELS))[: draw(st.integers(2, 4))]
    k = len(labels)
    columns, codes = [], []
    for j in range(draw(st.integers(0, 3)) if with_features else 0):
        categories = None
        if draw(st.booleans()):
            categories = tuple(draw(st.permutations(CATEGORIES))[: draw(st.integers(1, 4))])
        columns.append(Column(f"f{j}", categories))
        kind = NUMBERS if categories is None else st.integers(-1, len(categories) - 1).map(float)
        column = draw(arrays(np.float64, n, elements=kind))
        codes.append(column if categories is None else np.where(column < 0, np.nan, column))
    recipe = Recipe(tuple(columns))
    X = recipe.expand(np.column_stack(codes)) if codes else np.empty((n, 0))
    values = draw(arrays(np.float64, (n, k), elements=AMOUNTS))
    values[0, : max(2, k - 1)] = [3.0, 1.5, 2.0, 7.0][: max(2, k - 1)]
    better = draw(st.sampled_from([True, False, None]))
    maybe = st.booleans()
    facts = {}
    if draw(maybe):
        facts |= {"values": values, "higher_is_better": better}
        if better is not None:
            facts["unit"] = draw(st.sampled_from(["", "s", "%", "mg/L"]))
            if draw(maybe):
                facts |= {"cutoff": 60.0, "penalty": draw(st.sampled_from([10.0, 2.5]))}
        if draw(maybe):
            facts["spread"] = draw(arrays(np.float64, (n, k), elements=AMOUNTS))
        if draw(maybe):
            facts["replicates"] = draw(
                arrays(np.float64, (n, k), elements=st.integers(0, 3).map(float))
            )
    if draw(maybe):
        facts["row_names"] = draw(st.permutations(NAMES))[:n]
    if draw(maybe):
        facts["groups"] = [draw(st.sampled_from(["f 1", "2", "g;h"])) for _ in range(n)]
    if draw(maybe):
        shape = n, draw(st.integers(1, 2))
        facts["folds"] = draw(arrays(np.int64, shape, elements=st.integers(0, 3)))
    if draw(maybe):
        facts["weights"] = draw(arrays(np.float64, n, elements=st.integers(0, 4).map(float)))
    Y = ranks_from_scores(values, higher_is_better=bool(better))
    return Dataset(X, Y, recipe.feature_names, labels, recipe=recipe, **facts)


def assert_back(found, data, lost, format):
    """Compare all that was not named as lost; labels may stand in another order where that is."""
    told = " ".join(lost)
    places = list(range(data.n_labels))
    if "order of the labels" in told or "labels that no row ranks" in told:
        places = [data.label_names.index(label) for label in found.label_names]
    assert found.label_names == tuple(data.label_names[j] for j in places)
    assert found.feature_names == data.feature_names
    if "categories" not in told:
        assert found.recipe == data.recipe
    for part in ("features", "ranks", "values", "spread", "replicates", "folds", "weights"):
        expected = getattr(data, part)
        if part == "weights" and format == "preflib" and expected is None:
            expected = np.ones(len(data))
        if expected is None or part in lost:
            assert getattr(found, part) is None, part
            continue
        if part in ("ranks", "values", "spread", "replicates"):
            expected = expected[:, places]
        assert_array_equal(getattr(found, part), expected, err_msg=part)
    names = data.row_names
    if names is None and format == "long":
        names = tuple(map(str, range(1, len(data) + 1)))
    assert found.row_names == (None if "row names" in lost else names)
    assert found.groups == (None if "groups" in lost else data.groups)
    if "values" not in lost and data.values is not None:
        for fact in ("higher_is_better", "unit", "cutoff", "penalty"):
            assert getattr(found, fact) == getattr(data, fact), fact


@pytest.mark.hypothesis
@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".parquet"])
@pytest.mark.parametrize("format", ["long", "wide", "ranking"])
def test_a_table_brings_back_all_that_was_not_called_lost(format, ending, tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / f"data{ending}"

    @settings(max_examples=settings().max_examples if ending == ".csv" else 12, deadline=None)
    @given(full_datasets())
    def run(data):
        lost = write(data, path, format=format)
        if format == "long" and data.has_costs:
            assert not [part for part in lost if part in ("values", "spread", "replicates")]
        options = {"labels": data.label_names} if format == "wide" else {}
        assert_back(read(path, **options), data, lost, format)

    run()


@pytest.mark.hypothesis
def test_xarff_brings_back_all_that_was_not_called_lost(tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "data.xarff"

    @given(full_datasets())
    def run(data):
        lost = write(data, path)
        assert_back(read(path), data, lost, "xarff")

    run()


@pytest.mark.hypothesis
def test_preflib_brings_back_all_that_was_not_called_lost(tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "data.toi"

    @given(full_datasets(with_features=False))
    def run(data):
        counted = 1 if data.weights is None else data.weights
        seen = ~np.isnan(data.ranks).all(axis=1) & (counted > 0)
        assume(seen.any())
        data = data.take(seen)
        lost = write(data, path)
        assert_back(read(path), data, lost, "preflib")

    run()


def test_a_column_of_categories_is_written_as_it_was_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("hour,place,dry,ranking\n8,home,no,a>b\n9,work,yes,b>a\n,train,,a>b\n")
    data = read(path)
    for name in ("b.csv", "b.xlsx", "b.parquet", "b.xarff"):
        assert write(data, tmp_path / name) == ()
        assert read(tmp_path / name).recipe == data.recipe
    assert (tmp_path / "b.csv").read_text() == path.read_text()
    # Categories that do not come in their order, or look like numbers, stay columns of 0 and 1.
    turned = data.take([1, 0, 2])
    assert write(turned, tmp_path / "c.csv") == (
        "the categories of 'place'",
        "the categories of 'dry'",
    )
    assert_array_equal(read(tmp_path / "c.csv").features, turned.features)
    assert write(turned, tmp_path / "c.xarff") == ()


def test_a_label_that_no_row_knows_keeps_its_place_in_a_long_table(tmp_path):
    data = Dataset([[1.0]], [[1, 2, np.nan]], label_names=["a", "b", "c"])
    assert write(data, tmp_path / "a.csv", format="long") == ()
    assert read(tmp_path / "a.csv").label_names == ("a", "b", "c")
    assert write(data, tmp_path / "b.csv") == ("labels that no row ranks",)


@pytest.mark.parametrize("group", ["NA", " a", "a\nb"])
def test_groups_that_would_read_as_others_are_refused(group, tmp_path):
    data = Dataset([[1.0]], [[1, 2]], groups=[group])
    with pytest.raises(ValueError, match=r"cannot be kept|reads as missing"):
        write(data, tmp_path / "a.csv")


def test_two_kinds_of_values_in_one_table_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("row,label,value,@better\na,x,1,higher\na,y,2,higher\nb,x,1,lower\n")
    with pytest.raises(ValueError, match="line 4: column '@better' says 'lower' here and 'higher'"):
        read(path)
