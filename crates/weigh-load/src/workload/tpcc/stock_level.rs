//! Stock-Level (clause 2.8): how many of the items that were ordered last run low.

use crate::random::Random;
use crate::workload::message::Reply;

use super::account::Account;
use super::statements::Statement;
use super::transaction::{Move, Transaction, int, only};

const THRESHOLDS: (i64, i64) = (10, 20);

#[derive(Debug)]
enum Stage {
    Begun,
    District,
    Count,
}

#[derive(Debug)]
pub(super) struct StockLevel {
    warehouse: i64,
    district: i64,
    threshold: i64,
    stage: Stage,
}

impl StockLevel {
    /// In the district of the terminal.
    pub(super) fn draw(random: &mut Random, warehouse: i64, district: i64) -> Self {
        let threshold = random.between(THRESHOLDS.0, THRESHOLDS.1);
        Self { warehouse, district, threshold, stage: Stage::Begun }
    }
}

impl Transaction for StockLevel {
    fn restart(&mut self) {
        self.stage = Stage::Begun;
    }

    fn go_on(&mut self, reply: Option<&Reply<'_>>) -> Result<Move, String> {
        Ok(match self.stage {
            Stage::Begun => {
                self.stage = Stage::District;
                Move::Ask(Statement::StockDistrict, vec![int(self.warehouse), int(self.district)])
            }
            Stage::District => {
                let next = only(reply, "district")?;
                self.stage = Stage::Count;
                let values = [self.warehouse, self.district, next, self.threshold];
                Move::Ask(Statement::StockCount, values.map(int).to_vec())
            }
            Stage::Count => {
                only(reply, "stock")?;
                Move::Commit
            }
        })
    }

    fn count(&self, account: &mut Account) {
        account.stock_levels += 1;
    }
}
