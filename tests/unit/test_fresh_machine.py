# SPDX-License-Identifier: Apache-2.0
"""What `make` does where little is installed, or where the last `make` was broken off."""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
#: A wheel that can be run, as pip's, and puts itself where pip would be.
FAKE_PIP = """
import pathlib, sys
assert sys.argv[1:-1] == ["install", "--quiet", "--no-index"]
pathlib.Path(sys.prefix, "bin/pip").write_text("#!/bin/sh\\n")
"""


@pytest.fixture
def checkout(tmp_path):
    """A copy of what `make` starts with; nothing is installed on the system from it."""
    shutil.copytree(REPOSITORY / "tools", tmp_path / "tools")
    shutil.copytree(REPOSITORY / "requirements", tmp_path / "requirements")
    for name in ("Makefile", "setup.cfg"):
        shutil.copy(REPOSITORY / name, tmp_path)
    (tmp_path / "tools/install-system-packages").write_text("#!/bin/sh\n")
    return tmp_path


def make(checkout, *arguments, **environ):
    command = ["make", "-s", f"PYTHON={sys.executable}", *arguments]
    keep = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        command, cwd=checkout, env=keep | environ, capture_output=True, text=True, check=False
    )


def has_pip(folder):
    command = [folder / "bin/python", "-c", "import pip"]
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0


def test_an_environment_that_is_half_made_is_made_again(checkout):
    environment = checkout / ".venv/x"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    assert not has_pip(environment)
    assert make(checkout, ".venv/x/made").stderr == ""
    assert has_pip(environment)

    (environment / "kept").touch()
    make(checkout, ".venv/x/made")
    assert (environment / "kept").exists()

    (environment / "bin/python").unlink()  # as where the system's Python is another one now
    make(checkout, ".venv/x/made")
    assert has_pip(environment)
    assert not (environment / "kept").exists()


@pytest.fixture
def without_ensurepip(tmp_path):
    """The environment of a Python as Debian's, without its package python3-venv."""
    (tmp_path / "shadow/ensurepip").mkdir(parents=True)
    (tmp_path / "shadow/ensurepip/__init__.py").write_text("raise ImportError")
    return {"PYTHONPATH": str(tmp_path / "shadow")}


@pytest.fixture
def index(tmp_path, checkout):
    """The address of a package index that has a pip, which is locked in the checkout."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr("pip/__main__.py", FAKE_PIP)
    folder = tmp_path / "index/pip"
    folder.mkdir(parents=True)
    (folder / "pip-1-py3-none-any.whl").write_bytes(packed.getvalue())
    digest = hashlib.sha256(packed.getvalue()).hexdigest()
    other = {"filename": "pip-0.tar.gz", "url": "pip-0.tar.gz", "hashes": {"sha256": digest}}
    name = "pip-1-py3-none-any.whl"
    file = {"filename": name, "url": f"{name}#sha256={digest}", "hashes": {"sha256": digest}}
    (folder / "index.html").write_text(json.dumps({"files": [other, file]}))
    (checkout / "requirements/pip.txt").write_text(f"pip==1 \\\n    --hash=sha256:{digest}\n")
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path / "index")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_without_ensurepip_and_root_pip_comes_from_the_index(checkout, without_ensurepip, index):
    made = make(checkout, ".venv/x/made", PIP_INDEX_URL=index, **without_ensurepip)
    assert made.returncode == 0, made.stderr
    assert (checkout / ".venv/x/bin/pip").exists()


@pytest.mark.parametrize("fault", ["other bytes", "not locked", "no answer"])
def test_where_that_fails_it_names_the_one_command(checkout, without_ensurepip, index, fault):
    if fault == "other bytes":
        with (checkout / "index/pip/pip-1-py3-none-any.whl").open("ab") as wheel:
            wheel.write(b"more")
    elif fault == "not locked":
        (checkout / "requirements/pip.txt").write_text("pip==1 --hash=sha256:" + "0" * 64)
    address = index if fault != "no answer" else f"{index}/none"
    made = make(checkout, ".venv/x/made", PIP_INDEX_URL=address, **without_ensurepip)
    assert made.returncode == 2
    assert "As root: apt-get install python3-venv" in made.stderr
    assert not (checkout / ".venv/x").exists()


@pytest.mark.parametrize(
    ("environment", "has_packages", "has_core"),
    [
        ("lint", False, False),
        ("types", False, False),
        ("docs", False, False),
        ("unit", False, True),
        ("functional", True, True),
        ("", True, True),
    ],
)
def test_tests_install_what_they_need_and_say_so(checkout, environment, has_packages, has_core):
    steps = make(checkout, "-n", "test", f"ENV={environment}").stdout
    assert ("tools/install-system-packages" in steps) == has_packages
    assert ("tools/build-speedups" in steps) == has_core
    said, _, _ = steps.partition("\n")
    assert said.strip() == f"tools/say-tests {environment}".strip()


def test_what_is_said_is_of_what_is_run():
    tell = [REPOSITORY / "tools/say-tests"]
    told = subprocess.check_output(tell, text=True)
    (listed,) = [
        line.removeprefix("env_list = ").split(", ")
        for line in (REPOSITORY / "tox.ini").read_text().splitlines()
        if line.startswith("env_list = ")
    ]
    assert [line.split()[0] for line in told.splitlines()[:-1]] == listed
    assert subprocess.check_output([*tell, "lint"], text=True).splitlines()[0] in told


def test_a_test_that_fails_is_named_at_once(tmp_path):
    shutil.copy(REPOSITORY / "tests/conftest.py", tmp_path)
    (tmp_path / "test_a.py").write_text("def test_fails(): assert 0\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", tmp_path]
    ran = subprocess.run([*command, tmp_path], capture_output=True, text=True, check=False)
    named = ran.stdout.index("FAILED test_a.py::test_fails (call)")
    assert named < ran.stdout.index("= FAILURES =")


@pytest.mark.parametrize("version", ["1.63.0", "1.84.1", None])
def test_wheels_without_a_new_cargo_say_what_is_needed(tmp_path, version):
    program = tmp_path / "cargo"
    program.write_text(f"#!/bin/sh\necho cargo {version}\n" if version else "#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    built = subprocess.run(
        [REPOSITORY / "tools/build-wheels", "bin", "dist"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 1
    assert f"here is {version or 'none'}." in built.stderr
    assert "cargo 1.85 or later" in built.stderr


FAKE_CARGO = """#!/bin/sh
[ "$1" != "$MISSING" ] || { echo "cannot find -lpython3.13: No such file or directory" >&2; exit 1; }
"""


@pytest.mark.parametrize("ci", ["", "true"])
@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ("fmt", "No cargo fmt (Debian: rustfmt)"),
        ("clippy", "No cargo clippy (Debian: rust-clippy)"),
        ("test", "No libpython (Debian: python3-dev)"),
    ],
)
def test_what_cannot_look_at_the_native_core_is_named(tmp_path, missing, told, ci):
    program = tmp_path / "cargo"
    program.write_text(FAKE_CARGO)
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        [REPOSITORY / "tools/lint-speedups"],
        env=os.environ | {"PATH": path, "CI": ci, "MISSING": missing},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == bool(ci)
    assert told in done.stderr


def test_the_native_core_has_nothing_that_its_oldest_cargo_lacks():
    """Chains with let; clippy knows the functions."""
    chain = re.compile(r"&& let |\b(?:if|while) let [^{;]*\n\s*&& ")
    sources = sorted(REPOSITORY.glob("speedups/src/*.rs"))
    assert [path.name for path in sources if chain.search(path.read_text())] == []
