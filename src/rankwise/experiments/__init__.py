"""Experiments: units of work that are computed once, in parallel, and survive interruption."""

from rankwise.experiments._runner import Outcome, Unit, run
from rankwise.experiments._store import Store

__all__ = ["Outcome", "Store", "Unit", "run"]
