//! Order-Status (clause 2.6): what has become of a customer's last order.

use crate::random::Random;
use crate::workload::message::Reply;

use super::account::Account;
use super::nurand::{Constants, DISTRICTS};
use super::payment::Customer;
use super::statements::Statement;
use super::transaction::{Move, Transaction, column, int, middle, one_row, rows, text};

#[derive(Debug)]
enum Stage {
    Begun,
    Names,
    Customer,
    Order,
    Lines,
}

#[derive(Debug)]
pub(super) struct OrderStatus {
    warehouse: i64,
    district: i64,
    customer: Customer,
    /// Known when the server has said so.
    lines: usize,
    stage: Stage,
}

impl OrderStatus {
    pub(super) fn draw(random: &mut Random, constants: Constants, warehouse: i64) -> Self {
        let district = random.between(1, DISTRICTS);
        let customer = Customer::draw(random, constants);
        Self { warehouse, district, customer, lines: 0, stage: Stage::Begun }
    }

    fn ask_order(&mut self, customer: i64) -> Move {
        self.stage = Stage::Order;
        Move::Ask(Statement::StatusOrder, [self.warehouse, self.district, customer].map(int).to_vec())
    }
}

impl Transaction for OrderStatus {
    fn opening(&self) -> Statement {
        Statement::BeginSnapshot
    }

    fn restart(&mut self) {
        self.stage = Stage::Begun;
    }

    fn go_on(&mut self, reply: Option<&Reply<'_>>) -> Result<Move, String> {
        Ok(match self.stage {
            Stage::Begun => {
                let place = [self.warehouse, self.district].map(int).to_vec();
                let (stage, statement, customer) = match &self.customer {
                    Customer::Number(number) => (Stage::Customer, Statement::StatusCustomer, int(*number)),
                    Customer::Name(name) => (Stage::Names, Statement::StatusNames, text(name.as_str())),
                };
                self.stage = stage;
                Move::Ask(statement, [place, vec![customer]].concat())
            }
            Stage::Names => {
                let number = column(reply, middle(reply, "customer")?, 0).and_then(|text| text.parse().ok());
                self.ask_order(number.ok_or("customer: no number")?)
            }
            Stage::Customer => {
                one_row(reply, "customer")?;
                let number = column(reply, 0, 0).and_then(|text| text.parse().ok());
                self.ask_order(number.ok_or("customer: no number")?)
            }
            Stage::Order => {
                // Every customer has ordered: the population sees to it.
                one_row(reply, "orders")?;
                let whole = |place| column(reply, 0, place).and_then(|text| text.parse::<i64>().ok());
                let (Some(order), Some(lines)) = (whole(0), whole(3)) else {
                    return Err("orders: no number".into());
                };
                self.lines = usize::try_from(lines).unwrap_or(0);
                self.stage = Stage::Lines;
                Move::Ask(Statement::StatusLines, [self.warehouse, self.district, order].map(int).to_vec())
            }
            Stage::Lines => {
                if rows(reply) != self.lines {
                    return Err(format!("order_line: {} rows of an order of {}", rows(reply), self.lines));
                }
                Move::Commit
            }
        })
    }

    fn count(&self, account: &mut Account) {
        account.order_statuses.done += 1;
        account.order_statuses.by_name += u64::from(self.customer.is_name());
    }
}
