"""Every case by hand: natural logarithms (of depths, base 2), rounded up to whole rows."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise import theory
from rankwise.metrics import spearman_distance
from rankwise.oracles import make_family
from theory import naive

# ln 1000 = 6.907755, ln 100 = 4.605170, ln 10 = 2.302585
TREES = [
    # dk/delta = 10·2/0.02 = 1000; (Crk/eps)^(Cr+2) = (1·1·2/0.5)^3 = 64; 64·6.907755 = 442.096
    (("level", 10, 2, 1, 1, 0.5, 0.02, False), 443),
    # 100·3/0.03 = 10^4, ln = 9.210340; Cr = 3; (3·3/0.1)^5 = 90^5 = 5 904 900 000;
    # 5 904 900 000 · 9.2103403719762 = 54 386 138 862.48
    (("level", 100, 3, 2, 1.5, 0.1, 0.03, False), 54386138863),
    # 2^3 · 2² · (2/0.1)² = 8·4·400 = 12 800; 12 800·6.907755 = 88 419.27
    (("level", 10, 2, 3, 2, 0.1, 0.02, True), 88420),
    # (1·1·2/0.5)^(1+3) = 256; 256·6.907755 = 1768.385
    (("breiman", 10, 2, 1, 1, 0.5, 0.02, False), 1769),
    # k³ C² 2^r / eps³ = 8·4·8/0.001 = 256 000; 256 000·6.907755 = 1 768 385.4
    (("breiman", 10, 2, 3, 2, 0.1, 0.02, True), 1768386),
]

DEPTHS = [
    # n = 442.096, ln(d/delta) = ln 500 = 6.214608; log2(442.096/6.214608) = log2 71.138 = 6.152550;
    # times 1/3: 2.05
    (("level", 10, 2, 1, 1, 0.5, 0.02, False), 3),
    # ln(100/0.03) = 8.111728; log2(54 386 138 862/8.111728) = 32.642; times 3/5: 19.59
    (("level", 100, 3, 2, 1.5, 0.1, 0.03, False), 20),
    # log2(1768.385/6.214608) = log2 284.55 = 8.152551; times 1/4: 2.04
    (("breiman", 10, 2, 1, 1, 0.5, 0.02, False), 3),
    # independent features: log t = r
    (("level", 10, 2, 3, 2, 0.1, 0.02, True), 3),
    (("breiman", 10, 2, 3, 2, 0.1, 0.02, True), 3),
]

FORESTS = [
    # 2²·2·ln(2/0.02)/0.1 = 8·4.605170/0.1 = 368.4136; ln 10/0.5² + 1/0.5 = 9.210340 + 2;
    # 368.4136·11.210340 = 4130.04. s = 4·(6.907755/0.25 + 4.605170/0.5) = 4·36.841361 = 147.37
    (("level", 10, 2, 2, 0.5, 0.5, 0.1, 0.02), (4131, 148)),
    # s = 4·6.907755/(0.5·0.25) = 221.048; n = s·2/0.1 = 4420.96
    (("breiman", 10, 2, 2, 0.5, 0.5, 0.1, 0.02), (4421, 222)),
    # d = 1, so ln d = 0: 2·2·ln(2/0.5)/0.5·(0 + 1) = 11.09, but s = 2·(ln 4/0.01 + ln 4) = 280.03:
    # no subsample is larger than the sample
    (("level", 1, 2, 1, 0.1, 1.0, 0.5, 0.5), (281, 281)),
]

PAIRS = [
    # a = 1/2, B = 1: c = 1/(0.5^0.5·0.5^0.5) = 2. One pair. Q = (2·1/0.5)^3 = 64, cQ = 128,
    # M3 = 3·128 = 384; max(ln 100, 3·ln 384) = max(4.605170, 17.851928); 128·17.851928 = 2285.05
    ((2, 3, 0.5, 1, 1, 0.5, 0.02), "theorem", 2286),
    # y = ln 384 + ln y: 5.950643 + 2.083728 = 8.034371; 384·8.034371 = 3085.2 > 128·4.605170
    ((2, 3, 0.5, 1, 1, 0.5, 0.02), "lambert", 3086),
    # 2·384·ln 384 = 768·5.950643 = 4570.09
    ((2, 3, 0.5, 1, 1, 0.5, 0.02), "approximation", 4571),
    # B = 4: c = 4^0.5·2 = 4; tolerance 1/2, t^(3-2a) = 1/4; Q = (4/(0.5·0.5))^3 = 4096;
    # c Q / (t^3 K) = 4·4096·8 = 131 072; 3·ln(3·4·4096·4) = 3·ln 196 608 = 36.5669015;
    # 131 072·36.5669015 = 4 792 896.9
    ((2, 3, 0.5, 4, 0.5, 0.5, 0.02), "theorem", 4792897),
    # 45 pairs: Q = (2·45/0.9)^3 = 10^6, cQ = 2·10^6; ln(10/10^-6) = 16.118096, and that is more
    # than ln(2·10^6) = 14.5087; 2·10^6·16.118096/45 = 716 359.8
    ((10, 1, 0.5, 1, 1, 0.9, 1e-6), "theorem", 716360),
]


@pytest.mark.parametrize(("arguments", "expected"), TREES)
def test_tree_sample_sizes_equal_the_hand_computed_ones(arguments, expected):
    assert theory.tree_sample_size(*arguments) == expected


@pytest.mark.parametrize(("arguments", "expected"), DEPTHS)
def test_tree_depths_equal_the_hand_computed_ones(arguments, expected):
    assert theory.tree_depth(*arguments) == expected


@pytest.mark.parametrize(("arguments", "expected"), FORESTS)
def test_forest_sample_sizes_equal_the_hand_computed_ones(arguments, expected):
    assert theory.forest_sample_size(*arguments) == expected


@pytest.mark.parametrize(("arguments", "form", "expected"), PAIRS)
def test_pairwise_sample_sizes_equal_the_hand_computed_ones(arguments, form, expected):
    assert theory.pairwise_sample_size(*arguments, form=form) == expected


def test_depth_follows_the_rows_at_hand():
    # ln 500 = 6.214608; log2(10 000/6.214608) = 10.652; times 1/3: 3.55; 5 rows: below 0
    assert theory.tree_depth("level", 10, 2, 1, 1, 0.5, 0.02, n=10_000) == 4
    assert theory.tree_depth("level", 10, 2, 1, 1, 0.5, 0.02, n=5) == 0


def test_the_depth_of_the_bound_is_the_depth_that_is_suggested():
    # ln(100/0.05) = 7.600902; log2(10 000/7.600902) = 10.361540; times 10/12: 8.63
    assert theory.tree_depth("level", 100, 5, 10, 1, 0.5, 0.05, n=10_000) == 9
    X, Y, _ = make_family("SFN", n_samples=400)
    found = theory.suggest_splits(X, Y, "level")
    case = (found.d, found.k, found.r, found.C, 0.5, found.delta)
    assert found.value == theory.tree_depth("level", *case, n=found.n)


def test_sorted_positions_are_within_four_times_the_error_and_not_within_it():
    positions, truth = np.array([1.51, 1.49]), np.array([1.0, 2.0])
    eps = ((positions - truth) ** 2).sum() / 2**2
    distance = spearman_distance([truth], [np.argsort(np.argsort(positions)) + 1.0])
    assert eps * 2**2 < distance == 2 <= theory.spearman_guarantee(eps, 2)


@given(seed=st.integers(0, 10**6), k=st.integers(2, 8), spread=st.floats(0.01, 3))
def test_no_sorted_positions_are_further_than_the_guarantee(seed, k, spread):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(k) + 1.0
    positions = truth + rng.normal(scale=spread, size=k)
    eps = ((positions - truth) ** 2).sum() / k**2
    distance = spearman_distance([truth], [np.argsort(np.argsort(positions)) + 1.0])
    assert distance <= theory.spearman_guarantee(eps, k) * (1 + 1e-9)


def test_small_facts_equal_the_hand_computed_ones():
    # B^(1-a)/((1-a)^(1-a) a^a) at a = 0.2, B = 32: 16/(0.836512·0.724780) = 16/0.606287 = 26.39016
    assert theory.tsybakov_constant(0.2, 32) == pytest.approx(26.39016, abs=1e-5)
    # 2·0.5 + sqrt(2·0.5·ln 100/100) + 4·3·ln 100/300 = 1 + 0.214597 + 0.184207
    assert theory.talagrand_bound(0.5, 0.5, 3, 100, 0.01) == pytest.approx(1.398804, abs=1e-6)
    assert theory.spearman_guarantee(0.25, 4) == 16  # 4·0.25·4²
    # c = 2: 2/0.5²·2·(3 pairs·0.01^0.5 = 0.3) + 0.1 = 8·0.6 + 0.1
    assert theory.pairwise_risk_bound(0.1, 3, 0.5, 1, 0.5, 0.01) == pytest.approx(4.9)
    assert theory.pairwise_risk_bound(0.1, 3, 0.5, 1, 0.5, [0.01, 0, 0.01]) == pytest.approx(3.3)


def test_excess_risk_of_a_pair_equals_the_hand_computed_one():
    # a = 1/2, c = 2, t = 1, n = 1000: (16·2/1000)^(2/3) = 0.032^(2/3) = 0.100794;
    # (4·ln 1000)^(2/3) = 27.631021^(2/3) = 9.139727; (32·ln 40)^(2/3) = 118.044140^(2/3) = 24.063
    expected = 2 * 0.100794 * (9.139727 + 24.063)
    assert theory.pair_excess_risk(1000, 0.05, 4, 0.5, 1, 1) == pytest.approx(expected, rel=1e-4)
    # with a large C' the other term wins: 1000·ln 40/(0.5·1000) = 2·3.688879
    risk = theory.pair_excess_risk(1000, 0.05, 4, 0.5, 1e-9, 0.5, C_prime=1000)
    assert risk == pytest.approx(7.377759, abs=1e-6)


def test_the_claims_of_the_proof_equal_the_hand_computed_ones():
    # c = 2, t = 1/2: (6^1.5·0.5^0.5/2)² = (14.696938·0.707107/2)² = 27; ln 40·27 = 99.6, and that is
    # more than 40^(1/14) = 1.3
    assert theory.pair_comparisons(0.05, 7, 0.5, 1, 0.5) == 100
    # with a small C the other term wins: 40^(1/(2·0.01·10)) = 40^5
    assert theory.pair_comparisons(0.05, 10, 0.5, 1, 0.5, C=0.1) == 40**5
    # c = 2, t = 1/2, 3 pairs, r_n at delta/3: 2/0.5·(2·3·0.01^0.5 + 3·r^0.5)
    r = theory.pair_excess_risk(10**8, 0.05 / 3, 7, 0.5, 1, 0.5)
    bound = theory.pairwise_error_bound(10**8, 3, 7, 0.5, 1, 0.5, 0.05, 0.01)
    assert bound == pytest.approx(4 * (0.6 + 3 * r**0.5))
    assert theory.pairwise_risk_gap(0.1, 5) == 2.5


def test_the_claim_has_one_tolerance_less_than_the_theorem_before_what_the_class_misses():
    # so much data that only the class counts
    claim = theory.pairwise_error_bound(10**40, 3, 7, 0.5, 1, 0.5, 0.05, 0.01)
    theorem = theory.pairwise_risk_bound(1e-9, 3, 0.5, 1, 0.5, 0.01)
    assert claim / theorem == pytest.approx(0.5, rel=1e-4)


def test_sample_sizes_of_classes_are_those_of_the_table():
    # c = 2, t = 1, one pair: N0 = 2·(2/0.5)^3 = 128
    case = {"k": 2, "a": 0.5, "B": 1, "tolerance": 1, "eps": 0.5, "delta": 0.02}
    # 10·ln 10 = 23.02585 > ln 100 = 4.605170; 128·23.02585 = 2947.31
    for name in ("halfspace", "rectangle", "ball"):
        assert theory.class_sample_size(name, **case, d=10) == 2948
    # d = 1: 1·ln 1 = 0, so ln 100; 128·4.605170 = 589.46
    assert theory.class_sample_size("ball", **case, d=1) == 590
    # (3·2)²·ln 6 = 64.503; 128·64.503 = 8256.4
    sizes = {"n_parameters": 3, "n_neurons": 2}
    assert theory.class_sample_size("sigmoid network", **case, **sizes) == 8257
    # 50·(ln 50)² = 50·15.303924 = 765.196; 128·765.196 = 97 945.1; and a constant of 2
    size = {"n_parameters": 50}
    assert theory.class_sample_size("sign network", **case, **size) == 97946
    assert theory.class_sample_size("sign network", **case, **size, constant=2) == 195891
    with pytest.raises(TypeError, match="'ball' needs d"):
        theory.class_sample_size("ball", **case)


def test_the_ends_of_tsybakovs_exponent_are_taken():
    assert theory.tsybakov_constant(0, 3) == 3
    assert theory.tsybakov_constant(1, 3) == 1
    # a = 1, c = 1: 1/t²/K·(K/(eps t))·max(...) with K = 1, t = 1: 2·max(ln 100, 3·ln 6) = 10.75
    assert theory.pairwise_sample_size(2, 3, 1, 5, 1, 0.5, 0.02) == 11
    assert theory.pairwise_guarantee(11, 2, 3, 1, 5, 1, 0.02) < 0.5
    # a = 0: margins may be nothing, and no number of rows is enough
    assert theory.pairwise_sample_size(2, 3, 0, 5, 1, 0.5, 0.02).log10 == math.inf
    assert theory.pairwise_guarantee(10**9, 2, 3, 0, 5, 1, 0.02) == math.inf
    # the slow rate and the fast: 100 times the rows, a tenth and a hundredth of the risk
    for a, ratio in ((0, 10), (1, 100)):
        few, many = (theory.pair_excess_risk(n, 1e-9, 1, a, 1, 1, C=1e-9) for n in (10**6, 10**8))
        assert few / many == pytest.approx(ratio, rel=1e-3)
    assert theory.pair_comparisons(0.05, 7, 1, 1, 0.5).log10 == math.inf
    assert theory.pair_comparisons(0.05, 7, 0, 1, 0.5) == math.ceil(18 * math.log(40))


@given(a=st.floats(0.9, 0.999), eps=st.floats(0.01, 0.5))
def test_the_sample_size_has_no_jump_at_the_end(a, eps):
    near, at = (theory.pairwise_sample_size(4, 5, x, 1, 0.5, eps, 0.05) for x in (a, 1))
    assert at <= near


def test_vc_dimensions_are_those_of_the_table():
    assert theory.vc_dimension("halfspace", 6) == 7
    assert theory.vc_dimension("Ball", d=6) == 7
    assert theory.vc_dimension("rectangle", 6) == 12
    assert theory.vc_dimension("sigmoid-network", n_parameters=10, n_neurons=3) == 900
    assert theory.vc_dimension("SignNetwork", n_parameters=50) == 196  # 50·3.912023 = 195.6
    assert theory.vc_dimension("sign network", n_parameters=1) == 1
    assert theory.vc_dimension("sign_network", n_parameters=50, constant=2) == 392


shares = st.floats(0.01, 0.99)
sizes = st.tuples(st.integers(1, 60), st.integers(2, 12), st.integers(1, 6)).filter(
    lambda drk: drk[2] <= drk[0]
)
trees = st.tuples(st.sampled_from(["level", "breiman"]), sizes, st.floats(1, 4), st.booleans())
pairs = st.tuples(
    st.integers(2, 12), st.integers(1, 50), st.floats(0.1, 0.95), st.floats(1e-3, 100), shares
)
forms = st.sampled_from(["theorem", "lambert", "approximation"])


def tree(case, eps, delta, **changed):
    criterion, (d, k, r), C, product = case
    values = {"d": d, "k": k, "r": r, "C": C, "eps": eps, "delta": delta, "product": product}
    return theory.tree_sample_size(criterion, **{**values, **changed})


@given(trees, shares, shares)
def test_tree_sample_size_equals_the_plain_formula(case, eps, delta):
    criterion, (d, k, r), C, product = case
    plain = naive.tree_rows(criterion, d, k, r, C, eps, delta, product)
    assert tree(case, eps, delta) == pytest.approx(math.ceil(plain), rel=1e-9, abs=1)


@given(trees, shares, shares, st.floats(1.01, 3))
def test_a_tree_never_needs_fewer_rows_for_a_harder_task(case, eps, delta, factor):
    criterion, (d, k, r), C, _ = case
    n = tree(case, eps, delta)
    assert tree(case, eps, delta, k=k + 1) >= n
    assert tree(case, eps, delta, d=d + 1) >= n
    assert tree(case, eps / factor, delta) >= n
    assert tree(case, eps, delta / factor) >= n
    assert tree(case, eps, delta, C=C * factor) >= n
    assert tree(case, eps, delta, constant=factor) >= n
    if r < d:
        assert tree(case, eps, delta, r=r + 1) >= n
    if criterion == "level":
        assert tree(("breiman", *case[1:]), eps, delta) >= n


@given(trees, st.floats(1e-3, 0.99), shares)
def test_the_tree_guarantee_undoes_the_sample_size(case, eps, delta):
    criterion, (d, k, r), C, product = case
    n = tree(case, eps, delta)
    bought = theory.tree_guarantee(n, criterion, d, k, r, C, delta, product)
    # n was rounded up to a whole row, and a row may buy much where few are needed.
    assert bought <= eps * (1 + 1e-9)
    assert tree(case, min(bought, 0.999), delta) <= n + max(1, 1e-9 * n)


@given(
    st.sampled_from(["level", "breiman"]), sizes, shares, shares, shares, shares, st.floats(1.01, 3)
)
def test_a_forest_never_needs_fewer_rows_for_a_harder_task(
    criterion, size, beta, zeta, eps, delta, factor
):
    d, k, r = size

    def forest(**changed):
        values = {"d": d, "k": k, "r": r, "beta": beta, "zeta": zeta, "eps": eps, "delta": delta}
        return theory.forest_sample_size(criterion, **{**values, **changed})

    n, s = forest()
    plain = [math.ceil(x) for x in naive.forest_rows(criterion, d, k, r, beta, zeta, eps, delta)]
    assert (n, s) == pytest.approx((max(plain), plain[1]), rel=1e-9, abs=1)
    harder = [
        {"k": k + 1},
        {"d": d + 1},
        {"eps": eps / factor},
        {"delta": delta / factor},
        {"beta": beta / factor},
        {"zeta": zeta / factor},
    ]
    for change in harder:
        more = forest(**change)
        assert more.n >= n
        assert more.s >= s
    bought = theory.forest_guarantee(n, criterion, d, k, r, beta, zeta, delta)
    assert bought <= eps * (1 + 1e-9)


@given(pairs, shares, shares, forms, st.floats(1.01, 3))
def test_pairwise_learning_never_needs_fewer_rows_for_a_harder_task(case, eps, delta, form, factor):
    k, vc, a, B, tolerance = case

    def rows(**changed):
        values = {"k": k, "vc": vc, "a": a, "B": B, "tolerance": tolerance, "eps": eps}
        return theory.pairwise_sample_size(**{**values, "delta": delta, "form": form, **changed})

    n = rows()
    assert n == pytest.approx(
        math.ceil(naive.pairwise_rows(*case, eps, delta, form)), rel=1e-9, abs=1
    )
    assert rows(k=k + 1) >= n
    assert rows(vc=vc + 1) >= n
    assert rows(B=B * factor) >= n
    assert rows(tolerance=tolerance / factor) >= n
    assert rows(eps=eps / factor) >= n
    assert rows(delta=delta / factor) >= n
    assert rows(form="approximation") >= rows(form="lambert")
    bought = theory.pairwise_guarantee(n, *case, delta, form=form)
    assert bought <= eps * (1 + 1e-9)


@given(st.floats(1.0, 1e6))
def test_the_lambert_form_solves_its_equation_at_every_size(log_M):
    from decimal import Decimal

    from rankwise.theory._numbers import precise
    from rankwise.theory._pairs import _log_root

    y = float(precise(_log_root)(Decimal(log_M).exp()))
    assert y - math.log(y) == pytest.approx(log_M, rel=1e-12)
    assert y >= 1


def test_too_many_rows_are_told_compared_and_never_infinite():
    n = theory.tree_sample_size("level", 1000, 5, 200, 2, 0.1, 0.05)
    # ln(10^5) (2·200·5/0.1)^402 = 11.512925·20 000^402: log10 = 1.061186 + 402·4.301030
    assert str(n) == "more than 10^300 rows"
    assert f"{n:,}" == f"{n}" == "more than 10^300 rows"
    assert n.log10 == pytest.approx(1.061186 + 402 * 4.301030, abs=1e-3)
    assert n > 10**300
    assert n > 1e308
    assert n < math.inf
    assert n < theory.tree_sample_size("breiman", 1000, 5, 200, 2, 0.1, 0.05)
    assert n == theory.HugeSampleSize(n.log10)
    assert len({n, theory.HugeSampleSize(n.log10)}) == 1
    assert n != "many"
    with pytest.raises(TypeError):
        _ = n < "many"
    assert not n < math.nan
    # 400/402·(2.443470 + 402·9.903488 - ln ln 20 000 = 2.292887) = 3961.5; over ln 2: 5715.3
    assert theory.tree_depth("level", 1000, 5, 200, 2, 0.1, 0.05) == 5716


def test_a_bound_just_below_the_limit_is_an_exact_integer():
    n = theory.tree_sample_size("level", 1000, 5, 64, 1, 0.1, 0.05)
    assert isinstance(n, int)
    assert 10**200 < n <= 10**300


def test_a_bound_beyond_all_exponents_is_an_error_that_says_what_to_lower():
    with pytest.raises(ValueError, match="more than 10\\^18 digits; lower C"):
        theory.tree_sample_size("level", 1000, 5, 200, 1e18, 0.1, 0.05)


def test_a_guarantee_of_too_few_rows_says_that_they_buy_nothing():
    eps = theory.tree_guarantee(10, "level", 6, 3, 2, 1, 0.05)
    assert eps > 1
    assert not eps.holds
    assert "buy no guarantee" in str(eps)
    assert theory.forest_guarantee(10, "level", 6, 3, 2, 0.1, 0.5, 0.05) == math.inf
    far = theory.pairwise_guarantee(1, 50, 100, 0.001, 1e300, 1e-300, 0.05)
    assert str(far) == "unbounded (not below 1: these rows buy no guarantee)"


def test_a_guarantee_never_claims_no_error_at_all():
    eps = theory.pairwise_guarantee(10**300, 2, 1, 0.9999, 1e-300, 1, 0.5)
    assert 0 < eps < 1e-290
    assert theory.pairwise_guarantee(10**250, 2, 1, 0.001, 1e-300, 1, 0.5) > 0


def test_numpy_numbers_and_fractions_are_numbers():
    plain = theory.tree_sample_size("level", 10, 2, 3, 2, 0.1, 0.02, True)
    given = theory.tree_sample_size(
        "level", np.int64(10), np.int8(2), 3, np.float64(2), Fraction(1, 10), 0.02, np.bool_(True)
    )
    assert given == plain
