"""Where data comes from: benchmarks by name, recipes that make more, and the files people have."""

from rankwise.datasets._dataset import Dataset
from rankwise.datasets._files import read, write
from rankwise.datasets._text import DataFileError

__all__ = ["DataFileError", "Dataset", "read", "write"]
