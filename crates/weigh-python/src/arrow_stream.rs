//! Importing an Arrow C stream from a Python object.
//!
//! The interface hands over a C structure behind a pointer, which only unsafe code can take. pyo3-arrow would hold it
//! for us; its newest release (0.20) wants an older arrow than parquet does. The rest of weigh's unsafe code calls the
//! system, in `weigh-host/src/sys.rs`.
#![expect(unsafe_code, reason = "the Arrow C stream interface is a pointer")]

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// What the reader said about the stream's schema, if it is not one of record batches.
type Opened = Result<RecordBatchStreamReader, Box<dyn std::error::Error + Send + Sync>>;

/// Takes over the stream of an object with `__arrow_c_stream__` (a table, a reader, a capsule's owner).
///
/// The outer error is Python's: no such method, or one that raised. The inner one is Arrow's.
pub(crate) fn open(object: &Bound<'_, PyAny>) -> PyResult<Opened> {
    let capsule = object.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: by the Arrow PyCapsule interface a capsule of this name holds a valid stream. `from_raw` moves it out and
    // leaves a released one behind, which the destructor of the capsule, alive until the end of this function, skips.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    if stream.release().is_none() {
        return Ok(Err("it was consumed before".into()));
    }
    Ok(RecordBatchStreamReader::try_new(stream).map_err(Into::into))
}
