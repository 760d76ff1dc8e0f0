"""Where the imports of src run upward or in circles, how large its files and folders are, and how it names things.

``arrows.py`` prints all of it, ``arrows.py --thin`` also files that would fit into the only one that uses them;
``arrows.py --check`` prints what is against the rules, and fails where something is.
The order of layers is that of import-linter's contracts (pyproject.toml); the numbers that may only fall stand in
``[tool.house]`` there.
"""

from __future__ import annotations

import ast
import signal
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from syntax import ROOT, Import, Sources, parts, settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

_DIALECT = frozenset({"said", "asked", "kept", "shown", "seen", "told", "beside", "together", "own", "heard", "held"})
"""Words that name nothing: a noun of the field says what it is."""
_FILES, _LINES = 20, 400
"""Of a folder without its ``__init__.py``, and of a file, at most."""


def upward(imports: Iterable[Import], contracts: Iterable[Mapping[str, Any]]) -> list[Import]:
    """Imports of a higher layer, or of another one of the same layer, by every contract that lists layers."""
    floors = [
        _floors(container, contract["layers"])
        for contract in contracts
        if contract["type"] == "layers"
        for container in contract.get("containers", [""])
    ]
    return [one for one in imports if any(_is_upward(one, floor) for floor in floors)]


def circles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Strongly connected components of two and more, by Tarjan's algorithm."""
    leads = defaultdict(set)
    for start, end in edges:
        if start != end:
            leads[start].add(end)
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(leads.get(node, ())):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            place = stack.index(node)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for node in sorted(leads):
        if node not in number:
            visit(node)
    return sorted(found)


def folder_circles(imports: Iterable[Import], packages: Iterable[str]) -> list[list[str]]:
    """Circles between what lies in the same folder, files and folders, each folder for itself."""
    imports = list(imports)
    found = []
    for package in sorted(packages):
        start = f"{package}."
        edges = [
            (_child(start, one.importer), _child(start, one.imported))
            for one in imports
            if one.importer.startswith(start) and one.imported.startswith(start)
        ]
        found += circles(edges)
    return found


def thin(sources: Sources, imports: Iterable[Import]) -> Iterator[tuple[str, str, int]]:
    """Files that only one other of their folder imports and that fit into it: file, importer, lines of both."""
    importers = defaultdict(set)
    for one in imports:
        importers[one.imported].add(one.importer)
    for name in sorted(sources.files):
        folder = name.rpartition(".")[0]
        if name in sources.packages or len(importers[name]) != 1:
            continue
        (importer,) = importers[name]
        size = sources.lines[name] + sources.lines[importer]
        if folder in (importer.rpartition(".")[0], importer) and size <= _LINES:
            yield name, importer, size


def dialect(sources: Sources) -> Counter[str]:
    """How often identifiers have a word of the list, by word."""
    return Counter(word for _, name in sources.identifiers() for word in parts(name) if word in _DIALECT)


def exposed(sources: Sources) -> Iterator[str]:
    """Files, classes, public functions and fields that are called by a word of the list: none may be."""
    for module, tree in sources.trees.items():
        names = [("file", module.rpartition(".")[2])]
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                names.append(("class", node.name))
                fields = (one.target for one in node.body if isinstance(one, ast.AnnAssign))
                names += [("field", f"{node.name}.{one.id}") for one in fields if isinstance(one, ast.Name)]
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                names.append(("function", node.name))
        for kind, name in names:
            if not _DIALECT.isdisjoint(parts(name.rpartition(".")[2])):
                yield f"{module}: {kind} {name}"


def problems(sources: Sources, imports: Sequence[Import], tools: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is against the rules, by rule."""
    contracts = tools["importlinter"]["contracts"]
    lines = {str(path.relative_to(ROOT)): sources.lines[name] for name, path in sources.files.items()}
    folders = Counter(str(path.parent.relative_to(ROOT)) for path in sources.files.values() if path.stem != "__init__")
    # A table of modules by their names is no circle: those that it names use it.
    real = [one for one in imports if one.when != "named"]
    words = sum(dialect(sources).values())
    most = tools["house"]["dialect"]
    return {
        "upward arrows": [
            f"{one.importer}:{one.line}: {one.imported} ({one.when})" for one in upward(imports, contracts)
        ],
        "circles between files": [" ".join(one) for one in circles((one.importer, one.imported) for one in real)],
        "circles between folders": [" ".join(one) for one in folder_circles(real, sources.packages)],
        f"folders of more than {_FILES} files": [f"{one}: {n}" for one, n in sorted(folders.items()) if n > _FILES],
        f"files of more than {_LINES} lines": [f"{one}: {n}" for one, n in sorted(lines.items()) if n > _LINES],
        "contracts with exceptions": [one["name"] for one in contracts if one.get("ignore_imports")],
        "files, classes, public functions and fields named by a word of the list": list(exposed(sources)),
        "identifiers above what pyproject.toml records": [f"{words}, and not {most}"] if words > most else [],
    }


def main() -> int:
    """Print, or check."""
    # ``| head`` ends this as it ends any program.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sources, tools = Sources(), settings()
    imports = list(sources.imports())
    found = problems(sources, imports, tools)
    check = "--check" in sys.argv[1:]
    for rule, places in found.items():
        if places or not check:
            print("\n  ".join((f"{rule}: {len(places)}", *places)))
    if check:
        return int(any(found.values()))
    when = Counter(one.when for one in imports)
    places = {"import": "at the top", "late": "late", "named": "by name", "typing": "for types"}
    print(f"imports: {', '.join(f'{when[one]} {where}' for one, where in places.items())}")
    print(f"files: {len(sources.files)}, lines: {sum(sources.lines.values())}")
    words = dialect(sources)
    print(f"identifiers: {sum(words.values())} of at most {tools['house']['dialect']}: {dict(words.most_common())}")
    for name, importer, size in thin(sources, imports) if "--thin" in sys.argv[1:] else ():
        print(f"thin: {name} -> {importer} ({size})")
    return 0


def _floors(container: str, layers: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Rank of every module that a contract names; 0 is the highest."""
    prefix = f"{container}." if container else ""
    return {
        f"{prefix}{name.strip().strip('()')}": rank for rank, layer in enumerate(layers) for name in layer.split("|")
    }


def _is_upward(one: Import, floors: Mapping[str, int]) -> bool:
    start, end = _floor(one.importer, floors), _floor(one.imported, floors)
    return start is not None and end is not None and start != end and floors[end] <= floors[start]


def _floor(module: str, floors: Mapping[str, int]) -> str | None:
    names = module.split(".")
    return next((found for n in range(len(names), 0, -1) if (found := ".".join(names[:n])) in floors), None)


def _child(start: str, module: str) -> str:
    return start + module.removeprefix(start).partition(".")[0]


if __name__ == "__main__":
    raise SystemExit(main())
