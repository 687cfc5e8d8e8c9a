"""Large files are read in memory that is bounded by the result, not by the text."""

import tracemalloc

import numpy as np
import pytest

from rankwise.datasets import read

N_ROWS, N_FEATURES = 30_000, 20


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.csv"
    rng = np.random.default_rng(0)
    rows = [",".join(f"{v:.15f}" for v in rng.uniform(size=N_FEATURES)) for _ in range(50)]
    with open(path, "w") as handle:
        handle.write(",".join(f"x{j}" for j in range(N_FEATURES)) + ",ranking\n")
        for i in range(N_ROWS):
            handle.write(rows[i % 50] + f",tea>coffee>l{i % 7}\n")
    return path


def test_peak_memory_stays_within_a_few_times_the_result(large_file):
    result_bytes = N_ROWS * (N_FEATURES + 9) * 8
    assert large_file.stat().st_size > 10_000_000
    tracemalloc.start()
    try:
        dataset = read(large_file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert dataset.features.shape == (N_ROWS, N_FEATURES)
    # Twice the result, and chunks of text whose size does not grow with the file.
    assert peak < 2 * result_bytes + 12_000_000


def test_an_error_on_the_last_line_returns_nothing(large_file, tmp_path):
    path = tmp_path / "broken.csv"
    path.write_bytes(large_file.read_bytes() + b"1,2\n")
    with pytest.raises(ValueError, match=f"line {N_ROWS + 2}: has 2 cells"):
        read(path)
