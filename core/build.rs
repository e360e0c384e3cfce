// SPDX-License-Identifier: Apache-2.0
//! Gives the core a digest of its sources as the variable OSLOGSERVE_SOURCES.
//!
//! An index of a log depends on the core. It may be used by another machine, whose core is another file
//! if it was built there, but of the same sources.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// What the core is built from: files, and folders of `.rs` and `.toml`. A build without Cargo.lock takes
/// whatever crates the machine has.
const SOURCES: [&str; 4] = ["Cargo.lock", "Cargo.toml", "grammar", "src"];

/// FNV-1a: nobody gains from equal digests, and no crate is needed.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        let path = Path::new(source);
        if path.is_dir() {
            collect(path, &mut files)?;
        } else if path.exists() {
            files.push(path.to_owned());
        }
    }
    files.sort();
    let mut digest = BASIS;
    for file in files {
        add(&mut digest, file.to_string_lossy().as_bytes());
        add(&mut digest, &fs::read(file)?);
    }
    println!("cargo::rustc-env=OSLOGSERVE_SOURCES={digest:016x}");
    Ok(())
}

/// Collects the files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "toml")
        {
            files.push(path);
        }
    }
    Ok(())
}

/// Adds some bytes and their count, so that what moves from one file to the next changes the digest.
fn add(digest: &mut u64, bytes: &[u8]) {
    for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
        *digest = (*digest ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
}
