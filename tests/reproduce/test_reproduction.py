"""A bundle, and what weigh reproduce makes of it, without measuring: the evidence alongside it is written here."""

from __future__ import annotations

import io
import json
import lzma
import shutil
import subprocess
import tarfile
from typing import TYPE_CHECKING

import msgspec
import pytest

from golden import made
from support import sessions
from support.command import Weigh
from support.evidence_folders import sealed_run, written_ladder, written_reproduction
from weigh.evidence import bundle, files
from weigh.evidence.seal import SEAL
from weigh.experiment.data.dataset import check_digests
from weigh.experiment.record import read
from weigh.kinds.table import REPRODUCTION
from weigh.model.errors import DataFault, EnvironmentFault, EvidenceFault, UsageError
from weigh.reproduce import record
from weigh.reproduce.plan import planned

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.data.cache import CachedData


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    return sealed_run(tmp_path / "runs", made.agreed())


def reproduced(weigh: Weigh, evidence: Path) -> Path:
    """A reproduction whose new evidence says the same as the original."""
    return written_reproduction(weigh.folder / "runs", evidence)


def test_a_bundle_is_read_by_every_command_that_reads_evidence(weigh: Weigh, evidence: Path) -> None:
    assert weigh("export", str(evidence), "--bundle").code == 0
    name = f"{evidence.name}.weigh"
    bundled, folder = (weigh("verify", str(one)) for one in (name, evidence))
    assert (bundled.code, bundled.out) == (folder.code, folder.out)
    assert weigh("report", name, "--json").json == weigh("report", str(evidence), "--json").json
    assert "evidence is signed before it is bundled" in weigh("sign", name, "--key", "k").err


