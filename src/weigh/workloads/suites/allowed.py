"""What the SQL of a suite may not do: write, and reach for files, hosts and programs.

A suite is a folder that somebody else wrote. Its statements are looked at token by token in their own dialect, so that
what cannot be parsed is looked at all the same; what gets by nevertheless, the engines' own bounds and the kernel
refuse (docs/concept/what-is-executed.md).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.model.errors import UsageError
from weigh.model.text import one_line
from weigh.workloads.long_lists import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot.tokenizer_core import Token

    from weigh.workloads.suites.question import Dialect

_QUESTIONS = {"SELECT", "WITH", "FROM", "VALUES", "TABLE", "PIVOT", "UNPIVOT", "SUMMARIZE"}
"""Words that a question begins with."""
_MAKES = {"CREATE", "INSERT", "ALTER", "OPTIMIZE", "SET", "SYSTEM", "DROP", "TRUNCATE", "RENAME", "EXCHANGE", "SELECT",
          "WITH", "DELETE", "UPDATE", "DETACH", "KILL", "EXPLAIN", "DESCRIBE", "DESC", "SHOW", "CHECK", "ANALYZE",
          "USE", "UNDROP", "REPLACE"}  # fmt: skip
"""Words that a statement of ClickHouse begins with that makes tables, or does nothing besides."""
_ENDS = re.compile(r"\b(?:shutdown|kill|suspend)\b", re.IGNORECASE)
"""What SYSTEM does to processes: chDB's ends the whole process group."""
_DUCKDB = re.compile(
    r"read_\w+|\w+_scan|\w+_scan_\w+|scan_\w+|parquet_\w+|sniff_\w+|glob|query|query_table|getenv|st_read\w*|iceberg_\w+"
    r"|delta_\w+|postgres_\w+|mysql_\w+|sqlite_\w+|ducklake_\w+|http_\w+|shell\w*|which_secret|duckdb_secrets|load_\w+"
    r"|pg_read_\w+|pg_ls_\w+|pg_stat_file|lo_import|lo_export|dblink\w*|pg_file_\w+|xmlfile|readfile|writefile"
    r"|load_extension|edit|fts3_tokenizer|list_files|open_prompt|write_\w+|copy_to\w*"
)
_CLICKHOUSE = re.compile(
    r"file\w*|s3\w*|gcs|oss|cosn|url|urlcluster|hdfs\w*|remote\w*|cluster\w*|executable\w*|mysql|postgresql|sqlite|mongodb"
    r"|redis|odbc|jdbc|azure\w*|iceberg\w*|deltalake\w*|hudi\w*|paimon\w*|ytsaurus|arrowflight|python|input|catboost\w*"
    r"|modelevaluate|kafka|rabbitmq|nats|http|hive|embeddedrocksdb|rocksdb|dictionary_source|disk|filesystem|backup"
    r"|prometheus\w*|materializedpostgresql|materializedmysql|externaldistributed|distributed|filelog|cassandra|addressto\w*"
    r"|demangle|read_\w+"
)
"""Functions, table functions, engines of tables and sources of dictionaries, in small letters, as a call names them."""
_PROCESS = re.compile(
    r"current_setting|duckdb_(?:settings|databases|logs|log_\w+|extensions|temporary_files|memory|secret\w*|variables)"
    r"|pragma_\w+|version|hostname|fqdn|fullhostname|currentuser|user|serveruuid|uptime|getsetting\w*|getserversetting"
    r"|tcpport|currentdatabase|servertimezone|displayname|buildid|getmacro|zookeepersessionuptime|connectionid|queryid"
    r"|initialqueryid"
)
"""Functions whose answer is one of the process, in small letters."""
_OUTSIDE = re.compile(
    r"[/\\*]|^~|\.(parquet|parq|csv|tsv|json|jsonl|ndjson|arrow|feather|orc|avro|xlsx|db|duckdb|txt)(\.\w+)?$",
    re.IGNORECASE,
)
_BEFORE_A_TABLE = {"FROM", "JOIN"}
_NAMED_TABLE = {"TABLE", "INTO", "EXISTS", "VIEW"}
"""Words before the name of a table, behind which its columns may stand as arguments do behind a call."""
_WITH_FROM = {"TRIM", "EXTRACT", "SUBSTRING", "SUBSTR", "OVERLAY", "POSITION"}
"""Functions in whose arguments FROM stands before a text."""
_STATEMENT = 80


def question(sql: str, dialect: Dialect) -> None:
    """Refuse a question that writes, or that reads what is no table.

    Raises:
        UsageError: it does, or cannot be read as SQL; ``what`` is a clause about the question.
    """
    tokens = _tokens(sql, dialect)
    word = next((one.text.upper() for one in tokens if one.text != "("), "")
    if word not in _QUESTIONS:
        raise UsageError(f"it begins with {one_line(word, 20) or 'nothing'}: a question begins with SELECT or WITH")
    if why := next(_reaches(tokens, dialect), ""):
        raise UsageError(f"{why}: not allowed in suites")
    if called := _of_process(tokens, dialect):
        raise UsageError(f"its answer depends on the process that is asked ({called}), and no answer can be checked")


