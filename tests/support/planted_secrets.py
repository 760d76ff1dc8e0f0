"""Statements and commands with secrets in them, as applications write them, and the logs that hold them.

A secret is known again wherever it comes out: ``SeCrEt`` and digits, or a number that begins with 73915.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from pathlib import Path

PLANTED = re.compile(r"secret_?\d{3}|(?<!\d)73915\d{4}", re.IGNORECASE)
"""Digits within the fraction of a measured time are no secret."""
# fmt: off
WORDS = (
    "password", "passwd", "pwd", "user_pw", "passphrase", "passCode", "PIN", "userPin", "otp", "totp_code", "secret",
    "client_secret", "clientSecret", "api_token", "accessToken", "TOKEN", "refresh-token", "jwt", "bearer",
    "credential",
    "api_key", "apiKey", "api-key", "access_key", "privateKey", "auth", "auth_code", "login", "session_id",
    "sessionKey",
    "cookie", "salt", "pw_hash", "passwordHash", "cvv", "ssn", "card_number", "connection_string", "dsn", "smtp_pass",
    "passwort", "contrase\u00f1a", "mot_de_passe", "motDePasse", "senha", "wachtwoord", "l\u00f6senord", "has\u0142o",
    "\u043f\u0430\u0440\u043e\u043b\u044c", "\u5bc6\u7801", "recovery_code", "security_answer",
    "encryption_key", "signing_key", "stripe", "sendgrid", "webhook", "pem", "github",
)
"""Names near secrets."""
_POSTGRES = (
    "SELECT * FROM u WHERE {name} = {value}",
    "SELECT * FROM u WHERE {value} = u.{name} AND id = 7",
    "SELECT id FROM u WHERE {name} IN ('a', {value}, {value2})",
    "SELECT id FROM u WHERE {name} = ANY(ARRAY[{value}, {value2}])",
    "SELECT id FROM u WHERE (name, {name}) = ('bob', {value})",
    "SELECT id FROM u WHERE {name} LIKE {value} OR {name} = {value} || {value2}",
    "UPDATE u SET name = 'bob', {name} = {value} WHERE id = 7",
    "UPDATE u SET (name, {name}) = ('bob', {value})",
    "INSERT INTO u (name, {name}) VALUES ('a', {value}), ('b', {value2})",
    "INSERT INTO u (name, {name}) SELECT 'x', {value} ON CONFLICT (name) DO UPDATE SET {name} = {value2}",
    "INSERT INTO cfg VALUES ('{word}', {value})",
    "UPDATE cfg SET value = {value} WHERE key = '{word}'",
    "SELECT * FROM u WHERE doc @> '{{\"{word}\": \"{secret}\"}}'",
    "SELECT * FROM u WHERE doc->>'{word}' = {value}",
    "UPDATE u SET doc = jsonb_set(doc, '{{a,{word}}}', '\"{secret}\"')",
    "INSERT INTO events (doc) VALUES ('{{\"a\": [1, {{\"{word}\": {number}}}]}}')",
    "INSERT INTO mails (body) VALUES ('Hello, your {word}: {secret}')",
    "SELECT check_{plain}('bob', {value})",
    "SELECT f(p_user => 'bob', p_{plain} => {value})",
    "CALL reset_{plain}(1, {value})",
    "SELECT * FROM {plain}_of('bob', {value})",
    "WITH c({name}) AS (VALUES ({value})) SELECT * FROM c",
    "MERGE INTO u USING (VALUES ('a', {value})) AS s(n, {name}) ON u.n = s.n WHEN MATCHED THEN UPDATE SET x = s.{name}",
    "SELECT CASE WHEN {name} = {value} THEN 1 ELSE {number} END FROM u",
    "SELECT * FROM u -- {word} {secret}\n",
    "/* {secret} {word} */ SELECT 1",
    "SELECT /* {word} /* {secret} */ {secret} */ 1",
    "SELECT /*+ {secret} */ {name} FROM u WHERE a = {value}",
    "SELECT /*!50000 {secret} */ {name} FROM u WHERE a = {value}",
    "SELECT {value} /* {word} */",
    "SELECT 1; UPDATE u SET {name} = {value}; SELECT 2",
    "BEGIN; UPDATE u SET {name} = {value}; COMMIT",
    "BEGIN; ALTER ROLE app PASSWORD {value}; COMMIT",
    "DO $$ BEGIN PERFORM check_{plain}('a', '{secret}'); END $$",
    "DO $body$ DECLARE x text := '{secret}'; BEGIN NULL; END $body$",
    "NOTIFY chan, '{secret}'",
    "SELECT pg_notify('chan', '{word}={secret}')",
    "COMMENT ON TABLE t IS '{secret}'",
    "SECURITY LABEL ON TABLE t IS '{secret}'",
    "CREATE FUNCTION f() RETURNS text AS $$ SELECT '{secret}' $$ LANGUAGE sql",
    "CREATE OR REPLACE FUNCTION f() RETURNS text LANGUAGE sql AS 'SELECT ''{secret}'''",
    "CREATE TABLE x AS SELECT {value} AS {name}",
    "EXPLAIN ANALYZE SELECT * FROM u WHERE {name} = {value}",
    "DECLARE c CURSOR FOR SELECT * FROM u WHERE {name} = {value}",
    "PREPARE q{n} (text) AS SELECT * FROM u WHERE {name} = {value} AND x = $1",
    "PREPARE q{n} (text, text) AS INSERT INTO u (a, {name}) VALUES ($1, $2)\0EXECUTE q{n}('bob', {value})",
    "PREPARE \"Q {n}\" AS UPDATE u SET {name} = $1\0DEALLOCATE \"Q {n}\"\0EXECUTE \"Q {n}\"({value})",
    "PREPARE q{n} AS SELECT $1 AS {name}\0BEGIN; EXECUTE q{n}({value}); COMMIT\0EXPLAIN EXECUTE q{n}({value2})",
    "EXECUTE unheard_of('bob', {value})",
    "SET app.{plain} = {value}",
    "SET LOCAL app.{plain} TO {secret}",
    "SELECT set_config('app.{word}', {value}, true)",
    "ALTER ROLE app WITH ENCRYPTED PASSWORD {value}",
    "CREATE USER bob PASSWORD {value}",
    "ALTER SYSTEM SET x.{plain} = {value}",
    "ALTER USER MAPPING FOR app SERVER s OPTIONS (SET password {value})",
    "CREATE SUBSCRIPTION s CONNECTION 'host=h password={secret}' PUBLICATION p",
    "COPY t FROM 's3://b/k' CREDENTIALS 'aws_access_key_id=AK;aws_secret_access_key={secret}'",
    "COPY (SELECT * FROM u WHERE {name} = {value}) TO STDOUT",
    "SELECT dblink_connect('host=x user=u password={secret}')",
    "SELECT crypt({value}, gen_salt('bf')), hmac('m', {value2}, 'sha256')",
    "SELECT sha256({value}::bytea), md5({value2})",
    "SELECT pgp_sym_encrypt('data', {value}), decrypt(col, {value2}, 'aes') FROM t",
    "SELECT * FROM t WHERE url = 'https://bob:{secret}@host/x'",
    "SELECT * FROM t WHERE url = 'https://{secret}@host/x'",
    "SELECT 'postgresql://u:{secret}@h:5432/db?sslmode=require'",
    "SELECT 'Server=h;Uid=u;Pwd={secret};'",
    "INSERT INTO t VALUES ('Authorization: Bearer {secret}{secret}', 'Basic {secret}{secret}')",
    "INSERT INTO t VALUES ('ghp_{secret}{secret}{secret}', 'AKIA0123456789ABCDEF', '{secret}')",
    "INSERT INTO t VALUES ('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ9.{secret}xyz', {value})",
    "INSERT INTO t VALUES ('sk_live_{secret}{secret}', 'glpat-{secret}{secret}', 'xoxb-{secret}{secret}')",
    "INSERT INTO t VALUES ('-----BEGIN RSA PRIVATE KEY-----\n{secret}\n-----END RSA PRIVATE KEY-----')",
    "INSERT INTO t VALUES ('$2b$12${secret}{secret}{secret}', '$argon2id$v=19${secret}', 'pbkdf2_sha256${secret}')",
    "SELECT $1 AS {name}\1{secret}",
    "UPDATE cfg SET v = $2 WHERE k = $1\1{word}\1{secret}",
    "INSERT INTO u (name, {name}) VALUES ($1, $2)\1bob\1{number}",
    "SELECT login($1, $2)\1bob\1{secret}",
    "INSERT INTO t (doc) VALUES ($1)\1{{\"{word}\": \"{secret}\"}}",
    "SELECT * FROM u WHERE {name} = \"{secret}\"",
    "SELECT * FROM u WHERE {name} = 739_15{digits} OR {name} = 0x{hex}",
    "SELECT XMLPARSE(DOCUMENT '<a><{plain}>{secret}</{plain}></a>')",
    "LISTEN \"{secret}\"; SELECT {name} FROM u",
    "INSERT INTO t VALUES ('stripe', {value}, 'sk')",
    "INSERT INTO t VALUES ({value}, 'sk', 7)",
    "INSERT INTO t VALUES ({number}, 'Stripe live'), (2, 'b')",
    "INSERT INTO t VALUES ('aws/prod', {value}), ({value2}, 'certificate')",
    "SELECT store('twilio', {value}), ARRAY['x', {value2}]",
    "INSERT INTO t VALUES ('{{\"kind\": \"smtp\", \"v\": \"{secret}\"}}')",
    "INSERT INTO t VALUES ('my pin', {value}, '{word}')",
    "INSERT INTO t VALUES ($1, $2)\1{secret}\1slack",
)
_MYSQL = (
    "SET PASSWORD FOR 'bob'@'%' = '{secret}'",
    "CREATE USER 'bob'@'%' IDENTIFIED BY '{secret}'",
    "GRANT ALL ON *.* TO 'bob'@'%' IDENTIFIED BY '{secret}'",
    "CHANGE MASTER TO MASTER_HOST='h', MASTER_PASSWORD='{secret}'",
    "START SLAVE USER='u' PASSWORD='{secret}'",
    "SET @a = '{secret}'",
    "SELECT '{secret}' INTO @p",
    "SELECT @p := '{secret}'",
    "PREPARE s{n} FROM 'SELECT * FROM u WHERE {word} = ?'\0SET @p = '{secret}'\0EXECUTE s{n} USING @p",
    "EXECUTE IMMEDIATE 'SELECT ''{secret}'''",
    "SELECT * FROM u WHERE {name} = \"{secret}\"",
    "INSERT INTO u (`{plain}`) VALUES (\"it\\\"s {secret}\", 'it\\'s {secret}', _utf8'{secret}', N'{secret}')",
    "SELECT AES_ENCRYPT('x', '{secret}'), SHA2('{secret}', 256), MD5(\"{secret}\")",
    "SELECT * FROM u # {word} {secret}\n",
    "SELECT /*!40001 SQL_NO_CACHE, '{secret}' */ {name} FROM u",
    "LOAD DATA INFILE '/x' INTO TABLE t SET {plain} = '{secret}'",
    "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO INSERT INTO t VALUES ('{secret}')",
)
_MONITOR = (
    ("SET", "u:{n}:{word}", "{secret}"), ("SETEX", "{word}:{n}", "60", "{secret}"),
    ("PSETEX", "x:{word}", "60000", "{secret}"), ("GETSET", "{word}", "{secret}"), ("SETNX", "cfg.{word}", "{secret}"),
    ("HSET", "u:1", "name", "bob", "{word}", "{secret}"), ("HMSET", "u:1", "{word}", "{secret}"),
    ("HSET", "u:1", "{word}", "{number}"), ("MSET", "a", "1", "{word}", "{secret}"),
    ("EVAL", "return redis.call('SET', '{word}', '{secret}')", "0"),
    ("EVAL", "return redis.call('SET', KEYS[1], ARGV[1])", "1", "{word}", "{secret}"),
    ("EVALSHA", "0123456789012345678901234567890123456789", "1", "k", "{secret}"),
    ("AUTH", "{secret}"), ("auth", "bob", "{secret}"), ("HELLO", "3", "AUTH", "bob", "{secret}"),
    ("CONFIG", "SET", "requirepass", "{secret}"), ("config", "set", "masterauth", "{secret}"),
    ("ACL", "SETUSER", "bob", "on", ">{secret}", "~*", "+@all"), ("CLIENT", "SETNAME", "{word}-{secret}"),
    ("MIGRATE", "h", "6379", "", "0", "5000", "AUTH", "{secret}", "KEYS", "a"), ("SENTINEL", "SET", "m",
    "auth-pass", "{secret}"),
    ("JSON.SET", "u:1", "$", "{{\"{word}\": \"{secret}\"}}"), ("JSON.SET", "u:1", "$.{word}", "\"{secret}\""),
    ("XADD", "s", "*", "{word}", "{secret}"), ("LPUSH", "q", "{{\"a\": {{\"{word}\": \"{secret}\"}}}}"),
    ("RPUSH", "mails", "your {word}: {secret}"), ("PUBLISH", "c", "{word}={secret}"), ("SADD", "{word}s", "{secret}"),
    ("ZADD", "{word}:used", "1", "{secret}"), ("SCRIPT", "LOAD", "redis.call('SET', '{word}', '{secret}')"),
    ("FUNCTION", "LOAD", "#!lua name=f\nlocal {plain} = '{secret}'"), ("APPEND", "{word}", "{secret}"),
    ("SET", "x", "https://bob:{secret}@h/"), ("SET", "x", "Bearer {secret}{secret}"), ("SET", "y",
    "ghp_{secret}{secret}{secret}"),
    ("SET", "y", "redis://:{secret}@h:6379/0"), ("SECRET{digits}", "x"), ("{secret}",), ("get", "session:{secret}"),
    ("ECHO", "{word} {secret}"), ("PING", "{word}:{secret}"), ("FT.SEARCH", "i", "@{plain}:{secret}"),
    ("SUBSCRIBE", "{word}:{secret}"), ("HSET", "u:1", "kind", "stripe", "v", "{secret}"),
    ("HSET", "u:1", "v", "{secret}", "kind", "sk"), ("RPUSH", "q", "{secret}", "Stripe live"),
    ("LPUSH", "q", "{{\"kind\": \"aws/prod\", \"v\": \"{secret}\"}}"),
)
# fmt: on
FORMATS = ("stderr", "csvlog", "jsonlog", "mysql", "monitor")
TOTALS = ("pg_stat_statements", "performance_schema")


class Planted:
    """Statements, or commands of MONITOR, with secrets of their own.

    Args:
        draw: all chance comes from it.
    """

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self.number = 0
        """Of secrets so far."""

    def statements(self, form: int, *, mysql: bool, word: str | None = None) -> list[tuple[str, tuple[str, ...]]]:
        """One of the forms of statements, each statement with what is bound to it.

        Args:
            form: its number, of as many as there are, from 0.
            mysql: whether in MySQL's language.
            word: near the secrets; drawn where it is None.
        """
        forms = (*_MYSQL, *(one for one in _POSTGRES if "\1" not in one and "$" not in one)) if mysql else _POSTGRES
        text = self._filled(forms[form % len(forms)], word, mysql=mysql)
        return [(one, tuple(bound)) for one, *bound in (part.split("\1") for part in text.split("\0"))]

    def command(self, form: int, word: str | None = None) -> tuple[str, ...]:
        """One of the forms of commands."""
        return tuple(self._filled(one, word, mysql=False) for one in _MONITOR[form % len(_MONITOR)])

    def _filled(self, form: str, word: str | None, *, mysql: bool) -> str:
        draw = self._draw
        word = word or draw.choice(WORDS)
        plain = re.sub(r"\W", "_", word)
        quote = "`" if mysql else '"'
        name = plain if plain == word and draw.random() < 0.5 else f"{quote}{word}{quote}"
        return form.format(
            word=word, plain=plain, name=name, n=self.number, secret=self._secret(),
            number=f"73915{draw.randrange(10_000):04}",
            digits=f"{draw.randrange(10_000):04}", hex=f"{draw.randrange(1 << 40):x}", value=self._value(mysql=mysql),
            value2=self._value(mysql=mysql),
        )  # fmt: skip

    def _secret(self) -> str:
        self.number += 1
        return f"SeCrEt{self._draw.randrange(1000):03}xyz"

    def _value(self, *, mysql: bool) -> str:
        secret = self._secret()
        forms = [
            "'{}'", "'{}'", "'{}%'", "'it''s {}'", "N'{}'", "lower('{}')", "(('{}'))", "CAST('{}' AS text)", "'\n{}\n'",
            "'a' '{}'",
        ]  # fmt: skip
        forms += (
            ['"{}"', "'\\'{}'"]
            if mysql
            else ["E'{}\\x41'", "E'it\\'s {}'", "U&'{}\\0061'", "$${}$$", "$t${}$t$", "'{}'::text"]
        )
        if self._draw.random() < 0.15:
            return self._draw.choice(("73915{:04}", "-73915{:04}", "73915{:04}.25", "'73915{:04}'")).format(
                self._draw.randrange(10_000)
            )
        return self._draw.choice(forms).format(secret)


def log(kind: str, calls: Sequence[tuple[str, tuple[str, ...]]], failed: Sequence[bool] = ()) -> str:
    """A log of statements, a second each, in a form of :data:`FORMATS` but ``monitor``."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    for place, (text, bound) in enumerate(calls):
        at = f"2026-11-20 {10 + place // 3600:02}:{place // 60 % 60:02}:{place % 60:02}"
        error = place < len(failed) and failed[place]
        detail = "parameters: " + ", ".join(f"${n} = '{one}'" for n, one in enumerate(bound, 1)) if bound else ""
        kind_of = "execute <unnamed>" if bound else "statement"
        message = "syntax error" if error else f"duration: 1.{place % 1000:03} ms  {kind_of}: {text}"
        severity, statement = ("ERROR", text) if error else ("LOG", "")
        if kind == "stderr":
            head = f"{at}.000 UTC [{100 + place % 3}] app@shop "
            parts = [(severity, message), ("DETAIL", detail), ("STATEMENT", statement)]
            out.writelines(f"{head}{one}:  {said}\n".replace("\n", "\n\t")[:-1] for one, said in parts if said)
        elif kind == "csvlog":
            row = [
                f"{at}.000 UTC",
                "app",
                "shop",
                str(100 + place % 3),
                "10.0.0.1:5",
                f"65.{place % 3}",
                place,
                "SELECT",
            ]
            row += [f"{at} UTC", "1/1", 0, severity, "00000", message, detail, "", "", "", "", statement, "", "", "app"]
            rows.writerow([*row, "client backend", "", 0])
        elif kind == "jsonlog":
            line = {"timestamp": f"{at}.000 UTC", "dbname": "shop", "pid": 100 + place % 3, "error_severity": severity}
            line |= {"session_id": f"65.{place % 3}", "message": message, "detail": detail, "statement": statement}
            out.write(json.dumps(line | {"backend_type": "client backend"}) + "\n")
        else:
            out.write(
                f"# Time: {at.replace(' ', 'T')}.000000Z\n# User@Host: app[app] @ h [10.0.0.1]  Id: {place % 3}\n"
            )
            out.write("# Query_time: 0.001000  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 1\n")
            out.write(f"SET timestamp=1795000000;\n{text};\n")
    return out.getvalue()


