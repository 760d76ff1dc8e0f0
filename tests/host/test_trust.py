"""A cache that somebody else owns or may write is not executed; ordinary ones are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weigh.host import trust
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh

root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
OTHER, THIRD = 65534, 4711


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    for one in (trust.trusted, trust.trusted_whole, trust._others_of):
        one.cache_clear()
    yield
    for one in (trust.trusted, trust.trusted_whole, trust._others_of):
        one.cache_clear()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with an environment in it, in a folder of its own that nobody else may write."""
    place = tmp_path / "home" / "cache"
    (place / "envs" / "key" / "bin").mkdir(parents=True)
    (place / "envs" / "key" / "bin" / "python").write_text("#!/bin/sh\n")
    for path in (tmp_path / "home", *(tmp_path / "home").rglob("*")):
        path.chmod(0o755)
    return place


def refusal(cache: Path) -> str:
    trust.trusted(cache, ("envs",))
    trust.trusted_whole(cache / "envs" / "key")
    return ""


def test_an_ordinary_cache_is_used(cache: Path) -> None:
    # As uv makes it.
    (cache / "envs" / "key" / ".lock").touch()
    (cache / "envs" / "key" / ".lock").chmod(0o666)
    assert not refusal(cache)
    assert trust.trusted(cache.parent / "not" / "yet") == cache.parent / "not" / "yet"


@pytest.mark.parametrize("name", ["", "envs", "envs/key", "envs/key/bin", "envs/key/bin/python"])
def test_what_everybody_may_write_is_named(cache: Path, name: str) -> None:
    path = cache / name
    path.chmod(0o777)
    with pytest.raises(EnvironmentFault, match=f"{path} can be written by everybody .* mode 0777") as raised:
        refusal(cache)
    assert f"chmod go-w {path}" in raised.value.remedy
    assert "WEIGH_CACHE" in raised.value.remedy


@root
@pytest.mark.parametrize("name", ["", "envs", "envs/key", "envs/key/bin", "envs/key/bin/python"])
def test_what_another_owns_is_named(cache: Path, name: str) -> None:
    path = cache / name
    os.chown(path, OTHER, -1)
    with pytest.raises(EnvironmentFault, match=f"{path} belongs to nobody"):
        refusal(cache)


@root
def test_a_link_to_a_folder_of_another(cache: Path, tmp_path: Path) -> None:
    os.chown(cache, OTHER, -1)
    link = tmp_path / "link"
    link.symlink_to(cache)
    with pytest.raises(EnvironmentFault, match="belongs to nobody"):
        refusal(link)


@root
def test_a_link_of_another_to_a_folder_of_ours(cache: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(cache)
    os.chown(link, OTHER, -1, follow_symlinks=False)
    with pytest.raises(EnvironmentFault, match="belongs to nobody"):
        refusal(link)


def test_a_folder_around_it_that_everybody_may_write(cache: Path) -> None:
    cache.parent.chmod(0o777)
    with pytest.raises(EnvironmentFault, match=f"{cache.parent} can be written by everybody"):
        refusal(cache)
    # As /tmp: nobody can move away what is ours.
    cache.parent.chmod(0o1777)
    trust.trusted.cache_clear()
    assert not refusal(cache)


@root
def test_in_a_folder_as_tmp_what_is_around_it_must_be_ours(cache: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    os.chown(cache.parent, OTHER, -1)
    with pytest.raises(EnvironmentFault, match="is not yours"):
        refusal(cache)


def test_a_group_of_ones_own_may_write(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (cache.parent, cache, *cache.rglob("*")):
        path.chmod(0o775)
    monkeypatch.setattr(trust, "_others_of", lambda _: "")
    assert not refusal(cache)


def test_a_group_with_others_in_it_may_not(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "envs").chmod(0o775)
    monkeypatch.setattr(trust, "_others_of", lambda _: "group devs")
    with pytest.raises(EnvironmentFault, match="envs can be written by group devs"):
        refusal(cache)


def test_members_of_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    import grp
    import pwd

    class Group:
        gr_name, gr_mem = "devs", ["ada"]

    class User:
        pw_name, pw_gid = "ada", 4711

    monkeypatch.setattr(grp, "getgrgid", lambda _: Group)
    monkeypatch.setattr(pwd, "getpwall", lambda: [User])
    monkeypatch.setattr(trust, "_user", lambda _: "ada")
    assert not trust._others_of(4711)
    trust._others_of.cache_clear()
    Group.gr_mem = ["ada", "bob"]
    assert trust._others_of(4711) == "group devs"


@root
def test_as_a_user_roots_files_are_used_and_others_are_not(cache: Path) -> None:
    for folder in cache.parents:
        if folder.stat().st_uid == 0 and str(folder).startswith("/tmp/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    source = Path(trust.__file__).parents[2]
    code = (
        f"import os, sys, grp, pwd; sys.path.insert(0, {str(source)!r})\n"
        "from pathlib import Path\nfrom weigh.host import trust\n"
        f"os.setgid({THIRD}); os.setuid({THIRD})\n"
        f"trust.trusted(Path({str(cache)!r}), ('envs',))\ntrust.trusted_whole(Path({str(cache / 'envs' / 'key')!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    os.chown(cache.parent, OTHER, -1)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "belongs to nobody" in done.stderr


@root
@pytest.mark.promise("a cache that somebody else owns or may write is not used")
def test_a_planted_interpreter_is_not_executed(weigh: Weigh, tmp_path: Path) -> None:
    place, proof = tmp_path / "cache", tmp_path / "executed"
    python = place / "envs" / "key" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ntouch {proof}\n")
    python.chmod(0o755)
    for path in (place, *place.rglob("*")):
        os.chown(path, OTHER, -1)
    run = weigh("gate", "--contender", "duckdb", "--scale", "1K", WEIGH_CACHE=str(place))
    assert run.code == 2
    assert f"{place} belongs to nobody (owner nobody, mode 0755)" in " ".join(run.err.split())
    assert not proof.exists()
