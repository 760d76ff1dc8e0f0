"""The first screen: what a person sees without asking for more, the same on a terminal, on the page and in Markdown."""

from weigh.experiment.report.first_screen.screen import FirstScreen, first_screen

__all__ = ["FirstScreen", "first_screen"]
