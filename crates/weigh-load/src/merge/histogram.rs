//! Histograms of the compressed wire format as counts by bucket, and back.
//!
//! All of weigh's have the same bounds and digits: a bucket is the same in each, and they are summed bucket by bucket.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2Serializer};

use crate::Error;
use crate::recorder::{LONGEST, Times};

const DIGITS: u8 = 3;
/// Bytes of the headers, compressed and plain, and where its payload's length and digits stand in the plain one.
const COMPRESSED: usize = 8;
const PLAIN: usize = 40;
const LENGTH: usize = 4;
/// What the compressed header begins with: the format, its version, and counts of any width.
const COOKIE: u32 = 0x1c84_9314;
/// Bytes that one unpacks to, at most: every bucket with a count of nine bytes.
const MOST: usize = 1 << 20;
const BUCKETS: usize = 1 << 16;

/// A bucket that holds something, in the lower bits, with its count: half as much to walk as two numbers. No histogram
/// has more buckets, and who counts a thousand million a second reaches the most after three days.
#[derive(Clone, Copy)]
pub(super) struct Filled(u64);

const BUCKET_BITS: u32 = BUCKETS.trailing_zeros();

impl Filled {
    fn new(bucket: u64, count: u64) -> Option<Self> {
        (bucket < BUCKETS as u64 && count >> (64 - BUCKET_BITS) == 0)
            .then_some(Self(count << BUCKET_BITS | bucket))
    }

    #[expect(clippy::cast_possible_truncation, reason = "that is what masks it")]
    fn bucket(self) -> usize {
        self.0 as usize & (BUCKETS - 1)
    }

    fn count(self) -> u64 {
        self.0 >> BUCKET_BITS
    }
}

/// Unpacks histograms.
pub(super) struct Decoder {
    inflater: Decompress,
    packed: Vec<u8>,
    plain: Vec<u8>,
    /// As an empty one is written.
    empty: String,
}

impl Decoder {
    pub(super) fn new() -> Self {
        Self {
            inflater: Decompress::new(true),
            packed: Vec::new(),
            plain: vec![0; MOST],
            empty: STANDARD.encode(Times::new().encoded()),
        }
    }

    /// Appends what a histogram in base64 holds, buckets ascending; an empty text is an empty one.
    pub(super) fn decode(&mut self, text: &str, to: &mut Vec<Filled>) -> Result<(), Error> {
        if text.is_empty() || text == self.empty {
            return Ok(());
        }
        let damaged = |what: &str| Error::Setting(format!("a histogram is damaged: {what}"));
        self.packed.clear();
        STANDARD.decode_vec(text, &mut self.packed).map_err(|error| damaged(&error.to_string()))?;
        let packed = self.packed.get(COMPRESSED..).ok_or_else(|| damaged("its header is cut off"))?;
        self.inflater.reset(true);
        let status = self.inflater.decompress(packed, &mut self.plain, FlushDecompress::Finish);
        if !matches!(status, Ok(Status::StreamEnd)) {
            return Err(damaged("it cannot be unpacked"));
        }
        let length = usize::try_from(self.inflater.total_out()).unwrap_or(0);
        let plain = self.plain.get(..length).filter(|plain| plain.len() >= PLAIN);
        let plain = plain.ok_or_else(|| damaged("its header is cut off"))?;
        let number = |at: usize| u32::from_be_bytes([plain[at], plain[at + 1], plain[at + 2], plain[at + 3]]);
        if number(12) != u32::from(DIGITS) || number(16) != 0 || number(20) != 1 {
            return Err(damaged("it has other digits or bounds than weigh's"));
        }
        let payload = PLAIN.checked_add(usize::try_from(number(LENGTH)).unwrap_or(usize::MAX));
        let payload =
            payload.and_then(|end| plain.get(PLAIN..end)).ok_or_else(|| damaged("it is cut off"))?;
        counts(payload, to).ok_or_else(|| damaged("a count that cannot be"))
    }
}

/// Numbers of seven bits a byte, the lowest first, and of nine bytes at most; an odd one is negative, and so many empty
/// buckets.
fn counts(payload: &[u8], to: &mut Vec<Filled>) -> Option<()> {
    let (mut bucket, mut at) = (0_u64, 0);
    while at < payload.len() {
        let (mut whole, mut shift) = (0_u64, 0);
        loop {
            let byte = *payload.get(at)?;
            at += 1;
            if shift == 56 {
                whole |= u64::from(byte) << shift;
                break;
            }
            whole |= u64::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
            shift += 7;
        }
        if whole & 1 == 1 {
            bucket = bucket.checked_add((whole >> 1) + 1)?;
        } else {
            if whole > 0 {
                to.push(Filled::new(bucket, whole >> 1)?);
            }
            bucket += 1;
        }
    }
    Some(())
}

/// Writes a number as [`counts`] reads it.
fn put_number(to: &mut Vec<u8>, mut whole: u64) {
    for _ in 0..8 {
        if whole < 128 {
            to.push(whole.to_le_bytes()[0]);
            return;
        }
        to.push(whole.to_le_bytes()[0] | 128);
        whole >>= 7;
    }
    to.push(whole.to_le_bytes()[0]);
}

