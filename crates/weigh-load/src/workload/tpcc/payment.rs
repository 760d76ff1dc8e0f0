//! Payment (clause 2.5): a customer pays, and warehouse and district keep account of it.

use crate::random::Random;
use crate::workload::message::Reply;

use super::account::Account;
use super::new_order::other;
use super::nurand::{Constants, DISTRICTS};
use super::statements::Statement;
use super::transaction::{Move, Transaction, changed, column, decimal, int, middle, money, one_row, text};

/// Cents of a payment.
const AMOUNTS: (i64, i64) = (100, 500_000);
/// Of a hundred, how many come from customers of the own warehouse, and how many name the customer.
const AT_HOME: i64 = 85;
pub(super) const BY_NAME: i64 = 60;
/// Between the two names in a row of history.
const GAP: &str = "    ";

/// How a customer is named.
#[derive(Clone, Debug)]
pub(super) enum Customer {
    Number(i64),
    Name(String),
}

impl Customer {
    pub(super) fn draw(random: &mut Random, constants: Constants) -> Self {
        if random.between(1, 100) <= BY_NAME {
            Self::Name(constants.last_name(random))
        } else {
            Self::Number(constants.customer(random))
        }
    }

    pub(super) fn is_name(&self) -> bool {
        matches!(self, Self::Name(_))
    }
}

#[derive(Debug)]
enum Stage {
    Begun,
    Warehouse,
    District,
    Names,
    Customer,
    History,
}

#[derive(Debug)]
pub(super) struct Payment {
    warehouse: i64,
    district: i64,
    customer_warehouse: i64,
    customer_district: i64,
    customer: Customer,
    amount: i64,
    /// Known when the server has said so.
    number: i64,
    places: String,
    stage: Stage,
}

impl Payment {
    pub(super) fn draw(random: &mut Random, constants: Constants, warehouse: i64, warehouses: i64) -> Self {
        let district = random.between(1, DISTRICTS);
        let at_home = random.between(1, 100) <= AT_HOME || warehouses == 1;
        let (customer_warehouse, customer_district) = if at_home {
            (warehouse, district)
        } else {
            (other(random, warehouse, warehouses), random.between(1, DISTRICTS))
        };
        let customer = Customer::draw(random, constants);
        let amount = random.between(AMOUNTS.0, AMOUNTS.1);
        Self {
            warehouse,
            district,
            customer_warehouse,
            customer_district,
            customer,
            amount,
            number: 0,
            places: String::new(),
            stage: Stage::Begun,
        }
    }

    fn pay(&mut self, number: i64) -> Move {
        self.number = number;
        self.stage = Stage::Customer;
        // What a customer of bad credit is remembered by.
        let note = format!(
            "{number} {} {} {} {} {} ",
            self.customer_district,
            self.customer_warehouse,
            self.district,
            self.warehouse,
            decimal(self.amount)
        );
        let values = vec![
            money(self.amount),
            text(note),
            int(self.customer_warehouse),
            int(self.customer_district),
            int(number),
        ];
        Move::Ask(Statement::PaymentCustomer, values)
    }
}

impl Transaction for Payment {
    fn restart(&mut self) {
        self.stage = Stage::Begun;
    }

    fn go_on(&mut self, reply: Option<&Reply<'_>>) -> Result<Move, String> {
        Ok(match self.stage {
            Stage::Begun => {
                self.stage = Stage::Warehouse;
                Move::Ask(Statement::PaymentWarehouse, vec![money(self.amount), int(self.warehouse)])
            }
            Stage::Warehouse => {
                one_row(reply, "warehouse")?;
                self.places = format!("{}{GAP}", column(reply, 0, 0).unwrap_or_default());
                self.stage = Stage::District;
                let values = vec![money(self.amount), int(self.warehouse), int(self.district)];
                Move::Ask(Statement::PaymentDistrict, values)
            }
            Stage::District => {
                one_row(reply, "district")?;
                self.places += column(reply, 0, 0).unwrap_or_default();
                match &self.customer {
                    Customer::Number(number) => self.pay(*number),
                    Customer::Name(name) => {
                        self.stage = Stage::Names;
                        let values = vec![
                            int(self.customer_warehouse),
                            int(self.customer_district),
                            text(name.as_str()),
                        ];
                        Move::Ask(Statement::PaymentNames, values)
                    }
                }
            }
            Stage::Names => {
                let number = column(reply, middle(reply, "customer")?, 0).and_then(|text| text.parse().ok());
                self.pay(number.ok_or("customer: no number")?)
            }
            Stage::Customer => {
                one_row(reply, "customer")?;
                self.stage = Stage::History;
                let numbers = [
                    self.number,
                    self.customer_district,
                    self.customer_warehouse,
                    self.district,
                    self.warehouse,
                ];
                let mut values = numbers.map(int).to_vec();
                values.extend([money(self.amount), text(self.places.as_str())]);
                Move::Ask(Statement::PaymentHistory, values)
            }
            Stage::History => {
                changed(reply, 1, "history")?;
                Move::Commit
            }
        })
    }

    fn count(&self, account: &mut Account) {
        account.payments.done += 1;
        account.payments.by_name += u64::from(self.customer.is_name());
        account.payments.remote += u64::from(self.customer_warehouse != self.warehouse);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payments_are_drawn_as_the_specification_wants() {
        let constants = Constants { last_name: 1, customer: 2, item: 3 };
        let mut random = Random::new(7);
        let mut account = Account::new(4);
        for _ in 0..10_000 {
            let payment = Payment::draw(&mut random, constants, 3, 4);
            assert!((100..=500_000).contains(&payment.amount));
            let at_home = payment.customer_warehouse == 3;
            assert!(!at_home || payment.customer_district == payment.district);
            payment.count(&mut account);
        }
        assert!((1_320..1_680).contains(&account.payments.remote), "{:?}", account.payments);
        assert!((5_750..6_250).contains(&account.payments.by_name), "{:?}", account.payments);
        let alone = (0..1_000).map(|_| Payment::draw(&mut random, constants, 1, 1));
        assert!(alone.into_iter().all(|payment| payment.customer_warehouse == 1));
    }
}
