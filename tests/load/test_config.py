"""What a user asks of a load, as a spec; and where a server is, without its password."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.load_flags import NONE
from weigh.load.config import arrivals, make
from weigh.load.preparation import prepared
from weigh.load.spec import Arrivals, Script
from weigh.load.target.registry import target
from weigh.load.target.tls import Tls
from weigh.load.target.url import parse
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from weigh.load.spec import LoadSpec


def asked(*workload: str, **flags: Any) -> LoadSpec:
    return make(workload or ("ycsb-b",), "valkey:embedded", {**NONE, **flags})


@pytest.mark.parametrize(
    ("text", "rate", "expected"),
    [
        (None, "2000", Arrivals(rate=2000.0)),
        ("constant", "2K/s", Arrivals(rate=2000.0)),
        ("poisson", "100", Arrivals(kind="poisson", rate=100.0)),
        ("bursts", "100", Arrivals(kind="bursts", rate=100.0, peak=4.0, length_s=1.0)),
        ("even-bursts:3", "100", Arrivals(kind="even-bursts", rate=100.0, peak=3.0, length_s=1.0)),
        ("bursts:3:200ms", "100", Arrivals(kind="bursts", rate=100.0, peak=3.0, length_s=0.2)),
        ("ramp:500", "100", Arrivals(kind="ramp", rate=100.0, to=500.0)),
        ("steps:100,200:5s", None, Arrivals(kind="steps", rates=(100.0, 200.0), step_s=5.0)),
    ],
)
def test_arrivals(text: str | None, rate: str | None, expected: Arrivals) -> None:
    assert arrivals(text, rate) == expected


def test_what_has_no_threads_of_its_own_is_the_same_experiment_everywhere() -> None:
    assert make(("ycsb-b",), "sqlite:embedded", {**NONE, "rate": "100"}).threads == 1
    with pytest.raises(UsageError, match="one thread for each connection"):
        make(("ycsb-b",), "sqlite:embedded", {**NONE, "rate": "100", "threads": 2})
    assert asked(rate="100", threads=2).threads == 2


def test_the_mean_rate_of_what_changes() -> None:
    assert Arrivals(kind="ramp", rate=100.0, to=500.0).mean_rate(10) == 300
    assert Arrivals(kind="steps", rates=(100.0, 200.0), step_s=5.0).mean_rate(20) == pytest.approx(175)
    assert Arrivals(kind="trace", times_s=(0.0, 1.0, 2.0, 9.0)).mean_rate(4) == 0.75
    assert Arrivals(kind="closed").mean_rate(4) is None


def test_a_trace_begins_with_its_first_request(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("100.5\n100.75\n102\n")
    assert arrivals(f"trace:{tmp_path / 'trace'}", None).times_s == (0.0, 0.25, 1.5)
    (tmp_path / "trace").write_text("2\n1\n")
    with pytest.raises(UsageError, match="do not ascend"):
        arrivals(f"trace:{tmp_path / 'trace'}", None)
    (tmp_path / "trace").write_text("\n \n")
    with pytest.raises(UsageError, match="the trace is empty"):
        arrivals(f"trace:{tmp_path / 'trace'}", None)
    (tmp_path / "trace").write_text("1\n\nsoon\n")
    with pytest.raises(UsageError, match="'soon' is none") as refused:
        arrivals(f"trace:{tmp_path / 'trace'}", None)
    assert refused.value.where.endswith("trace, line 3")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({}, "no --rate"),
        ({"rate": "0"}, "cannot be"),
        ({"rate": "many"}, "not a number"),
        ({"rate": "5", "arrivals": "poison"}, "no arrivals 'poison'"),
        ({"rate": "5", "arrivals": "bursts:1"}, "are none"),
        ({"rate": "5", "arrivals": "ramp"}, "needs its end"),
        ({"arrivals": "steps:5"}, "need their rates"),
        ({"closed": True, "rate": "5"}, "it has no rate"),
        ({"rate": "5", "connections": "1,x"}, "--connections x"),
        ({"rate": "5", "repeats": 0}, "--repeats 0"),
        ({"rate": "5", "duration": "5"}, "not a duration"),
        ({"rate": "5", "duration": "5s", "warmup": "5s"}, "leaves nothing"),
        ({"rate": "5", "error_budget": "2"}, "--error-budget = 2 would be 200 %"),
        ({"rate": "5", "error_budget": "200%"}, "--error-budget 200%"),
        ({"rate": "5", "contention": "1"}, "--contention = 1 would be 100 %"),
        ({"rate": "5", "define": ("a",)}, "--define a gives no value"),
    ],
)
def test_what_cannot_be_is_said_with_a_remedy(flags: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        asked(**flags)
    assert error.value.remedy


def test_scripts_with_weights(tmp_path: Path) -> None:
    for name in ("pay.sql", "look.sql"):
        (tmp_path / name).write_text(f"SELECT 1 -- {name}\n")
    made = asked(f"{tmp_path}/pay.sql@3", f"{tmp_path}/look.sql", rate="5", define=("scale=2",))
    assert [(one.name, one.weight) for one in made.scripts] == [("pay", 3), ("look", 1)]
    assert made.variables == {"scale": 2}
    with pytest.raises(UsageError, match="cannot be read"):
        asked("missing.sql", rate="5")
    with pytest.raises(UsageError, match="no workload 'ycsb-z'"):
        asked("ycsb-z", rate="5")


def test_built_in_scripts_have_names_and_no_text() -> None:
    made = asked("tpcb-like@2", "select-only", rate="5")
    assert [(one.name, one.text, one.weight) for one in made.scripts] == [("tpcb-like", "", 2), ("select-only", "", 1)]
    with pytest.raises(UsageError, match="no workload 'tpcb-lik'"):
        asked("tpcb-lik", rate="5")


def test_an_empty_script_is_none(tmp_path: Path) -> None:
    (tmp_path / "blank.sql").write_text(" \n")
    with pytest.raises(UsageError, match="empty"):
        asked(f"{tmp_path}/blank.sql", rate="5")


def test_the_id_follows_from_what_is_done() -> None:
    assert asked(rate="5").id == asked(rate="5.0").id != asked(rate="6").id


def test_only_scans_keep_an_index() -> None:
    assert asked("ycsb-e", rate="5").ordered_index
    assert not asked("ycsb-d", rate="5").ordered_index


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgres://me:secret@db.example:6432/shop", "postgres://me@db.example:6432/shop"),
        ("postgresql://db/shop?password=secret&sslmode=require", "postgresql://db/shop?sslmode=require"),
        ("redis://:secret@10.0.0.1/2", "redis://10.0.0.1/2"),
        ("rediss://app:s%40crets@cache", "rediss://app@cache"),
    ],
)
def test_a_password_is_taken_out_of_what_is_shown(text: str, shown: str) -> None:
    url = parse(text)
    assert url.text == target(text).text == shown
    assert url.password in ("secret", "s@crets")
    assert "secret" not in url.text


def test_what_a_url_says(monkeypatch: pytest.MonkeyPatch) -> None:
    url = parse("postgres://me@db/shop")
    assert (url.kind, url.host, url.port, url.user, url.database) == ("postgres", "db", 5432, "me", "shop")
    asked = parse("postgres:///?host=db&port=6432&user=me&dbname=shop&password=a%2Bb+c")
    assert (asked.host, asked.port, asked.user, asked.database) == ("db", 6432, "me", "shop")
    assert asked.password == "a+b+c"
    assert parse("postgres://me@/shop?host=/run/postgresql").socket == "/run/postgresql"
    # As libpq's documentation has it ("Connection URIs").
    socket = parse("postgres://me:secret@%2FRun%2fpostgresql:6432/shop?sslmode=disable")
    assert (socket.socket, socket.port, socket.database) == ("/Run/postgresql", 6432, "shop")
    assert socket.text == "postgres://me@:6432/shop?host=/Run/postgresql&sslmode=disable"
    assert parse("postgres://%2Frun").socket == "/run"
    monkeypatch.setenv("REDISCLI_AUTH", "from outside")
    assert parse("redis://cache").password == "from outside"


@pytest.mark.promise("A URL that says the same thing twice with different values is refused.")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("postgres://db/shop?host=other", "'host' twice"),
        ("postgres://db/shop?host=/run/postgresql", "'host' twice"),
        ("redis://cache:6379?port=6380", "'port' twice"),
        ("postgres://me@db?user=you", "'user' twice"),
        ("postgres://me:secret@db?password=geheim", "'password' twice"),
        ("postgres://db/shop?dbname=store", "'dbname' twice"),
        ("postgres://db,other/shop", "several hosts"),
        ("postgres:///shop?host=db,other", "several hosts"),
        ("postgres://db:0/shop", "no number from 1 to 65535"),
        ("postgres://db?port=65536", "no number from 1 to 65535"),
    ],
)
def test_what_contradicts_itself_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        parse(text)
    assert "secret" not in error.value.what
    assert parse("postgres://me@db:6432/shop?host=db&port=6432&user=me&dbname=shop").port == 6432
    assert parse("postgres://localhost/shop?host=/run/postgresql").socket == "/run/postgresql"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without certificates, on a machine with some, and nothing said outside."""
    monkeypatch.delenv("PGSSLMODE", raising=False)
    monkeypatch.delenv("PGSSLROOTCERT", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "machine.pem").write_text("authorities")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "machine.pem"))
    return tmp_path


