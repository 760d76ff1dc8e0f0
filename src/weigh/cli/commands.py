"""The commands in their groups: where each is imported from when it is called, its line in ``weigh --help``."""

from __future__ import annotations

import sys
from typing import NamedTuple


class Command(NamedTuple):
    """A command of ``weigh``.

    Attributes:
        module: that has it.
        attribute: its name there.
        about: its line in the help.
        linux: whether it measures, and so needs Linux.
    """

    module: str
    attribute: str
    about: str
    linux: bool = False


GROUPS = {
    "Start": {
        "demo": Command(
            "weigh.cli.experiment.demo", "demo", "Compare DuckDB and chDB on generated data, in about a minute.", True
        ),
        "init": Command(
            "weigh.cli.experiment.init", "init", "Write weigh.toml from your own data files and SQL; a job for CI."
        ),
        "run": Command(
            "weigh.cli.experiment.run",
            "run",
            "Compare engines: check their answers, measure, give verdicts, keep evidence.",
            True,
        ),
        "gate": Command(
            "weigh.cli.experiment.run", "gate", "Check the answers of all contenders, and time nothing.", True
        ),
    },
    "Servers": {
        "load": Command(
            "weigh.cli.load.load",
            "load",
            "Send a server requests on a schedule: how long its users would wait.",
            True,
        ),
        "capture": Command(
            "weigh.cli.capture",
            "capture",
            "Record your own traffic as a load: scripts, values, arrivals, a trace.",
            True,
        ),
    },
    "Read": {
        "report": Command("weigh.cli.evidence.report", "report", "Print the report of the newest evidence, or of any."),
        "open": Command("weigh.cli.evidence.open", "open_page", "Show the report's page in a browser."),
        "runs": Command("weigh.cli.evidence.runs", "runs", "List the evidence there is and its answers, newest first."),
        "why": Command(
            "weigh.cli.why", "why", "Profile what became slower or faster: operators, functions, counters.", True
        ),
        "export": Command(
            "weigh.cli.evidence.export", "export", "Write a run in the form of another tool: JUnit, benchstat, CSV ..."
        ),
        "publish": Command("weigh.cli.evidence.publish", "publish", "Write a folder of evidence as a static site."),
    },
    "CI": {
        "history": Command(
            "weigh.cli.history", "history", "Keep series over versions: add evidence, show changes, confirm them."
        ),
        "compare": Command("weigh.cli.compare", "compare", "Join two sessions through a shared reference contender."),
        "ci": Command("weigh.cli.ci", "ci", "What jobs of CI call: measure, and comment on the pull request."),
        "judge": Command("weigh.cli.judge", "judge", "Give the same verdicts for other tools' raw numbers."),
    },
    "Trust": {
        "verify": Command(
            "weigh.cli.evidence.verify", "verify", "Recompute every hash and number of an evidence directory."
        ),
        "sign": Command("weigh.cli.evidence.sign", "sign", "Vouch for evidence with an SSH key."),
        "reproduce": Command(
            "weigh.cli.experiment.reproduce",
            "reproduce",
            "Measure a bundle of somebody's evidence again, and confirm its verdicts or not.",
            True,
        ),
        "witness": Command(
            "weigh.cli.witness", "witness", "Keep the heads of journals, so that none is made anew afterwards."
        ),
        "audit": Command(
            "weigh.cli.audit", "audit", "Read others' published results: what they show, and what contradicts itself."
        ),
        "lies": Command(
            "weigh.cli.catalogue.lies", "lies", "List the lies that weigh catches, or commit each here; explain codes."
        ),
        "doctor": Command(
            "weigh.cli.doctor", "doctor", "Find what on this machine would spoil a measurement, and mend it.", True
        ),
    },
    "Scales, settings, data": {
        "ladder": Command(
            "weigh.cli.ladder",
            "ladder",
            "Run an experiment at growing scales, or at several values of a setting.",
            True,
        ),
        "layout": Command(
            "weigh.cli.experiment.layout",
            "layout",
            "Run an experiment over layouts of the same rows: the effect of each.",
            True,
        ),
        "data": Command(
            "weigh.cli.data", "data", "Make, register, digest, describe, diff and check datasets, here or on a cluster."
        ),
        "engines": Command("weigh.cli.catalogue.engines", "engines", "List the engines that a contender can name."),
        "workloads": Command(
            "weigh.cli.catalogue.workloads",
            "workloads",
            "List the workloads that an experiment can name; audit: which operations measure nothing.",
        ),
        "schema": Command(
            "weigh.cli.catalogue.schema", "schema", "Print the JSON Schema of a document that weigh writes."
        ),
        "completion": Command(
            "weigh.cli.completion", "completion", "Print what completes commands in bash, zsh or fish."
        ),
    },
}
"""By what somebody wants to do."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


def require_linux(name: str) -> None:
    """Refuse what needs Linux elsewhere.

    Args:
        name: of the command, with the option that needs it.

    Raises:
        EnvironmentFault: this is no Linux.
    """
    if sys.platform != "linux":
        from weigh.model.errors import EnvironmentFault

        raise EnvironmentFault(
            f"weigh {name} needs Linux: it measures through its kernel",
            remedy="run it there, or in a container; what reads evidence and judges numbers works here",
        )
