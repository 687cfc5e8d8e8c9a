"""Verdicts: each claim holds on curves made to fulfil it, and fails on curves made to break it."""

import numpy as np
import pytest

from rankwise.paper._figure_claims import judge_figure
from rankwise.paper._sparsity_claim import judge_sparsity
from rankwise.paper._table_claims import judge_tables
from rankwise.paper._tables import Cell, PaperTable

ALPHAS = np.linspace(0.1, 0.9, 9)


def level(family, learner, operator, alpha, tau, beta, on=None, repeated=0.1):
    return {
        "tau_sd": 0.01, "tau_on_orders_sd": 0.01, "repeated_errors": repeated,
        "family": family, "learner": learner, "operator": operator, "mallows_on": on,
        "alpha": alpha, "beta": beta, "beta_on_orders": beta, "tau": tau, "tau_on_orders": tau,
    }  # fmt: skip


def noise(curves):
    """Records of noise curves: learner -> tau as a function of alpha; beta is 1 - alpha."""
    return [
        level(family, learner, "none" if alpha == 0 else "Gaussian", alpha, tau(alpha), 1 - alpha)
        for family in ("SFN", "LFN")
        for learner, tau in curves.items()
        for alpha in (0.0, *ALPHAS)
    ]


def verdict(verdicts, words, reading="ranks"):
    (found,) = [v for v in verdicts if words in v.claim and v.reading == reading]
    return found


AS_THE_PAPER_SAYS = {
    "RF": lambda alpha: 0.99 - 0.05 * alpha,
    "DT": lambda alpha: 1 - alpha,
    "SDT": lambda alpha: 0.8 - 0.05 * alpha,
    "Honest": lambda alpha: 0.9 - 0.05 * alpha,
}


@pytest.mark.parametrize(
    ("words", "breaking"),
    [
        ("interpolate", {"RF": lambda alpha: 0.81 - 0.05 * alpha}),
        ("decay as alpha", {"DT": lambda alpha: 0.99 + 0 * alpha}),
        ("tau over beta", {"DT": lambda alpha: 0.6 * (1 - alpha)}),
        ("shallow trees are noise", {"SDT": lambda alpha: 0.8 - 0.5 * alpha}),
        ("grown forests are noise", {"RF": lambda alpha: 0.99 * (1 - alpha) ** 2}),
        ("honest forests are noise", {"Honest": lambda alpha: 0.9 * (1 - alpha) ** 2}),
    ],
)
def test_a_claim_about_noise_holds_where_it_should_and_fails_where_not(words, breaking):
    assert verdict(judge_figure("figure-noise", noise(AS_THE_PAPER_SAYS)), words).holds
    assert not verdict(
        judge_figure("figure-noise", noise(AS_THE_PAPER_SAYS | breaking)), words
    ).holds


def on_both(records, name, on_ranks, on_orders):
    """Give a measure another value on each reading, as functions of alpha."""
    return [
        r | {name: on_ranks(r["alpha"]), f"{name}_on_orders": on_orders(r["alpha"])}
        for r in records
    ]


def test_noise_on_a_reading_is_measured_by_beta_on_that_reading():
    # On orders beta is 1/2 at alpha 0.2, where forests have lost little yet; at 1/2 they have.
    records = noise(AS_THE_PAPER_SAYS | {"RF": lambda alpha: 0.9 if alpha < 0.4 else 0.5})
    records = on_both(
        records, "beta", lambda alpha: 1 - alpha, lambda alpha: max(0, 1 - 2.5 * alpha)
    )
    records = [r for r in records if r["alpha"] in (0, *ALPHAS)]
    verdicts = judge_figure("figure-noise", records)
    assert not verdict(verdicts, "grown forests are noise", "ranks").holds
    found = verdict(verdicts, "grown forests are noise", "orders")
    assert found.holds
    assert "at beta 0.5" in found.figure


def test_honest_forests_are_compared_with_trees_on_the_levels_that_they_have():
    records = [
        r
        for r in noise(AS_THE_PAPER_SAYS)
        if r["learner"] != "Honest" or r["alpha"] in (0, ALPHAS[2])
    ]
    found = verdict(judge_figure("figure-noise", records), "honest forests")
    assert f"DT {1 - ALPHAS[2]:.0%}" in found.figure
    assert "at beta 0.70" in found.figure


