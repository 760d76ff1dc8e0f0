"""``make release``: versions, the fragments in the changelog, a tag; and the workflow after it."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import release
from weigh import __version__

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copies of the files that a release changes, with three fragments."""
    for name in {"CHANGELOG.md", "changelog.d/README.md", release.RELEASES, *(name for name, _ in release.PLACES)}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    folder = tmp_path / "changelog.d"
    (folder / "zebra.added.md").write_text("`--zebra` adds a zebra,\nof [any](../docs/guide/ci.md) size.\n")
    (folder / "42-ant.added.md").write_text("- An ant.\n")
    (folder / "bee.fixed.md").write_text("A bee no longer stings.\n")
    return tmp_path


def test_a_release_sets_every_version_and_folds_the_fragments(tree: Path) -> None:
    with (tree / "CHANGELOG.md").open("a") as changelog:
        changelog.write("\n## 0.0.1 (2030-01-01)\n\nAn earlier one.\n")
    release.release(tree, "7.8.9", "2031-02-03")
    project = tomllib.loads((tree / "pyproject.toml").read_text())["project"]
    liars = tomllib.loads((tree / "liars" / "pyproject.toml").read_text())["project"]
    crates = tomllib.loads((tree / "Cargo.toml").read_text())["workspace"]["package"]
    assert {project["version"], liars["version"], crates["version"]} == {"7.8.9"}
    assert liars["dependencies"] == ["weigh==7.8.9"]
    assert '"7.8.9"' in (tree / "src/weigh/_version.py").read_text()
    assert 'RELEASES = ("0.1.0", "7.8.9")' in (tree / release.RELEASES).read_text()
    text = (tree / "CHANGELOG.md").read_text()
    section = text.split("## 7.8.9 (2031-02-03)\n")[1].split("\n## ")[0]
    assert "### Added\n\n- An ant.\n- `--zebra` adds a zebra,\n  of [any](docs/guide/ci.md) size.\n" in section
    assert section.rstrip().endswith("### Fixed\n\n- A bee no longer stings.")
    assert "unreleased" not in text
    assert [one.name for one in (tree / "changelog.d").iterdir()] == ["README.md"]
    # What was written as unreleased stays in its section; a later release comes before it.
    (tree / "changelog.d" / "cat.removed.md").write_text("A cat.")
    release.release(tree, "8.0.0", "2031-03-04")
    later = (tree / "CHANGELOG.md").read_text()
    assert later.index("## 8.0.0") < later.index("### Removed\n\n- A cat.\n\n## 7.8.9")
    assert section.strip() in later


def test_the_tree_goes_on_with_the_next_version() -> None:
    assert release.next_minor("7.8.9") == "7.9.0"


def test_a_fragment_of_no_kind_is_refused_before_anything_changes(tree: Path) -> None:
    (tree / "changelog.d" / "odd.better.md").write_text("x")
    before = (tree / "pyproject.toml").read_text()
    with pytest.raises(SystemExit, match=r"odd.better.md: it is named <what>.<kind>.md"):
        release.release(tree, "7.8.9", "2031-02-03")
    assert (tree / "pyproject.toml").read_text() == before


def test_the_fragments_of_this_tree_can_be_folded() -> None:
    parts = release.fragments(ROOT / "changelog.d")
    earlier = "# Changelog\n\n## 0.0.1 (2030-01-01)\n\nAn earlier one.\n"
    text = release.folded(earlier, "9.9.9", "2031-01-01", parts)
    assert all(one.item in text for one in parts)


def test_the_first_version_lists_what_was_added_and_corrects_nothing() -> None:
    def text(kind: str, number: int) -> release.Fragment:
        return release.Fragment(
            kind, f"- `weigh load --{number}` (of it; all) is a way to load many things of any kind: {kind} it. More."
        )

    parts = [text(kind, number) for number in range(20) for kind in ("added", "fixed", "changed")]
    parts.append(
        release.Fragment("added", "- A gate checks the answers of everybody `a: b` before any clock.\n  More.")
    )
    written = "# Changelog\n\n## 0.1.0 (unreleased)\n\nIn short.\n"
    found = release.folded(written, "0.1.0", "2031-01-01", parts)
    servers, answers = found.split("**Servers under load**")[1].split("**Answers**")
    assert servers.count("\n- `weigh load --") == 20
    assert "(of it; all) is a way to load many things of any kind.\n" in servers
    assert answers.startswith(
        "\n\n- A gate checks the answers of everybody `a: b` before any clock.\n\nWhat was changed"
    )
    assert found.startswith("# Changelog\n\n## 0.1.0 (2031-01-01)\n\nIn short.\n\n### Everything by area\n")


