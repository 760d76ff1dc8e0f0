//! Delivery (clause 2.7): the oldest order of each district that was not delivered yet. A district is a database
//! transaction of its own, as the clause allows: no other one waits for ten of them.

use crate::random::Random;
use crate::workload::message::Reply;

use super::account::Account;
use super::nurand::DISTRICTS;
use super::statements::Statement;
use super::transaction::{Move, Transaction, changed, column, int, one_row, only, rows, text};

const CARRIERS: i64 = 10;
/// How often an order may be gone when it is to be taken, because another delivery was faster.
const TRIES: u32 = 100;

#[derive(Debug)]
enum Stage {
    Begun,
    Oldest,
    Take,
    Order,
    Lines,
    Customer,
}

#[derive(Debug)]
pub(super) struct Delivery {
    warehouse: i64,
    carrier: i64,
    district: i64,
    /// Known when the server has said so; no order: the district has none.
    order: Option<i64>,
    customer: i64,
    tries: u32,
    delivered: u64,
    skipped: u64,
    stage: Stage,
}

impl Delivery {
    pub(super) fn draw(random: &mut Random, warehouse: i64) -> Self {
        Self {
            warehouse,
            carrier: random.between(1, CARRIERS),
            district: 1,
            order: None,
            customer: 0,
            tries: 0,
            delivered: 0,
            skipped: 0,
            stage: Stage::Begun,
        }
    }

    fn ask_oldest(&mut self) -> Move {
        self.stage = Stage::Oldest;
        Move::Ask(Statement::DeliveryOldest, vec![int(self.warehouse), int(self.district)])
    }

    /// The place of the order.
    fn place(&self) -> [i64; 3] {
        [self.warehouse, self.district, self.order.unwrap_or(0)]
    }
}

impl Transaction for Delivery {
    fn restart(&mut self) {
        self.order = None;
        self.tries = 0;
        self.stage = Stage::Begun;
    }

    fn go_on(&mut self, reply: Option<&Reply<'_>>) -> Result<Move, String> {
        Ok(match self.stage {
            Stage::Begun => self.ask_oldest(),
            Stage::Oldest => {
                if rows(reply) == 0 {
                    self.order = None;
                    return Ok(Move::Commit);
                }
                self.order = Some(only(reply, "new_order")?);
                self.stage = Stage::Take;
                Move::Ask(Statement::DeliveryTake, self.place().map(int).to_vec())
            }
            Stage::Take => {
                // Another delivery took it while this one waited for its lock: there may be others.
                if matches!(reply, Some(Reply::Count(0))) && self.tries < TRIES {
                    self.tries += 1;
                    return Ok(self.ask_oldest());
                }
                changed(reply, 1, "new_order")?;
                self.stage = Stage::Order;
                let [warehouse, district, order] = self.place();
                let values = [self.carrier, warehouse, district, order];
                Move::Ask(Statement::DeliveryOrder, values.map(int).to_vec())
            }
            Stage::Order => {
                self.customer = only(reply, "orders")?;
                self.stage = Stage::Lines;
                Move::Ask(Statement::DeliveryLines, self.place().map(int).to_vec())
            }
            Stage::Lines => {
                one_row(reply, "order_line")?;
                if column(reply, 0, 0) == Some("0") {
                    return Err("order_line: an order without lines".into());
                }
                self.stage = Stage::Customer;
                let total = column(reply, 0, 1).unwrap_or_default();
                let [warehouse, district, _] = self.place();
                let values = vec![text(total), int(warehouse), int(district), int(self.customer)];
                Move::Ask(Statement::DeliveryCustomer, values)
            }
            Stage::Customer => {
                changed(reply, 1, "customer")?;
                Move::Commit
            }
        })
    }

    fn ended(&mut self) -> bool {
        if self.order.is_some() {
            self.delivered += 1;
        } else {
            self.skipped += 1;
        }
        self.district += 1;
        self.restart();
        self.district <= DISTRICTS
    }

    fn count(&self, account: &mut Account) {
        account.deliveries.done += 1;
        account.deliveries.delivered += self.delivered;
        account.deliveries.skipped += self.skipped;
    }
}
