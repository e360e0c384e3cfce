// SPDX-License-Identifier: Apache-2.0
//! The native twin of `oslogserve/sources/disk/open_beneath.py`, in one call: none of its system calls
//! waits for the interpreter.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::MetadataExt;

use pyo3::IntoPyObject;
use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
use rustix::io::Errno;

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
pub fn open_beneath(
    root: &[u8],
    path: &[u8],
    head_size: usize,
    follows_links: bool,
) -> io::Result<OpenFile> {
    let place = place_beneath(root, path, follows_links)?;
    let found = place.metadata()?;
    if !found.is_file() && !found.is_dir() {
        return Err(Errno::NOENT.into());
    }
    let file = File::open(format!("/proc/self/fd/{}", place.as_raw_fd()))?;
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

/// The place, not opened: nothing happens to a FIFO or a device.
fn place_beneath(root: &[u8], path: &[u8], follows_links: bool) -> io::Result<File> {
    let root = open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let path = if path.is_empty() { b"." } else { path };
    let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    if !follows_links {
        resolve |= ResolveFlags::NO_SYMLINKS;
    }
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    Ok(File::from(openat2(root, path, flags, Mode::empty(), resolve)?))
}

fn read_head(file: &File, size: u64, head_size: usize) -> io::Result<Vec<u8>> {
    // A file that says that it is empty may have something to say all the same.
    let most = if size == 0 { head_size } else { head_size.min(size as usize) };
    let mut head = Vec::with_capacity(head_size.min(size as usize));
    file.take(most as u64).read_to_end(&mut head)?;
    Ok(head)
}
