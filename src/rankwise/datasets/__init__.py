"""Where data comes from: benchmarks by name, functions that make more, and the files people have."""

from rankwise.datasets._catalogue import available
from rankwise.datasets._dataset import Dataset
from rankwise.datasets._fetch import whereabouts
from rankwise.datasets._files import read, write
from rankwise.datasets._from_tables import from_classification, from_regression
from rankwise.datasets._generated import make_friedman
from rankwise.datasets._load import load
from rankwise.datasets._text import DataFileError

__all__ = [
    "DataFileError",
    "Dataset",
    "available",
    "from_classification",
    "from_regression",
    "load",
    "make_friedman",
    "read",
    "whereabouts",
    "write",
]
