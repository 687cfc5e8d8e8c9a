"""A long table as one line per row, for those who ask of rows and not of their labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankwise.datasets._cells import Cells, texts_of
from rankwise.datasets._column_roles import ReadOptions, value_columns
from rankwise.datasets._encoding import MISSING, Numbers
from rankwise.datasets._recipe import Recipe
from rankwise.datasets._row_features import RowFeatures
from rankwise.datasets._table import Chunk, Table
from rankwise.datasets._text import DataFileError


class OneLinePerRow:
    """A table whose lines of one row are put together: what the first lacks, a later one may hold.

    Columns that are about labels are left out. Features that differ within a row are an error, as
    they are at fitting.

    Parameters
    ----------
    table : Table
        One line per row and label.
    row : str
        The column that names the row of a line.
    of_labels : sequence of str
        Columns that are about a label: its name, its rank or value.
    recipe : Recipe
        Of the features.
    """

    def __init__(
        self, table: Table, row: str, of_labels: Sequence[str], options: ReadOptions
    ) -> None:
        assert options.recipe is not None
        self._table, self._options = table, options
        self.path, self.delimiter, self.remarks = table.path, table.delimiter, table.remarks
        left_out = {*of_labels, *value_columns(table.header)} - {
            column.name for column in options.recipe.columns
        }
        self._kept = [j for j, name in enumerate(table.header) if name not in left_out]
        self._row = table.header.index(row)
        self.header = [table.header[j] for j in self._kept]

    def chunks(self) -> Iterator[Chunk]:
        """Yield the first line of each row, and columns of texts."""
        recipe = self._options.recipe
        assert isinstance(recipe, Recipe)
        features = RowFeatures(
            self._table,
            recipe.places(self.path, self._table.header),
            Numbers(self.path, allow_comma=self.delimiter != ","),
            self._options,
        )
        rows: dict[str, list[str]] = {}
        first_lines: list[int] = []
        number: dict[str, int] = {}
        for lines, columns in self._table.chunks():
            texts = [texts_of(cells) for cells in columns]
            owners = []
            kept = zip(*(texts[j] for j in self._kept), strict=True)
            for name, cells, line in zip(texts[self._row], kept, lines, strict=True):
                if not name:
                    reason = "does not say which row it belongs to; fill the cell"
                    raise DataFileError(self.path, reason, line)
                owners.append(number.setdefault(name, len(number)))
                if name not in rows:
                    rows[name] = list(cells)
                    first_lines.append(line)
                    continue
                known = rows[name]
                for j, cell in enumerate(cells):
                    if cell != known[j] and known[j].lower() in MISSING:
                        known[j] = cell
            features.add(columns, texts, lines, owners)
        features.finish(list(rows))
        if rows:
            merged: list[Cells] = list(zip(*rows.values(), strict=True))
            yield first_lines, merged
