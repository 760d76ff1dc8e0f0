"""The report as one HTML page: everything in it, nothing loaded, readable without scripts (docs/report.md)."""

from weigh.experiment.report.html.page import page

__all__ = ["page"]
