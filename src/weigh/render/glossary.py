"""The words of weigh that a reader may not know: what the glossary says of each, and their first use on a page."""

from __future__ import annotations

import re
from html import escape

MEASURING = {
    "execution": "one query or transaction from its begin to its complete answer; what a clock measures",
    "run": "an execution that is timed, `--runs` of them in a turn; in the file names `runs/` and `weigh runs`, an "
    "attempt of `weigh run`",
    "turn": "one untimed and `--runs` timed executions in a row, of one operation by one arm",
    "round": "of one operation: a turn of every arm, in random order; `--rounds` of them in a block",
    "arm": "a contender in the blocks. The baseline has two: it also runs against itself, and what these differ is "
    "noise",
    "life": "from the start of a process or server to its end; nothing of it is there in the next one",
    "start": "a fresh life of one arm, and all that is measured in it. Starts are what verdicts count: executions "
    "within one are not independent",
    "block": "one start of every arm, whose processes run at the same time; arms are compared within it",
    "attempt": "one call of `weigh run` (`load`, ...) and its sealed directory. Attempts of one experiment are read as "
    "one",
    "session": "the attempts of one experiment that a comparison takes as one side: one machine, one span of time",
    "experiment": "what is measured: contenders, workload, data, rules; its id is the hash of that",
}
"""How much was measured, from the small to the large."""
JUDGING = {
    "engine": "an adapter to one kind of system; `weigh engines` lists them",
    "contender": "an engine at a version with its settings: what is compared",
    "baseline": "the contender that the others are compared with",
    "operation": "a named query or transaction of a workload",
    "gate": "the check of answers before any clock starts",
    "margin": "the smallest difference that matters to you, declared beforehand",
    "verdict": "FASTER, SLOWER, SAME, SMALL (real, below the margin), UNRESOLVED (open), REFUSED, with an interval and "
    "reasons",
    "tier": "what evidence is good for: conclusive, suggestive, inadmissible",
    "finding": "something that weigh has to say about it, with a code",
    "evidence": "the directory of an attempt, from which every number can be computed again",
}
"""What is compared, and what is reported of it."""

_NOUN = r"(?:\d[\d,]* |(?:each|every|a|one|fresh|more|of|from|an|the|per|many|few|whole) )"
_MARKED = {
    # Words that are also verbs or idioms ("in turn") are marked where a number or an article makes them nouns.
    **{name: rf"(?<![\w-]){_NOUN}(?P<word>{name}s?)" for name in ("turn", "round", "start", "block", "session")},
    "arm": r"(?<![\w-])(?P<word>arms?)",
    "life": r"(?<![\w-])(?:\d[\d,]* |(?:each|fresh|its|one) )(?P<word>life|lives)",
    **{name: rf"(?<![\w-])(?P<word>{name}s?)" for name in ("attempt", "contender", "baseline", "margin", "tier")},
}
_PATTERNS = {name: re.compile(rf"{pattern}(?![\w-])") for name, pattern in _MARKED.items()}
_TAG = re.compile(r"(<[^>]*>)")
_OPAQUE = frozenset(
    ("a", "abbr", "code", "h1", "head", "nav", "pre", "script", "style", "summary", "svg", "template", "title")
)
"""Elements in which nothing is marked: what is not read, is a link, or is to be copied."""
_PLACED = re.compile(r'\sclass="(?:codes|key|chips|eyebrow)\b')
"""Lists whose texts are laid out as cells of a grid, where a mark would be a cell of its own; and what stands above."""
_NAME = re.compile(r"<(/?)([a-zA-Z][\w-]*)")


def meaning(word: str) -> str:
    """What the glossary says of a word, as plain text."""
    return {**MEASURING, **JUDGING}[word].replace("`", "")


def explained(html: str) -> str:
    """A page on which the first use of each word says what it means.

    Args:
        html: the whole page, or what stands between its body's tags.
    """
    left = dict(_PATTERNS)
    parts = _TAG.split(html)
    inside: list[str] = []
    for at, part in enumerate(parts):
        if at % 2:
            _follow(part, inside)
        elif part and not inside and left:
            parts[at] = _marked(part, left)
    return "".join(parts)


def _follow(tag: str, inside: list[str]) -> None:
    """Keep up with the elements around the place in which nothing is marked."""
    found = _NAME.match(tag)
    if found is None:
        return
    name = found[2].lower()
    nested = bool(inside) and inside[-1] == name
    if found[1]:
        if nested:
            inside.pop()
    elif (nested or name in _OPAQUE or _PLACED.search(tag)) and not tag.endswith("/>"):
        inside.append(name)


def _marked(text: str, left: dict[str, re.Pattern[str]]) -> str:
    """A text with the first use of each word that is left; the word is left no more."""
    spans = []
    for name, pattern in [*left.items()]:
        if found := pattern.search(text):
            spans.append((*found.span("word"), name))
            del left[name]
    for start, end, name in sorted(spans, reverse=True):
        text = f'{text[:start]}<abbr title="{escape(meaning(name))}">{text[start:end]}</abbr>{text[end:]}'
    return text
