// SPDX-License-Identifier: Apache-2.0
//! What becomes a link in a line, as `oslogserve/lines/links.py` defines it.

use std::ops::Range;

use memchr::memmem::Finder;

const REQUEST: &[u8] = b"req-";
/// Of a UUID: digits, and the dashes behind all but the last.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
/// Shorter text holds no link.
const SHORTEST: usize = b"http://a".len();
const SHORTEST_REQUEST: usize = 40;

const HTTP: &[u8] = b"http";
const SCHEMES: [&[u8]; 2] = [b"http://", b"https://"];
const LONGEST_URL: usize = 2048;
/// More of a line's addresses, as in a service catalogue, are text.
const MOST_URLS: usize = 16;
const TRAILING: &[u8] = b".,;:!?)]";
const IN_URL: [bool; 256] = in_url();

/// Where it leads to.
#[derive(Clone, Copy, PartialEq)]
pub enum To {
    /// The lines of a request.
    Request,
    /// An address.
    Url,
}

/// Finds the links of any text.
pub struct Finders {
    request: Finder<'static>,
    http: Finder<'static>,
}

/// The links of one text. A search that found nothing stands at the text's end.
pub struct Links<'t> {
    text: &'t [u8],
    request: Range<usize>,
    url: Range<usize>,
    urls_left: usize,
}

impl Finders {
    /// Made once.
    pub fn new() -> Self {
        Self { request: Finder::new(REQUEST), http: Finder::new(HTTP) }
    }

    /// From its beginning. requests: whether ids are looked for.
    pub fn links_in<'t>(&self, text: &'t [u8], requests: bool) -> Links<'t> {
        let none = text.len()..text.len();
        let mut links = Links { text, request: none.clone(), url: none, urls_left: MOST_URLS };
        if text.len() >= SHORTEST {
            links.url = self.url_in(text, 0);
        }
        if requests && text.len() >= SHORTEST_REQUEST {
            links.request = self.request_in(text, 0);
        }
        links
    }

    /// The first one from `at` on.
    pub fn next(&self, links: &mut Links<'_>, mut at: usize) -> Option<(Range<usize>, To)> {
        let text = links.text;
        loop {
            if links.request.start < at {
                links.request = self.request_in(text, at);
            }
            if links.url.start < at {
                links.url = self.url_in(text, at);
            }
            if links.request.start <= links.url.start {
                let found = links.request.clone();
                return (!found.is_empty()).then_some((found, To::Request));
            }
            let run = links.url.clone();
            links.urls_left -= 1;
            if links.urls_left == 0 {
                links.url = text.len()..text.len();
            }
            if let Some(url) = url_of(text, run.clone()) {
                return Some((url, To::Url));
            }
            at = run.end;
        }
    }

    fn request_in(&self, text: &[u8], from: usize) -> Range<usize> {
        let mut at = from;
        while let Some(found) = self.request.find(&text[at..]) {
            let start = at + found;
            if let Some(end) = uuid_end(text, start + REQUEST.len()) {
                return start..end;
            }
            at = start + 1;
        }
        text.len()..text.len()
    }

    /// The run of bytes that stand in addresses, cut where it is longer than one may be.
    fn url_in(&self, text: &[u8], from: usize) -> Range<usize> {
        let mut at = from;
        while let Some(found) = self.http.find(&text[at..]) {
            let start = at + found;
            let scheme = SCHEMES.iter().find(|&&scheme| text[start..].starts_with(scheme));
            let host = start + scheme.map_or(0, |scheme| scheme.len());
            if host > start && text.get(host).is_some_and(|&byte| begins_host(byte)) {
                let run = &text[host..text.len().min(host + LONGEST_URL)];
                let size = run.iter().position(|&byte| !IN_URL[byte as usize]);
                return start..host + size.unwrap_or(run.len());
            }
            at = start + HTTP.len();
        }
        text.len()..text.len()
    }
}

/// None: it is too long.
fn url_of(text: &[u8], run: Range<usize>) -> Option<Range<usize>> {
    if text.get(run.end).is_some_and(|&byte| IN_URL[byte as usize]) {
        return None;
    }
    let last = text[run.clone()].iter().rposition(|byte| !TRAILING.contains(byte))?;
    Some(run.start..run.start + last + 1)
}

fn begins_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'['
}

const fn in_url() -> [bool; 256] {
    let others = b"-._~:/?#[]@!$&()*+,;=%";
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut index = 0;
    while index < others.len() {
        table[others[index] as usize] = true;
        index += 1;
    }
    table
}

fn uuid_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for (index, &digits) in GROUPS.iter().enumerate() {
        if index > 0 {
            if text.get(at) != Some(&b'-') {
                return None;
            }
            at += 1;
        }
        let group = text.get(at..at + digits)?;
        if !group.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        at += digits;
    }
    Some(at)
}
