"""What counts the letters of a text: bytes in some engines and characters in others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.answers.constructs.construct import anything
from weigh.answers.constructs.explaining import cased, empties, longer, stripped, texts, turned, wide
from weigh.answers.constructs.probes import LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from weigh.answers.constructs.construct import Explains


def of_letters(node: exp.Expr, name: str) -> Iterator[tuple[str, str, Explains]]:
    """What a function of a text leaves open.

    Args:
        node: the function.
        name: its name in small letters.
    """
    from sqlglot import exp

    if isinstance(node, exp.Substring):
        start = node.args.get("start")
        if not isinstance(start, exp.Literal) or start.name == "0":
            yield "substring", "a part of a text from a place before its first character is left open by SQL", texts
        # How far a part reaches is in bytes where lengths are; one from further on may have none of the wide letters.
        bound = wide if isinstance(start, exp.Literal) and start.name == "1" else texts
        yield "length", "a part of a text is counted in bytes by some engines and in characters by others", bound
    elif isinstance(node, exp.Length) or name in ("len", "char_length", "character_length", "strlen"):
        yield "length", "the length of a text is in bytes to some engines and in characters to others", longer
    elif name in ("left", "right", "reverse", "pad", "overlay", "stuff", "mid", "translate"):
        # From a negative number on each goes its own way.
        plain = name == "reverse" or (name in ("left", "right") and isinstance(node.expression, exp.Literal))
        why = f"{name} counts bytes in some engines and characters in others"
        yield "length", why, wide if plain else anything
        if name == "reverse":
            yield "clusters", "reverse keeps together what is one letter to a reader in some engines", turned
    elif isinstance(node, exp.Initcap):
        yield "initials", "initcap begins a word behind a digit or an apostrophe in some engines", cased
    elif isinstance(node, exp.Trim) and node.expression is None:
        yield "trimmed", "trim takes blanks alone away in some engines, and tabs or all white space in others", stripped
    elif name == "levenshtein":
        yield "edits", f"{name} counts bytes in some engines and characters in others", longer
    elif name in ("strpos", "str_position", "instr", "locate"):
        # Of locate they differ in which argument comes first, too.
        explains = anything if name == "locate" else longer
        yield "position", "a place in a text is counted in bytes by some engines and in characters by others", explains
    elif name in LETTERS:
        yield f"{name} of ''", f"{name} of an empty text is NULL, 0 or -1", empties
        yield f"{name} of a letter", f"{name} is of a letter in some engines and of its first byte in others", anything
