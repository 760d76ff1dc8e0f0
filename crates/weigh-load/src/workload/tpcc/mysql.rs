//! The five transactions in MySQL's SQL, whose UPDATE returns no rows: the row is changed, and so locked, and then read.

use crate::workload::message::{Command, Parameter, ParameterType, PreparedStatement};

use super::statements::Statement;

/// Lines of an order: at least one less where it is taken back.
const LINES: std::ops::RangeInclusive<usize> = 4..=15;
const LINE: usize = 9;
/// A whole order's items: the last stands for those that it has not.
const ITEMS: usize = 15;

/// As `TEXTS` of [`super::statements`], with which parameters are decimal numbers.
const TEXTS: [(&str, usize, &[usize]); 27] = [
    ("START TRANSACTION", 0, &[]),
    ("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY", 0, &[]),
    ("COMMIT", 0, &[]),
    ("ROLLBACK", 0, &[]),
    (
        "SELECT c_discount, c_last, c_credit, w_tax FROM @warehouse JOIN @customer ON c_w_id = w_id \
         WHERE w_id = $1 AND c_d_id = $2 AND c_id = $3",
        3,
        &[],
    ),
    ("UPDATE @district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2", 2, &[]),
    (
        "INSERT INTO @orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) \
         VALUES ($1, $2, $3, $4, now(), $5, $6)",
        6,
        &[],
    ),
    ("INSERT INTO @new_order (no_o_id, no_d_id, no_w_id) VALUES ($1, $2, $3)", 3, &[]),
    (
        "SELECT i_id, i_price, i_name, i_data FROM @item \
         WHERE i_id IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        ITEMS,
        &[],
    ),
    (
        "UPDATE @stock SET s_quantity = CASE WHEN s_quantity >= $1 + 10 THEN s_quantity - $1 \
         ELSE s_quantity - $1 + 91 END, s_ytd = s_ytd + $1, s_order_cnt = s_order_cnt + 1, \
         s_remote_cnt = s_remote_cnt + $2 WHERE s_w_id = $3 AND s_i_id = $4",
        5,
        &[],
    ),
    // One for each number of lines stands behind the others.
    ("DO 0", 0, &[]),
    ("UPDATE @warehouse SET w_ytd = w_ytd + $1 WHERE w_id = $2", 2, &[1]),
    ("UPDATE @district SET d_ytd = d_ytd + $1 WHERE d_w_id = $2 AND d_id = $3", 3, &[1]),
    (
        "SELECT c_id FROM @customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first, c_id",
        3,
        &[],
    ),
    (
        "UPDATE @customer SET c_balance = c_balance - $1, c_ytd_payment = c_ytd_payment + $1, \
         c_payment_cnt = c_payment_cnt + 1, \
         c_data = CASE WHEN c_credit = 'BC' THEN left(concat($2, c_data), 500) ELSE c_data END \
         WHERE c_w_id = $3 AND c_d_id = $4 AND c_id = $5",
        5,
        &[1],
    ),
    (
        "INSERT INTO @history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) \
         VALUES ($1, $2, $3, $4, $5, now(), $6, $7)",
        7,
        &[6],
    ),
    (
        "SELECT c_id, c_balance, c_first, c_middle, c_last FROM @customer \
         WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first, c_id",
        3,
        &[],
    ),
    (
        "SELECT c_id, c_balance, c_first, c_middle, c_last FROM @customer \
         WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
        3,
        &[],
    ),
    (
        "SELECT o_id, o_entry_d, o_carrier_id, o_ol_cnt FROM @orders WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3 \
         ORDER BY o_id DESC LIMIT 1",
        3,
        &[],
    ),
    (
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM @order_line \
         WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
        3,
        &[],
    ),
    // Locked: at REPEATABLE READ a transaction would see one that another took meanwhile again and again.
    (
        "SELECT no_o_id FROM @new_order WHERE no_w_id = $1 AND no_d_id = $2 ORDER BY no_o_id LIMIT 1 FOR UPDATE",
        2,
        &[],
    ),
    ("DELETE FROM @new_order WHERE no_w_id = $1 AND no_d_id = $2 AND no_o_id = $3", 3, &[]),
    ("UPDATE @orders SET o_carrier_id = $1 WHERE o_w_id = $2 AND o_d_id = $3 AND o_id = $4", 4, &[]),
    (
        "UPDATE @order_line SET ol_delivery_d = now() WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
        3,
        &[],
    ),
    (
        "UPDATE @customer SET c_balance = c_balance + $1, c_delivery_cnt = c_delivery_cnt + 1 \
         WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4",
        4,
        &[1],
    ),
    ("SELECT d_next_o_id FROM @district WHERE d_w_id = $1 AND d_id = $2", 2, &[]),
    (
        "SELECT count(DISTINCT s_i_id) FROM @order_line JOIN @stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id \
         WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id >= $3 - 20 AND ol_o_id < $3 AND s_quantity < $4",
        4,
        &[],
    ),
];

