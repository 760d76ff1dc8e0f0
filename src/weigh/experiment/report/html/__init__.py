"""The report as one HTML page: nothing loaded, readable without scripts (docs/guide/read-the-report.md)."""

from weigh.experiment.report.html.page import page

__all__ = ["page"]
