//! Replies of RESP, read when they are whole.

use std::ops::Range;

use crate::Error;
use crate::protocol::limits;
use crate::protocol::reply_buffer::{ReplyBuffer, ReplyKind};

/// The longest line that is accepted, so that nothing is waited for because of garbage.
const LINE: usize = 1 << 16;
/// Bytes of the shortest element: a sort and the end of its line.
const SHORTEST: usize = 3;
/// Bytes that are shown of what is no number.
const SHOWN: usize = 40;

/// A reply, or how far it is from being whole.
pub(super) enum Read {
    Whole(Frame),
    /// It cannot be whole before so many bytes have arrived.
    Needs(usize),
}

/// A whole reply.
pub(super) struct Frame {
    /// Where it ends.
    pub(super) end: usize,
    /// Whether it is pushed, and no answer.
    pub(super) pushed: bool,
}

/// What stands at the beginning of an element.
enum Head {
    Text(Range<usize>),
    Error(Range<usize>),
    Number(i64),
    Nil,
    /// Elements follow.
    Many(usize),
    /// Elements follow, about a reply (attributes) or about none (pushed messages).
    Aside {
        elements: usize,
        pushed: bool,
    },
}

/// How far a reply that is not whole has been read: each element is looked at once, however the bytes trickle in.
#[derive(Clone, Copy)]
pub(super) struct Scan {
    at: usize,
    /// Elements that are to come, and those of them that are about the reply or about none.
    open: usize,
    aside: usize,
    pushed: bool,
}

impl Default for Scan {
    fn default() -> Self {
        Self { at: 0, open: 1, aside: 0, pushed: false }
    }
}

/// Reads one reply into the answer, from where `scan` is. Lists within lists are laid flat; attributes are left out.
///
/// A reply that is longer than `longest` bytes, or must become so, is an error.
pub(super) fn read(
    bytes: &[u8],
    scan: &mut Scan,
    answer: &mut ReplyBuffer,
    batch: bool,
    longest: usize,
) -> Result<Read, Error> {
    // In two passes, the first without effect: a reply that is not whole leaves no trace.
    while scan.open + scan.aside > 0 {
        let (head, end) = match head(bytes, scan.at, longest)? {
            Ok(found) => found,
            Err(need) => {
                limits::check("a reply", need, longest)?;
                return Ok(Read::Needs(need));
            }
        };
        if scan.aside > 0 {
            scan.aside -= 1;
            scan.aside += match head {
                Head::Many(elements) | Head::Aside { elements, .. } => elements,
                _ => 0,
            };
        } else {
            match head {
                Head::Many(elements) => scan.open = scan.open - 1 + elements,
                Head::Aside { elements, pushed: alone } => {
                    scan.aside = elements;
                    if alone {
                        scan.pushed = true;
                        scan.open = 0;
                    }
                }
                _ => scan.open -= 1,
            }
        }
        scan.at = end;
        limits::check("a reply", end + SHORTEST * (scan.open + scan.aside), longest)?;
    }
    let Scan { at, pushed, .. } = std::mem::take(scan);
    if !pushed {
        keep(&bytes[..at], answer, batch, longest)?;
    }
    Ok(Read::Whole(Frame { end: at, pushed }))
}

