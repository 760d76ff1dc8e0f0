//! Replies of RESP, read when they are whole.

use std::ops::Range;

use crate::Error;
use crate::protocol::reply_buffer::{ReplyBuffer, ReplyKind};

/// The longest line and the most elements that are accepted, so that nothing is waited for because of garbage.
const LINE: usize = 1 << 16;
const ELEMENTS: i64 = 1 << 24;
const BULK: i64 = 1 << 30;

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

/// Reads one reply into the answer. Lists within lists are laid flat; attributes are left out.
pub(super) fn read(bytes: &[u8], answer: &mut ReplyBuffer, batch: bool) -> Result<Read, Error> {
    // In two passes, the first without effect: a reply that is not whole leaves no trace.
    let (mut at, mut open, mut aside, mut pushed) = (0, 1_usize, 0_usize, false);
    while open + aside > 0 {
        let (head, end) = match head(bytes, at)? {
            Ok(found) => found,
            Err(need) => return Ok(Read::Needs(need)),
        };
        if aside > 0 {
            aside -= 1;
            aside += match head {
                Head::Many(elements) | Head::Aside { elements, .. } => elements,
                _ => 0,
            };
        } else {
            match head {
                Head::Many(elements) => open = open - 1 + elements,
                Head::Aside { elements, pushed: alone } => {
                    aside = elements;
                    if alone {
                        pushed = true;
                        open = 0;
                    }
                }
                _ => open -= 1,
            }
        }
        at = end;
    }
    if !pushed {
        keep(&bytes[..at], answer, batch)?;
    }
    Ok(Read::Whole(Frame { end: at, pushed }))
}

/// Puts a whole reply into the answer.
fn keep(bytes: &[u8], answer: &mut ReplyBuffer, batch: bool) -> Result<(), Error> {
    let mut at = 0;
    let mut first = true;
    let mut aside = 0_usize;
    while at < bytes.len() {
        let Ok((head, end)) = head(bytes, at)? else {
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
fn head(bytes: &[u8], at: usize) -> Result<Result<(Head, usize), usize>, Error> {
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
        b':' => Head::Number(integer(&bytes[line], i64::MAX)?),
        b'#' => Head::Number(i64::from(&bytes[line] == b"t")),
        b'_' => Head::Nil,
        b'$' | b'!' | b'=' => {
            let length = integer(&bytes[line], BULK)?;
            let Ok(length) = usize::try_from(length) else { return Ok(Ok((Head::Nil, end))) };
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
            let count = integer(&bytes[line], ELEMENTS)?;
            let Ok(count) = usize::try_from(count) else { return Ok(Ok((Head::Nil, end))) };
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

fn integer(digits: &[u8], most: i64) -> Result<i64, Error> {
    std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse::<i64>().ok())
        .filter(|number| *number <= most)
        .ok_or_else(|| Error::Protocol(format!("{:?} is no number", String::from_utf8_lossy(digits))))
}
