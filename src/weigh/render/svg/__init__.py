"""Plots as SVG text: pure functions of numbers, for inlining into one page. Colours and type are the page's."""