def test_a_bundle_says_what_is_not_in_it(weigh: Weigh, evidence: Path, tmp_path: Path) -> None:
    weigh("export", str(evidence), "--bundle", "--out", "x.weigh")
    head = bundle.unpacked(weigh.folder / "x.weigh", tmp_path / "into").head
    assert head.seal == files.hashed(evidence / SEAL)
    assert head.data
    assert head.data.made.startswith("weigh data make ")
    assert head.data.digests


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "a//b", "."])
def test_a_bundle_writes_nowhere_else(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.weigh"
    with tarfile.open(path, "w:xz") as archive:
        member = tarfile.TarInfo(name)
        member.size = 1
        archive.addfile(member, io.BytesIO(b"x"))
    (tmp_path / "into").mkdir()
    with pytest.raises(EvidenceFault):
        bundle.unpacked(path, tmp_path / "into")
    assert list((tmp_path / "into").rglob("*")) == []


def test_a_bundle_holds_no_link(tmp_path: Path) -> None:
    path = tmp_path / "x.weigh"
    with tarfile.open(path, "w:xz") as archive:
        member = tarfile.TarInfo("a")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    with pytest.raises(EvidenceFault, match="no file"):
        bundle.unpacked(path, tmp_path / "into")


@pytest.mark.parametrize("change", [lambda whole: whole[:-20], lambda whole: whole + b"more", lambda whole: whole * 2])
def test_a_bundle_is_read_to_its_end(
    weigh: Weigh, evidence: Path, tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    """The checksum stands there: one that was cut off or added to is no bundle."""
    weigh("export", str(evidence), "--bundle", "--out", "x.weigh")
    path = weigh.folder / "x.weigh"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(EvidenceFault, match=r"ends too early|behind its end|unpacked"):
        bundle.unpacked(path, tmp_path / "into")


def test_a_small_bundle_does_not_fill_the_disk(weigh: Weigh, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of zeros is packed to a thousandth."""
    monkeypatch.setattr(bundle, "_SMALL", 1 << 20)
    path, into = weigh.folder / "bomb.weigh", weigh.folder / "into"
    with tarfile.open(path, "w:xz") as archive:
        one = tarfile.TarInfo("bundle.json")
        one.size = 8 << 20
        archive.addfile(one, io.BytesIO(bytes(one.size)))
    with pytest.raises(EvidenceFault, match="it unpacks to more than 1 MiB"):
        bundle.unpacked(path, into)
    assert (into / "bundle.json").stat().st_size <= 1 << 20


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_fills_no_memory(tmp_path: Path, kind: bytes) -> None:
    """A header that extends another is read as a whole, however long it says that it is."""
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 8 << 20
    path = tmp_path / "x.weigh"
    path.write_bytes(lzma.compress(header.tobuf(tarfile.USTAR_FORMAT) + b"9" * header.size, preset=0))
    with pytest.raises(EvidenceFault, match="a header of 8,388,608 bytes"):
        bundle.unpacked(path, tmp_path / "into")


def test_what_was_edited_is_not_measured(weigh: Weigh, evidence: Path) -> None:
    text = (evidence / "verdicts.json").read_text()
    (evidence / "verdicts.json").write_text(text.replace('"faster"', '"slower"').replace("0.9", "0.8", 1))
    weigh("export", str(evidence), "--bundle", "--out", "x.weigh")
    run = weigh("reproduce", "x.weigh")
    assert run.code == 2
    assert "does not pass `weigh verify`" in run.err
    assert not list(weigh.folder.glob("runs/reproduction-*"))


def test_what_has_no_verdict_is_not_measured(weigh: Weigh) -> None:
    ended = sessions.changed(made.agreed(), plan=None, blocks=(), samples=(), looks=(), watches=(), cpu=(), starts=())
    evidence = sealed_run(weigh.folder / "runs", ended)
    run = weigh("reproduce", str(evidence))
    assert run.code == 2
    assert "it has no verdict that could be confirmed" in run.err


def test_a_reproduction_is_evidence(weigh: Weigh, evidence: Path) -> None:
    folder = reproduced(weigh, evidence)
    report = weigh("report", str(folder), "--json").json
    assert report["same_machine"] is True
    assert {one["outcome"] for one in report["outcomes"]} <= {"confirmed", "not decided"}
    assert report["counts"]["confirmed"] > 0
    assert "CONFIRMED" in weigh("report", str(folder)).out
    assert "reproduction" in weigh("runs").out
    assert REPRODUCTION.html(folder) == (folder / "reproduction.html").read_bytes()


def test_both_evidences_are_countersigned_and_neither_can_be_changed(weigh: Weigh, evidence: Path) -> None:
    folder = reproduced(weigh, evidence)
    checked = weigh("verify", str(folder), "--json")
    assert checked.json["verification"]["problems"] == []
    document = json.loads((folder / "reproduction.json").read_text())
    document["outcomes"][0]["outcome"] = "contradicted"
    (folder / "reproduction.json").write_text(json.dumps(document))
    found = weigh("verify", str(folder), "--json").json["verification"]["problems"]
    assert {"R4.hash", "R4.figures"} <= {one["code"] for one in found}


def test_another_bundle_in_its_place_is_found(weigh: Weigh, evidence: Path) -> None:
    folder = reproduced(weigh, evidence)
    (folder / record.BUNDLE).write_bytes((folder / record.BUNDLE).read_bytes()[:-9])
    assert weigh("verify", str(folder)).code == 1


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH's client is not installed")
def test_a_second_host_signs_what_passes(weigh: Weigh) -> None:
    evidence = sealed_run(weigh.folder / "whole", made.agreed())
    folder = reproduced(weigh, evidence)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", weigh.folder / "k"], check=True)
    run = weigh("sign", str(folder), "--key", "k")
    passes = weigh("verify", str(folder)).code == 0
    assert run.code == (0 if passes else 1)
    if passes:
        assert weigh("verify", str(folder), "--key", "k.pub").code == 0


def test_other_rows_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    class Data:
        folder = tmp_path
        manifest = made.agreed().manifest

    data: CachedData = Data()  # type: ignore[assignment]
    wanted = dict(data.manifest.digests)
    check_digests(data, wanted)
    table = next(iter(wanted))
    with pytest.raises(DataFault, match=f"the rows of {table} are not those"):
        check_digests(data, {**wanted, table: "x3s2:1:0+0"})


def test_what_a_bundle_does_not_hold_is_asked_for(evidence: Path, tmp_path: Path) -> None:
    original = read(evidence)
    spec, request, names = planned(original, tmp_path, "weigh reproduce x")
    assert spec.id == original.spec.id
    assert request.digests == (original.manifest.digests if original.manifest else None)
    assert names == {one.name: one.name for one in spec.contenders}
    command = msgspec.structs.replace(spec.contenders[0], settings={"weigh.command": "rm -r /"})
    contenders = (command, *spec.contenders[1:])
    dangerous = sessions.changed(original, spec=sessions.changed(original.spec, contenders=contenders))
    with pytest.raises(EnvironmentFault, match="is not executed here"):
        planned(dangerous, tmp_path, "")
    with pytest.raises(UsageError, match="which contender it replaces"):
        planned(original, tmp_path, "", instead=("sqlite",))


def test_another_version_takes_the_place_of_the_original(evidence: Path, tmp_path: Path) -> None:
    original = read(evidence)
    name = original.spec.contenders[-1].name
    spec, request, names = planned(original, tmp_path, "", instead=(f"{name}=duckdb@1.4.0",))
    assert spec.id != original.spec.id
    assert spec.contender(names[name]).version == "1.4.0"
    assert name not in request.locks


def test_two_of_one_name_are_refused(evidence: Path, tmp_path: Path) -> None:
    original = read(evidence)
    first, other = (one.name for one in original.spec.contenders[:2])
    with pytest.raises(UsageError, match=f"would both be called {first}"):
        planned(original, tmp_path, "", instead=(f"{other}={first}",))
    _, _, names = planned(original, tmp_path, "", instead=(f"{other}=third={first}",))
    assert names[other] == "third"


def test_a_ladder_is_no_bundle(weigh: Weigh) -> None:
    ladder = written_ladder(weigh.folder / "ladders")
    refused = " ".join(weigh("export", str(ladder), "--bundle").err.split())
    assert f"name a rung: {ladder.parent}/2" in refused
