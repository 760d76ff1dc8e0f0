//! Passwords in what servers say: a careless one, or a proxy before it, repeats what it was given.

use crate::workload::message::Reply;

/// What a piece of a password begins with where a text was cut within it: as many characters are in any text by chance.
const BY_CHANCE: usize = 3;
/// What stands in its place.
const MASK: &str = "***";

/// The forms in which texts may hold a password, the longest first; none where there is no password.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    pub(crate) fn new(forms: &[String]) -> Self {
        let mut forms: Vec<String> = forms.iter().filter(|one| !one.is_empty()).cloned().collect();
        // One of them may be a part of another one.
        forms.sort_by_key(|one| std::cmp::Reverse(one.len()));
        Self(forms)
    }

    /// A text without them.
    pub(crate) fn masked(&self, text: &str) -> String {
        let mut found = text.to_owned();
        for form in &self.0 {
            if found.contains(form) {
                found = found.replace(form, MASK);
            }
        }
        // A long text was cut, perhaps within one of them.
        let cut = |form: &String| {
            let ends = form.char_indices().map(|(at, _)| at).rev().take_while(|at| *at > BY_CHANCE);
            ends.filter(|at| found.ends_with(&form[..*at])).max()
        };
        if let Some(length) = self.0.iter().filter_map(cut).max() {
            found.truncate(found.len() - length);
            found.push_str(MASK);
        }
        found
    }

    /// An answer without them, where it is an error: what it says then stands in `to`. Values of rows are data.
    #[inline]
    pub(crate) fn mask<'a>(&self, reply: Reply<'a>, to: &'a mut (String, String)) -> Reply<'a> {
        match reply {
            Reply::Error { code, text } if !self.0.is_empty() => {
                // By an SQLSTATE or a number it is decided what is tried again, and none is a secret.
                let standard = code.len() <= 5
                    && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
                *to = (if standard { code.to_owned() } else { self.masked(code) }, self.masked(text));
                Reply::Error { code: &to.0, text: &to.1 }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_masked_wherever_it_stands_and_where_it_is_cut() {
        let secrets = Secrets::new(&["sesame".to_owned(), "open sesame".to_owned()]);
        for (text, masked) in [
            ("no open sesame here, sesame", "no *** here, ***"),
            ("it said open sesa", "it said ***"),
            ("it said ope", "it said ope"),
            ("", ""),
        ] {
            assert_eq!(secrets.masked(text), masked);
        }
        assert_eq!(Secrets::default().masked("open sesame"), "open sesame");
    }

    #[test]
    fn a_standard_code_stays_what_is_tried_again_depends_on_it() {
        let secrets = Secrets::new(&["40001".to_owned(), "hunter2".to_owned()]);
        let mut to = Default::default();
        let reply = |code, text| Reply::Error { code, text };
        for (given, wanted) in
            [(("40001", "hunter2"), ("40001", "***")), (("hunter2", "40001"), ("***", "***"))]
        {
            match secrets.mask(reply(given.0, given.1), &mut to) {
                Reply::Error { code, text } => assert_eq!((code, text), wanted),
                other => panic!("{other:?}"),
            }
        }
    }
}
