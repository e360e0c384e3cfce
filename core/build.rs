// SPDX-License-Identifier: Apache-2.0
//! Gives the core digests of its sources: OSLOGSERVE_SOURCES and OSLOGSERVE_INTERFACE.
//!
//! An index of a log depends on the core. It may be used by another machine, whose core is another file
//! if it was built there, but of the same sources. `oslogserve/native.py` makes the other digest too.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crc32fast::Hasher;

/// What the core is built from: files, and folders of `.rs` and `.toml`. A build without Cargo.lock takes
/// whatever crates the machine has.
const SOURCES: [&str; 4] = ["Cargo.lock", "Cargo.toml", "grammar", "src"];

/// Stands in each file of `src` that exchanges something with Python.
const BORDER: &str = "pyo3";

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
    let (mut sources, mut interface) = (Hasher::new(), Hasher::new());
    for file in files {
        let text = fs::read_to_string(&file)?;
        sources.update(file.to_string_lossy().as_bytes());
        sources.update(text.as_bytes());
        if file.extension().is_some_and(|extension| extension == "rs") && text.contains(BORDER) {
            interface.update(text.as_bytes());
        }
    }
    println!("cargo::rustc-env=OSLOGSERVE_SOURCES={:08x}", sources.finalize());
    println!("cargo::rustc-env=OSLOGSERVE_INTERFACE={:08x}", interface.finalize());
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
