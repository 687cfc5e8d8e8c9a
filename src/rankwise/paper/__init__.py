"""The paper: its protocol, published figures and claims; its experiments run again, with a report."""

from rankwise.paper._claims import Verdict
from rankwise.paper._cost import measure_pace
from rankwise.paper._page import PLAIN_TABLES, build_page
from rankwise.paper._protocol import Protocol
from rankwise.paper._published import (
    TOLERANCE_OF_LEARNERS,
    Figure,
    published,
    published_figures,
    published_table,
)
from rankwise.paper._reading import read_report
from rankwise.paper._report import make_manifest, write_report
from rankwise.paper._reproduce import Plan, Reproduction, plan, reproduce
from rankwise.paper._tables import Cell, PaperTable

__all__ = [
    "PLAIN_TABLES",
    "TOLERANCE_OF_LEARNERS",
    "Cell",
    "Figure",
    "PaperTable",
    "Plan",
    "Protocol",
    "Reproduction",
    "Verdict",
    "build_page",
    "make_manifest",
    "measure_pace",
    "plan",
    "published",
    "published_figures",
    "published_table",
    "read_report",
    "reproduce",
    "write_report",
]