@pytest.mark.promise("TLS is off unless asked for.")
@pytest.mark.parametrize(
    ("text", "mode", "ca"),
    [
        ("postgres://db", "off", None),
        ("postgres://db?sslmode=disable", "off", None),
        ("postgres://db?sslmode=allow", "allow", None),
        ("postgres://db?sslmode=prefer", "prefer", None),
        ("postgres://db?sslmode=require", "require", None),
        ("postgres://db?sslmode=verify-full&sslrootcert=system", "verify", "machine.pem"),
        ("postgres://db?sslrootcert=system", "verify", "machine.pem"),
        ("postgres:///?host=/run/postgresql&sslmode=prefer", "prefer", None),
        ("redis://cache", "off", None),
        ("rediss://cache", "verify", "machine.pem"),
        ("valkeys://cache?sslmode=require", "require", None),
    ],
)
def test_tls_as_postgres_own_clients_mean_it(home: Path, text: str, mode: str, ca: str | None) -> None:
    assert parse(text).tls == Tls(mode=mode, ca=None if ca is None else str(home / ca))  # type: ignore[arg-type]


@pytest.mark.promise(
    "Where it names neither, `PGSSLMODE` and `PGSSLROOTCERT` apply, as there; without those there is no TLS."
)
@pytest.mark.parametrize(
    ("text", "outside", "expected"),
    [
        ("postgres://db", ("require", None), ("require", None)),
        ("postgres://db?sslmode=disable", ("require", "system"), ("off", None)),
        ("postgres://db", (None, "system"), ("verify", "machine.pem")),
        ("postgres://db", (None, "/none/ca.pem"), ("off", None)),
        ("postgres://db", ("verify-full", "system"), ("verify", "machine.pem")),
        ("postgres:///?host=/run/postgresql", ("require", None), ("off", None)),
        ("redis://cache", ("require", None), ("off", None)),
    ],
)
def test_what_the_environment_says_of_tls_holds_where_the_url_says_nothing(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    outside: tuple[str | None, str | None],
    expected: tuple[str, str | None],
) -> None:
    for name, value in zip(("PGSSLMODE", "PGSSLROOTCERT"), outside, strict=True):
        if value:
            monkeypatch.setenv(name, value)
    mode, ca = expected
    assert parse(text).tls == Tls(mode=mode, ca=None if ca is None else str(home / ca))  # type: ignore[arg-type]


