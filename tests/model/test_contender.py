"""Contenders as they are written on the command line."""

from __future__ import annotations

import pytest

from weigh.model.contender import Contender, parse_contender, parse_setting
from weigh.model.errors import UsageError


def test_everything_at_once() -> None:
    assert parse_contender("new=chdb@4.1.8+chdb-core==26.3.0?max_threads=2&join_use_nulls=true&x=a%20b") == Contender(
        name="new",
        engine="chdb",
        version="4.1.8",
        pins=("chdb-core==26.3.0",),
        settings={"max_threads": 2, "join_use_nulls": True, "x": "a b"},
    )


def test_what_its_data_is_reaches_no_engine() -> None:
    found = parse_contender("duckdb?threads=1&layout=many&catalog=iceberg&store=s3")
    assert (found.layout, found.catalog, found.store, found.settings) == ("many", "iceberg", "s3", {"threads": 1})
    assert found.spec == "duckdb?layout=many&catalog=iceberg&store=s3"
    assert parse_contender("duckdb?layout=default").layout == ""


@pytest.mark.parametrize("text", ["duckdb?layout=", "duckdb?layout=../a", "duckdb?catalog="])
def test_what_cannot_be_a_name(text: str) -> None:
    with pytest.raises(UsageError, match=r"cannot be a layout's name|= nothing"):
        parse_contender(text)


@pytest.mark.parametrize("text", ["duckdb", "duckdb@2.0.0", "chdb@4.1.8+chdb-core==26.3.0", "duckdb?threads=2"])
def test_the_default_name_is_the_text(text: str) -> None:
    assert parse_contender(f" {text} ").name == text


@pytest.mark.parametrize(("text", "value"), [("2", 2), ("0.5", 0.5), ("False", False), ("1GB", "1GB"), ("", "")])
def test_settings_have_the_type_that_the_engine_should_see(text: str, value: object) -> None:
    found = parse_contender(f"duckdb?key={text}").settings["key"]
    assert (found, type(found)) == (value, type(value))


def test_variants_of_weigh_do_not_reach_the_engine() -> None:
    contender = parse_contender("duckdb?weigh.catalog=iceberg&threads=1")
    assert contender.engine_settings() == {"threads": 1}


@pytest.mark.parametrize("text", ["", "?", "@1", "=duckdb", "duckdb@", "duckdb@1 2", "/etc/passwd", "a#2=duckdb"])
def test_what_is_no_contender(text: str) -> None:
    with pytest.raises(UsageError, match="is not a contender") as caught:
        parse_contender(text)
    assert "duckdb@2.0.0" in caught.value.remedy


@pytest.mark.parametrize("pin", ["chdb", "chdb==", "chdb>=1", "chdb==1;python_version>'3'", "--index-url==x"])
def test_only_an_exact_pin_makes_a_contender_one_thing(pin: str) -> None:
    with pytest.raises(UsageError, match="is not an exact pin"):
        parse_contender(f"duckdb+{pin}")


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1e999", str(1 << 63), "1" + "0" * 400])
def test_numbers_that_json_does_not_have_stay_text(text: str) -> None:
    """Evidence with them could be written, and not be read again."""
    assert parse_setting(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "duckdb@https://me:S3CRET@host/duckdb-2.0.0.whl",
        "new=duckdb@git+https://me:S3CRET@host/duckdb",
        "postgres:url@postgres://me:S3CRET@host/db",
        "duckdb@2.0.0?http_proxy=http://me:S3CRET@host:1",
        "plug?servers=redis://:S3CRET@host",
    ],
)
def test_a_password_of_a_url_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_contender(text)
    assert "S3CRET" not in f"{caught.value} {caught.value.remedy}"


def test_an_address_without_a_password_is_a_setting() -> None:
    assert parse_contender("duckdb?http_proxy=http://me@host:1/x").settings == {"http_proxy": "http://me@host:1/x"}
