"""The file that comes with the package: made up, so that a first try needs neither network nor data."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files

from rankwise.datasets._dataset import Dataset
from rankwise.datasets._files import read

SOLVENTS = ("THF", "DMF", "toluene", "ethanol", "water")


def load_solvents() -> Dataset:
    """Return yields of some of five solvents for each of 80 substrates that nobody ever made.

    Each yield is a straight line in temperature, logP and the strength of the base, plus noise of
    5 %; a fifth of the cells is empty.

    Examples
    --------
    >>> load_solvents().Y.head(2)
          THF  DMF  toluene  ethanol  water
    S-01  4.0  NaN      1.0      3.0    2.0
    S-02  2.0  3.0      1.0      5.0    4.0
    """
    with as_file(files("rankwise.datasets").joinpath("solvents.csv")) as path:
        found = read(
            path,
            labels=SOLVENTS,
            columns={"row": "substrate"},
            higher_is_better=True,
            unit="%",
        )
    source = "made up for rankwise; nobody measured these yields"
    return replace(found, name="solvents", source=source, licence="none needed")
