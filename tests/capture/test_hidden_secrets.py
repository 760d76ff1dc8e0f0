"""Secrets behind escapes, in addresses of every form and on command lines get out of no log."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.planted_secrets import FORMATS, Planted, found, log, monitor, texts
from weigh.capture.results import CaptureResults

if TYPE_CHECKING:
    from support.command import Weigh

VALUES = (
    r'{"u":"postgres:\/\/al:LEAK@h\/db"}',
    "postgres%3A%2F%2Fal%3ALEAK%40h%2Fdb",
    "postgres%253A%252F%252Fal%253ALEAK%2540h",
    "postgres&#58;&#47;&#47;al:LEAK@h",
    r'{"u":"postgres:\u002f\u002fal\u003aLEAK\u0040h"}',
    "mongodb+srv://al:LEAK@h/db",
    "redis://:LEAK@h",
    "amqp://al:LEAK/x@h",
    "https://LEAK@github.com/al/x.git",
    "git+https://al:LEAK@h/x.git",
    "app:LEAK@tcp(db:3306)/shop",
    "al:LEAK@h:5432",
    "scott/LEAK@//db:1521/orcl",
    "jdbc:oracle:thin:scott/LEAK@h:1521/x",
    "//al:LEAK@host/db",
    "curl -u al:LEAK h",
    "curl --user=al:LEAK h",
    "mysql -uroot -pLEAK shop",
    "redis-cli -a LEAK ping",
    "sshpass -p LEAK ssh h",
    "x --password=LEAK",
    "x --pass LEAK",
    "PGPASSWORD=LEAK psql",
    "AccountName=al;AccountKey=LEAK",
    "Server=h;Uid=al;Pwd=LEAK",
    "Authorization: Foo LEAK",
    "%70%61%73%73word=LEAK",
    "&#112;assword=LEAK",
    "PASS\u00adWORD LEAK",
    "pass\u200bword LEAK",
    "p\u0430ssw\u043erd LEAK",
    "\u0420\u0410\u0405\u0405W\u041eRD LEAK",
    "\uff50assword LEAK",
    "https://h/cb?code=LEAK",
    "https://h/sso#ticket=LEAK",
    "h:5432:shop:al:LEAK",
    "*:*:*:al:LEAK",
    "db.example.com:15432:shop:al:LEAK",
    "10.0.0.7:6000:*:al:LEAK",
    "localhost:15432:shop:al:LEAK",
    "/run/postgresql:5433:shop:al:LEAK",
)
STATEMENTS = (
    "SELECT 'postgres://' || 'al' || ':' || 'LEAK' || '@h'",
    "SELECT concat('postgres://al', ':', 'LEAK', '@h')",
    "INSERT INTO u VALUES ('postgres://', 'al', ':', 'LEAK', '@h')",
    "SELECT 1 FROM u WHERE p\u0430ssword = 'LEAK'",
    'SELECT 1 AS "al:LEAK@h"',
    "SELECT * FROM mysql('h:3306', 'db', 't', 'al', 'LEAK')",
    "SELECT * FROM postgresql('h:5432', 'db', 't', 'al', 'LEAK')",
    "SELECT * FROM remote('h:9000', 'db', 't', 'al', 'LEAK')",
    "SELECT * FROM remoteSecure('h:9440', db.t, 'al', 'LEAK')",
    "SELECT * FROM mongodb('h:27017', 'db', 'c', 'al', 'LEAK')",
    "SELECT * FROM azureBlobStorage('https://a.blob', 'c', 'p', 'a', 'LEAK')",
    "SELECT * FROM postgres_scan('dbname=x', 'public', 'LEAK')",
    "SELECT 1 FROM u WHERE recovery_phrase = 'LEAK'",
    "SELECT verify_user('al', 'LEAK')",
    "CALL check_account('al', 'LEAK')",
    "INSERT INTO notes (x) VALUES (ENCODE('x', 'LEAK'))",
    "SELECT decode(concat('a', ','), 'LEAK') FROM u",
    "SELECT encode(x, 'hex'), encode(x, 'LEAK' || 'x') FROM u",
    *(
        f"SELECT id FROM accounts WHERE {word} = 'LEAK'"
        for word in ("pkce", "code_verifier", "mfa_challenge", "sas_url", "unlock_code", "pat", "device_code")
    ),
)
PLAIN = (
    'SELECT 1 FROM t WHERE a = \'10:30\' AND mail = \'a@example.org\' AND doc = \'{"t":"10:30","mail":"x@y.org"}\'',
    "SELECT 1 FROM t WHERE city = '\u041c\u043e\u0441\u043a\u0432\u0430' AND part = '50% of x & y' AND n = 'pre-paid'",
    "SELECT value FROM settings WHERE key = 'color' AND private = 'yes' AND basic_salary > 120000",
    "SELECT value FROM cached WHERE cache_key = 'user_1234_profile' AND part = 'AB-1234-CD'",
    "INSERT INTO t (id, at) VALUES ('8f14e45f-ceea-467f-a0e6-1c5f2b3d4e5f', '2026-01-02T03:04:05') "
    "ON CONFLICT (key) DO UPDATE SET key = '8f14e45f-ceea-467f-a0e6-1c5f2b3d4e5f'",
    "SELECT encode(x, 'hex') FROM remote_calls WHERE last_refresh > '2026-01-02' AND reset_at IS NULL AND u = 'DE'",
    "SELECT encode(x), decode('00ff', 'hex'), encode(sha(x), e'base64'), decode(n, 1, 'a', 2, 'b') FROM t",
    "SELECT 1 FROM t WHERE k = 'cart:1234:item:sku:5' AND at = '10:30:00:00:1' AND m = '00:1b:44:11:3a:b7'",
    "SELECT 1 FROM t WHERE doc::jsonb@>'{\"a\": 1}' AND path = 'users/12/photos' AND pattern = 'ab'",
)


@pytest.mark.parametrize("flags", [(), ("--obfuscate",)], ids=["plain", "obfuscated"])
@pytest.mark.parametrize("kind", ["stderr", "csvlog", "monitor"])
def test_hidden_secrets_get_nowhere(weigh: Weigh, kind: str, flags: tuple[str, ...]) -> None:
    numbered = [one.replace("LEAK", f"LEAK{place:03}") for place, one in enumerate((*VALUES, *STATEMENTS))]
    values, statements = numbered[: len(VALUES)], numbered[len(VALUES) :]
    if kind == "monitor":
        text = monitor([("SET", f"k:{place}", one) for place, one in enumerate(values)])
    else:
        written = [f"INSERT INTO notes{place} (x) VALUES ('{one}')" for place, one in enumerate(values)]
        bound = [(f"INSERT INTO notes{place}b (x) VALUES ($1)", (one,)) for place, one in enumerate(values)]
        text = log(kind, [*((one, ()) for one in (*written, *statements)), *bound])
    assert text.count("LEAK") >= len(VALUES)
    (weigh.folder / "log").write_text(text)
    run = weigh("capture", "log", "--out", "out", "--cover", "100%", "--top", "1000", "--quiet", *flags)
    assert run.code == 0, run.err
    out = texts(run.folder / "out", run.out + run.err)
    leaked = sorted({int(one) for text in out for one in re.findall(r"LEAK(\d{3})", text)})
    assert [numbered[one] for one in leaked] == []


WEAK = ("private", "basic", "key", "signer", "certificate", "license", "wallet", "seed", "private_note", "basicAuth")
SAID = ("private: {}", "their basic was {}", "x key -> {}", '{{"key": "{}"}}', "a.key={};b=1")


@pytest.mark.parametrize("flags", [(), ("--obfuscate",)], ids=["plain", "obfuscated"])
@pytest.mark.parametrize("kind", FORMATS)
def test_words_that_name_a_secret_only_next_to_one(weigh: Weigh, kind: str, flags: tuple[str, ...]) -> None:
    planted = Planted(random.Random(f"{kind} {flags}"))
    forms = range(2, 60, 4)
    if kind == "monitor":
        said = [("SET", "x", one.format(f"secret{place:03}")) for place, one in enumerate(SAID)]
        text = monitor([*(planted.command(form, word) for word in WEAK for form in forms), *said])
    else:
        mysql = kind == "mysql"
        calls = [call for word in WEAK for form in forms for call in planted.statements(form, mysql=mysql, word=word)]
        said = [(f"INSERT INTO t{place} (x) VALUES ('{one}')", ()) for place, one in enumerate(SAID)]
        text = log(kind, [*calls, *((one.format(f"secret{place:03}"), ()) for place, (one, _) in enumerate(said))])
    assert planted.number >= 150
    (weigh.folder / "log").write_text(text)
    run = weigh("capture", "log", "--out", "out", "--cover", "100%", "--top", "1000", "--quiet", *flags)
    assert run.code == 0, run.err
    # A number next to such a word is a number.
    assert [one for one in found(run.folder / "out", run.out + run.err) if not one.startswith("73915")] == []


def test_what_hides_nothing_stays(weigh: Weigh) -> None:
    (weigh.folder / "log").write_text(log("stderr", [(one, ()) for one in PLAIN]))
    run = weigh("capture", "log", "--out", "out", "--cover", "100%", "--quiet")
    assert run.code == 0, run.err
    held = msgspec.json.decode((run.folder / "out" / "capture.json").read_bytes(), type=CaptureResults)
    assert {one.reason for one in held.left_out} == set()
    assert len(held.statements) == len(PLAIN)
