// SPDX-License-Identifier: Apache-2.0
//! Links in a line: request ids and URLs.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

const REQUEST: &[u8] = b"req-";
const UUID: usize = 36;
const HTTP: &[u8] = b"http";
const SCHEMES: [&[u8]; 2] = [b"http://", b"https://"];
const LONGEST_URL: usize = 2048;
pub const MOST_URLS: usize = 16;
const TRAILING: &[u8] = b".,;:!?";
/// Quotes and tags that are escaped end a URL.
const ESCAPED: [&[u8]; 6] = [b"&quot;", b"&apos;", b"&lt;", b"&gt;", b"&#34;", b"&#39;"];

/// Finders of places where a request id, or a URL, may begin.
pub static REQUESTS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(REQUEST));
pub static URLS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(HTTP));

/// The place of a link's text. is_url: false for a request id.
pub struct Link {
    pub place: Range<usize>,
    pub is_url: bool,
}

/// The links of a text, from left to right, none within another. The next request id and URL are
/// known; where there is none, it is empty at the text's end.
pub struct Links<'t> {
    text: &'t [u8],
    at: usize,
    request: Range<usize>,
    url: Range<usize>,
    urls_left: usize,
}

impl<'t> Links<'t> {
    /// url, request: no link of the kind begins before; None if there is none.
    pub fn new(text: &'t [u8], url: Option<usize>, request: Option<usize>) -> Self {
        let none = text.len()..text.len();
        let mut links =
            Self { text, at: 0, request: none.clone(), url: none, urls_left: MOST_URLS };
        if let Some(at) = url.filter(|&at| at < text.len()) {
            links.url = links.next_url(at);
        }
        if let Some(at) = request.filter(|&at| at < text.len()) {
            links.request = links.next_request(at);
        }
        links
    }

    fn next_request(&self, mut at: usize) -> Range<usize> {
        while let Some(found) = REQUESTS.find(&self.text[at..]) {
            let start = at + found;
            let uuid = start + REQUEST.len();
            if self.text.get(uuid..uuid + UUID).is_some_and(is_uuid) {
                return start..uuid + UUID;
            }
            at = start + 1;
        }
        self.text.len()..self.text.len()
    }

    /// The next run of bytes that may be a URL, cut where it is longer than one.
    fn next_url(&self, mut at: usize) -> Range<usize> {
        while let Some(found) = URLS.find(&self.text[at..]) {
            let start = at + found;
            if let Some(host) = host_at(self.text, start) {
                let run = &self.text[host..self.text.len().min(host + LONGEST_URL)];
                let size = run.iter().position(|&byte| !is_in_url(byte));
                return start..host + size.unwrap_or(run.len());
            }
            at = start + HTTP.len();
        }
        self.text.len()..self.text.len()
    }

    /// Where the URL of a run ends; None if it is longer than one may be.
    fn end_of_url(&self, run: &Range<usize>) -> Option<usize> {
        let goes_on = || self.text.get(run.end).is_some_and(|&byte| is_in_url(byte));
        match size_of_url(&self.text[run.clone()]) {
            Some(size) => Some(run.start + size),
            None if goes_on() => None,
            None => Some(run.end),
        }
    }
}

impl Iterator for Links<'_> {
    type Item = Link;

    fn next(&mut self) -> Option<Link> {
        loop {
            if self.request.start < self.at {
                self.request = self.next_request(self.at);
            }
            if self.url.start < self.at {
                self.url = self.next_url(self.at);
            }
            if self.request.start <= self.url.start {
                let place = self.request.clone();
                self.at = place.end;
                return (!place.is_empty()).then_some(Link { place, is_url: false });
            }
            let run = self.url.clone();
            let end = self.end_of_url(&run);
            self.at = end.unwrap_or(run.end);
            self.urls_left -= 1;
            if self.urls_left == 0 {
                self.url = self.text.len()..self.text.len();
            }
            if let Some(end) = end {
                let shown = &self.text[run.start..end];
                let last = shown.iter().rposition(|byte| !TRAILING.contains(byte));
                let place = run.start..run.start + last.map_or(0, |last| last + 1);
                return Some(Link { place, is_url: true });
            }
        }
    }
}

/// True if all of a text is a URL.
pub fn is_url(text: &[u8]) -> bool {
    host_at(text, 0).is_some_and(|host| {
        text.len() <= host + LONGEST_URL && text[host..].iter().all(|&byte| is_in_url(byte))
    })
}

/// The place of the host of a URL that begins at a place.
fn host_at(text: &[u8], start: usize) -> Option<usize> {
    let scheme = SCHEMES.iter().find(|&&scheme| text[start..].starts_with(scheme))?;
    let host = start + scheme.len();
    let begins_host = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'[';
    text.get(host).filter(begins_host).map(|_| host)
}

/// The bytes of a URL that ends within a run: before another one of a list, an escaped quote, or a
/// bracket that it did not open. None if it takes the whole run.
fn size_of_url(run: &[u8]) -> Option<usize> {
    let (mut round, mut square) = (0, 0);
    run.iter().enumerate().position(|(at, &byte)| {
        if !MAY_END_URL[usize::from(byte)] {
            return false;
        }
        let bracket = match byte {
            b'(' | b')' => &mut round,
            b'[' | b']' => &mut square,
            b',' | b';' => {
                return SCHEMES.iter().any(|scheme| run[at + 1..].starts_with(scheme));
            }
            b'&' => return ESCAPED.iter().any(|mark| run[at..].starts_with(mark)),
            _ => return false,
        };
        let closes = matches!(byte, b')' | b']');
        if closes && *bracket == 0 {
            return true;
        }
        *bracket = if closes { *bracket - 1 } else { *bracket + 1 };
        false
    })
}

/// The bytes that a URL may hold.
static IN_URL: [bool; 256] = {
    let mut bytes = set_of(b"-._~:/?#[]@!$&()*+,;=%");
    let mut byte = 0;
    while byte < 128 {
        bytes[byte] |= (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    bytes
};
/// Those of them at which one may end.
static MAY_END_URL: [bool; 256] = set_of(b"()[],;&");

const fn set_of(all: &[u8]) -> [bool; 256] {
    let mut bytes = [false; 256];
    let mut place = 0;
    while place < all.len() {
        bytes[all[place] as usize] = true;
        place += 1;
    }
    bytes
}

fn is_in_url(byte: u8) -> bool {
    IN_URL[usize::from(byte)]
}

fn is_uuid(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    })
}
