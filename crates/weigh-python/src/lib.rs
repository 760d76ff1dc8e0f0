//! `weigh._native`: the Rust half of weigh for Python. Converts and forwards, nothing else.
//!
//! Every function lets go of the interpreter while it works. `src/weigh/_native.pyi` documents the Python side.

mod arrow_stream;
mod digest;
mod host;
mod isolation;
mod link;
mod load;
mod stats;
mod store;
mod ycsb;

/// The native half of weigh.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::digest::{
        DigestError, NotReadError, Page, check_pages, column_pages, diff_parquet, digest_arrow,
        digest_parquet, hash_bytes, hash_file, merge_digests, pages_between, parquet_facts, parquet_footer,
    };
    #[pymodule_export]
    use crate::host::{
        HostError, Sampler, calibrate_disk, calibrate_integer, calibrate_memory, evict, resident,
    };
    #[pymodule_export]
    use crate::isolation::check_history;
    #[pymodule_export]
    use crate::link::{LoadLink, execute};
    #[pymodule_export]
    use crate::load::{Load, LoadError, describe_sqlite, merge_intervals, merge_journals};
    #[pymodule_export]
    use crate::stats::{BatchMeans, decode_histogram};
    #[pymodule_export]
    use crate::store::{StoreClient, StoreError, StoreProxy};
    #[pymodule_export]
    use crate::ycsb::ycsb_keys;
}
