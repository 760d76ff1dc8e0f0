"""``weigh report --serve``: a folder of evidence in a browser, on loopback, that nothing is written to."""
