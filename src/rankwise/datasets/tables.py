"""Tables as columns of cells, for those who apply a recipe to one: `rankwise.datasets.read` learns it."""

from rankwise.datasets._cells import texts_of
from rankwise.datasets._checks import check_ranks
from rankwise.datasets._column_files import ENDINGS, ColumnFile, open_columns, reading_columns
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
from rankwise.datasets._quick_table import Columns
from rankwise.datasets._recipe import Column, Recipe
from rankwise.datasets._table import Table

__all__ = [
    "ENDINGS",
    "TABLES",
    "Cell",
    "Column",
    "ColumnFile",
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
    "check_ranks",
    "choose_features",
    "find_layout",
    "holds_numbers",
    "open_columns",
    "places",
    "ranking_columns",
    "reading_columns",
    "row_columns",
    "texts_of",
    "use_table",
    "write_content",
    "write_csv",
]
