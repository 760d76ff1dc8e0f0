//! New-Order (clause 2.4): a customer orders 5 to 15 items; one order in a hundred names an item that does not exist.

use crate::random::Random;
use crate::workload::message::{Parameter, Reply};

use super::account::Account;
use super::nurand::{Constants, DISTRICTS, ITEMS};
use super::statements::Statement;
use super::transaction::{Move, Transaction, changed, column, decimal, int, one_row, only, rows, text};

/// Lines of an order.
const LINES: (i64, i64) = (5, 15);
/// No item has this number.
const UNUSED: i64 = ITEMS + 1;
/// An order in so many is taken back, and a line in so many is supplied by another warehouse.
const ONE_IN: i64 = 100;
const MOST_PIECES: i64 = 10;

#[derive(Clone, Debug)]
struct Line {
    number: i64,
    item: i64,
    supplier: i64,
    quantity: i64,
    /// Cents; and the text of the stock: both known when the server has said so.
    price: i64,
    district_text: String,
}

#[derive(Debug)]
enum Stage {
    Begun,
    Customer,
    District,
    Items,
    Order,
    Queue,
    /// The stock of this line, by its place.
    Stock(usize),
    Lines,
}

#[derive(Debug)]
pub(super) struct NewOrder {
    warehouse: i64,
    district: i64,
    customer: i64,
    rolled_back: bool,
    /// By supplier and item, so that two orders lock their stocks in one order.
    lines: Vec<Line>,
    order: i64,
    stage: Stage,
}

impl NewOrder {
    pub(super) fn draw(random: &mut Random, constants: Constants, warehouse: i64, warehouses: i64) -> Self {
        let district = random.between(1, DISTRICTS);
        let customer = constants.customer(random);
        let count = random.between(LINES.0, LINES.1);
        let rolled_back = random.between(1, ONE_IN) == 1;
        let mut lines: Vec<Line> = (1..=count)
            .map(|number| {
                let item = constants.item(random);
                let remote = random.between(1, ONE_IN) == 1 && warehouses > 1;
                let supplier = if remote { other(random, warehouse, warehouses) } else { warehouse };
                let quantity = random.between(1, MOST_PIECES);
                Line { number, item, supplier, quantity, price: 0, district_text: String::new() }
            })
            .collect();
        if rolled_back && let Some(last) = lines.last_mut() {
            last.item = UNUSED;
        }
        lines.sort_by_key(|line| (line.item == UNUSED, line.supplier, line.item, line.number));
        Self { warehouse, district, customer, rolled_back, lines, order: 0, stage: Stage::Begun }
    }

    /// Whether it is to be taken back.
    pub(super) fn is_rolled_back(&self) -> bool {
        self.rolled_back
    }

    /// The lines of items that exist: all other lines come before the unused item.
    fn real(&self) -> &[Line] {
        &self.lines[..self.lines.len() - usize::from(self.rolled_back)]
    }

    fn ask_stock(&mut self, place: usize) -> Move {
        let Some(line) = self.real().get(place) else { return self.ask_lines() };
        let remote = i64::from(line.supplier != self.warehouse);
        let values =
            vec![int(line.quantity), int(remote), int(line.supplier), int(line.item), int(self.district)];
        self.stage = Stage::Stock(place);
        Move::Ask(Statement::NewOrderStock, values)
    }

    fn ask_lines(&mut self) -> Move {
        self.stage = Stage::Lines;
        let list = |value: &dyn Fn(&Line) -> String| -> Parameter {
            let values: Vec<String> = self.real().iter().map(value).collect();
            text(format!("{{{}}}", values.join(",")))
        };
        let values = vec![
            int(self.order),
            int(self.district),
            int(self.warehouse),
            list(&|line| line.number.to_string()),
            list(&|line| line.item.to_string()),
            list(&|line| line.supplier.to_string()),
            list(&|line| line.quantity.to_string()),
            list(&|line| decimal(line.quantity * line.price)),
            list(&|line| quoted(&line.district_text)),
        ];
        Move::Ask(Statement::NewOrderLines, values)
    }

    fn take_prices(&mut self, reply: Option<&Reply<'_>>) -> Result<(), String> {
        for row in 0..rows(reply) {
            let item: Option<i64> = column(reply, row, 0).and_then(|text| text.parse().ok());
            let price = column(reply, row, 1).and_then(cents);
            let (Some(item), Some(price)) = (item, price) else {
                return Err("item: a price that is no number".into());
            };
            for line in self.lines.iter_mut().filter(|line| line.item == item) {
                line.price = price;
            }
        }
        if let Some(line) = self.real().iter().find(|line| line.price == 0) {
            return Err(format!("item {} is not there, or costs nothing", line.item));
        }
        if self.rolled_back && self.lines.last().is_some_and(|line| line.price != 0) {
            return Err(format!("item {UNUSED} is there, and no order can be taken back for it"));
        }
        Ok(())
    }
}

impl Transaction for NewOrder {
    fn restart(&mut self) {
        self.stage = Stage::Begun;
    }

