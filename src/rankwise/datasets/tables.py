"""Tables as columns of cells, for those who apply a recipe to one: `rankwise.datasets.read` learns it."""

from rankwise.datasets._column_roles import TABLES, FittedTable, Layout
from rankwise.datasets._encoding import FeatureColumns, texts_of
from rankwise.datasets._files import open_table
from rankwise.datasets._recipe import Column, Recipe
from rankwise.datasets._table import Table

__all__ = [
    "TABLES",
    "Column",
    "FeatureColumns",
    "FittedTable",
    "Layout",
    "Recipe",
    "Table",
    "open_table",
    "texts_of",
]
