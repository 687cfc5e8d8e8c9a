"""Models on disk: save a fitted ranker to a file that is safe to load from a stranger.

A `TableModel` is a ranker together with the recipe of its columns and a certainty that was fitted
to held-out rows; ``rankwise fit`` writes one.
"""

from rankwise.datasets.tables import Column, Recipe
from rankwise.models._errors import ModelFileError
from rankwise.models._model_file import load_model, save_model
from rankwise.models._table_model import TableModel, TablePrediction

__all__ = [
    "Column",
    "ModelFileError",
    "Recipe",
    "TableModel",
    "TablePrediction",
    "load_model",
    "save_model",
]
