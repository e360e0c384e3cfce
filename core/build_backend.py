# SPDX-License-Identifier: Apache-2.0
"""The build backend of pyproject.toml: setuptools, after a search for a cargo that is new enough.

Where there is none, puccinialin fetches one from rustup's server, as it does for maturin. Without the
search, pip would show a page of messages of setuptools and cargo. Run as a script, it says what is missing.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import *

CARGO_TOML = Path(__file__).with_name("Cargo.toml")
#: The folders of Ubuntu's packages cargo-1.NN.
UBUNTU = Path("/usr/lib")
#: puccinialin reads the same variable.
RUSTUP = os.environ.get("RUSTUP_UPDATE_ROOT") or "https://static.rust-lang.org/rustup"
#: Seconds until rustup's server must answer. The download itself may take longer.
ANSWER_TIMEOUT = 45


def get_requires_for_build_wheel(config_settings=None):
    """Requirements of a wheel beside pyproject.toml's list."""
    needed = build_meta.get_requires_for_build_wheel(config_settings)
    return needed if _use_cargo() else [*needed, "puccinialin>=0.1.14"]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel and returns its name."""
    _need_compiler()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


get_requires_for_build_editable = get_requires_for_build_wheel


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds an editable wheel and returns its name."""
    _need_compiler()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def missing():
    """What the build of the native core lacks, and what to type, in one sentence; None for nothing."""
    if not _use_cargo():
        return (
            f"oslogserve needs cargo {'.'.join(map(str, _oldest()))} or later and a C compiler to build its"
            " native core: `apt-get install cargo` (`cargo-web` on Debian 12, `cargo-1.85` on Ubuntu 24.04),"
            " or https://rustup.rs"
        )
    if not _has_compiler():
        return "oslogserve needs a C compiler to build its native core: `apt-get install gcc libc6-dev`"
    return None


def _need_compiler():
    """Makes cargo usable, fetched if need be. Raises SystemExit that says what is missing."""
    if _has_compiler() and not _use_cargo():
        _fetch_cargo()
    if fault := missing():
        raise SystemExit(fault)


def _has_compiler():
    """True if cargo is told its linker, or cc links: it may be there without the C library's files."""
    if any(re.fullmatch("CARGO_TARGET_.*_LINKER", name) for name in os.environ):
        return True
    with tempfile.TemporaryDirectory() as folder:
        link = ["cc", "-x", "c", "-", "-o", f"{folder}/linked"]
        program = b"int main(void) { return 0; }"
        try:
            return not subprocess.run(
                link, input=program, capture_output=True, check=False
            ).returncode
        except FileNotFoundError:
            return False


def _use_cargo():
    """Puts a cargo that is new enough first in PATH. True if there is one."""
    path = os.environ.get("PATH", os.defpath)
    for folders in (path, *(f"{folder}:{path}" for folder in UBUNTU.glob("rust-*/bin"))):
        if _version_of(shutil.which("cargo", path=folders)) >= _oldest():
            os.environ["PATH"] = folders
            return True
    return False


def _fetch_cargo():
    """Puts a cargo of rustup's server first in PATH, if it can be had."""
    address = f"{RUSTUP.rstrip('/')}/release-stable.toml"
    ask = [sys.executable, "-c", f"from urllib.request import urlopen; urlopen({address!r})"]
    with tempfile.NamedTemporaryFile("r") as variables:
        fetch = [sys.executable, "-m", "puccinialin", "--info-json", variables.name]
        try:
            # Connections to all its addresses could take minutes to fail.
            subprocess.run(ask, capture_output=True, check=True, timeout=ANSWER_TIMEOUT)
            subprocess.run(fetch, capture_output=True, check=True)
        except subprocess.SubprocessError:
            return
        os.environ.update(json.load(variables)["env"])


def _oldest():
    """The oldest cargo that takes Cargo.toml."""
    return _version_in(re.search(r'(?m)^rust-version = ".*"', CARGO_TOML.read_text())[0])


def _version_of(cargo):
    """The version of a cargo; () for none, and for one of rustup without a toolchain."""
    if cargo is None:
        return ()
    answer = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=False)
    return _version_in(answer.stdout)


def _version_in(text):
    """The first two numbers of a version; () for none."""
    found = re.search(r"(\d+)\.(\d+)", text)
    return tuple(map(int, found.groups())) if found else ()


if __name__ == "__main__":
    sys.exit(missing())
