import math

import pytest

from rankwise import theory

TREE = {"criterion": "level", "d": 6, "k": 3, "r": 2, "C": 1.0, "eps": 0.1, "delta": 0.05}
FOREST = {**TREE, "beta": 0.1, "zeta": 0.5}
del FOREST["C"]
PAIRS = {"k": 3, "vc": 7, "a": 0.5, "B": 1, "tolerance": 0.5, "eps": 0.1, "delta": 0.05}

BAD_EVERYWHERE = [
    ("eps", 0, ValueError, "eps is 0; use a number with 0 < eps < 1"),
    ("eps", 1.0, ValueError, "eps is 1; use"),
    ("eps", math.nan, ValueError, "eps is nan; use"),
    ("eps", "0.1", TypeError, "eps is '0.1'; use a number with 0 < eps < 1"),
    ("delta", -0.5, ValueError, "delta is -0.5; use a number with 0 < delta < 1"),
    ("delta", 1, ValueError, "delta is 1; use"),
    ("delta", None, TypeError, "delta is None; use"),
    ("k", 1, ValueError, "k is 1; use a whole number of 2 or more"),
    ("k", 3.0, TypeError, "k is 3.0; use a whole number of 2 or more"),
    ("k", True, TypeError, "k is True; use a whole number"),
    ("constant", 0, ValueError, "constant is 0; use a finite number with constant > 0"),
    ("constant", math.inf, ValueError, "constant is inf; use"),
    ("constant", 10**400, ValueError, "constant is too large for a float"),
]
BAD_SIZES = [
    ("criterion", "gini", ValueError, "criterion is 'gini'; use 'level' or 'breiman'"),
    ("d", 0, ValueError, "d is 0; use a whole number of 1 or more"),
    ("d", 6.5, TypeError, "d is 6.5; use a whole number"),
    ("r", 0, ValueError, "r is 0; use a whole number from 1 to 6"),
    ("r", 7, ValueError, "r is 7; use a whole number from 1 to 6 .no more relevant features"),
    ("r", 1.5, TypeError, "r is 1.5; use a whole number"),
]
BAD_TREES = [
    ("C", 0.5, ValueError, "C is 0.5; use a finite number of 1 or more"),
    ("C", math.inf, ValueError, "C is inf; use"),
    ("product", "yes", TypeError, "product is 'yes'; use True or False"),
]
BAD_FORESTS = [
    ("beta", 0, ValueError, "beta is 0; use a number with 0 < beta <= 1"),
    ("zeta", 1.5, ValueError, "zeta is 1.5; use a number with 0 < zeta <= 1"),
]
BAD_PAIRS = [
    ("a", -0.1, ValueError, "a is -0.1; use a number with 0 <= a <= 1"),
    ("a", 1.1, ValueError, "a is 1.1; use a number with 0 <= a <= 1"),
    ("B", 0, ValueError, "B is 0; use a finite number with B > 0"),
    ("tolerance", 0, ValueError, "tolerance is 0; use a number with 0 < tolerance <= 1"),
    ("tolerance", 1.1, ValueError, "tolerance is 1.1; use"),
    ("vc", 0, ValueError, "vc is 0; use a whole number of 1 or more"),
    ("vc", 2.5, TypeError, "vc is 2.5; use a whole number"),
    ("form", "exact", ValueError, "form is 'exact'; use 'theorem', 'lambert' or"),
]


def check(size, guarantee, values, bad):
    name, value, error, message = bad
    with pytest.raises(error, match=message):
        size(**{**values, name: value})
    if name == "eps":
        return
    rows = {key: kept for key, kept in values.items() if key != "eps"}
    with pytest.raises(error, match=message):
        guarantee(n=100, **{**rows, name: value})


@pytest.mark.parametrize("bad", BAD_EVERYWHERE + BAD_SIZES + BAD_TREES)
def test_bad_tree_parameters_are_named_with_value_and_range(bad):
    check(theory.tree_sample_size, theory.tree_guarantee, TREE, bad)
    with pytest.raises(bad[2], match=bad[3]):
        theory.tree_depth(**{**TREE, bad[0]: bad[1]})