def test_changes_and_a_tag_that_is_there_are_refused(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *words], cwd=tree, check=True, capture_output=True)

    git("init", "--quiet")
    monkeypatch.setattr("sys.argv", ["release.py", "7.8.9", "--root", str(tree)])
    with pytest.raises(SystemExit, match="the tree has changes"):
        release.main()
    git("add", "--all")
    git("commit", "--quiet", "--message", "x")
    git("tag", "v7.8.9")
    with pytest.raises(SystemExit, match=r"v7\.8\.9 is released already"):
        release.main()


def test_every_version_of_the_repository_is_the_same() -> None:
    for name, pattern in release.PLACES:
        found = release.re.search(pattern, (ROOT / name).read_text(), release.re.MULTILINE)
        assert found, name
        assert __version__ in found[0], name
    for lock, names in (("uv.lock", ("weigh", "weigh-liars")), ("Cargo.lock", ("weigh-python", "weigh-load"))):
        packages = tomllib.loads((ROOT / lock).read_text())["package"]
        assert {one["version"] for one in packages if one["name"] in names} == {__version__}, lock


def gathered(built: Path, out: Path, tag: str) -> subprocess.CompletedProcess[str]:
    """The step of the workflow that puts what was built together."""
    return subprocess.run(
        [str(ROOT / "scripts" / "gather_dist.sh"), str(built), str(out)],
        env={"PATH": "/usr/bin:/bin", "TAG": tag}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_what_is_published_is_complete_and_of_the_tag(tmp_path: Path) -> None:
    pure = ["weigh-7.8.9.tar.gz", "weigh_liars-7.8.9.tar.gz", "weigh_liars-7.8.9-py3-none-any.whl"]
    for runner, processor in (("a", "x86_64"), ("b", "aarch64")):
        folder = tmp_path / "built" / f"dist-{runner}"
        folder.mkdir(parents=True)
        for name in (*pure, f"weigh-7.8.9-cp311-abi3-manylinux_2_28_{processor}.whl"):
            (folder / name).touch()
    done = gathered(tmp_path / "built", tmp_path / "dist", "v7.8.9")
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "dist").iterdir())) == 5
    assert "was not built" in gathered(tmp_path / "built", tmp_path / "other", "v7.9.0").stderr
    (tmp_path / "built" / "dist-b" / "weigh-7.8.9-cp311-abi3-manylinux_2_28_aarch64.whl").unlink()
    done = gathered(tmp_path / "built", tmp_path / "half", "v7.8.9")
    assert (done.returncode, "aarch64.whl was not built" in done.stderr) == (1, True)


def test_the_workflow_builds_both_processors_by_scripts_that_are_there() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert build["strategy"]["matrix"]["runner"] == ["ubuntu-24.04", "ubuntu-24.04-arm"]
    steps = [one["run"] for one in (*build["steps"], *publish["steps"]) if "run" in one]
    assert [one.split()[0] for one in steps if one.startswith("scripts/")] == [
        "scripts/wheel.sh", "scripts/try_wheel.sh", "scripts/gather_dist.sh",
    ]  # fmt: skip
    assert all((ROOT / one.split()[0]).stat().st_mode & 0o100 for one in steps if one.startswith("scripts/"))
    pinned = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert f"pip install {next(one for one in pinned if one.startswith('uv=='))}" in steps
    # Trusted publishing: an identity instead of a token, and only for what is tagged.
    assert publish["permissions"]["id-token"] == "write"
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"


def test_what_is_compiled_from_c_is_known_to_build_in_a_wheel() -> None:
    """The compiler of `make wheel` refuses some C, which only a whole build of the wheel shows."""
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    bindings = {one["name"] for one in packages if one["name"].endswith("-sys")}
    # The others have no code of C, or none on Linux.
    assert bindings - {"core-foundation-sys", "js-sys", "linux-raw-sys", "windows-sys"} == {
        "libsqlite3-sys",
        "zstd-sys",
    }
