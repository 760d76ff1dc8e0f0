//! TPC-C (revision 5.11 of the specification).

pub mod population;
