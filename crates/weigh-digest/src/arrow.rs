//! Digests of Arrow record batches: answers of engines.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use crate::catch_panic::catch_panic;
use crate::rows::RowHasher;
use crate::{Digest, Error};

/// The digest of all rows of a stream of record batches.
///
/// `columns` are numbers of columns, counted from 0, in the order that they take in the digest; all without it.
///
/// # Errors
///
/// [`Error::Stream`] if the producer fails or a column number is out of range, [`Error::Unsupported`] for a type
/// without an encoding.
pub fn digest_batches(
    batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
    columns: Option<&[usize]>,
) -> Result<Digest, Error> {
    let mut hasher = RowHasher::default();
    let mut digest = Digest::default();
    let mut hashes = Vec::new();
    for batch in batches {
        let batch = batch.map_err(|error| Error::Stream { reason: error.to_string() })?;
        let chosen = match columns {
            None => batch,
            Some(columns) => {
                batch.project(columns).map_err(|error| Error::Stream { reason: error.to_string() })?
            }
        };
        let mut unsupported = None;
        hashes.clear();
        catch_panic(|| {
            unsupported = hasher.hash(chosen.columns(), chosen.num_rows(), &mut hashes).err();
            Ok::<_, ArrowError>(())
        })
        .map_err(|reason| Error::Stream { reason })?;
        if let Some((column, (data_type, reason))) = unsupported {
            return Err(Error::Unsupported { path: None, column, data_type, reason });
        }
        digest += Digest::of_rows(&hashes);
    }
    Ok(digest)
}
