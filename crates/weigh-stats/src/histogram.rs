//! Histograms of the HdrHistogram format, of which what holds something is taken.

use std::io::Read;

use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;

/// Bytes that a histogram may unpack to.
const MOST: u64 = 64 << 20;
/// Cookies of version 2, compressed and plain, whose low bits besides say how wide a word is.
const COMPRESSED: u32 = 0x1c84_9304;
const PLAIN: u32 = 0x1c84_9303;
const WIDTH: u32 = 0xf0;
/// Bytes of the header of a plain one, and where its payload's length, digits and conversion ratio stand in it.
const HEADER: usize = 40;
/// Bytes of a count: one of eight would be above 2^48.
const LONGEST: usize = 7;
/// Values of a histogram: as many as a double counts exactly.
const VALUES: u64 = 1 << 53;

/// The buckets of a histogram that hold something, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buckets {
    /// The largest value of each.
    pub tops: Vec<u64>,
    /// The middle of each.
    pub middles: Vec<u64>,
    /// Values in each.
    pub counts: Vec<u64>,
}

/// Decodes the compressed wire format, version 2.
///
/// # Errors
///
/// What is wrong with it: it is no histogram, is cut off, or counts more than can be.
pub fn decode_histogram(packed: &[u8]) -> Result<Buckets, String> {
    let (cookie, packed) = packed.split_at_checked(8).ok_or("its header is cut off")?;
    let mut plain = Vec::new();
    ZlibDecoder::new(packed).take(MOST + 1).read_to_end(&mut plain).map_err(|error| error.to_string())?;
    if plain.len() as u64 > MOST {
        return Err(format!("it unpacks to more than {MOST} bytes"));
    }
    let (header, payload) = plain.split_at_mut_checked(HEADER).ok_or("its header is cut off")?;
    let number = |bytes: &[u8], at: usize| {
        u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    let digits = number(header, 12);
    if number(cookie, 0) & !WIDTH != COMPRESSED
        || number(header, 0) & !WIDTH != PLAIN
        || !(1..=5).contains(&digits)
    {
        return Err("its header".to_owned());
    }
    // The decoder takes as much memory as the header says before it reads.
    let payload = usize::try_from(number(header, 4)).ok().and_then(|length| payload.get(..length));
    let payload = payload.ok_or("it is cut off")?;
    if payload.last().is_some_and(|byte| byte & 0x80 != 0) {
        return Err("it ends inside a number".to_owned());
    }
    if payload.split_inclusive(|byte| byte & 0x80 == 0).any(|count| count.len() > LONGEST) {
        return Err("a count that cannot be".to_owned());
    }
    // Of whole numbers a ratio means nothing, and the decoder takes 1 alone; so it does with the width of a word.
    header[..4].copy_from_slice(&(PLAIN | 0x10).to_be_bytes());
    header[32..].copy_from_slice(&1.0_f64.to_be_bytes());
    let histogram: Histogram<u64> =
        Deserializer::new().deserialize(&mut plain.as_slice()).map_err(|error| error.to_string())?;
    if histogram.len() > VALUES {
        return Err("more values than can be".to_owned());
    }
    let mut held = Buckets::default();
    for bucket in histogram.iter_recorded() {
        let value = bucket.value_iterated_to();
        held.tops.push(histogram.highest_equivalent(value));
        held.middles.push(histogram.median_equivalent(value));
        held.counts.push(bucket.count_at_value());
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

    fn packed(values: &[u64]) -> Vec<u8> {
        let mut histogram = Histogram::<u64>::new_with_bounds(1, 3_600_000_000_000, 3).unwrap();
        for value in values {
            histogram.record(*value).unwrap();
        }
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_holds_something_is_decoded() {
        let held = decode_histogram(&packed(&[0, 7, 7, 5_000])).unwrap();
        assert_eq!(held.counts, [1, 2, 1]);
        assert_eq!((held.tops, held.middles), (vec![0, 7, 5_003], vec![0, 7, 5_002]));
        assert_eq!(decode_histogram(&packed(&[])).unwrap(), Buckets::default());
    }

    #[test]
    fn what_is_cut_off_or_changed_is_refused() {
        let whole = packed(&[1_000_000, 77]);
        for length in 0..whole.len() {
            assert!(decode_histogram(&whole[..length]).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x41;
            // Whatever comes of it, it comes back.
            let _ = decode_histogram(&changed);
        }
    }

    #[test]
    fn what_lies_about_its_size_takes_no_memory() {
        let plain = |length: u32, digits: u32, high: u64, payload: &[u8]| {
            let mut plain = Vec::new();
            for number in [PLAIN | 0x10, length, 0, digits] {
                plain.extend(number.to_be_bytes());
            }
            plain.extend(1_u64.to_be_bytes());
            plain.extend(high.to_be_bytes());
            plain.extend(1.0_f64.to_be_bytes());
            plain.extend(payload);
            let mut packed = Vec::from((COMPRESSED | 0x10).to_be_bytes());
            packed.extend([0; 4]);
            let mut encoder = flate2::write::ZlibEncoder::new(packed, flate2::Compression::fast());
            std::io::Write::write_all(&mut encoder, &plain).unwrap();
            encoder.finish().unwrap()
        };
        assert_eq!(decode_histogram(&plain(2, 3, 1 << 40, &[2, 4])).unwrap().counts, [1, 2]);
        let refused = |packed: &[u8]| decode_histogram(packed).unwrap_err();
        assert_eq!(refused(&plain(u32::MAX, 3, 1 << 40, &[2])), "it is cut off");
        assert_eq!(refused(&plain(2, 3, 1 << 40, &[2, 0x82])), "it ends inside a number");
        assert_eq!(refused(&plain(9, 3, 1 << 40, &[0xff; 9])), "it ends inside a number");
        assert_eq!(
            refused(&plain(9, 3, 1 << 40, &[255, 255, 255, 255, 255, 255, 255, 255, 1])),
            "a count that cannot be"
        );
        assert!(decode_histogram(&plain(1, 9, 1 << 40, &[2])).is_err());
        assert!(decode_histogram(&plain(1, 3, 0, &[2])).is_err());
        // A run of empty buckets that leads behind the last one.
        assert!(decode_histogram(&plain(4, 3, 4_096, &[0xff, 0xff, 0x7f, 2])).is_err());
        assert!(decode_histogram(&plain(0, 5, u64::MAX, &[])).unwrap().counts.is_empty());
        assert!(refused(&plain(0, 3, 1 << 40, &vec![0; 65 << 20])).contains("more than"));
    }
}
