// SPDX-License-Identifier: Apache-2.0
//! What `oslogserve/sources/open_beneath.py` does, in one call: none of its steps waits for the
//! interpreter.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, open, openat2};
use rustix::io::Errno;

/// Should a FIFO take the place of a file just now, it does not block.
const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// What lies under a path below the root.
pub struct Opened {
    /// None where `first` is all of it, and it was closed.
    pub file: Option<File>,
    /// Of what was opened.
    pub status: Metadata,
    /// Its first bytes.
    pub first: Vec<u8>,
}

/// Opens a file or folder and reads at most `most` bytes of a file.
pub fn opened(root: &[u8], path: &[u8], most: usize) -> io::Result<Opened> {
    let place = [root, b"/", path].concat();
    let place = Path::new(OsStr::from_bytes(&place));
    let before = fs::metadata(place)?;
    if !before.is_file() && !before.is_dir() {
        return Err(Errno::NOENT.into());
    }
    // What leads nowhere else needs no second look at where it led.
    let file = match straight(place) {
        Some(file) => file,
        None => led_within(root, place)?,
    };
    let status = file.metadata()?;
    let mut first = Vec::new();
    if status.is_file() && most > 0 {
        first = beginning(&file, status.len(), most)?;
    }
    let is_whole = !first.is_empty() && first.len() as u64 == status.len();
    Ok(Opened { file: (!is_whole).then_some(file), status, first })
}

/// None where there is a link on the way, or a kernel that cannot tell.
fn straight(place: &Path) -> Option<File> {
    if place.components().any(|segment| segment == Component::ParentDir) {
        return None;
    }
    let file = openat2(CWD, place, FLAGS, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    file.ok().map(File::from)
}

fn led_within(root: &[u8], place: &Path) -> io::Result<File> {
    let file = File::from(open(place, FLAGS, Mode::empty())?);
    // Where the kernel went, not where the path seems to go: nothing can change in between.
    let there = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    if is_within(there.as_os_str().as_bytes(), root) { Ok(file) } else { Err(Errno::XDEV.into()) }
}

fn beginning(mut file: &File, size: u64, most: usize) -> io::Result<Vec<u8>> {
    // A file that says that it is empty may have something to say all the same.
    let asked = if size == 0 { most } else { most.min(usize::try_from(size).unwrap_or(most)) };
    let mut first = vec![0; asked];
    let read = loop {
        match file.read(&mut first) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    first.truncate(read);
    Ok(first)
}

fn is_within(path: &[u8], folder: &[u8]) -> bool {
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

#[cfg(test)]
mod tests {
    use super::is_within;

    #[test]
    fn a_common_prefix_is_not_within() {
        assert!(is_within(b"/srv/logs", b"/srv/logs"));
        assert!(is_within(b"/srv/logs/a", b"/srv/logs"));
        assert!(!is_within(b"/srv/logs-private/a", b"/srv/logs"));
        assert!(!is_within(b"/srv", b"/srv/logs"));
        assert!(is_within(b"/etc", b"/"));
    }
}
