"""Tables as columns of cells, for those who apply a recipe to one: `rankwise.datasets.read` learns it."""

from rankwise.datasets._cells import texts_of
from rankwise.datasets._checks import check_ranks
from rankwise.datasets._column_roles import (
    TABLES,
    FittedTable,
    Layout,
    ReadOptions,
    choose_features,
    find_layout,
    places,
    ranking_columns,
    row_columns,
)
from rankwise.datasets._contents import Cell, Content, write_csv
from rankwise.datasets._encoding import FeatureColumns
from rankwise.datasets._files import holds_numbers, use_table, write_content
from rankwise.datasets._frames import FrameTable
from rankwise.datasets._one_line_per_row import OneLinePerRow
from rankwise.datasets._parquet import check_cells, reading_parquet
from rankwise.datasets._quick_table import Columns
from rankwise.datasets._recipe import Column, Recipe
from rankwise.datasets._table import Table

__all__ = [
    "TABLES",
    "Cell",
    "Column",
    "Columns",
    "Content",
    "FeatureColumns",
    "FittedTable",
    "FrameTable",
    "Layout",
    "OneLinePerRow",
    "ReadOptions",
    "Recipe",
    "Table",
    "check_cells",
    "check_ranks",
    "choose_features",
    "find_layout",
    "holds_numbers",
    "places",
    "ranking_columns",
    "reading_parquet",
    "row_columns",
    "texts_of",
    "use_table",
    "write_content",
    "write_csv",
]
