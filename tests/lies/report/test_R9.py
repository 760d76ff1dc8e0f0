"""R9: evidence forged as a whole, consistent and sealed, that nobody measured."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from weigh.evidence.seal import SIGNATURE

from ..forging import forge, samples

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

    from ..forging import Events

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH's client is not installed")


@pytest.fixture
def evidence(whole: Run, tmp_path: Path) -> Path:
    """A copy of honest evidence under the same name."""
    return shutil.copytree(whole.evidence, tmp_path / "evidence" / whole.evidence.name)


@pytest.fixture
def author(tmp_path: Path) -> Path:
    return key(tmp_path / "author")


def key(path: Path) -> Path:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", path.name, "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path


def public(private: Path) -> Path:
    return private.with_name(f"{private.name}.pub")


def faster(events: Events) -> Events:
    """One contender's times halved, in every place where a clock told them."""
    for sample in samples(events):
        if sample["contender"] == "uneven":
            for name in ("wall_s", "round_trip_s"):
                if isinstance(sample.get(name), float):
                    sample[name] /= 2
    return events


def verify(weigh: Weigh, evidence: Path, *words: str) -> tuple[int, set[str]]:
    run = weigh("verify", str(evidence), "--json", *words)
    signed = run.json.get("signature")
    found = [*run.json["verification"]["problems"], *([signed] if signed and "code" in signed else [])]
    assert run.json["passed"] is (run.code == 0)
    return run.code, {one["code"] for one in found}


@pytest.mark.promise("Where none of them signed the seal as it is, that is `R9.signature` and exit 1.")
@needs_ssh_keygen
def test_a_signature_tells_the_forgery_from_what_was_measured(weigh: Weigh, evidence: Path, author: Path) -> None:
    assert weigh("sign", str(evidence), "--key", str(author)).code == 0
    assert verify(weigh, evidence, "--key", str(public(author))) == (0, set())
    said = weigh("verify", str(evidence), "--key", str(public(author))).out
    assert "signed by that key (ED25519 key SHA256:" in said
    assert "it is signed; --key checks by whom" in weigh("verify", str(evidence)).out

    forge(evidence, faster)
    assert verify(weigh, evidence) == (0, set()), "consistent and sealed: a seal alone does not tell"
    assert verify(weigh, evidence, "--key", str(public(author))) == (1, {"R9.signature"})
    # The forger can sign, but not as somebody else.
    assert weigh("sign", str(evidence), "--key", str(key(author.with_name("forger")))).code == 0
    assert verify(weigh, evidence, "--key", str(public(author))) == (1, {"R9.signature"})
    (evidence / SIGNATURE).unlink()
    assert verify(weigh, evidence, "--key", str(public(author))) == (1, {"R9.signature"})


@pytest.mark.promise(
    "`--key` of `weigh verify` takes a public key, or a file of allowed signers (ssh-keygen(1)), by "
    "whose names signers are then told."
)
@needs_ssh_keygen
def test_allowed_signers_are_told_by_their_names(weigh: Weigh, evidence: Path, author: Path) -> None:
    other = key(author.with_name("other"))
    allowed = author.with_name("allowed_signers")
    lines = (f"{path.name}@example.org {public(path).read_text()}" for path in (other, author))
    allowed.write_text("".join(lines))
    assert weigh("sign", str(evidence), "--key", str(author)).code == 0
    assert "signed by author@example.org (ED25519" in weigh("verify", str(evidence), "--key", str(allowed)).out
    # A signature of something else by the same key is none of evidence.
    seal = (evidence / "seal.json").read_bytes()
    words = ["ssh-keygen", "-Y", "sign", "-f", str(author), "-n", "git"]
    signed = subprocess.run(words, input=seal, capture_output=True, check=True).stdout
    (evidence / SIGNATURE).write_bytes(signed)
    assert verify(weigh, evidence, "--key", str(allowed)) == (1, {"R9.signature"})


@pytest.mark.promise("`weigh sign` signs nothing that does not pass `weigh verify`.")
@needs_ssh_keygen
def test_what_fails_is_not_signed(weigh: Weigh, evidence: Path, author: Path) -> None:
    (evidence / "gate.json").unlink()
    run = weigh("sign", str(evidence), "--key", str(author))
    assert (run.code, "R4.sealed gate.json" in run.out) == (1, True)
    assert not (evidence / SIGNATURE).exists()


def test_no_such_key_and_no_tool(weigh: Weigh, evidence: Path, tmp_path: Path) -> None:
    missing = weigh("verify", str(evidence), "--key", "nowhere.pub")
    assert (missing.code, "the key cannot be read" in missing.err) == (2, True)
    (tmp_path / "private").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\n")
    private = weigh("verify", str(evidence), "--key", str(tmp_path / "private"))
    assert (private.code, "this is a private key" in private.err) == (2, True)
    (tmp_path / "bin").mkdir()
    without = weigh("sign", str(evidence), "--key", str(tmp_path / "private"), PATH=str(tmp_path / "bin"))
    assert (without.code, "ssh-keygen is not installed" in without.err) == (2, True)
