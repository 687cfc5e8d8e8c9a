"""No window, no figure left over, and a warning is an error."""

import warnings

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _quiet_and_closed():
    from matplotlib import pyplot

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    pyplot.close("all")