def totals(texts: Sequence[str], *, mysql: bool) -> str:
    """A dump of what a server counted, of PostgreSQL or of MySQL: that one with a sample of each statement."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    if mysql:
        rows.writerow(
            ["SCHEMA_NAME", "DIGEST_TEXT", "COUNT_STAR", "SUM_TIMER_WAIT", "SUM_ROWS_SENT", "QUERY_SAMPLE_TEXT"]
        )
        rows.writerows(["shop", re.sub(r"'[^']*'|\d+", "?", text), 3, 4_000_000, 3, text] for text in texts)
    else:
        rows.writerow(["userid", "dbid", "query", "calls", "total_exec_time", "rows"])
        rows.writerows([10, 5, text, 3, 4.5, 3] for text in texts)
    return out.getvalue()


def monitor(commands: Sequence[Sequence[str]]) -> str:
    """What MONITOR prints of commands."""
    return "".join(
        f"{1_795_000_000 + place}.000001 [0 127.0.0.1:5000{place % 3}] "
        + " ".join(f'"{_escaped(word)}"' for word in words)
        + "\n"
        for place, words in enumerate(commands)
    )


def _escaped(word: str) -> str:
    return "".join(
        f"\\{chr(one)}" if one in b'"\\' else chr(one) if 32 <= one < 127 else "\\n" if one == 10 else f"\\x{one:02x}"
        for one in word.encode()
    )


def texts(folder: Path, said: str) -> list[str]:
    """All that a capture wrote, names of files too, and what it said."""
    held = [said]
    for path in folder.rglob("*"):
        held.append(path.name)
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            held.append(f"{table.to_pylist()} {table.schema.metadata} {pq.read_metadata(path).metadata}")
        elif path.is_file():
            held.append(path.read_text(encoding="utf-8", errors="replace"))
    return held


def found(folder: Path, said: str) -> list[str]:
    """Secrets in all of it."""
    return sorted({one for text in texts(folder, said) for one in PLANTED.findall(text)})