def test_beta_is_the_better_measure_where_tau_is_a_line_in_it():
    def bent(alpha):
        return 1 - alpha**3

    curves = dict.fromkeys(("RF", "DT", "SDT"), lambda alpha: 0.9 * bent(alpha))
    for beta, holds in ((bent, True), (lambda alpha: 1 - alpha**9, False)):
        records = on_both(noise(curves), "beta", beta, beta)
        assert verdict(judge_figure("figure-noise", records), "more appropriate").holds is holds


def test_the_figure_behind_a_verdict_is_reported():
    found = verdict(judge_figure("figure-noise", noise(AS_THE_PAPER_SAYS)), "interpolate")
    assert found.figure == "RF SFN 0.990, DT SFN 1.000, RF LFN 0.990, DT LFN 1.000"


def test_readings_are_judged_apart():
    records = noise(AS_THE_PAPER_SAYS)
    for record in records:
        record["tau_on_orders"] = record["tau"] / 2
    verdicts = judge_figure("figure-noise", records)
    assert verdict(verdicts, "interpolate", "ranks").holds
    assert not verdict(verdicts, "interpolate", "orders").holds


def test_nothing_is_judged_without_records():
    assert (
        judge_figure("figure-noise", [])
        == judge_figure("figure-operators", [])
        == judge_tables({})
        == []
    )


def operators(mallows_tau=-0.1, mallows_beta=0.1, bend=0.0, mallows_repeats=0.2):
    records = []
    for family in ("SFN", "LFN"):
        for learner in ("RF", "DT", "SDT"):
            for alpha in ALPHAS:
                tau = 0.9 - 0.5 * alpha - bend * (alpha > 0.5)
                records.append(level(family, learner, "Gaussian", alpha, tau, 1 - alpha))
                for on in ("ranks", "orders"):
                    records.append(
                        level(
                            family, learner, "Mallows", alpha, tau + mallows_tau,
                            1 - alpha + mallows_beta, on, repeated=0.1 + mallows_repeats,
                        )
                    )  # fmt: skip
    return records


@pytest.mark.parametrize(
    ("words", "breaking"),
    [
        ("almost linearly", {"bend": 0.5}),
        ("beta is higher", {"mallows_beta": -0.01}),
        ("do worse under Mallows", {"mallows_tau": 0.01}),
        ("strictly correlated", {"mallows_tau": 0.0, "mallows_beta": 0.0}),
        ("repeats the same wrong", {"mallows_repeats": -0.05}),
    ],
)
def test_a_claim_about_operators_holds_where_it_should_and_fails_where_not(words, breaking):
    assert verdict(judge_figure("figure-operators", operators()), words).holds
    assert not verdict(judge_figure("figure-operators", operators(**breaking)), words).holds


@pytest.mark.parametrize(("mallows_tau", "holds"), [(-0.1, True), (0.0, False), (0.1, False)])
def test_repeated_errors_matter_where_tau_falls_with_them_at_equal_alpha_and_beta(
    mallows_tau, holds
):
    records = operators(mallows_tau=mallows_tau, mallows_beta=0.0)
    assert verdict(judge_figure("figure-operators", records), "how often").holds is holds


def test_what_an_older_run_did_not_measure_is_not_judged():
    records = [{k: v for k, v in r.items() if k != "repeated_errors"} for r in operators()]
    claims = [v.claim for v in judge_figure("figure-operators", records)]
    assert not [claim for claim in claims if "error" in claim or "repeats" in claim]


def test_mallows_on_ranks_and_on_orders_are_kept_apart():
    records = [
        r | ({"beta": r["beta"] - 0.3} if r["mallows_on"] == "ranks" else {}) for r in operators()
    ]
    verdicts = judge_figure("figure-operators", records)
    assert not verdict(verdicts, "beta is higher", "ranks").holds
    assert verdict(verdicts, "beta is higher", "orders").holds


def test_levels_that_lost_a_partner_are_not_paired():
    records = operators()
    del records[1]
    measured = verdict(judge_figure("figure-operators", records), "do worse under Mallows").figure
    assert "RF SFN" not in measured
    assert "RF LFN" in measured


def table(name, rows, methods):
    return PaperTable(name, name, methods, rows)


def cell(paper, orders, ranks):
    return Cell(paper=paper, orders=orders, ranks=ranks)