@pytest.mark.promise(
    "encrypted, and the certificate is for that host, from an authority in `sslrootcert=FILE`, or in "
    "`~/.postgresql/root.crt` where none is named"
)
def test_verify_full_takes_the_users_own_authority_and_no_other(home: Path) -> None:
    text = "postgres://db?sslmode=verify-full"
    with pytest.raises(UsageError, match="no certificate of an authority") as error:
        parse(text)
    assert "sslrootcert=system" in error.value.remedy
    (home / ".postgresql").mkdir()
    (home / ".postgresql/root.crt").write_text("authority")
    assert parse(text).tls == Tls(mode="verify", ca=str(home / ".postgresql/root.crt"))
    with pytest.raises(UsageError, match="verify-ca"):
        parse("postgres://db?sslmode=require")


@pytest.mark.promise("What the generator cannot do is refused by name.")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("postgres://db?sslmode=verify-ca", "no sslmode=verify-ca"),
        ("postgres://db?sslmode=require&sslrootcert=system", "asks for no check"),
        ("postgres://db?sslrootcert=/ca.pem", "asks for no check"),
        ("postgres://db?sslmode=verify-full&sslrootcert=/none/ca.pem", "no certificate of an authority"),
        ("postgres:///?host=/run/postgresql&sslmode=require", "over a unix socket"),
        ("postgres://db?sslcert=/me.pem", "'sslcert', which weigh does not have"),
        ("postgres://db?sslmode=", "nothing behind 'sslmode='"),
        ("redis://cache?sslmode=prefer", "cannot be asked"),
        ("rediss://cache?sslmode=disable", "is TLS, and sslmode=disable is not"),
        ("postgres://db?sslmode=require&sslmode=disable", "'sslmode' twice"),
    ],
)
def test_tls_that_cannot_be_is_refused_by_name(home: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        parse(text)
    assert error.value.remedy
    assert home.exists()


def test_a_protocol_of_scripts_changes_the_experiment_only_where_it_is_not_the_usual_one() -> None:
    plain = asked("select-only", rate="5")
    assert asked("select-only", rate="5", protocol="prepared") == plain
    simple = asked("select-only", rate="5", protocol="simple")
    assert simple.query_mode == "simple"
    assert simple.id != plain.id
    for workload, protocol, said in (
        ("ycsb-b", "simple", "is for scripts"),
        ("select-only", "extended", "every statement anew"),
        ("select-only", "simpel", "no --protocol simpel"),
    ):
        with pytest.raises(UsageError, match=said):
            asked(workload, rate="5", protocol=protocol)


@pytest.mark.parametrize(
    "text", ["mysqlx://db", "postgres://db?sslmode=maybe", "postgres://db?colour=1", "redis://h:x", "nothing"]
)
def test_a_target_that_is_none(text: str) -> None:
    with pytest.raises(UsageError) as error:
        target(text)
    assert error.value.remedy


def test_numbers_of_connections_are_tried_in_random_order_that_the_seed_fixes() -> None:
    spec = asked(rate="100", connections="1,2,4,8,16", repeats=20)
    orders = [tuple(own for each, own, _ in spec.order if each == repeat) for repeat in range(1, 21)]
    assert all(sorted(one) == [1, 2, 4, 8, 16] for one in orders)
    assert len(set(orders)) > 10
    assert spec.order == asked(rate="100", connections="1,2,4,8,16", repeats=20).order
    # The loops of one number stand side by side: nothing may lie between what is compared.
    both = asked(rate="100", connections="1,2", both=True)
    assert [loop for _, _, loop in both.order] == ["open", "closed", "open", "closed"]
    assert both.order[0][1] == both.order[1][1]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"0\nnan\n", "no number of seconds"), (b"0\ninf\n", "no number of seconds"), (b"\xff\xfe", "no UTF-8 text")],
)
def test_a_trace_is_of_numbers(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=words):
        arrivals(f"trace:{path}", None)


