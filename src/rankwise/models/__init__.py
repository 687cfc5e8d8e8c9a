"""Models on disk: save a fitted ranker to a file that is safe to load from a stranger."""

from rankwise.models._errors import ModelFileError
from rankwise.models._save import load, save

__all__ = ["ModelFileError", "load", "save"]
