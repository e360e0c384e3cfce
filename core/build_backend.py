# SPDX-License-Identifier: Apache-2.0
"""The build backend of pyproject.toml: setuptools, after a search for a cargo that is new enough.

Where there is none, puccinialin fetches one from rustup's server, as it does for maturin. Without the
search, pip would show a page of messages of setuptools and cargo.
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

CORE = Path(__file__).parent
#: Where Ubuntu's packages cargo-1.NN have their programs.
UBUNTU = "/usr/lib/rust-*/bin"


def get_requires_for_build_wheel(config_settings=None):
    """What a wheel needs beside pyproject.toml's list."""
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
    """A sentence that says what is missing to build the native core, and what to type; "" for nothing."""
    if not _use_cargo():
        return (
            f"oslogserve needs cargo {_oldest()} or later to build its native core: `apt-get install"
            " cargo` (Debian 13), `apt-get install cargo-web` (Debian 12), or https://rustup.rs"
        )
    if shutil.which("cc") is None:
        return "oslogserve needs a linker to build its native core: `apt-get install gcc libc6-dev`"
    return ""


def _need_compiler():
    """Makes cargo usable, fetched if need be. Raises SystemExit that says what is missing."""
    if not _use_cargo():
        _fetch_cargo()
    if fault := missing():
        raise SystemExit(fault)


def _use_cargo():
    """Puts a cargo that is new enough first in PATH. True if there is one."""
    path = os.environ.get("PATH", os.defpath)
    newest_first = sorted(map(str, Path("/").glob(UBUNTU[1:])), reverse=True)
    for folders in (path, *(f"{folder}:{path}" for folder in newest_first)):
        if _version_of(shutil.which("cargo", path=folders)) >= _oldest():
            os.environ["PATH"] = folders
            return True
    return False


def _fetch_cargo():
    """Puts a cargo of rustup's server first in PATH, if it can be had."""
    with tempfile.NamedTemporaryFile("r") as variables:
        fetch = [sys.executable, "-m", "puccinialin", "--info-json", variables.name]
        done = subprocess.run(fetch, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            os.environ.update(json.load(variables)["env"])


class _Version(tuple):
    __slots__ = ()

    def __str__(self):
        return ".".join(map(str, self))


def _oldest():
    """The oldest cargo that takes core/Cargo.toml."""
    return _version_in(re.search(r'(?m)^rust-version = ".*"', (CORE / "Cargo.toml").read_text())[0])


def _version_of(cargo):
    """The version of a cargo; (0,) for none, and for one of rustup without a toolchain."""
    if cargo is None:
        return _Version((0,))
    answer = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=False)
    return _version_in(answer.stdout)


def _version_in(text):
    found = re.search(r"(\d+)\.(\d+)", text)
    return _Version(map(int, found.groups()) if found else (0,))
