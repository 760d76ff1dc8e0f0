"""Marks: a shape and a colour for every arm, defined once in a page.

Shape and colour say the same, so that nothing is reported by colour alone. Plots refer to the marks as SVG markers:
thousands of samples are then one path an arm. Alongside a name the same shape comes from the style of its class, which
costs no bytes a row.
"""

from __future__ import annotations

from markupsafe import Markup

COLOURS = 8
"""The page's style defines as many colours: ``--k0`` of the baseline to ``--k7``."""

SIZE = 12
"""Width and height of the box in which every shape is drawn."""

_SHAPES = (
    "M6 1.4l4.4 8H1.6z",
    "M6 1l4.6 5L6 11 1.4 6z",
    "M6 10.6l4.4-8H1.6z",
    "M4.5 1.6h3v2.9h2.9v3H7.5v2.9h-3V7.5H1.6v-3h2.9z",
    "M6 1.2l4.6 3.3-1.8 5.4H3.2L1.4 4.5z",
)
_BASELINE = ("M2 6a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M2.6 2.6h6.8v6.8H2.6z")
"""Both arms of the baseline are one contender: one colour, two shapes."""


def shape(arm: int) -> str:
    """Path data of an arm's mark; arms 0 and 1 are the baseline's."""
    return _BASELINE[arm] if arm < 2 else _SHAPES[(arm - 2) % len(_SHAPES)]


def colour(arm: int) -> int:
    """Number of an arm's colour."""
    return 0 if arm < 2 else 1 + (arm - 2) % (COLOURS - 1)


def definitions(arms: int) -> Markup:
    """The marks that plots refer to, as a drawing that shows nothing.

    Args:
        arms: how many there are.
    """
    marker = Markup(
        '<marker id="{}{}" viewBox="0 0 12 12" refX="6" refY="6" markerWidth="{}" markerHeight="{}" '
        'markerUnits="userSpaceOnUse"><path class="{}{}" d="{}"/></marker>'
    )
    parts = Markup("\n").join(
        Markup('<path id="s{}" class="k{}" d="{}"/>').format(arm, colour(arm), shape(arm))
        + marker.format("m", arm, 8, 8, "k", colour(arm), shape(arm))
        + marker.format("h", arm, 7, 7, "o", colour(arm), shape(arm))
        for arm in range(arms)
    )
    return Markup('<svg class="defs" aria-hidden="true" focusable="false"><defs>{}</defs></svg>').format(parts)


def style(arms: int) -> Markup:
    """Rules of style: ``.a3`` puts mark 3 before a name, ``.m3`` and ``.h3`` on the vertices of a path.

    Args:
        arms: how many there are.
    """
    rule = (
        ".a{0}::before{{background:var(--k{1});clip-path:path('{2}')}}"
        ".m{0}{{fill:none;marker:url(#m{0})}}.h{0}{{fill:none;marker:url(#h{0})}}"
    )
    every = ",".join(f".a{arm}::before" for arm in range(arms))
    box = f"width:{SIZE}px;height:{SIZE}px;margin-right:5px;vertical-align:-1.5px"
    rules = [f"{every}{{content:'';display:inline-block;flex:none;{box}}}"]
    # Nothing in it comes from outside.
    return Markup("\n".join([*rules, *(rule.format(arm, colour(arm), shape(arm)) for arm in range(arms))]))