/// Puts a whole reply into the answer.
fn keep(bytes: &[u8], answer: &mut ReplyBuffer, batch: bool, longest: usize) -> Result<(), Error> {
    let mut at = 0;
    let mut first = true;
    let mut aside = 0_usize;
    while at < bytes.len() {
        let Ok((head, end)) = head(bytes, at, longest)? else {
            return Err(Error::protocol("a reply that ends too early"));
        };
        at = end;
        if aside > 0 {
            aside -= 1;
            aside += match head {
                Head::Many(elements) | Head::Aside { elements, .. } => elements,
                _ => 0,
            };
            continue;
        }
        if let Head::Aside { elements, .. } = head {
            aside = elements;
            continue;
        }
        let alone = first && !batch;
        first = false;
        match head {
            Head::Error(range) => {
                let text = String::from_utf8_lossy(&bytes[range]);
                let (code, rest) = text.split_once(' ').unwrap_or((&text, ""));
                answer.fail(code, rest);
            }
            Head::Text(range) if alone => answer.string(&bytes[range]),
            Head::Text(range) => answer.value(Some(&bytes[range])),
            Head::Number(number) => match u64::try_from(number) {
                Ok(count) if alone => answer.kind = ReplyKind::Count(count),
                _ if alone => answer.string(number.to_string().as_bytes()),
                _ => answer.value(Some(number.to_string().as_bytes())),
            },
            Head::Nil if alone => answer.kind = ReplyKind::Nil,
            Head::Nil => answer.value(None),
            Head::Many(_) if alone => answer.kind = ReplyKind::Rows,
            Head::Many(_) | Head::Aside { .. } => {}
        }
    }
    if batch || answer.kind == ReplyKind::Rows {
        answer.end_row();
    }
    Ok(())
}

/// Reads the beginning of an element, and where it ends; or how many bytes there must be to do so.
fn head(bytes: &[u8], at: usize, longest: usize) -> Result<Result<(Head, usize), usize>, Error> {
    let Some(sort) = bytes.get(at) else { return Ok(Err(at + 3)) };
    let rest = &bytes[at + 1..];
    let Some(length) = rest.iter().take(LINE).position(|byte| *byte == b'\r') else {
        return if rest.len() >= LINE {
            Err(Error::protocol("a line without end"))
        } else {
            Ok(Err(bytes.len() + 1))
        };
    };
    let line = at + 1..at + 1 + length;
    let end = line.end + 2;
    if end > bytes.len() {
        return Ok(Err(end));
    }
    if bytes[line.end + 1] != b'\n' {
        return Err(Error::protocol("a line that does not end in CR LF"));
    }
    let found = match sort {
        b'+' | b',' | b'(' => Head::Text(line),
        b'-' => Head::Error(line),
        b':' => Head::Number(integer(&bytes[line])?),
        b'#' => Head::Number(i64::from(&bytes[line] == b"t")),
        b'_' => Head::Nil,
        b'$' | b'!' | b'=' => {
            let length = integer(&bytes[line])?;
            let Ok(length) = usize::try_from(length) else { return Ok(Ok((Head::Nil, end))) };
            limits::check("a string", length, longest)?;
            let close = end + length;
            if bytes.len() < close + 2 {
                return Ok(Err(close + 2));
            }
            if &bytes[close..close + 2] != b"\r\n" {
                return Err(Error::protocol("a string that is longer than it says"));
            }
            let found = match sort {
                b'!' => Head::Error(end..close),
                // "txt:" comes before a verbatim string.
                b'=' => Head::Text((end + 4).min(close)..close),
                _ => Head::Text(end..close),
            };
            return Ok(Ok((found, close + 2)));
        }
        b'*' | b'~' | b'%' | b'>' | b'|' => {
            let count = integer(&bytes[line])?;
            let Ok(count) = usize::try_from(count) else { return Ok(Ok((Head::Nil, end))) };
            limits::check("a list", count.saturating_mul(SHORTEST), longest)?;
            match sort {
                b'%' => Head::Many(2 * count),
                b'>' => Head::Aside { elements: count, pushed: true },
                b'|' => Head::Aside { elements: 2 * count, pushed: false },
                _ => Head::Many(count),
            }
        }
        other => return Err(Error::Protocol(format!("a reply that begins with {other:#04x}"))),
    };
    Ok(Ok((found, end)))
}

fn integer(digits: &[u8]) -> Result<i64, Error> {
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<i64>().ok()).ok_or_else(|| {
        let text = String::from_utf8_lossy(digits);
        Error::Protocol(format!("{:?} is no number", limits::beginning(&text, SHOWN)))
    })
}
