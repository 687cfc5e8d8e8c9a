"""The paper's synthetic families SFN and LFN, and its grids of noise levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise._arguments import check_arguments
from rankwise.oracles._bounded import TruncatedGaussian
from rankwise.oracles._mallows import Mallows
from rankwise.oracles._matching import largest_inconsistency, match_gaussian
from rankwise.oracles._oracle import Oracle
from rankwise.oracles._random import RandomState, seed_sequence
from rankwise.oracles._scores import SparseLinear

_N_FEATURES = {"SFN": 100, "LFN": 1000}  # small, large features number
_N_LABELS = 5
_SPARSITY = 10
_GRIDS = ("gaussian", "gaussian-programs", "gaussian-matched", "mallows")
# Standard deviations in the paper's programs: so many steps of this size.
_PROGRAM_STEP = 0.0005
_PROGRAM_STEPS = 50
# Alpha of a level is known to sqrt(1/4 / rows), 0.003; the largest draw is 30 MB (LFN, one byte
# per cell).
_MATCHING_ROWS = 30_000


def family_oracle(
    name: str, noise: Any = None, *, mechanism: Any = None, random_state: RandomState = 0
) -> Oracle:
    """Return the oracle of a family: 5 labels, 10 informative Boolean features for each.

    Parameters
    ----------
    name : {"SFN", "LFN"}
        Small (100) or large (1000) number of features.
    noise : noise object, function or None
        As in `Oracle`.
    mechanism : mechanism object, a sequence of them, or None
        As in `Oracle`.
    random_state : int, Generator, RandomState, SeedSequence or None, default 0
        Decides the scores m.

    Examples
    --------
    >>> family_oracle("SFN").scores
    SparseLinear(n_features=100, n_labels=5, sparsity=10)
    """
    return _oracle(name, noise, mechanism, _seeds(random_state)[0])


def make_family(
    name: str, noise: Any = None, n_samples: int = 10_000, random_state: RandomState = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw a data set of a family: X (Boolean), observed ranks Y and clean ranks Y_clean.

    The same `random_state` gives the same m, X and Y_clean whatever the noise, and the m of
    `family_oracle` with that `random_state`.

    Parameters
    ----------
    name : {"SFN", "LFN"}
        As in `family_oracle`.
    noise : noise object, function or None
        As in `Oracle`.
    n_samples : int, default 10000
        Number of rows.
    random_state : int, Generator, RandomState, SeedSequence or None, default 0
        Decides the scores m and the rows.

    Examples
    --------
    >>> X, Y, Y_clean = make_family("SFN", TruncatedGaussian(0.05), n_samples=50)
    >>> X.shape, Y.shape, Y_clean.shape
    ((50, 100), (50, 5), (50, 5))
    """
    for_scores, for_sample = _seeds(random_state)
    oracle = _oracle(name, noise, None, for_scores)
    X, Y, Y_clean = oracle.sample(n_samples, random_state=for_sample, return_clean=True)
    return X, Y, Y_clean


@check_arguments
def family_grid(
    name: str, family: str = "SFN", *, random_state: RandomState = 0
) -> list[TruncatedGaussian] | list[Mallows]:
    """Return the noise levels of one of the paper's studies.

    Parameters
    ----------
    name : {"gaussian", "gaussian-programs", "gaussian-matched", "mallows"}
        "gaussian": 50 truncated Gaussians, evenly spread in alpha between 0 and its largest
        value, weakest first; the paper's text says only that there are 50, and these are ours.
        "gaussian-programs": the 50 of its programs, of standard deviation 0.0005, 0.001, .., 0.025;
        on our scores alpha goes up to 0.6 and beta down to 0.8 with these. "mallows": theta =
        0.6, 0.8, .., 4.4, strongest noise first. "gaussian-matched": 20 truncated Gaussians, each
        of the alpha of the Mallows level at the same place.
    family : {"SFN", "LFN"}
        Whose scores alpha is matched on.
    random_state : int, Generator, RandomState, SeedSequence or None, default 0
        As in `make_family`: decides m.

    Examples
    --------
    >>> family_grid("mallows")[:2]
    [Mallows(theta=0.6, on='ranks'), Mallows(theta=0.8, on='ranks')]
    """
    if name not in _GRIDS:
        raise ValueError(f"there is no grid {name!r}; use one of {', '.join(_GRIDS)}")
    mallows = [Mallows(round(0.6 + 0.2 * step, 1)) for step in range(20)]
    if name == "mallows":
        return mallows
    if name == "gaussian-programs":
        steps = range(1, _PROGRAM_STEPS + 1)
        return [TruncatedGaussian(round(_PROGRAM_STEP * step, 4)) for step in steps]
    oracle = family_oracle(family, random_state=random_state)
    # A sample of its own: the levels must not be tuned to the rows that they will disturb.
    X, _ = oracle.sample(_MATCHING_ROWS, random_state=0)
    scores = oracle.scores(X)
    alphas = [level.expected_inconsistency(_N_LABELS) for level in mallows]
    if name == "gaussian":
        # Evenly, strictly between 0 and the flat noise's alpha.
        alphas = np.linspace(0, largest_inconsistency(scores), 52)[1:-1].tolist()
    return match_gaussian(scores, alphas)


def _seeds(random_state: RandomState) -> list[np.random.SeedSequence]:
    return seed_sequence(random_state).spawn(2)


def _oracle(name: str, noise: Any, mechanism: Any, seed: np.random.SeedSequence) -> Oracle:
    if not isinstance(name, str) or name not in _N_FEATURES:
        raise ValueError(f"there is no family {name!r}; use 'SFN' or 'LFN'")
    m = SparseLinear(_N_FEATURES[name], _N_LABELS, _SPARSITY, random_state=seed)
    return Oracle(m, noise=noise, mechanism=mechanism)
