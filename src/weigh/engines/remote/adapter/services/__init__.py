"""Services whose profiles were written from documentation and never run (docs/guide/systems-by-url.md#never-run)."""

SCHEMES = ("athena", "bigquery", "databricks", "motherduck", "mssql", "oracle", "redshift", "snowflake")
