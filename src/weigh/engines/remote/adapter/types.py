"""Standard SQL types by Arrow type, for tables that weigh makes."""

STANDARD = {
    "bool": "boolean",
    "int8": "smallint",
    "int16": "smallint",
    "int32": "integer",
    "int64": "bigint",
    "uint8": "smallint",
    "uint16": "integer",
    "uint32": "bigint",
    "uint64": "decimal(20, 0)",
    "float": "real",
    "double": "double precision",
    "date32[day]": "date",
    "string": "varchar",
    "binary": "varbinary",
    "timestamp": "timestamp",
    "timestamp_tz": "timestamp with time zone",
}
