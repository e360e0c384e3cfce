// SPDX-License-Identifier: Apache-2.0
//! The native twin of `oslogserve/sources/open_beneath.py`, in one call: none of its system calls
//! waits for the interpreter.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

use pyo3::IntoPyObject;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, open, openat2};
use rustix::io::Errno;

/// Should a FIFO take the place of a file just now, it does not block.
const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// The fields of the Python OpenFile.
#[derive(IntoPyObject)]
pub struct OpenFile {
    /// None where `head` is all of the file: it was closed already.
    descriptor: Option<RawFd>,
    is_folder: bool,
    size: u64,
    modified_ns: i128,
    inode: u64,
    /// The first bytes of the file.
    head: Vec<u8>,
}

/// Opens a file or folder and reads at most `head_size` bytes of a file.
pub fn open_beneath(root: &[u8], path: &[u8], head_size: usize) -> io::Result<OpenFile> {
    let place = [root, b"/", path].concat();
    let place = Path::new(OsStr::from_bytes(&place));
    let before = fs::metadata(place)?;
    if !before.is_file() && !before.is_dir() {
        return Err(Errno::NOENT.into());
    }
    // A path without links needs no second look at where it led.
    let file = match open_without_links(place) {
        Some(file) => file,
        None => open_within(root, place)?,
    };
    let status = file.metadata()?;
    let mut head = Vec::new();
    if status.is_file() && head_size > 0 {
        head = read_head(&file, status.len(), head_size)?;
    }
    let is_read = !head.is_empty() && head.len() as u64 == status.len();
    Ok(OpenFile {
        descriptor: (!is_read).then(|| file.into_raw_fd()),
        is_folder: status.is_dir(),
        size: status.size(),
        modified_ns: i128::from(status.mtime()) * 1_000_000_000 + i128::from(status.mtime_nsec()),
        inode: status.ino(),
        head,
    })
}

/// None where there is a link on the way, or a kernel that cannot tell.
fn open_without_links(place: &Path) -> Option<File> {
    if place.components().any(|segment| segment == Component::ParentDir) {
        return None;
    }
    let file = openat2(CWD, place, FLAGS, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    file.ok().map(File::from)
}

fn open_within(root: &[u8], place: &Path) -> io::Result<File> {
    let file = File::from(open(place, FLAGS, Mode::empty())?);
    // Where the kernel went, not where the path seems to go: nothing can change in between.
    let there = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    if is_within(there.as_os_str().as_bytes(), root) { Ok(file) } else { Err(Errno::XDEV.into()) }
}

fn read_head(mut file: &File, size: u64, head_size: usize) -> io::Result<Vec<u8>> {
    // A file that says that it is empty may have something to say all the same.
    let size = usize::try_from(size).unwrap_or(head_size);
    let mut head = vec![0; if size == 0 { head_size } else { head_size.min(size) }];
    let read = loop {
        match file.read(&mut head) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    head.truncate(read);
    Ok(head)
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
