"""Embeddings against plain twins, and decoding against every ranking there is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise.baselines._embeddings as embeddings
from baselines import naive
from baselines.strategies import rankings
from rankwise.baselines._embeddings import EMBEDDINGS
from rankwise.consensus import kemeny_batch

TWINS = {
    "kemeny": naive.kemeny_vector,
    "hamming": naive.hamming_vector,
    "lehmer": naive.lehmer_vector,
}


def vectors(draw_seed, name, k, n=8):
    """Vectors as a regressor may give them: near to those of rankings, and beyond them."""
    rng = np.random.default_rng(draw_seed)
    Y = np.argsort(rng.random((n, k)), axis=1) + 1.0
    inside = EMBEDDINGS[name].embed(Y)
    return inside + rng.normal(size=inside.shape)


@pytest.mark.parametrize("name", EMBEDDINGS)
@given(Y=rankings())
def test_vectors_equal_the_twins_and_decode_to_the_ranking(name, Y):
    got = EMBEDDINGS[name].embed(Y)
    np.testing.assert_array_equal(got, [TWINS[name](row) for row in Y])
    np.testing.assert_array_equal(EMBEDDINGS[name].decode(got, Y.shape[1]), Y)


@given(Y=rankings(missing=True, ties=True))
def test_unknown_and_tied_pairs_are_zero_in_kemenys_vectors(Y):
    np.testing.assert_array_equal(
        EMBEDDINGS["kemeny"].embed(Y), [naive.kemeny_vector(row) for row in Y]
    )


@given(Y=rankings(ties=True))
def test_a_tie_counts_as_an_inversion_in_lehmers_vectors(Y):
    np.testing.assert_array_equal(
        EMBEDDINGS["lehmer"].embed(Y), [naive.lehmer_vector(row) for row in Y]
    )


@pytest.mark.parametrize("name", ["kemeny", "hamming"])
@given(seed=st.integers(0, 10**6), k=st.integers(2, 5))
def test_decoding_finds_a_nearest_ranking(name, seed, k):
    given_vectors = vectors(seed, name, k, n=3)
    decoded = EMBEDDINGS[name].decode(given_vectors, k)
    for vector, ranks in zip(given_vectors, decoded, strict=True):
        assert tuple(ranks) in naive.nearest_rankings(vector, TWINS[name], k)


@given(seed=st.integers(0, 10**6), k=st.integers(2, 5))
def test_lehmers_decoding_is_nearest_too_as_coordinates_are_free(seed, k):
    given_vectors = vectors(seed, "lehmer", k, n=3)
    decoded = EMBEDDINGS["lehmer"].decode(given_vectors, k)
    for vector, ranks in zip(given_vectors, decoded, strict=True):
        assert tuple(ranks) in naive.nearest_rankings(vector, naive.lehmer_vector, k)


@given(seed=st.integers(0, 10**6), k=st.integers(3, 6))
def test_beyond_exact_search_kemenys_decoding_loses_nothing_where_majorities_do_not_cycle(seed, k):
    given_vectors = vectors(seed, "kemeny", k)
    kemeny = EMBEDDINGS["kemeny"]
    exact = kemeny.decode(given_vectors, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embeddings, "EXACT_LABELS", 0)
        near = kemeny.decode(given_vectors, k)
    support = embeddings._mirror(given_vectors, k).clip(0)
    np.testing.assert_array_equal(np.sort(near, axis=1), np.sort(exact, axis=1))

    def cost(ranks):
        return np.where(ranks[:, :, None] > ranks[:, None, :], support, 0).sum(axis=(1, 2))

    assert (cost(near) >= cost(exact) - 1e-9).all()
    free = cost(exact) == 0
    np.testing.assert_array_equal(near[free], exact[free])


@pytest.mark.parametrize("name", EMBEDDINGS)
@given(Y=rankings())
def test_shares_of_a_ranking_are_its_own_order(name, Y):
    shares = EMBEDDINGS[name].shares(EMBEDDINGS[name].embed(Y), Y.shape[1])
    truth = (Y[:, :, None] < Y[:, None, :]) + 0.5 * (Y[:, :, None] == Y[:, None, :])
    np.testing.assert_allclose(shares, truth, atol=1e-6)


@pytest.mark.parametrize("name", EMBEDDINGS)
@given(seed=st.integers(0, 10**6), k=st.integers(2, 5))
def test_shares_of_any_vector_are_from_0_to_1(name, seed, k):
    shares = EMBEDDINGS[name].shares(vectors(seed, name, k, n=3), k)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares + shares.transpose(0, 2, 1), 1, atol=1e-6)


def test_many_rows_are_decoded_in_blocks_with_the_same_result(monkeypatch):
    given_vectors = vectors(0, "kemeny", 4, n=50)
    whole = EMBEDDINGS["kemeny"].decode(given_vectors, 4)
    monkeypatch.setattr(embeddings, "BLOCK_CELLS", 100)
    np.testing.assert_array_equal(EMBEDDINGS["kemeny"].decode(given_vectors, 4), whole)
    support = embeddings._mirror(given_vectors, 4).clip(0)
    np.testing.assert_array_equal(whole, kemeny_batch(support))
