"""Reports: what a reproduction of the paper found, as files and as one page that needs no network."""

from rankwise.report._manifest import make_manifest
from rankwise.report._page import build_page
from rankwise.report._write import write_report

__all__ = ["build_page", "make_manifest", "write_report"]
