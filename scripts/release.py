"""Make a release in the tree: ``release.py VERSION [--date YYYY-MM-DD] [--no-tag]``; nothing is published.

It sets the version wherever it stands, folds the fragments of changelog.d into CHANGELOG.md, commits, and tags. A
second commit gives the tree the number of the next MINOR version: evidence that it makes from then on is not of the
release.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

HEADINGS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_UNRELEASED = re.compile(r"^## ([0-9.]+) \(unreleased\)\n", re.MULTILINE)
_NEXT = re.compile(r"^## ", re.MULTILINE)
PLACES = (
    ("src/weigh/_version.py", r'^(__version__ = ")[^"]*(")'),
    ("pyproject.toml", r'^(version = ")[^"]*(")'),
    ("liars/pyproject.toml", r'^(version = ")[^"]*(")'),
    ("liars/pyproject.toml", r'("weigh==)[^"]*(")'),
    ("Cargo.toml", r'(\[workspace\.package\]\nversion = ")[^"]*(")'),
    ("docs/guide/ci.md", r"(weigh@v)[0-9.]+(`)"),
)
"""Where the version stands: a file, and what is before and after it. Locks and generated pages follow."""
RELEASES = "src/weigh/evidence/verification.py"
"""Lists the released versions, whose evidence later ones verify."""
LOCKS = ([sys.executable, "-m", "uv", "lock", "--quiet"], ["cargo", "update", "--quiet", "--workspace", "--offline"])
GENERATED = ([sys.executable, "-m", "reference"],)
FROZEN = ([sys.executable, "-m", "golden.freeze"],)
PRINTED = ([sys.executable, "-m", "pytest", "--quiet", "tests/golden", "--update-golden"],)
"""What follows from the version, and the commands that make it anew."""

AREAS = (
    (
        "Servers under load",
        r"weigh (load|capture)|\[load\]|--target|TPC-C|a load\b|loads\b|[Ss]everal servers|of servers",
    ),
    (
        "CI, history, other tools",
        r"weigh (ci|history|judge|export|compare|publish|audit)|--ci\b|A history|CI |--markdown",
    ),
    (
        "Engines and workloads",
        r"(are|is) a? ?contenders?|--command|by URL|ADBC|plug-in|[Tt]he workloads?|--workload (tpch|ssb)",
    ),
    ("Evidence and trust", r"weigh (verify|sign|witness|reproduce|lies)|journal|[Ll]ie(s)?\b"),
    ("Machine", r"weigh doctor|control group|priority|E[0-9]+\.|\bmachine|kernel|CPUs"),
    ("Suites", r"\b[Ss]uites?\b|ClickBench|clickbench|template"),
    ("Answers", r"weigh gate|[Gg]ate|answer|accused|blamed|wrong|disqualified|A[0-9]+\."),
    ("Data and layouts", r"weigh (data|layout|init)|--data|--csv|CSV|Parquet|layout|catalog|[Ss]tores?\b|obfuscat"),
    ("Verdicts and reports", r""),
)
"""Parts of the product, and the words by which a fragment belongs to the first of them that it names."""
FIRST = "What was changed and corrected before anybody had it is in `git show v{version}^:changelog.d`."
LEAST = 35
"""Characters besides code that a sentence has at least."""
MOST_OF_A_LIST = 15
"""Items of a kind that are listed without their areas."""


class Fragment(NamedTuple):
    """A fragment of changelog.d: its kind and its text as an item of a list."""

    kind: str
    item: str


def fragments(folder: Path) -> list[Fragment]:
    """The fragments in the order of their names.

    Raises:
        SystemExit: one has a name that says no kind.
    """
    found = []
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        kind = path.name.split(".")[-2]
        if kind not in HEADINGS:
            raise SystemExit(f"{path}: it is named <what>.<kind>.md, with kind one of {', '.join(HEADINGS)}")
        text = path.read_text().strip()
        # Links are from the folder of the changelog.
        item = text if text.startswith("- ") else "- " + text.replace("\n", "\n  ")
        found.append(Fragment(kind, re.sub(r"\]\(\.\./", "](", item)))
    return found


def area(item: str) -> str:
    """The part of the product that an item of a list is about, by its first sentence."""
    return next(name for name, words in AREAS if re.search(words, first_sentence(item)))


def first_sentence(item: str) -> str:
    """What an item says first, up to what is listed or explained behind it; that is in the documentation."""
    text = " ".join(item.split())
    for found in re.finditer(r"[.:;] |[.]$", text):
        begin = text[: found.start()]
        plain, before = re.sub(r"`[^`]*`", "", begin), ""
        while plain != before:
            plain, before = re.sub(r"\([^()]*\)", "", plain), plain
        if len(plain) >= LEAST and not {*"`()"} & {*plain} and not begin.endswith("..."):
            text = f"{begin}."
            break
    return textwrap.fill(text, 119, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def listed(items: list[str]) -> list[str]:
    """Paragraphs of a list, by areas where it is long."""
    if len(items) <= MOST_OF_A_LIST:
        return ["\n".join(items)] if items else []
    found = []
    for name, _ in AREAS:
        if those := [one for one in items if area(one) == name]:
            found += [f"**{name}**", "\n".join(those)]
    return found


def folded(changelog: str, version: str, date: str, parts: list[Fragment]) -> str:
    """The changelog with a section of this version: what was written as unreleased, then the fragments by kind.

    The first version changes and corrects nothing that anybody has: its section lists what was added.
    """
    begun = _UNRELEASED.search(changelog)
    if begun is None:
        at = _NEXT.search(changelog)
        head, before, rest = (changelog[: at.start()], "", changelog[at.start() :]) if at else (changelog, "", "")
    else:
        end = _NEXT.search(changelog, begun.end())
        head, rest = changelog[: begun.start()], changelog[end.start() :] if end else ""
        before = changelog[begun.end() : end.start() if end else None].strip()
    section = [f"## {version} ({date})", *([before] if before else [])]
    if not rest:
        added = [first_sentence(one.item) for one in parts if one.kind == "added"]
        section += ["### Everything by area", *listed(added), FIRST.format(version=version)] if added else []
    else:
        for kind, heading in HEADINGS.items():
            if items := [one.item for one in parts if one.kind == kind]:
                section += [f"### {heading}", *listed(items)]
    return "\n\n".join([head.rstrip(), *section, *([rest.strip()] if rest else [])]) + "\n"


def set_version(root: Path, version: str, *, released: bool = True) -> None:
    """Write the version wherever it stands; one that is not released stands in no documentation.

    Raises:
        SystemExit: it does not stand where it should.
    """
    for name, pattern in PLACES if released else [one for one in PLACES if not one[0].startswith("docs/")]:
        path = root / name
        text, times = re.subn(pattern, rf"\g<1>{version}\g<2>", path.read_text(), count=1, flags=re.MULTILINE)
        if not times:
            raise SystemExit(f"{path}: there is no version where one should be")
        path.write_text(text)


def next_minor(version: str) -> str:
    """The MINOR version after this one."""
    major, minor, _ = version.split(".")
    return f"{major}.{int(minor) + 1}.0"


def release(root: Path, version: str, date: str) -> None:
    """Everything that a release changes in the files."""
    parts = fragments(root / "changelog.d")
    set_version(root, version)
    releases = root / RELEASES
    text = releases.read_text()
    if f'"{version}"' not in text:
        text = re.sub(r"^RELEASES = \((.*?),?\)$", rf'RELEASES = (\g<1>, "{version}")', text, flags=re.MULTILINE)
        releases.write_text(text)
    changelog = root / "CHANGELOG.md"
    changelog.write_text(folded(changelog.read_text(), version, date, parts))
    for path in (root / "changelog.d").glob("*.md"):
        if path.name != "README.md":
            path.unlink()


def main() -> int:
    """Release, commit and tag."""
    parser = argparse.ArgumentParser(description="Make a release in the tree; nothing is published.")
    parser.add_argument("version", type=str)
    parser.add_argument("--date", default=datetime.datetime.now(datetime.UTC).date().isoformat())
    parser.add_argument("--no-tag", action="store_true", help="Change the files alone: no commit, no tag.")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    options = parser.parse_args()
    if not _VERSION.fullmatch(options.version):
        raise SystemExit(f"{options.version} is no version such as 0.2.0")

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=options.root, check=True, capture_output=True, text=True).stdout

    if git("status", "--porcelain"):
        raise SystemExit("the tree has changes: commit them first")
    tag = f"v{options.version}"
    if git("tag", "--list", tag):
        raise SystemExit(f"{tag} is released already")
    sources = os.pathsep.join(str(options.root / name) for name in ("src", "scripts", "tests"))

    def made(*commands: list[str]) -> None:
        for command in commands:
            subprocess.run(command, cwd=options.root, check=True, env={**os.environ, "PYTHONPATH": sources})

    def commit(message: str) -> None:
        git("add", "--all")
        git("commit", "--quiet", "--message", message)

    release(options.root, options.version, options.date)
    made(*LOCKS, *GENERATED, *FROZEN)
    if not options.no_tag:
        commit(f"Release {options.version}")
        git("tag", "--annotate", tag, "--message", f"weigh {options.version}")
        following = next_minor(options.version)
        set_version(options.root, following, released=False)
        made(*LOCKS, *GENERATED, *PRINTED)
        commit(f"Begin {following}")
        print(f"{tag} is tagged; nothing is published: git push origin {tag} starts the workflow that does")
    return 0


if __name__ == "__main__":
    sys.exit(main())
