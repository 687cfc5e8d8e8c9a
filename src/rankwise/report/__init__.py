"""The report of ``rankwise report``: what was learned from a file, how good it is, and what to do next."""

from rankwise.report._facts import N_STEPS, Facts, gather
from rankwise.report._held_out import HeldOutRows
from rankwise.report._page import build_page

__all__ = ["N_STEPS", "Facts", "HeldOutRows", "build_page", "gather"]
