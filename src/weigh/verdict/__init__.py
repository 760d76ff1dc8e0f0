"""From samples to verdicts. Pure: no I/O, no clock, nothing of ours but ``weigh.model``.

The way of a number::

    samples -> table      logarithms by (operation, arm, block)
            -> effects    the ratio of two contenders, its standard error and degrees of freedom
            -> decide     intervals and the name of the verdict, over the whole session
            -> judge      verdicts with their reasons, timings, noise floors

The entrance is :func:`weigh.verdict.analysis.analyse`. This file imports nothing, so that asking for the nouns of
:mod:`weigh.verdict.analysis_model` does not load NumPy and SciPy.
"""
