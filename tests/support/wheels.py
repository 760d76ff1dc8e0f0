"""Wheels of a real engine that no index has: an installed one packed again, with a mark of its own."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import sys
import zipfile
from pathlib import Path

_WHEN = (2026, 1, 1, 0, 0, 0)


def packed(site: Path, package: str, folder: Path, mark: str) -> Path:
    """A wheel of an installed package.

    Args:
        site: folder of its installation.
        package: its name.
        folder: where the wheel goes; made.
        mark: is the value of ``BUILD`` in the module: another mark is another build with the same version.
    """
    (info,) = site.glob(f"{package}-*.dist-info")
    tag = next(line for line in (info / "WHEEL").read_text().splitlines() if line.startswith("Tag: ")).removeprefix(
        "Tag: "
    )
    record = f"{info.name}/RECORD"
    names = [row[0] for row in csv.reader((info / "RECORD").read_text().splitlines())]
    kept = [
        name for name in names if not name.endswith((".pyc", "/INSTALLER", "/REQUESTED", "/RECORD")) and name[0] != "."
    ]
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{info.name.removesuffix('.dist-info')}-{tag}.whl"
    rows = io.StringIO()
    written = csv.writer(rows, lineterminator="\n")
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in sorted(kept):
            content = (site / name).read_bytes()
            if name == f"{package}/__init__.py":
                content += f"\nBUILD = {mark!r}\n".encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            written.writerow([name, f"sha256={digest}", len(content)])
            archive.writestr(zipfile.ZipInfo(name, _WHEN), content)
        archive.writestr(zipfile.ZipInfo(record, _WHEN), rows.getvalue() + f"{record},,\n")
    return wheel


if __name__ == "__main__":
    # What the repositories of tests call to be built: SITE PACKAGE FOLDER MARK.
    print(packed(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4]))
