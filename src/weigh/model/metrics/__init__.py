"""What can be measured and judged, with its unit and its words."""
