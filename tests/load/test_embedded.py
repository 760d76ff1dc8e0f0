"""Embedded servers by version and with settings: what a target says of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.command import RAN, WEIGH
from weigh.load.target import embedded
from weigh.load.target.registry import target
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from support.command import Weigh

FLAGS = ("--rate", "50", "--duration", "500ms", "--records", "200", "--connections", "2", "--quiet")


def test_a_target_has_a_version_and_settings() -> None:
    found = embedded.parse("postgres:embedded@18.6?work_mem=64MB&log_line_prefix=%25m%3D", ())
    assert found.version == "18.6"
    assert found.settings == {"work_mem": "64MB", "log_line_prefix": "%m="}
    assert embedded.kind_of("valkey:embedded?maxmemory=1gb") == "valkey:embedded"
    assert target("valkey:embedded@9").text == "valkey:embedded@9"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("postgres:embedded@new", "no version"),
        ("postgres:embedded@", "no version"),
        ("postgres:embedded?port=1", "decided by weigh"),
        ("postgres:embedded?LISTEN_ADDRESSES=*", "decided by weigh"),
        ("postgres:embedded?made.up=1", "no setting"),
        ("postgres:embedded?work_mem", "no setting"),
        ("postgres:embedded?work_mem=1MB&work_mem=2MB", "twice"),
        ("valkey:embedded?dir=/etc", "decided by weigh"),
        ("valkey:embedded?requirepass=x", "decided by weigh"),
        ("valkey:embedded?maxmemory=1%0Aport%201", "more than one line"),
        ("valkey:embeded@9", "no target"),
    ],
)
def test_what_cannot_be_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        target(text)
    assert error.value.remedy


@pytest.mark.promise("the values that it then reads back stand first among the settings in every report")
def test_a_setting_is_in_force_and_shown(weigh: Weigh) -> None:
    run = weigh("load", "ycsb-c", "--target", "valkey:embedded?maxmemory=100mb", *FLAGS, "--verbose")
    assert run.code in RAN, run.err
    assert "settings: maxmemory=104857600" in run.out


@pytest.mark.promise("A setting or a value that the server does not know is exit code 2, in its own words.")
@pytest.mark.parametrize("text", ["postgres:embedded?shared_bufers=1GB", "valkey:embedded?maxmemry=1gb"])
def test_a_setting_that_the_server_does_not_know(weigh: Weigh, text: str) -> None:
    run = weigh("load", "ycsb-c", "--target", text, *FLAGS)
    assert run.code == 2
    assert text.partition("?")[2].partition("=")[0] in run.err
    assert "for the settings and their values" in run.err
    assert not (weigh.folder / "runs").exists()


def confined(weigh: Weigh, prefix: Sequence[str], *words: str) -> subprocess.CompletedProcess[str]:
    """A command in surroundings that another program makes."""
    if os.geteuid() != 0 or not shutil.which(prefix[0]):
        pytest.skip(f"it takes root and {prefix[0]}")
    command = [*prefix, str(WEIGH), *words, "--quiet"]
    run = subprocess.run(command, cwd=weigh.folder, env=weigh.environment, capture_output=True, text=True, check=False)
    assert "internal error" not in run.stderr, run.stderr
    return run


@pytest.mark.parametrize("target", ["valkey:embedded", "postgres:embedded"])
def test_root_that_may_become_nobody_else_is_told_so(weigh: Weigh, target: str) -> None:
    """As in a container without capabilities."""
    powerless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--")
    run = confined(weigh, powerless, "load", "ycsb-c", "--target", target, *FLAGS)
    assert run.returncode == 2, run.stderr
    assert "this root may not make anything another user's: Operation not permitted" in run.stderr
    assert "run weigh as another user" in run.stderr
    # It needs no other user.
    assert confined(weigh, powerless, "load", "ycsb-c", "--target", "sqlite:embedded", *FLAGS).returncode in RAN


@pytest.mark.long
def test_agents_of_a_machine_without_loopback_say_so(weigh: Weigh) -> None:
    words = ("load", "ycsb-c", "--target", "valkey:embedded", *FLAGS, "--agents", "local:2")
    run = confined(weigh, ("unshare", "--net", "--"), *words)
    assert run.returncode == 2, run.stderr
    assert "error: local:2: its processes cannot reach one another over 127.0.0.1" in run.stderr
    assert "ip link show lo" in run.stderr
