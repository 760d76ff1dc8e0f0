//! The nine tables, as clause 1.3 of the specification lays them out, in a schema of their own.

/// The schema: no table of a user's is in it.
pub(super) const SCHEMA: &str = "weigh_tpcc";

/// What stands in front of the comment of a schema that weigh made.
pub(super) const MARK: &str = "made by weigh: ";

/// Name, columns and keys of a table.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static str,
    /// The primary key; nothing where it has none.
    pub(super) key: &'static str,
    /// Its columns that refer to another table, and that table.
    pub(super) references: &'static [(&'static str, &'static str)],
}

/// In an order in which no table refers to a later one.
pub(super) const TABLES: [Table; 9] = [
    Table {
        name: "warehouse",
        columns: "w_id int NOT NULL, w_name varchar(10), w_street_1 varchar(20), w_street_2 varchar(20), \
                  w_city varchar(20), w_state char(2), w_zip char(9), w_tax numeric(4, 4), w_ytd numeric(14, 2)",
        key: "w_id",
        references: &[],
    },
    Table {
        name: "district",
        columns: "d_id int NOT NULL, d_w_id int NOT NULL, d_name varchar(10), d_street_1 varchar(20), \
                  d_street_2 varchar(20), d_city varchar(20), d_state char(2), d_zip char(9), d_tax numeric(4, 4), \
                  d_ytd numeric(14, 2), d_next_o_id int",
        key: "d_w_id, d_id",
        references: &[("d_w_id", "warehouse")],
    },
    Table {
        name: "customer",
        columns: "c_id int NOT NULL, c_d_id int NOT NULL, c_w_id int NOT NULL, c_first varchar(16) COLLATE \"C\", \
                  c_middle char(2), c_last varchar(16) COLLATE \"C\", c_street_1 varchar(20), \
                  c_street_2 varchar(20), c_city varchar(20), c_state char(2), c_zip char(9), c_phone char(16), \
                  c_since timestamp, c_credit char(2), c_credit_lim numeric(12, 2), c_discount numeric(4, 4), \
                  c_balance numeric(12, 2), c_ytd_payment numeric(12, 2), c_payment_cnt int, c_delivery_cnt int, \
                  c_data varchar(500)",
        key: "c_w_id, c_d_id, c_id",
        references: &[("c_w_id, c_d_id", "district")],
    },
    Table {
        name: "history",
        columns: "h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamp, \
                  h_amount numeric(6, 2), h_data varchar(24)",
        key: "",
        references: &[("h_c_w_id, h_c_d_id, h_c_id", "customer"), ("h_w_id, h_d_id", "district")],
    },
    Table {
        name: "orders",
        columns: "o_id int NOT NULL, o_d_id int NOT NULL, o_w_id int NOT NULL, o_c_id int, o_entry_d timestamp, \
                  o_carrier_id int, o_ol_cnt int, o_all_local int",
        key: "o_w_id, o_d_id, o_id",
        references: &[("o_w_id, o_d_id, o_c_id", "customer")],
    },
    Table {
        name: "new_order",
        columns: "no_o_id int NOT NULL, no_d_id int NOT NULL, no_w_id int NOT NULL",
        key: "no_w_id, no_d_id, no_o_id",
        references: &[("no_w_id, no_d_id, no_o_id", "orders")],
    },
    Table {
        name: "item",
        columns: "i_id int NOT NULL, i_im_id int, i_name varchar(24), i_price numeric(5, 2), i_data varchar(50)",
        key: "i_id",
        references: &[],
    },
    Table {
        name: "stock",
        columns: "s_i_id int NOT NULL, s_w_id int NOT NULL, s_quantity int, s_dist_01 char(24), \
                  s_dist_02 char(24), s_dist_03 char(24), s_dist_04 char(24), s_dist_05 char(24), \
                  s_dist_06 char(24), s_dist_07 char(24), s_dist_08 char(24), s_dist_09 char(24), \
                  s_dist_10 char(24), s_ytd int, s_order_cnt int, s_remote_cnt int, s_data varchar(50)",
        key: "s_w_id, s_i_id",
        references: &[("s_w_id", "warehouse"), ("s_i_id", "item")],
    },
    Table {
        name: "order_line",
        columns: "ol_o_id int NOT NULL, ol_d_id int NOT NULL, ol_w_id int NOT NULL, ol_number int NOT NULL, \
                  ol_i_id int, ol_supply_w_id int, ol_delivery_d timestamp, ol_quantity int, \
                  ol_amount numeric(6, 2), ol_dist_info char(24)",
        key: "ol_w_id, ol_d_id, ol_o_id, ol_number",
        references: &[("ol_w_id, ol_d_id, ol_o_id", "orders"), ("ol_supply_w_id, ol_i_id", "stock")],
    },
];

/// Indexes beside the primary keys: table and columns.
pub(super) const INDEXES: [(&str, &str); 2] =
    [("customer", "c_w_id, c_d_id, c_last, c_first"), ("orders", "o_w_id, o_d_id, o_c_id, o_id")];

/// Makes the tables without keys, in the place of those that weigh made before; a schema of somebody else's is refused.
pub(super) fn create() -> Vec<String> {
    let refuse = format!(
        "DO $$ BEGIN IF EXISTS (SELECT FROM pg_namespace WHERE nspname = '{SCHEMA}' AND \
         coalesce(obj_description(oid, 'pg_namespace'), '') NOT LIKE '{MARK}%') THEN \
         RAISE EXCEPTION 'the schema {SCHEMA} is there already, and was not made by weigh' \
         USING ERRCODE = 'duplicate_schema'; END IF; END $$"
    );
    let mut found = vec![
        refuse,
        format!("DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"),
        format!("CREATE SCHEMA {SCHEMA}"),
        // Until it is whole.
        format!("COMMENT ON SCHEMA {SCHEMA} IS '{MARK}being loaded'"),
    ];
    found.extend(
        TABLES.iter().map(|table| format!("CREATE TABLE {SCHEMA}.{} ({})", table.name, table.columns)),
    );
    found
}

/// Primary keys and indexes, each of which can be made while others are; the large ones first.
pub(super) fn keys() -> Vec<String> {
    let mut found: Vec<String> = TABLES
        .iter()
        .rev()
        .filter(|table| !table.key.is_empty())
        .map(|table| format!("ALTER TABLE {SCHEMA}.{} ADD PRIMARY KEY ({})", table.name, table.key))
        .collect();
    found.extend(INDEXES.map(|(table, columns)| format!("CREATE INDEX ON {SCHEMA}.{table} ({columns})")));
    found
}

/// Foreign keys, each of which can be made while others are.
pub(super) fn foreign_keys() -> Vec<String> {
    let of = |table: &Table| {
        let (name, references) = (table.name, table.references);
        references
            .iter()
            .map(|(columns, other)| {
                format!("ALTER TABLE {SCHEMA}.{name} ADD FOREIGN KEY ({columns}) REFERENCES {SCHEMA}.{other}")
            })
            .collect::<Vec<_>>()
    };
    TABLES.iter().rev().flat_map(of).collect()
}
