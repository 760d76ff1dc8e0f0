"""Other tools' results, read. One tool a file, and one table of them: :mod:`weigh.judge.formats.registry`.

A reader is a pair of pure functions: whether a file is its tool's, and what the file holds as
:class:`~weigh.judge.formats.reading.Reading`. To add a tool: write ``recognises`` and ``read`` in a module of its own,
say in ``HOW`` how to run the tool so that a verdict is possible, and add a line to the table.
"""
