"""Parameters that are "theory": set as the theorems suggest for the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._naming import RowError


def is_theory(value: Any) -> bool:
    """Whether a parameter is left to theory."""
    return isinstance(value, str) and value == "theory"


def theory_setting(
    name: str, X: np.ndarray, ranks: np.ndarray, counts: np.ndarray, criterion: str, n: int
) -> dict[str, Any]:
    """What the theorems suggest for a parameter and n rows, with all that it rests on."""
    # imported here: other fits do without it
    from rankwise.theory import suggest_samples, suggest_splits

    suggest = suggest_splits if name == "max_splits" else suggest_samples
    used = counts > 0
    gaps = ~np.isfinite(X) & used[:, None]
    if gaps.any():
        i, j = np.argwhere(gaps)[0]
        raise RowError(
            int(i),
            "X, ",
            f": feature {j} is {X[i, j]}; {name}='theory' needs finite features: impute them, or set "
            f"{name} to a number",
        )
    try:
        return suggest(X[used], ranks[used], criterion, n=max(1, n)).to_dict()
    except ValueError as error:
        raise ValueError(f"{name}='theory': {error}; or set {name} to a number") from None
