"""Remedies of servers' errors: which words a user meets for which code."""

from __future__ import annotations

import pytest

from support.load_records import interval, record, run, steady_times
from weigh.load.remedies import REMEDIES, of_text, remedy_of
from weigh.load.results import load_results


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("42P05", "--protocol simple"),
        ("26000", "pooler"),
        ("42P18", ":n::int"),
        ("42725", "cast"),
        ("42883", "cast"),
        ("53300", "--connections"),
        ("28P01", "password"),
        ("28000", "password"),
        ("3D000", "database"),
        ("42P01", "--prepare FILE.sql"),
        ("42000", "mend the statement"),
        ("1044", "GRANT"),
        ("1820", "expired"),
        ("28000", "sslmode=require"),
        ("1193", "another kind of server"),
        ("57P01", "begin again"),
        ("57P03", "when it is ready"),
        ("08006", "network"),
        ("CLUSTERDOWN", "see CLUSTER INFO"),
        ("MOVED", "redis-cluster://"),
        ("ASK", "redis-cluster://"),
        ("NOAUTH", "REDISCLI_AUTH"),
        ("WRONGPASS", "password"),
        ("NOPERM", "ACL SETUSER"),
        ("OOM", "maxmemory"),
        ("LOADING", "when it is ready"),
        ("READONLY", "primary"),
        ("BUSY", "SCRIPT KILL"),
    ],
)
def test_a_remedy_follows_from_the_code(code: str, words: str) -> None:
    assert words in (remedy_of(code, "whatever it says") or "")


@pytest.mark.parametrize(
    ("code", "message", "words"),
    [
        ("08P01", "no more connections allowed (max_client_conn)", "--connections"),
        ("08P01", 'prepared statement "w0" does not exist', "--protocol simple"),
        ("", 'FATAL:  database "shop" does not exist', "name a database"),
        ("", "FATAL:  password authentication failed for user", "password"),
        ("42000", "User 'app' has exceeded the 'max_user_connections' resource (current value: 5)", "--connections"),
        ("1290", "running with the --read-only option so it cannot execute this statement", "name the primary"),
        ("ERR", "DB index is out of range", "name a database"),
        ("", "ERR AUTH <password> called without any password configured for the default user", "leave the password"),
        ("", "FATAL:  sorry, too many clients already", "--connections"),
    ],
)
def test_words_tell_where_the_code_does_not(code: str, message: str, words: str) -> None:
    assert words in (remedy_of(code, message) or "")


def test_the_code_of_an_error_in_a_report_leads_to_its_remedy() -> None:
    assert of_text("look, line 2: division by zero (22012)") == remedy_of("22012", "")
    assert of_text("no answer within --timeout") is None


def test_what_nobody_knows_has_no_remedy() -> None:
    for code in ("", "F0000", "XX001", "ERR", "4242"):
        assert remedy_of(code, "division by zero") is None
    assert all(text[-1] not in ".:" for text in REMEDIES.values())


@pytest.mark.parametrize(
    ("text", "remedy"),
    [("could not serialize access (40001)", "lower --connections or --rate"), ("no such table (42P01)", "mend them")],
)
def test_transactions_that_gave_way_to_others_need_fewer_of_them(text: str, remedy: str) -> None:
    parts = [interval(at, times, errors={text: 1}) for at, times in enumerate(steady_times(10))]
    (found,) = [one for one in load_results(record([run(parts)])).findings if one.code == "L7.failed"]
    assert found.remedy.startswith(remedy)