OWN = ("RF", "DT", "SDT", "RFT", "DTT")


def own(rf, rft, other=0.5, paper=None):
    return {
        method: cell(tau if paper is None else paper, tau, tau + 0.1)
        for method, tau in zip(OWN, (rf, other, other, rft, other), strict=True)
    }


def test_reproduced_cells_are_counted_and_the_others_named():
    rows = {"tea": own(0.8, 0.8), "coffee": own(0.8, 0.8, paper=0.7)}
    found = verdict(
        judge_tables({"table-real": table("table-real", rows, OWN)}), "come out again", "orders"
    )
    assert not found.holds
    assert found.figure.startswith("5 of 10 cells; not: coffee RF 0.800 for 0.70")


def test_claims_about_our_own_tables():
    good = {"tea": own(0.8, 0.79), "coffee": own(0.7, 0.71), "water": own(0.6, 0.6)}
    bad = {"tea": own(0.4, 0.3), "coffee": own(0.4, 0.3), "water": own(0.4, 0.3)}
    for rows, holds in ((good, True), (bad, False)):
        verdicts = judge_tables({"table-real": table("table-real", rows, OWN)})
        assert verdict(verdicts, "best overall").holds is holds
        assert verdict(verdicts, "tuning").holds is holds


def test_others_are_compared_with_their_published_figures_on_each_reading():
    methods = ("RF", "RFT", "LWD", "RPC", "LRT", "LRRF", "KNNKemeny", "BoostLR")
    others = {method: Cell(paper=0.85) for method in methods[2:]}
    rows = {"tea": {"RF": cell(0.6, 0.6, 0.9), "RFT": Cell(), **others}}
    verdicts = judge_tables({"table-comparison": table("table-comparison", rows, methods)})
    assert not verdict(verdicts, "competitive", "orders").holds
    assert verdict(verdicts, "competitive", "ranks").holds
    assert verdict(verdicts, "cannot compete", "orders").holds
    assert not verdict(verdicts, "cannot compete", "ranks").holds


def test_standard_deviations_are_judged_cell_by_cell():
    def row(**spread):
        return own(0.8, 0.8) | {"RF": Cell(paper=0.8, orders=0.8, **spread)}

    near, far = (row(paper_sd=0.05, orders_sd=sd) for sd in (0.06, 0.07))
    rows = {"tea": near, "coffee": far, "water": row()}
    found = verdict(
        judge_tables({"table-real": table("table-real", rows, OWN)}),
        "standard deviations", "orders",
    )  # fmt: skip
    assert not found.holds
    assert found.figure == "1 of 2 cells; not: coffee RF 0.070 for 0.05"


def test_learners_are_robust_on_benchmarks_where_they_are_above_full_trees():
    for rf, shallow, holds in ((0.8, 0.6, True), (0.8, 0.4, False), (0.4, 0.6, False)):
        row = own(rf, rf) | {"SDT": cell(0.5, shallow, shallow)}
        verdicts = judge_tables({"table-real": table("table-real", {"tea": row}, OWN)})
        for reading in ("orders", "ranks"):
            assert verdict(verdicts, "standard benchmarks", reading).holds is (
                holds if reading == "orders" else rf + 0.1 > 0.6 and shallow > 0.6
            )


def test_the_real_world_comparison_is_judged():
    methods = ("RF", "RFT", "RPC", "BoostLR")
    others = {method: Cell(paper=0.3) for method in methods[2:]}
    rows = {"tea": {"RF": cell(0.1, 0.1, 0.31), "RFT": Cell(), **others}}
    verdicts = judge_tables(
        {"table-comparison-real": table("table-comparison-real", rows, methods)}
    )
    assert verdict(verdicts, "real-world sets forests are behind", "orders").holds
    assert not verdict(verdicts, "real-world sets forests are behind", "ranks").holds


def test_genome_data_are_not_sparse_where_more_of_their_features_matter():
    def sets(r):
        return [
            {"dataset": "iris", "features": 4, "r": 1.0},
            {"dataset": "cold", "features": 24, "r": r},
        ]

    dense, sparse = (judge_sparsity(sets(r))[0] for r in (12.0, 2.0))
    assert dense.holds
    assert not sparse.holds
    assert dense.figure == "mean share 0.50 against 0.25; cold 12 of 24"
    assert judge_sparsity(sets(2.0)[:1]) == []
