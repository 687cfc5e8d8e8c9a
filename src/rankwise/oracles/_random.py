"""Random state: whatever the caller holds becomes independent numpy generators."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from rankwise._parameters import is_whole

RandomState: TypeAlias = (
    int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None
)


def seed_sequence(random_state: RandomState) -> np.random.SeedSequence:
    """Turn any accepted random state into a fresh seed sequence.

    A Generator or RandomState is advanced, so that two calls with it differ; an int or a
    SeedSequence gives the same result each time.
    """
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.SeedSequence):
        # A copy: spawning from the caller's own object would change what it gives next time.
        return np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key)
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**63, size=4).tolist())
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(0, 2**31 - 1, size=8).tolist())
    if is_whole(random_state):
        if random_state < 0:
            raise ValueError(f"random_state is {random_state}; use a whole number of 0 or more")
        return np.random.SeedSequence(int(random_state))
    raise TypeError(
        f"random_state is a {type(random_state).__name__}; use a whole number, a numpy Generator, "
        "RandomState or SeedSequence, or None"
    )


def streams(random_state: RandomState, count: int) -> list[np.random.Generator]:
    """Make `count` independent generators, so that one stage's draws never shift another's."""
    return [np.random.default_rng(seed) for seed in seed_sequence(random_state).spawn(count)]
