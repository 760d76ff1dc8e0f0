//! Panics of the decoder, made into errors.
//!
//! Corrupt input is the daily bread of this crate, and decoders do panic on it: an index out of bounds, an overflow.
//! No state survives such a panic, because every reader is made inside the call.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `work`; an error or a panic in it becomes text, and nothing is written to standard error.
pub(crate) fn catch_panic<T, E: Display>(work: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                previous(panic);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    match result {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(format!("the decoder panicked: {message}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_errors_and_panics() {
        assert_eq!(catch_panic(|| Ok::<_, String>(1)), Ok(1));
        assert_eq!(catch_panic(|| Err::<(), _>("bad page")), Err("bad page".to_owned()));
        let panicked = catch_panic(|| -> Result<(), String> { panic!("index {} of 3", 7) });
        assert_eq!(panicked, Err("the decoder panicked: index 7 of 3".to_owned()));
    }
}
