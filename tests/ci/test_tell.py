"""``weigh ci tell``: one comment on a pull request, and the status of its commit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ci.github_api import REPOSITORY, GitHub, served
from weigh.ci.outcome import Outcome, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Run, Weigh

COMMIT = "5" * 40
PULL = {"pull_request": {"number": 7, "head": {"sha": COMMIT, "repo": {"full_name": REPOSITORY}}}}
RUN = {
    "event": "pull_request", "head_sha": COMMIT, "head_branch": "change", "conclusion": "success",
    "head_repository": {"owner": {"login": "stranger"}, "full_name": "stranger/engine"},
}  # fmt: skip
SLOWER = Outcome(code=1, state="failure", headline="pr is SLOWER than main on 1 of 9 operations", message="1 slower")
SAME = Outcome(code=0, state="success", headline="pr is as fast as main", message="no regression")


@pytest.fixture
def github() -> Iterator[GitHub]:
    """It answers on loopback."""
    with served() as one:
        yield one


def told(weigh: Weigh, github: GitHub, outcome: Outcome, event: dict[str, Any], text: str = "**it says**") -> Run:
    """A job with that outcome tells it."""
    write(weigh.folder / "weigh-ci", outcome, text)
    (weigh.folder / "event.json").write_text(json.dumps(event))
    return weigh(
        "ci", "tell", GITHUB_EVENT_PATH="event.json", GITHUB_TOKEN="secret", GITHUB_REPOSITORY=REPOSITORY,
        GITHUB_API_URL=github.url, GITHUB_SHA="6" * 40, GITHUB_RUN_ID="9", GITHUB_SERVER_URL="https://example.org",
    )  # fmt: skip


def test_the_comment_is_written_once_and_then_anew(weigh: Weigh, github: GitHub) -> None:
    for number in range(120):
        github.comment(f"words {number}", kind="User")
    # Whoever writes the marker is not the bot.
    github.comment("<!-- weigh: weigh --> mine", kind="User")
    run = told(weigh, github, SLOWER, PULL, "**pr is SLOWER**")
    assert run.code == 0, run.err
    assert run.out.splitlines() == ["status of 555555555555: failure", "comment of pull request 7: written"]
    assert github.comments[-1]["body"].startswith("<!-- weigh: weigh -->\n**pr is SLOWER**\n")
    run = told(weigh, github, SAME, PULL, "**as fast**")
    assert run.out.splitlines()[1] == "comment of pull request 7: written anew"
    bodies = [one["body"] for one in github.comments if "weigh" in one["body"]]
    assert bodies[0] == "<!-- weigh: weigh --> mine"
    assert len(bodies) == 2
    assert "**as fast**" in bodies[1]
    assert "SLOWER" not in bodies[1]
    assert [(commit, one["state"], one["description"]) for commit, one in github.statuses] == [
        (COMMIT, "failure", SLOWER.headline),
        (COMMIT, "success", SAME.headline),
    ]


def test_a_fork_s_own_job_writes_nothing_and_the_next_workflow_does(weigh: Weigh, github: GitHub) -> None:
    head = {"sha": COMMIT, "repo": {"full_name": "stranger/engine"}}
    run = told(weigh, github, SLOWER, {"pull_request": {"number": 7, "head": head}})
    assert run.code == 0
    assert "workflow_run" in run.out
    assert not github.calls
    github.pulls = [{"number": 7, "head": {"sha": COMMIT, "label": "stranger:change"}}]
    assert told(weigh, github, SLOWER, {"workflow_run": RUN}).code == 0
    assert "**it says**" in github.comments[-1]["body"]
    assert github.statuses[-1][1]["state"] == "failure"


def test_what_a_fork_left_decides_neither_the_place_nor_that_it_passed(weigh: Weigh, github: GitHub) -> None:
    github.pulls = [{"number": 7, "head": {"sha": COMMIT, "label": "stranger:change"}}]
    text = "@everybody <!-- weigh: other -->" + "x" * 70_000
    assert told(weigh, github, SAME, {"workflow_run": {**RUN, "conclusion": "failure"}}, text).code == 0
    assert github.statuses == [(COMMIT, {**github.statuses[0][1], "state": "error"})]
    body = github.comments[-1]["body"]
    assert "@everybody" not in body
    assert "<!-- weigh: other" not in body
    assert len(body) < 65_536
    # Another commit came meanwhile: this one has no pull request, and no comment.
    github.pulls[0]["head"]["sha"] = "7" * 40
    assert "comment" not in told(weigh, github, SAME, {"workflow_run": RUN}).out


def test_without_a_pull_request_there_is_a_status_alone(weigh: Weigh, github: GitHub) -> None:
    assert told(weigh, github, SAME, {"ref": "refs/heads/main"}).out == "status of 666666666666: success\n"


def test_what_github_refuses_names_the_permission(weigh: Weigh, github: GitHub) -> None:
    github.forbidden = ("POST",)
    run = told(weigh, github, SAME, PULL)
    assert run.code == 2
    assert "GitHub refused POST statuses/" in run.err
    assert "pull-requests: write, statuses: write" in run.err
    assert "secret" not in run.err


def test_outside_of_a_job_and_without_an_outcome(weigh: Weigh) -> None:
    assert "weigh ci measure writes it" in weigh("ci", "tell", GITHUB_REPOSITORY="").err
    write(weigh.folder / "weigh-ci", SAME, "text")
    run = weigh("ci", "tell", GITHUB_REPOSITORY="")
    assert run.code == 2
    assert "GITHUB_REPOSITORY is not set" in run.err
