"""The sticky comment and the status of a commit, by GitHub's API."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.ci.outcome import COMMENT, OUTCOME, Outcome
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PAGE = 100
_PAGES = 30
_MOST = 60_000
"""Characters of a comment; GitHub takes 65,536."""
_DESCRIBED = 140
"""Characters of a status, as GitHub takes them."""
_TIMEOUT_S = 30


class Place(NamedTuple):
    """Where it is told.

    Attributes:
        number: of the pull request; None where there is none.
        commit: that the status is of.
        fork: whether the job has no right to write, as one of a fork's pull request.
        failed: whether the job that measured failed, as the system of CI says.
    """

    number: int | None
    commit: str
    fork: bool = False
    failed: bool = False


def tell(folder: Path, name: str, environment: Mapping[str, str] = os.environ) -> list[str]:
    """Write the comment anew, or the first time, and set the status.

    Args:
        folder: what the job left. It may come from a fork: nothing in it decides where is written.
        name: of the comment and of the status; each name has one comment.
        environment: ``GITHUB_TOKEN`` and what GitHub sets.

    Returns:
        What was done, a line each.

    Raises:
        EnvironmentFault: GitHub refused.
        UsageError: this is no job of GitHub, or there is no outcome in the folder.
    """
    outcome, comment = _left(folder)
    api = _Api(environment)
    place = _place(json.loads(Path(_set(environment, "GITHUB_EVENT_PATH")).read_text()), api, environment)
    if place.fork:
        return ["a fork's pull request: its job may not write; the workflow of workflow_run does (docs/guide/ci.md)"]
    state = outcome.state if outcome.state != "success" or not place.failed else "error"
    page = (
        f"{environment.get('GITHUB_SERVER_URL', '')}/{api.repository}/actions/runs/{environment.get('GITHUB_RUN_ID')}"
    )
    status = {"state": state, "context": name, "description": outcome.headline[:_DESCRIBED], "target_url": page}
    api.call("POST", f"statuses/{place.commit}", status)
    done = [f"status of {place.commit[:12]}: {state}"]
    if place.number is not None:
        done.append(_commented(api, place.number, name, comment, place.commit))
    return done


def _left(folder: Path) -> tuple[Outcome, str]:
    try:
        outcome = msgspec.json.decode((folder / OUTCOME).read_bytes(), type=Outcome)
        return outcome, (folder / COMMENT).read_text(errors="replace")
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(
            f"there is no outcome of a job in it: {error}", where=str(folder), remedy="weigh ci measure writes it"
        ) from error


def _place(event: dict[str, Any], api: _Api, environment: Mapping[str, str]) -> Place:
    """The pull request and the commit, by what GitHub says of the event."""
    if run := event.get("workflow_run"):
        failed = run.get("conclusion") != "success"
        return Place(_number(run, api), run["head_sha"], failed=failed)
    if pull := event.get("pull_request"):
        head = pull["head"]
        fork = (head.get("repo") or {}).get("full_name") != api.repository
        return Place(pull["number"], head["sha"], fork=fork)
    return Place(None, _set(environment, "GITHUB_SHA"))


def _number(run: dict[str, Any], api: _Api) -> int | None:
    """The pull request that a run of a workflow measured: of a fork its event names none."""
    if run.get("event") not in ("pull_request", "pull_request_target"):
        return None
    head = f"{run['head_repository']['owner']['login']}:{run['head_branch']}"
    found = api.call("GET", f"pulls?state=open&head={urllib.parse.quote(head)}")
    return next((int(one["number"]) for one in found if one["head"]["sha"] == run["head_sha"]), None)


def _commented(api: _Api, number: int, name: str, comment: str, commit: str) -> str:
    marker = f"<!-- weigh: {name} -->"
    # Nobody is called, and no other comment is taken for this one.
    text = comment[:_MOST].replace("<!--", "&lt;!--").replace("@", "@\u200b")
    body = {"body": f"{marker}\n{text}\n\n<sub>weigh, of {commit[:12]}</sub>\n"}
    for one in _comments(api, number):
        if one["user"]["type"] == "Bot" and str(one["body"]).startswith(marker):
            api.call("PATCH", f"issues/comments/{one['id']}", body)
            return f"comment of pull request {number}: written anew"
    api.call("POST", f"issues/{number}/comments", body)
    return f"comment of pull request {number}: written"


def _comments(api: _Api, number: int) -> Iterator[dict[str, Any]]:
    for page in range(1, _PAGES + 1):
        found = api.call("GET", f"issues/{number}/comments?per_page={_PAGE}&page={page}")
        yield from found
        if len(found) < _PAGE:
            return


class _Api:
    """GitHub's API, of one repository."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.repository = _set(environment, "GITHUB_REPOSITORY")
        self._token = _set(environment, "GITHUB_TOKEN")
        self._url = f"{environment.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{self.repository}"

    def call(self, method: str, path: str, body: object = None) -> Any:
        """What it answers.

        Raises:
            EnvironmentFault: it refused, or cannot be reached.
        """
        request = urllib.request.Request(
            f"{self._url}/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Accept": "application/vnd.github+json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise EnvironmentFault(
                f"GitHub refused {method} {path.partition('?')[0]}: {error.code} {error.reason}",
                remedy="the job needs permissions: pull-requests: write, statuses: write",
            ) from error
        except OSError as error:
            raise EnvironmentFault(f"GitHub cannot be reached: {error}", where=self._url) from error


def _set(environment: Mapping[str, str], name: str) -> str:
    if not (value := environment.get(name)):
        raise UsageError(f"{name} is not set", remedy="weigh ci tell runs in a job of GitHub Actions")
    return value
