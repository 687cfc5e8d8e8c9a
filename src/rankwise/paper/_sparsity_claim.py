"""The paper's explanation of its real-world figures: that genome data are not sparse."""

from __future__ import annotations

import numpy as np

from rankwise.paper._claims import Claim, Measured, Verdict
from rankwise.paper._protocol import REAL
from rankwise.paper._records import Record


def judge_sparsity(records: list[Record]) -> list[Verdict]:
    """Judge whether more of the features matter in the real-world sets than in the others.

    The number of features that matter, r, is what the rows show, at least: features too weak to be
    seen are not counted. So a claim that does not hold was not shown, not refuted.
    """
    return _CLAIM.judge(records, "ranks")


def _not_sparse(records: list[Record], _: str) -> Measured:
    real = [r for r in records if r["dataset"] in REAL]
    shares = [
        [r["r"] / r["features"] for r in part]
        for part in (real, [r for r in records if r["dataset"] not in REAL])
    ]
    if all(shares):
        of_real, of_others = map(np.mean, shares)
        named = ", ".join(f"{r['dataset']} {r['r']:g} of {r['features']}" for r in real)
        yield f"mean share {of_real:.2f} against {of_others:.2f}; {named}", of_real > of_others


_CLAIM = Claim(
    "table-sparsity", "the real-world sets (genome data) are not sparse",
    "the share of the features that are seen to matter is larger, on average, than on the others",
    _not_sparse,
)  # fmt: skip
