# SPDX-License-Identifier: Apache-2.0
"""What the build backend says and fetches where something is missing."""

import importlib.util
import json
import os
import socket
import sys
import types
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "core"


@pytest.fixture
def backend(tmp_path, monkeypatch):
    """The backend on a machine without any program, and with a setuptools that only answers."""
    setuptools = types.ModuleType("setuptools")
    build_meta = types.ModuleType("setuptools.build_meta")
    build_meta.get_requires_for_build_wheel = lambda settings: ["setuptools-rust"]
    build_meta.build_wheel = build_meta.build_editable = lambda *arguments: "made.whl"
    setuptools.build_meta = build_meta
    monkeypatch.setitem(sys.modules, "setuptools", setuptools)
    monkeypatch.setitem(sys.modules, "setuptools.build_meta", build_meta)
    spec = importlib.util.spec_from_file_location("build_backend", CORE / "build_backend.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("programs", "ubuntu", "rustup"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    monkeypatch.setattr(module, "UBUNTU", tmp_path / "ubuntu")
    monkeypatch.setattr(module, "RUSTUP", (tmp_path / "rustup").as_uri())
    return module


def program(folder, name, answer=""):
    """A program that prints this, or fails for None."""
    folder.mkdir(parents=True, exist_ok=True)
    does = "exit 1" if answer is None else f"echo '{answer}'"
    (folder / name).write_text(f"#!/bin/sh\n{does}\n")
    (folder / name).chmod(0o755)


def offer(tmp_path, monkeypatch, cargo):
    """rustup's server answers, and puccinialin installs a cargo of this version."""
    (tmp_path / "rustup/release-stable.toml").touch()
    program(tmp_path / "fetched", "cargo", cargo)
    variables = json.dumps({"env": {"PATH": f"{tmp_path / 'fetched'}:{os.environ['PATH']}"}})
    fetcher = f"import sys\nopen(sys.argv[2], 'w').write({variables!r})\n"
    (tmp_path / "puccinialin.py").write_text(fetcher)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.parametrize(
    ("programs", "ubuntu", "said"),
    [
        ({}, {}, "cargo 1.85 or later and a C compiler"),
        ({"cc": ""}, {}, "cargo 1.85 or later"),
        ({"cc": "", "cargo": "cargo 1.84.9"}, {}, "cargo 1.85 or later"),
        ({"cc": "", "cargo": "rustup has no toolchain"}, {}, "cargo 1.85 or later"),
        ({"cargo": "cargo 1.85.0"}, {}, "oslogserve needs a C compiler"),
        ({"cargo": "cargo 1.85.0", "cc": None}, {}, "oslogserve needs a C compiler"),
        ({"cc": "", "cargo": "cargo 1.85.0 (Debian)"}, {}, None),
        ({"cc": "", "cargo": "cargo 1.100.0"}, {}, None),
        ({"cc": "", "cargo": "cargo 2.0.0"}, {}, None),
        ({"cc": "", "cargo": "cargo 1.75.0"}, {"rust-1.82": "1.82.0", "rust-1.91": "1.91.1"}, None),
        ({"cc": "", "cargo": "cargo 1.75.0"}, {"rust-1.82": "1.82.0"}, "cargo 1.85 or later"),
    ],
)
def test_what_is_missing_is_one_sentence(backend, tmp_path, programs, ubuntu, said):
    for name, answer in programs.items():
        program(tmp_path / "programs", name, answer)
    for name, version in ubuntu.items():
        program(tmp_path / "ubuntu" / name / "bin", "cargo", f"cargo {version}")
    missing = backend.missing()
    if said is None:
        assert missing is None
        assert backend.build_wheel("dist") == "made.whl"
    else:
        assert said in missing
        assert "\n" not in missing
        with pytest.raises(SystemExit, match=said):
            backend.build_wheel("dist")


def test_a_cargo_that_is_there_is_not_fetched(backend, tmp_path):
    assert backend.get_requires_for_build_wheel() == ["setuptools-rust", "puccinialin>=0.1.14"]
    program(tmp_path / "programs", "cargo", "cargo 1.85.0")
    assert backend.get_requires_for_build_wheel() == ["setuptools-rust"]


@pytest.mark.parametrize("build", ["build_wheel", "build_editable"])
def test_cargo_is_fetched(backend, tmp_path, monkeypatch, build):
    program(tmp_path / "programs", "cc")
    offer(tmp_path, monkeypatch, "cargo 1.99.1")
    assert getattr(backend, build)("dist") == "made.whl"
    assert os.environ["PATH"].startswith(str(tmp_path / "fetched"))


def test_a_linker_of_cargo_s_own_is_enough(backend, tmp_path, monkeypatch):
    program(tmp_path / "programs", "cargo", "cargo 1.85.0")
    monkeypatch.setenv("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER", "clang")
    assert backend.missing() is None


def test_nothing_is_fetched_without_a_compiler(backend, tmp_path, monkeypatch):
    offer(tmp_path, monkeypatch, "cargo 1.99.1")
    with pytest.raises(SystemExit, match="and a C compiler"):
        backend.build_wheel("dist")


def test_a_server_that_does_not_answer_is_given_up(backend, tmp_path, monkeypatch):
    program(tmp_path / "programs", "cc")
    offer(tmp_path, monkeypatch, "cargo 1.99.1")
    monkeypatch.setattr(backend, "ANSWER_TIMEOUT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(backend, "RUSTUP", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(SystemExit, match="or https://rustup"):
            backend.build_wheel("dist")
