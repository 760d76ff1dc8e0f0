"""The first screen of a load: how long users waited, whether the answers were right, and whether to believe it.

The terminal, the page and Markdown say it from one :class:`weigh.load.report.first_screen.screen.LoadScreen`.
"""

from weigh.load.report.first_screen.screen import LoadScreen, first_screen

__all__ = ["LoadScreen", "first_screen"]
