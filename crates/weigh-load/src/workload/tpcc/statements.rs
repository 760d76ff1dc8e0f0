//! The statements of the five transactions, in PostgreSQL's SQL.

use crate::workload::message::{ParameterType, PreparedStatement};

/// A statement, by its place in [`TEXTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    Begin,
    BeginSnapshot,
    Commit,
    RollBack,
    NewOrderCustomer,
    NewOrderDistrict,
    NewOrderOrder,
    NewOrderQueue,
    NewOrderItems,
    NewOrderStock,
    NewOrderLines,
    PaymentWarehouse,
    PaymentDistrict,
    PaymentNames,
    PaymentCustomer,
    PaymentHistory,
    StatusNames,
    StatusCustomer,
    StatusOrder,
    StatusLines,
    DeliveryOldest,
    DeliveryTake,
    DeliveryOrder,
    DeliveryLines,
    DeliveryCustomer,
    StockDistrict,
    StockCount,
}

/// `@` stands before the name of a table. Behind each text is the number of its parameters.
const TEXTS: [(&str, usize); 27] = [
    // Every row that these transactions change is locked before it is read, or by the change, and what they read beside
    // it is never changed: no phenomenon that clause 3.4 forbids can be seen.
    ("BEGIN ISOLATION LEVEL READ COMMITTED", 0),
    // Order-Status reads what others change with three statements: all must see one state.
    ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", 0),
    ("COMMIT", 0),
    ("ROLLBACK", 0),
    (
        "SELECT c_discount, c_last, c_credit, w_tax FROM @warehouse JOIN @customer ON c_w_id = w_id \
         WHERE w_id = $1 AND c_d_id = $2 AND c_id = $3",
        3,
    ),
    (
        "UPDATE @district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2 \
         RETURNING d_next_o_id - 1, d_tax",
        2,
    ),
    (
        "INSERT INTO @orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) \
         VALUES ($1, $2, $3, $4, now(), $5, $6)",
        6,
    ),
    ("INSERT INTO @new_order (no_o_id, no_d_id, no_w_id) VALUES ($1, $2, $3)", 3),
    ("SELECT i_id, i_price, i_name, i_data FROM @item WHERE i_id = ANY($1)", 1),
    (
        "UPDATE @stock SET s_quantity = CASE WHEN s_quantity >= $1::int + 10 THEN s_quantity - $1::int \
         ELSE s_quantity - $1::int + 91 END, s_ytd = s_ytd + $1::int, s_order_cnt = s_order_cnt + 1, \
         s_remote_cnt = s_remote_cnt + $2::int WHERE s_w_id = $3 AND s_i_id = $4 \
         RETURNING CASE $5::int WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 \
         WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 \
         WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END, s_quantity, s_data",
        5,
    ),
    (
        "INSERT INTO @order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, \
         ol_amount, ol_dist_info) SELECT $1::int, $2::int, $3::int, n, i, w, q, a, d \
         FROM unnest($4::int[], $5::int[], $6::int[], $7::int[], $8::numeric[], $9::text[]) AS l(n, i, w, q, a, d)",
        9,
    ),
    (
        "UPDATE @warehouse SET w_ytd = w_ytd + $1::numeric WHERE w_id = $2 \
         RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip",
        2,
    ),
    (
        "UPDATE @district SET d_ytd = d_ytd + $1::numeric WHERE d_w_id = $2 AND d_id = $3 \
         RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip",
        3,
    ),
    (
        "SELECT c_id FROM @customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first, c_id",
        3,
    ),
    (
        "UPDATE @customer SET c_balance = c_balance - $1::numeric, c_ytd_payment = c_ytd_payment + $1::numeric, \
         c_payment_cnt = c_payment_cnt + 1, \
         c_data = CASE WHEN c_credit = 'BC' THEN left($2::text || c_data, 500) ELSE c_data END \
         WHERE c_w_id = $3 AND c_d_id = $4 AND c_id = $5 RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, \
         c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, \
         CASE WHEN c_credit = 'BC' THEN left(c_data, 200) END",
        5,
    ),
    (
        "INSERT INTO @history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) \
         VALUES ($1, $2, $3, $4, $5, now(), $6, $7)",
        7,
    ),
    (
        "SELECT c_id, c_balance, c_first, c_middle, c_last FROM @customer \
         WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first, c_id",
        3,
    ),
    (
        "SELECT c_id, c_balance, c_first, c_middle, c_last FROM @customer \
         WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
        3,
    ),
    (
        "SELECT o_id, o_entry_d, o_carrier_id, o_ol_cnt FROM @orders WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3 \
         ORDER BY o_id DESC LIMIT 1",
        3,
    ),
    (
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM @order_line \
         WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
        3,
    ),
    ("SELECT no_o_id FROM @new_order WHERE no_w_id = $1 AND no_d_id = $2 ORDER BY no_o_id LIMIT 1", 2),
    ("DELETE FROM @new_order WHERE no_w_id = $1 AND no_d_id = $2 AND no_o_id = $3", 3),
    (
        "UPDATE @orders SET o_carrier_id = $1 WHERE o_w_id = $2 AND o_d_id = $3 AND o_id = $4 RETURNING o_c_id",
        4,
    ),
    (
        "WITH delivered AS (UPDATE @order_line SET ol_delivery_d = now() \
         WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3 RETURNING ol_amount) \
         SELECT count(*), coalesce(sum(ol_amount), 0) FROM delivered",
        3,
    ),
    (
        "UPDATE @customer SET c_balance = c_balance + $1::numeric, c_delivery_cnt = c_delivery_cnt + 1 \
         WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4",
        4,
    ),
    ("SELECT d_next_o_id FROM @district WHERE d_w_id = $1 AND d_id = $2", 2),
    (
        "SELECT count(DISTINCT s_i_id) FROM @order_line JOIN @stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id \
         WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id >= $3::int - 20 AND ol_o_id < $3::int AND s_quantity < $4",
        4,
    ),
];

/// The statements, with what stands before the name of every table.
pub(super) fn prepared(prefix: &str) -> Vec<PreparedStatement> {
    let statement = |(text, parameters): &(&str, usize)| PreparedStatement {
        text: text.replace('@', prefix),
        types: vec![ParameterType::Unknown; *parameters],
        at: None,
    };
    TEXTS.iter().map(statement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_is_at_its_place_and_counts_its_parameters() {
        let all = prepared("shop.");
        assert!(all[Statement::StockCount as usize].text.contains("FROM shop.order_line JOIN shop.stock"));
        assert_eq!(all[Statement::RollBack as usize].text, "ROLLBACK");
        assert!(all[Statement::DeliveryTake as usize].text.starts_with("DELETE FROM shop.new_order"));
        for one in all {
            let highest =
                (1..20).filter(|number| one.text.contains(&format!("${number}"))).max().unwrap_or(0);
            assert_eq!(highest, one.types.len(), "{}", one.text);
        }
    }
}
