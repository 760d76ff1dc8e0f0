//! Signatures of version 4: "Authenticating Requests (AWS Signature Version 4)", Amazon S3 API Reference.

use ring::{digest, hmac};
use time::OffsetDateTime;

/// Hash of a request without a body.
pub(crate) const NO_BODY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Who signs.
pub(crate) struct Keys<'a> {
    pub(crate) access: &'a str,
    pub(crate) secret: &'a str,
    pub(crate) token: &'a str,
    pub(crate) region: &'a str,
}

/// What is signed. Path and query are encoded, the query sorted; the names of headers are small letters.
pub(crate) struct Signed<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: &'a str,
}

impl Keys<'_> {
    /// The headers of a request with those that authenticate it. `headers` hold the host; all of them are signed.
    pub(crate) fn sign(&self, request: Signed<'_>, now: OffsetDateTime) -> Vec<(String, String)> {
        let day = format!("{:04}{:02}{:02}", now.year(), u8::from(now.month()), now.day());
        let stamp = format!("{day}T{:02}{:02}{:02}Z", now.hour(), now.minute(), now.second());
        let mut headers = request.headers;
        headers.push(("x-amz-content-sha256".to_owned(), request.body.to_owned()));
        headers.push(("x-amz-date".to_owned(), stamp.clone()));
        if !self.token.is_empty() {
            headers.push(("x-amz-security-token".to_owned(), self.token.to_owned()));
        }
        headers.sort_unstable();
        let lines: String =
            headers.iter().flat_map(|(name, value)| [name, ":", value.trim(), "\n"]).collect();
        let names = headers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(";");
        let canonical = format!(
            "{}\n{}\n{}\n{lines}\n{names}\n{}",
            request.method, request.path, request.query, request.body
        );
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let text = format!("AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{}", hash(canonical.as_bytes()));
        let mut key = keyed(format!("AWS4{}", self.secret).as_bytes(), day.as_bytes());
        for part in [self.region, "s3", "aws4_request", &text] {
            key = keyed(key.as_ref(), part.as_bytes());
        }
        headers.push((
            "authorization".to_owned(),
            format!(
                "AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={}",
                self.access,
                hex(key.as_ref())
            ),
        ));
        headers
    }
}

fn keyed(key: &[u8], data: &[u8]) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), data)
}

fn hash(data: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, data).as_ref())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: Keys<'static> = Keys {
        access: "AKIAIOSFODNN7EXAMPLE",
        secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        token: "",
        region: "us-east-1",
    };

    fn signature(path: &str, query: &str, headers: &[(&str, &str)]) -> String {
        let mut all = vec![("host".to_owned(), "examplebucket.s3.amazonaws.com".to_owned())];
        all.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let signed = Signed { method: "GET", path, query, headers: all, body: NO_BODY };
        // 2013-05-24T00:00:00Z, the moment of all examples.
        let then = OffsetDateTime::from_unix_timestamp(1_369_353_600).unwrap();
        let headers = KEYS.sign(signed, then);
        let (_, text) = headers.iter().find(|(name, _)| name == "authorization").unwrap();
        text.rsplit_once("Signature=").unwrap().1.to_owned()
    }

    /// The examples of the reference.
    #[test]
    fn signatures_are_those_of_amazons_examples() {
        let range = signature("/test.txt", "", &[("range", "bytes=0-9")]);
        assert_eq!(range, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
        let lifecycle = signature("/", "lifecycle=", &[]);
        assert_eq!(lifecycle, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
        let list = signature("/", "max-keys=2&prefix=J", &[]);
        assert_eq!(list, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }
}