/// Sums of counts by bucket.
pub(super) struct Sums {
    counts: Vec<u64>,
    /// Of which buckets there is a count: a bit each. To walk them takes less than to sort numbers.
    touched: Vec<u64>,
    /// Buckets of a histogram of these bounds.
    buckets: u32,
    /// Of each that is packed, with the length of what follows at [`LENGTH`].
    header: [u8; PLAIN],
    /// Used again and again: to make one costs more than to use it.
    deflater: Compress,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl Sums {
    pub(super) fn new() -> Self {
        let whole = Histogram::<u64>::new_with_bounds(1, LONGEST, DIGITS).expect("constant bounds");
        let mut empty = Vec::new();
        // A vector takes everything.
        let _ = V2Serializer::new().serialize(&whole, &mut empty);
        let mut header = [0; PLAIN];
        header.copy_from_slice(&empty[..PLAIN]);
        Self {
            counts: vec![0; BUCKETS],
            touched: vec![0; BUCKETS / 64],
            buckets: u32::try_from(whole.distinct_values()).expect("constant bounds"),
            header,
            // A tenth more of a thousandth of what the generators wrote, in half the time.
            deflater: Compress::new(Compression::fast(), true),
            plain: Vec::new(),
            packed: vec![0; 2 * MOST],
        }
    }

    pub(super) fn add(&mut self, histogram: &[Filled]) -> Result<(), Error> {
        for one in histogram {
            let bucket = one.bucket();
            let sum = &mut self.counts[bucket];
            *sum = sum
                .checked_add(one.count())
                .ok_or_else(|| Error::Setting("more values than can be".into()))?;
            self.touched[bucket / 64] |= 1 << (bucket % 64);
        }
        Ok(())
    }

    /// The sum in base64; what is added next begins anew.
    pub(super) fn take(&mut self) -> String {
        self.plain.clear();
        self.plain.extend(self.header);
        let mut next = 0;
        for (base, word) in (0..).step_by(64).zip(&mut self.touched) {
            let mut left = std::mem::take(word);
            while left != 0 {
                let bucket = base + left.trailing_zeros();
                left &= left - 1;
                let count = std::mem::take(&mut self.counts[bucket as usize]);
                // What no histogram of these bounds can hold was in none of the summed ones.
                if bucket >= self.buckets {
                    continue;
                }
                match u64::from(bucket - next) {
                    0 => {}
                    // A single empty bucket is a count, of nothing.
                    1 => self.plain.push(0),
                    empty => put_number(&mut self.plain, (empty << 1) - 1),
                }
                put_number(&mut self.plain, count << 1);
                next = bucket + 1;
            }
        }
        if next == 0 {
            self.plain.push(0);
        }
        let length = u32::try_from(self.plain.len() - PLAIN).unwrap_or(0);
        self.plain[LENGTH..LENGTH + 4].copy_from_slice(&length.to_be_bytes());
        self.deflater.reset();
        // The room for what is packed is twice that of the longest.
        let _ = self.deflater.compress(&self.plain, &mut self.packed[COMPRESSED..], FlushCompress::Finish);
        let length = usize::try_from(self.deflater.total_out()).unwrap_or(0);
        let (cookie, rest) = self.packed.split_at_mut(4);
        cookie.copy_from_slice(&COOKIE.to_be_bytes());
        rest[..4].copy_from_slice(&u32::try_from(length).unwrap_or(0).to_be_bytes());
        STANDARD.encode(&self.packed[..COMPRESSED + length])
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::Deserializer;

    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> String {
        let mut times = Times::new();
        values.into_iter().for_each(|value| times.record(value));
        STANDARD.encode(times.encoded())
    }

    /// As the crate reads it.
    fn read(text: &str) -> Histogram<u64> {
        let bytes = STANDARD.decode(text).unwrap();
        Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap()
    }

    #[test]
    fn the_sum_of_parts_is_the_histogram_of_all() {
        let mut random = crate::random::Random::new(1);
        // From a nanosecond to an hour.
        let values: Vec<u64> = (0..5_000).map(|_| LONGEST >> random.below(42)).collect();
        let (mut decoder, mut sums) = (Decoder::new(), Sums::new());
        for _ in 0..2 {
            for part in 0..7 {
                let text = of(values.iter().copied().skip(part).step_by(7));
                let mut filled = Vec::new();
                decoder.decode(&text, &mut filled).unwrap();
                sums.add(&filled).unwrap();
            }
            assert_eq!(read(&sums.take()), read(&of(values.iter().copied())));
        }
        assert_eq!(read(&sums.take()), read(&of([])));
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let mut decoder = Decoder::new();
        for text in ["x", "aGVsbG8=", "HISTFAAAAAA="] {
            assert!(decoder.decode(text, &mut Vec::new()).is_err(), "{text}");
        }
        let whole = STANDARD.decode(of([77, 1_000_000])).unwrap();
        for length in 0..whole.len() {
            let cut = STANDARD.encode(&whole[..length]);
            assert!(decoder.decode(&cut, &mut Vec::new()).is_err() || length == 0, "{length}");
        }
    }
}