/// What is read of the row that a statement has changed, with the same parameters.
const READINGS: [(Statement, &str); 7] = [
    (
        Statement::NewOrderDistrict,
        "SELECT d_next_o_id - 1, d_tax FROM @district WHERE d_w_id = $1 AND d_id = $2",
    ),
    (
        Statement::NewOrderStock,
        "SELECT CASE $5 WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 \
         WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 \
         WHEN 9 THEN s_dist_09 ELSE s_dist_10 END, s_quantity, s_data FROM @stock WHERE s_w_id = $3 AND s_i_id = $4",
    ),
    (
        Statement::PaymentWarehouse,
        "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM @warehouse WHERE w_id = $2",
    ),
    (
        Statement::PaymentDistrict,
        "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM @district WHERE d_w_id = $2 AND d_id = $3",
    ),
    (
        Statement::PaymentCustomer,
        "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, \
         c_credit_lim, c_discount, c_balance, CASE WHEN c_credit = 'BC' THEN left(c_data, 200) END FROM @customer \
         WHERE c_w_id = $3 AND c_d_id = $4 AND c_id = $5",
    ),
    (Statement::DeliveryOrder, "SELECT o_c_id FROM @orders WHERE o_w_id = $2 AND o_d_id = $3 AND o_id = $4"),
    (
        Statement::DeliveryLines,
        "SELECT count(*), coalesce(sum(ol_amount), 0) FROM @order_line \
         WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
    ),
];

/// The statements: those of [`TEXTS`] at the places of [`Statement`], then what is read, then lines by their number.
pub(super) fn prepared(prefix: &str) -> Vec<PreparedStatement> {
    let statement = |text: &str, parameters: usize, decimals: &[usize]| {
        let kind =
            |number| if decimals.contains(&number) { ParameterType::Numeric } else { ParameterType::Unknown };
        let types = (1..=parameters).map(kind).collect();
        PreparedStatement { text: text.replace('@', prefix), types, at: None }
    };
    let mut found: Vec<PreparedStatement> =
        TEXTS.iter().map(|(text, parameters, decimals)| statement(text, *parameters, decimals)).collect();
    found.extend(READINGS.map(|(of, text)| statement(text, TEXTS[of as usize].1, &[])));
    for lines in LINES {
        let row = |line: usize| {
            let cells: Vec<String> = (1..=LINE).map(|cell| format!("${}", line * LINE + cell)).collect();
            format!("({})", cells.join(", "))
        };
        let rows: Vec<String> = (0..lines).map(row).collect();
        let text = format!(
            "INSERT INTO @order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, \
             ol_amount, ol_dist_info) VALUES {}",
            rows.join(", ")
        );
        found.push(statement(&text, lines * LINE, &[]));
    }
    found
}

/// What is sent for a statement, in order; the answer to the last is the statement's.
pub(super) fn commands(statement: Statement, values: Vec<Parameter>) -> Vec<Command> {
    let (place, values) = match statement {
        Statement::NewOrderItems => {
            let mut items = elements(values.first());
            let last = items.last().cloned().unwrap_or(Parameter::Null);
            items.resize(ITEMS, last);
            (statement as usize, items)
        }
        Statement::NewOrderLines => {
            let columns: Vec<Vec<Parameter>> =
                values.iter().skip(3).map(|list| elements(Some(list))).collect();
            let lines = columns.first().map_or(0, Vec::len);
            let mut rows = Vec::with_capacity(lines * LINE);
            for line in 0..lines {
                rows.extend(values.iter().take(3).cloned());
                rows.extend(
                    columns.iter().map(|column| column.get(line).cloned().unwrap_or(Parameter::Null)),
                );
            }
            (TEXTS.len() + READINGS.len() + lines.saturating_sub(*LINES.start()), rows)
        }
        _ => (statement as usize, values),
    };
    let reading = READINGS.iter().position(|(of, _)| *of == statement);
    let read =
        reading.map(|reading| Command::Prepared { statement: TEXTS.len() + reading, values: values.clone() });
    std::iter::once(Command::Prepared { statement: place, values }).chain(read).collect()
}

/// The elements of an array as PostgreSQL writes it; none of them has a comma.
fn elements(list: Option<&Parameter>) -> Vec<Parameter> {
    let Some(Parameter::Text(text)) = list else { return Vec::new() };
    let text = String::from_utf8_lossy(text);
    let inside = text.trim_start_matches('{').trim_end_matches('}');
    let element = |part: &str| match part.parse::<i64>() {
        Ok(number) => Parameter::Int(number),
        Err(_) => Parameter::Text(part.trim_matches('"').as_bytes().to_vec()),
    };
    inside.split(',').map(element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_counts_its_parameters_and_an_order_is_one_of_its_length() {
        let all = prepared("shop.");
        for one in &all {
            let highest =
                (1..200).filter(|number| one.text.contains(&format!("${number}"))).max().unwrap_or(0);
            // What is read of a changed row has more values than it uses.
            assert!(
                highest <= one.types.len() && (highest > 0) == one.text.contains(char::is_numeric)
                    || one.types.is_empty(),
                "{}",
                one.text
            );
        }
        let list = |text: &str| Parameter::Text(text.as_bytes().to_vec());
        let [numbers, amounts, names] =
            ["{1,2,3,4,5}", "{1.50,2,3,4,5}", "{\"a\",\"12\",\"c\",\"d\",\"e\"}"].map(list);
        let head = [7, 8, 9].map(Parameter::Int).to_vec();
        let tail = vec![numbers.clone(), numbers.clone(), numbers.clone(), numbers, amounts, names];
        let [Command::Prepared { statement, values }] =
            &commands(Statement::NewOrderLines, [head, tail].concat())[..]
        else {
            panic!()
        };
        assert_eq!((all[*statement].types.len(), values.len()), (45, 45));
        assert_eq!((&values[7], &values[17]), (&list("1.50"), &list("12")));
        let read = commands(Statement::PaymentCustomer, Vec::new());
        let Command::Prepared { statement, .. } = &read[1] else { panic!() };
        assert!(all[*statement].text.starts_with("SELECT c_first"));
    }
}