@pytest.mark.parametrize("bad", BAD_EVERYWHERE + BAD_SIZES + BAD_FORESTS)
def test_bad_forest_parameters_are_named_with_value_and_range(bad):
    check(theory.forest_sample_size, theory.forest_guarantee, FOREST, bad)


@pytest.mark.parametrize("bad", BAD_EVERYWHERE + BAD_PAIRS)
def test_bad_pairwise_parameters_are_named_with_value_and_range(bad):
    check(theory.pairwise_sample_size, theory.pairwise_guarantee, PAIRS, bad)


@pytest.mark.parametrize(
    ("n", "error"), [(0, ValueError), (2.5, TypeError), (10**301, ValueError), (None, TypeError)]
)
def test_a_number_of_rows_is_a_positive_integer(n, error):
    with pytest.raises(error, match=r"n is .*; use a whole number from 1 to 10\^300$"):
        theory.tree_guarantee(n, "level", 6, 3, 2, 1, 0.05)


def test_a_class_without_its_size_says_what_it_needs():
    with pytest.raises(TypeError, match="'halfspace' needs d; give d"):
        theory.vc_dimension("halfspace")
    with pytest.raises(TypeError, match="'sign network' has no d; give n_parameters alone"):
        theory.vc_dimension("sign network", 3, n_parameters=3)
    with pytest.raises(TypeError, match="needs n_neurons; give n_parameters and n_neurons"):
        theory.vc_dimension("sigmoid network", n_parameters=3)
    with pytest.raises(ValueError, match="d is 0; use a whole number of 1 or more"):
        theory.vc_dimension("ball", 0)
    with pytest.raises(ValueError, match="constant is 2; 'ball' is exact"):
        theory.vc_dimension("ball", 3, constant=2)
    with pytest.raises(ValueError, match="name is 'polytope'; use 'halfspace', 'rectangle'"):
        theory.vc_dimension("polytope", 3)
    with pytest.raises(ValueError, match="name is 3; use"):
        theory.vc_dimension(3)


def test_misfits_are_one_number_or_one_per_pair():
    def bound(misfit):
        return theory.pairwise_risk_bound(0.1, 3, 0.5, 1, 0.5, misfit)

    with pytest.raises(ValueError, match=r"misfit has shape .2,.; use one number, or 3"):
        bound([0.1, 0.2])
    with pytest.raises(ValueError, match=r"misfit is 1.5; use a difference of error rates"):
        bound([0.1, 1.5, 0.2])
    with pytest.raises(ValueError, match=r"misfit is nan"):
        bound(math.nan)
    with pytest.raises(TypeError, match=r"misfit is 'low'; use one number"):
        bound("low")


def test_bounds_too_large_for_a_float_are_errors():
    with pytest.raises(ValueError, match="too large for a float"):
        theory.talagrand_bound(1e308, 1, 1, 10, 0.1)
    with pytest.raises(ValueError, match="variance is -1; use a finite number of 0 or more"):
        theory.talagrand_bound(1, -1, 1, 10, 0.1)


def test_spearman_distances_and_vc_dimensions_do_not_overflow():
    with pytest.raises(ValueError, match="too large for a float"):
        theory.spearman_guarantee(1e308, 10)
    with pytest.raises(ValueError, match="too large for a float"):
        theory.spearman_guarantee(0.1, 10**200)
    assert theory.vc_dimension("sigmoid network", n_parameters=10**200, n_neurons=1) == 10**400
    # 10^400 log(10^400) = 10^400 · 400 · 2.302585 = 9.21034 · 10^402
    signs = theory.vc_dimension("sign network", n_parameters=10**400)
    assert signs // 10**397 == 921034
    assert theory.vc_dimension("sign network", n_parameters=2, constant=1e-9) == 1
