"""A table as people have it: numbers with gaps, texts, Booleans, categories, named rows."""

import numpy as np
import pandas as pd

N = 60


def drinks(n=N, seed=0):
    """Return a table and rankings that depend on hour and place alone."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "hour": rng.integers(6, 20, n),
            "place": rng.choice(["home", "work", "train"], n),
            "dry": rng.random(n) < 0.5,
            "size": pd.Categorical(
                rng.choice(["S", "M", "L"], n), categories=["S", "M", "L", "XL"]
            ),
            "heat": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        },
        index=[f"p{i}" for i in range(n)],
    )
    early = (X.hour < 12) | (X.place == "work")
    ranks = np.where(early.to_numpy()[:, None], [[1, 2, 3]], [[3, 1, 2]])
    return X, pd.DataFrame(ranks, columns=["tea", "coffee", "water"], index=X.index)


def by_hand(X, like):
    """The features that a table gives, written from the definition: one 0/1 column per category."""
    columns = {}
    for name in like.columns:
        seen = [cell for cell in dict.fromkeys(like[name]) if not pd.isna(cell)]
        if name == "size":
            seen = [cell for cell in ["S", "M", "L", "XL"] if cell in seen]
        if name == "dry":
            seen = [False, True]
        if name in ("hour", "heat"):
            columns[name] = [float(cell) for cell in X[name]]
            continue
        for cell in seen[1:] if len(seen) == 2 else seen:
            columns[f"{name}={cell}"] = [
                float(found == cell) if found in seen else np.nan for found in X[name]
            ]
    return pd.DataFrame(columns, index=X.index)
