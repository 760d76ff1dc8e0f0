"""The plots of the page: pure functions of numbers."""
