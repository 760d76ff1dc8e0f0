"""What is measured again: the spec of the original, its packages, the digests of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.config.run_request import RunRequest
from weigh.model.contender import COMMAND, SYSTEM, check_pin, parse_contender
from weigh.model.errors import EnvironmentFault, EvidenceFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from weigh.experiment.config.user_data import UserFiles
    from weigh.experiment.record import Record
    from weigh.model.contender import Contender, ContenderRead
    from weigh.model.spec import Spec, UserData


def planned(
    original: Record,
    root: Path,
    command: str,
    *,
    instead: Sequence[str] = (),
    user_data: UserFiles | None = None,
    answers: Path | None = None,
    affinity: tuple[int, ...] | None = None,
    resume: bool = False,
) -> tuple[Spec, RunRequest, dict[str, str]]:
    """The experiment that measures an original again.

    Args:
        original: its latest attempt.
        root: folder of the evidence of the reproduction.
        command: that does it again.
        instead: contenders to take in the place of the original's.
        user_data: data and questions that the bundle does not hold, where they are a user's own.
        answers: file of the answers that were pinned, where the original had one.
        affinity: CPUs in the place of those that the original named.
        resume: go on where it was killed.

    Returns:
        The spec, how it is carried out, and the name here of each contender of the original.

    Raises:
        UsageError: something that the bundle does not hold is not named, or a contender is none of the original's.
        EvidenceFault: the original never came to its environment.
        EnvironmentFault: a contender was built, or is a command, a server or a folder that no bundle holds.
    """
    environment = original.environment
    if environment is None:
        raise EvidenceFault(
            "it ended before its environment was recorded", remedy="ask for one that measured something"
        )
    spec, changed = original.spec, _changed(original.spec, instead)
    names = {one.name: changed.get(one.name, one).name for one in spec.contenders}
    _check_names(names)
    contenders = tuple(changed.get(one.name, one) for one in spec.contenders)
    for one in spec.contenders:
        if one.name not in changed:
            _check_installable(one)
    read = {one.name: one for one in environment.contenders}
    spec = msgspec.structs.replace(
        spec,
        contenders=contenders,
        baseline=names[spec.baseline],
        user_data=_user_data(original.spec, user_data),
        affinity=affinity or spec.affinity,
    )
    _check_answers(spec, answers)
    request = RunRequest(
        root=root,
        command=command,
        answers=answers,
        user_files=user_data,
        least=True,
        resume=resume,
        locks={name: _lock(one) for name, one in read.items() if name in names and name not in changed},
        digests=original.manifest.digests if original.manifest else None,
    )
    return spec, request, names


def _changed(spec: Spec, instead: Sequence[str]) -> dict[str, Contender]:
    """The contenders that are replaced, by their name in the original."""
    found: dict[str, Contender] = {}
    for text in instead:
        # A name that is a spec has an @, which no name before a spec has.
        fits = [one.name for one in spec.contenders if text.startswith(f"{one.name}=")]
        new = parse_contender(text[len(fits[0]) + 1 :] if fits else text)
        fits = fits or [one.name for one in spec.contenders if one.engine == new.engine]
        if len(fits) != 1 or fits[0] in found:
            names = ", ".join(one.name for one in spec.contenders)
            raise UsageError(
                f"'{text}' does not say which contender it replaces",
                remedy=f"name it NAME=SPEC, or take the engine of one; the original has {names}",
            )
        found[fits[0]] = new
    return found


def _check_names(names: Mapping[str, str]) -> None:
    """Two of one name would be one contender: nothing could be compared."""
    for name, here in names.items():
        if other := next((one for one in names if one != name and names[one] == here), None):
            changed = name if name != here else other
            raise UsageError(
                f"{name} and {other} would both be called {here} here",
                remedy=f"give it a name of its own: --contender '{changed}=NAME={here}'",
            )


def _check_installable(contender: Contender) -> None:
    """What a bundle of others names is made from packages of the index, or not at all: it never executes a command."""
    where = f"contender {contender.name}"
    if COMMAND in contender.settings or SYSTEM in contender.settings:
        raise EnvironmentFault(
            "it is a command or a folder of scripts of whoever made the bundle, and is not executed here",
            where=where,
            remedy="read what it does, have it here, and name it: --contender NAME=SPEC",
        )
    if contender.remote or contender.build is not msgspec.UNSET:
        what = "a server by its address" if contender.remote else "a build that no package index has"
        raise EnvironmentFault(
            f"it is {what}, and the bundle does not hold it",
            where=where,
            remedy="have the same one here, and name it: --contender NAME=SPEC",
        )


def _lock(read: ContenderRead) -> tuple[str, ...]:
    """Every package of a contender with its exact version; from an index, and from nowhere else."""
    lines = tuple(line.strip() for line in read.lock.splitlines() if line.strip())
    for line in lines:
        check_pin(line)
    return lines


def _user_data(spec: Spec, found: UserFiles | None) -> UserData | None:
    if spec.user_data is None:
        if found is not None:
            raise UsageError(
                f"the original measured the workload {spec.workload}, and no data of its own",
                remedy="leave out --data and --sql",
            )
        return None
    if found is None:
        raise UsageError(
            "the original measured data and questions of somebody's own, which a bundle does not hold",
            remedy="have them here and name them: --data FILES --sql PATH",
        )
    content = found.content()
    if content.queries != spec.user_data.queries or _functions(content.frames) != _functions(spec.user_data.frames):
        raise UsageError(
            "these are not the questions that were measured", remedy="name the same files: --sql PATH, --frames PATH"
        )
    return content


def _functions(frames: Mapping[str, str] | msgspec.UnsetType) -> dict[str, str]:
    return dict(frames or {})


def _check_answers(spec: Spec, answers: Path | None) -> None:
    from weigh._native import hash_file

    if not spec.answers:
        return
    if answers is None or hash_file(answers) != spec.answers:
        raise UsageError(
            "the original was checked against pinned answers, which a bundle does not hold"
            if answers is None
            else "these are not the pinned answers of the original",
            remedy=f"name the file whose BLAKE3 is {spec.answers[:16]}...: --answers FILE",
        )