def load(script: str, dialect: Dialect) -> None:
    """Refuse statements that do more than make tables, or make them of what the process says of itself.

    What else statements of DuckDB do its own parser tells apart, where they execute.

    Args:
        script: statements; of ClickHouse each is ended by a semicolon and a new line.
        dialect: of them.

    Raises:
        UsageError: one does; ``what`` is a clause about the load, with the statement.
    """
    if called := _of_process(_tokens(script, dialect), dialect):
        raise UsageError(f"it reads what the process says of itself ({called}): not allowed in suites")
    if dialect != "clickhouse":
        return
    for statement in script.split(";\n"):
        tokens = _tokens(statement, dialect)
        if not tokens:
            continue
        word = tokens[0].text.upper()
        why = next(_reaches(tokens, dialect), "")
        if not why and word not in _MAKES:
            why = f"it begins with {one_line(word, 20)}, and makes no table"
        if not why and word == "SYSTEM" and _ENDS.search(statement):
            why = "it ends processes"
        if why:
            raise UsageError(f"{why}: not allowed in suites ({one_line(statement, _STATEMENT)})")


def _tokens(sql: str, dialect: Dialect) -> Sequence[Token]:
    from sqlglot.dialects.dialect import Dialect as Read
    from sqlglot.errors import TokenError

    try:
        return Read.get_or_raise(dialect).tokenize(shortened(sql))
    except (TokenError, RecursionError) as error:
        raise UsageError(f"this is not SQL: {one_line(str(error), _STATEMENT)}") from None


def _of_process(tokens: Sequence[Token], dialect: Dialect) -> str:
    """What tokens ask of the process rather than of data: a call, or a table of the system; empty where nothing.

    In whatever dialect a question is written, every contender is asked it.
    """
    from sqlglot import TokenType

    for at, one in enumerate(tokens[:-1]):
        text, after = one.text.lower(), tokens[at + 1].token_type
        qualified = at > 0 and tokens[at - 1].token_type is TokenType.DOT
        first = at - 2 if qualified else at
        made = first > 0 and tokens[first - 1].text.upper() in _NAMED_TABLE
        call = after is TokenType.L_PAREN and one.token_type is not TokenType.STRING
        if call and not made and _PROCESS.fullmatch(text):
            return f"{one.text}()"
        if call and text == "merge" and tokens[min(at + 2, len(tokens) - 1)].text.lower() == "system":
            return "merge('system', …)"
        # Elsewhere it may be another name of a table before its column.
        table = dialect == "clickhouse" or (at > 0 and tokens[at - 1].text.upper() in _BEFORE_A_TABLE)
        if text == "system" and table and after is TokenType.DOT and not qualified and at + 2 < len(tokens):
            name = tokens[at + 2].text
            if name.lower() not in ("numbers", "numbers_mt", "one", "zeros", "zeros_mt"):
                return f"system.{one_line(name, 40)}"
    return ""


def _reaches(tokens: Sequence[Token], dialect: Dialect) -> Iterator[str]:
    """What tokens reach for that is no table, each a clause."""
    from sqlglot import TokenType

    names, others = (_CLICKHOUSE, _DUCKDB) if dialect == "clickhouse" else (_DUCKDB, _CLICKHOUSE)
    strings = {TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.RAW_STRING, TokenType.HEREDOC_STRING}
    calls: list[str] = []
    for at, one in enumerate(tokens):
        before = tokens[at - 1] if at else None
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        text = one.text
        if one.token_type is TokenType.L_PAREN:
            calls.append(before.text.upper() if before is not None else "")
        elif one.token_type is TokenType.R_PAREN and calls:
            calls.pop()
        called = after is not None and after.token_type is TokenType.L_PAREN and one.token_type not in strings
        named = before is not None and before.text.upper() in _NAMED_TABLE
        # What is a function of tables to another engine is one where a table stands.
        table = before is not None and before.text.upper() in (*_BEFORE_A_TABLE, ",")
        reached = names.fullmatch(text.lower()) or (table and others.fullmatch(text.lower()))
        if called and not named and reached:
            argument = next((two.text for two in tokens[at + 2 : at + 4] if two.token_type in strings), "")
            yield f"it calls {text}({one_line(repr(argument), _STATEMENT) if argument else '…'})"
        word = text.upper()
        if word in ("OUTFILE", "INFILE") and before is not None and one.token_type not in strings:
            yield f"it {'writes' if word == 'OUTFILE' else 'reads'} a file"
        if before is not None and before.text.upper() in _BEFORE_A_TABLE and before.token_type not in strings:
            quoted = one.token_type in strings or one.token_type is TokenType.IDENTIFIER
            if quoted and _OUTSIDE.search(text) and not (calls and calls[-1] in _WITH_FROM):
                yield f"it reads a file ({one_line(text, _STATEMENT)})"