def test_a_device_is_no_trace() -> None:
    with pytest.raises(UsageError, match="it is no file"):
        arrivals("trace:/dev/zero", None)


@pytest.mark.parametrize(
    ("target", "client"),
    [
        (
            "postgres://me@db/x",
            ": psql -v ON_ERROR_STOP=1 -f d.sql postgres://me@db/x; then the same without --prepare",
        ),
        ("mysql://app@db:3307/shop", ": mysql --host db --port 3307 --user app -p shop < d.sql; then"),
        ("mariadb://db/shop", ": mariadb --host db -p shop < d.sql; then"),
        ("clickhouse://me@db:9000", ": clickhouse-client --host db --user me --queries-file d.sql; then"),
        ("cassandra://me@db:9142", ": cqlsh -f d.sql -u me db 9142; then"),
        ("redis-cluster://db:7000", ": redis-cli -c -h db -p 7000 < d.sql; then"),
        ("http://db/", "yourself, and then the same without --prepare"),
    ],
)
def test_the_data_of_a_server_by_url_is_made_by_its_own_client(target: str, client: str) -> None:
    with pytest.raises(UsageError) as refused:
        prepared(Path("d.sql"), "script", (Script(name="a", text="SELECT 1", weight=1),), (target,))
    assert client in refused.value.remedy
