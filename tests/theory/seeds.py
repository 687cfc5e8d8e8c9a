"""Seeds of studies that draw again and again: a few of them at once, the whole study when there is time."""

import pytest

# A few where each seed is a case of its own; the others are slow.
SOME_SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 20))]

SEEDS = pytest.mark.parametrize(
    "seeds", [range(5), pytest.param(range(20), marks=pytest.mark.slow)], ids=["few", "many"]
)


def nearly_all(seeds):
    """In how many a 95% interval covers: it may miss in one of twenty, and once more by chance."""
    return len(seeds) - max(1, len(seeds) // 10)