    fn go_on(&mut self, reply: Option<&Reply<'_>>) -> Result<Move, String> {
        Ok(match self.stage {
            Stage::Begun => {
                self.stage = Stage::Customer;
                let values = vec![int(self.warehouse), int(self.district), int(self.customer)];
                Move::Ask(Statement::NewOrderCustomer, values)
            }
            Stage::Customer => {
                one_row(reply, "customer")?;
                self.stage = Stage::District;
                Move::Ask(Statement::NewOrderDistrict, vec![int(self.warehouse), int(self.district)])
            }
            Stage::District => {
                self.order = only(reply, "district")?;
                self.stage = Stage::Items;
                let items: Vec<String> = self.lines.iter().map(|line| line.item.to_string()).collect();
                Move::Ask(Statement::NewOrderItems, vec![text(format!("{{{}}}", items.join(",")))])
            }
            Stage::Items => {
                self.take_prices(reply)?;
                self.stage = Stage::Order;
                let local = self.lines.iter().all(|line| line.supplier == self.warehouse);
                let count = i64::try_from(self.lines.len()).unwrap_or(0);
                let values =
                    [self.order, self.district, self.warehouse, self.customer, count, i64::from(local)];
                Move::Ask(Statement::NewOrderOrder, values.map(int).to_vec())
            }
            Stage::Order => {
                changed(reply, 1, "orders")?;
                self.stage = Stage::Queue;
                let values = [self.order, self.district, self.warehouse];
                Move::Ask(Statement::NewOrderQueue, values.map(int).to_vec())
            }
            Stage::Queue => {
                changed(reply, 1, "new_order")?;
                self.ask_stock(0)
            }
            Stage::Stock(place) => {
                one_row(reply, "stock")?;
                column(reply, 0, 0).unwrap_or_default().clone_into(&mut self.lines[place].district_text);
                self.ask_stock(place + 1)
            }
            Stage::Lines => {
                changed(reply, self.real().len() as u64, "order_line")?;
                if self.rolled_back { Move::RollBack } else { Move::Commit }
            }
        })
    }

    fn count(&self, account: &mut Account) {
        let counts = &mut account.new_orders;
        counts.by_lines[self.lines.len().saturating_sub(5).min(10)] += 1;
        if self.rolled_back {
            counts.rolled_back += 1;
            return;
        }
        counts.committed += 1;
        counts.lines += self.lines.len() as u64;
        let remote = self.lines.iter().filter(|line| line.supplier != self.warehouse).count();
        counts.remote_lines += remote as u64;
    }
}

/// Another warehouse than this one, of several.
pub(super) fn other(random: &mut Random, home: i64, warehouses: i64) -> i64 {
    let drawn = random.between(1, warehouses - 1);
    if drawn < home { drawn } else { drawn + 1 }
}

/// A decimal number with at most two digits behind the point, in hundredths.
pub(super) fn cents(number: &str) -> Option<i64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{part:0<2}");
    if digits.len() > 2 {
        return None;
    }
    Some(whole.parse::<i64>().ok()? * 100 + digits.parse::<i64>().ok()?)
}

/// An element of an array as PostgreSQL writes it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONSTANTS: Constants = Constants { last_name: 1, customer: 2, item: 3 };

    #[test]
    fn orders_are_drawn_as_the_specification_wants() {
        let mut random = Random::new(5);
        let mut account = Account::new(3);
        for _ in 0..20_000 {
            let order = NewOrder::draw(&mut random, CONSTANTS, 2, 3);
            assert!((5..=15).contains(&order.lines.len()));
            assert!(order.lines.iter().all(|line| (1..=3).contains(&line.supplier)));
            assert_eq!(order.lines.last().unwrap().item == UNUSED, order.rolled_back);
            assert!(order.real().iter().all(|line| (1..=ITEMS).contains(&line.item)));
            order.count(&mut account);
        }
        let counts = account.new_orders;
        // Five standard deviations on each side.
        assert!((130..270).contains(&counts.rolled_back), "{counts:?}");
        assert!((1_700..2_300).contains(&counts.remote_lines), "{counts:?}");
        assert!(counts.by_lines.iter().all(|times| (1_600..2_030).contains(times)), "{counts:?}");
    }

    #[test]
    fn the_only_warehouse_supplies_itself_and_others_are_never_the_own() {
        let mut random = Random::new(6);
        let order = NewOrder::draw(&mut random, CONSTANTS, 1, 1);
        assert!(order.lines.iter().all(|line| line.supplier == 1));
        let mut seen = [0; 5];
        for _ in 0..1_000 {
            seen[usize::try_from(other(&mut random, 3, 4)).unwrap()] += 1;
        }
        assert!(seen[0] == 0 && seen[3] == 0 && [1, 2, 4].iter().all(|place| seen[*place] > 200));
    }

    #[test]
    fn prices_are_read_exactly() {
        assert_eq!(
            [cents("45.67"), cents("3"), cents("0.5"), cents("1.234"), cents("x")],
            [Some(4_567), Some(300), Some(50), None, None]
        );
    }
}
