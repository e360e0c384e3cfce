# SPDX-License-Identifier: Apache-2.0
"""What runs before anything is installed, and the audit of what is."""

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
#: A wheel that can be run, as pip's.
FAKE_PIP = 'import os, pathlib; pathlib.Path(os.environ["INSTALLED"]).touch()'


def wheel():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("pip/__main__.py", FAKE_PIP)
    return packed.getvalue()


@pytest.mark.parametrize("fault", [None, "other bytes", "not locked", "no answer"])
def test_no_pip_is_run_but_the_locked_one(tmp_path, fault):
    content = wheel()
    digest = hashlib.sha256(content).hexdigest()
    tool = tmp_path / "tools/fetch-pip"
    tool.parent.mkdir()
    shutil.copy(REPOSITORY / "tools/fetch-pip", tool)
    (tmp_path / "requirements").mkdir()
    locked = "0" * 64 if fault == "not locked" else digest
    (tmp_path / "requirements/pip.txt").write_text(f"pip==1 \\\n    --hash=sha256:{locked}\n")
    index = tmp_path / "index/pip"
    index.mkdir(parents=True)
    name = "pip-1-py3-none-any.whl"
    (index / name).write_bytes(content + b"more" * (fault == "other bytes"))
    files = [{"filename": name, "url": name, "hashes": {"sha256": digest}}]
    (index / "index.html").write_text(json.dumps({"files": files}))
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path / "index")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        url = f"http://127.0.0.1:{server.server_port}" + "/none" * (fault == "no answer")
        environ = {"PIP_INDEX_URL": url, "INSTALLED": str(tmp_path / "installed")}
        command = [sys.executable, tool, sys.executable]
        done = subprocess.run(command, env=os.environ | environ, capture_output=True, check=False)
        server.shutdown()
    assert (tmp_path / "installed").exists() == (done.returncode == 0) == (fault is None)
    assert (b"pip could not be fetched from" in done.stderr) == (fault is not None)


def answering(folder, name, answer):
    program = folder / name
    program.write_text(f"#!/bin/sh\n/bin/cat <<'E'\n{answer}\nE\n")
    program.chmod(0o755)


NO_RUST = json.dumps({"vulnerabilities": {"list": []}})
RUST = json.dumps(
    {
        "vulnerabilities": {
            "list": [{"package": {"name": "a", "version": "1"}, "advisory": {"id": "RUSTSEC-1"}}]
        }
    }
)
SAFE = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": []}]})
WEAK = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}]})
SKIPPED = json.dumps({"dependencies": [{"name": "a", "skip_reason": "not found"}]})


@pytest.mark.parametrize(
    ("of_python", "of_rust", "status", "said"),
    [
        (SAFE, NO_RUST, 0, "No weakness is known"),
        (WEAK, NO_RUST, 1, "CVE-1"),
        (SAFE, RUST, 1, "RUSTSEC-1"),
        (SKIPPED, NO_RUST, os.EX_TEMPFAIL, "COULD NOT BE ASKED about a"),
        ("", NO_RUST, os.EX_TEMPFAIL, "COULD NOT BE ASKED about Python"),
        (SAFE, "error: no such command: `audit`", os.EX_TEMPFAIL, "COULD NOT BE ASKED about Rust"),
        (SAFE, None, os.EX_TEMPFAIL, "COULD NOT BE ASKED about Rust"),
        (WEAK, None, 1, "COULD NOT BE ASKED about Rust"),
    ],
)
def test_an_audit_that_could_not_ask_is_never_taken_for_a_clean_one(
    tmp_path, of_python, of_rust, status, said
):
    answering(tmp_path, "pip-audit", of_python)
    if of_rust is not None:
        answering(tmp_path, "cargo", of_rust)
    done = subprocess.run(
        [sys.executable, REPOSITORY / "tools/audit"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True)


#: {a system: the versions of its packages}
DEBIAN_12 = {"cargo": "0.66.0+ds1-1", "cargo-web": "1.85.0+dfsg3-1~deb12u3"}
DEBIAN_13 = {"cargo": "1.85.1+dfsg1-1+deb13u1"}
UBUNTU_24 = {
    "cargo": "1.75.0+dfsg0ubuntu1-0ubuntu7.1",
    "cargo-1.82": "1.82.0+dfsg0ubuntu0-0ubuntu0.24.04",
    "cargo-1.89": "1.89.0+dfsg~24.04-0ubuntu0.24.04.2",
    "cargo-1.91": "1.91.1+dfsg~24.04-0ubuntu0.24.04.3",
}
UBUNTU_22 = {"cargo": "1.75.0+dfsg0ubuntu1~bpo0-0ubuntu0.22.04"}


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="dpkg compares the versions")
@pytest.mark.parametrize(
    ("packages", "installed"),
    [
        (DEBIAN_12, "cargo-web gcc libc6-dev\n"),
        (DEBIAN_13, "cargo gcc libc6-dev\n"),
        (UBUNTU_24, "cargo-1.91 gcc libc6-dev\n"),
        (UBUNTU_22, ""),
    ],
)
def test_cargo_comes_from_the_package_that_is_new_enough(tmp_path, packages, installed):
    for name in ("tools/install-cargo", "core/Cargo.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    candidates = "".join(
        f"{name}) echo '  Candidate: {number}' ;;\n" for name, number in packages.items()
    )
    numbered = "".join(f"echo '{name} - Rust'\n" for name in packages if "-1." in name)
    scripts = {
        "tools/install-system-packages": 'echo "$@"',
        "programs/python": "exit 1",
        "programs/sudo": '[ "$2" = true ] || shift; "$@"',
        "programs/apt-get": "",
        "programs/apt-cache": f'[ "$1" = policy ] || {{ :\n{numbered}exit; }}\ncase $2 in\n{candidates}esac',
    }
    (tmp_path / "programs").mkdir()
    for name, script in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    environ = os.environ | {"PATH": f"{tmp_path / 'programs'}:{os.environ['PATH']}"}
    command = [tmp_path / "tools/install-cargo", "python"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (installed, "", 0)


def test_each_folder_that_is_run_has_a_cache_of_its_own(tmp_path):
    for name in ("tools/run", "venv/bin/oslogserve"):
        (tmp_path / name).parent.mkdir(parents=True)
    shutil.copy(REPOSITORY / "tools/run", tmp_path / "tools")
    program = tmp_path / "venv/bin/oslogserve"
    program.write_text('#!/bin/sh\necho "cache=$CACHE_DIRECTORY"\n')
    program.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "CACHE_DIRECTORY"}

    def caches(logs, **given):
        (tmp_path / logs).mkdir(parents=True, exist_ok=True)
        told = subprocess.check_output(
            [tmp_path / "tools/run", "venv", logs, "8000"], env=environment | given, text=True
        )
        return set(re.findall("^cache=(.*)", told, re.MULTILINE))

    [demo], [mine] = caches("var/demo"), caches("my logs")
    assert demo != mine
    assert [*caches("my logs/"), *caches(str(tmp_path / "my logs"))] == [mine, mine]
    assert {os.path.dirname(one) for one in (demo, mine)} == {f"{tmp_path}/var/cache"}
    assert caches("my logs", CACHE_DIRECTORY="/given") == {"/given"}


FAKE_SERVERS = """\
#!/bin/sh
while [ "$1" != --write-config ]; do shift; done
printf '[swift]\\ncontainer = logs\\n' >"$2"
echo ready
exec sleep 600
"""
FAKE_OSLOGSERVE = """\
#!/bin/sh
echo "$@" >>calls
"""


def test_the_configuration_that_a_run_with_a_swift_writes_can_be_copied_to_a_server(tmp_path):
    programs = tmp_path / "venv/bin"
    for path, text in {
        tmp_path / "tools/run": (REPOSITORY / "tools/run").read_text(),
        programs / "python": FAKE_SERVERS,
        programs / "oslogserve": FAKE_OSLOGSERVE,
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    command = [tmp_path / "tools/run", "--swift", tmp_path / "venv", "var/demo", "8000"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    copied = (tmp_path / "var/swift.conf").read_text()
    assert copied == "[swift]\ncontainer = logs\n"
    *_, serve = (tmp_path / "calls").read_text().splitlines()
    assert serve.endswith("--bind 127.0.0.1:8000 --config var/demo.conf")
    served = (tmp_path / "var/demo.conf").read_text()
    assert f"[known]\nrules = {tmp_path}/etc/known\n{copied}" in served


def test_a_wheel_is_built_again_where_a_file_of_it_is_new_or_gone(tmp_path):
    shutil.copy(REPOSITORY / "Makefile", tmp_path)
    for name in ("setup.cfg", "pyproject.toml", "MANIFEST.in", "core/src/lib.rs", "etc/a.conf"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    page = tmp_path / "oslogserve/templates/page.html"
    page.parent.mkdir(parents=True)
    build = tmp_path / "tools/build-wheel"
    build.parent.mkdir()
    build.write_text('#!/bin/sh\nmkdir -p "$2"\necho >>built\n')
    build.chmod(0o755)

    def times_built():
        needed = ["--assume-old=.venv/bootstrap/installed", ".venv/wheel/built"]
        subprocess.run(["make", *needed], cwd=tmp_path, check=True, capture_output=True)
        return len((tmp_path / "built").read_text())

    assert [times_built(), times_built()] == [1, 1]
    page.touch()
    assert [times_built(), times_built()] == [2, 2]
    page.unlink()
    assert [times_built(), times_built()] == [3, 3]
    (tmp_path / "core/tests").mkdir()
    (tmp_path / "core/tests/rooms.rs").touch()
    assert times_built() == 3


@pytest.mark.parametrize(
    ("file", "code", "fault"),
    [
        ("views/html.rs", "use crate::{lines, views::view::{Line as Shown, View}};", ""),
        ("views/html.rs", "use crate::select::Selector;", "views/html.rs needs select.rs, which"),
        ("lines.rs", "fn at(text: &crate::merge::Text) {}", "lines.rs needs merge.rs, which"),
        ("lines.rs", "#[cfg(test)]\nmod tests { use crate::select::Selector; }", ""),
        ("lines.rs", "// use crate::select::Selector;", ""),
        ("views/view.rs", "use super::html;", "views/view.rs needs views/html.rs"),
        ("views/view.rs", "use self::super::html;", "views/view.rs needs views/html.rs"),
        ("views/view.rs", "use super::super::select::Selector;", "needs select.rs, which"),
        ("views/mod.rs", "pub mod view;\nuse self::html::Html;", "mod.rs needs views/html.rs"),
        ("views/mod.rs", "pub mod view;\npub use view::View;", "view.rs needs views/mod.rs"),
    ],
)
def test_what_the_native_core_must_not_need_is_named(tmp_path, file, code, fault):
    sources = {
        "lib.rs": "// The ground.\nmod lines;\nmod merge;\n\nmod views;\n\nmod select;\n\nuse select::Selector;\n",
        "lines.rs": "",
        "merge.rs": "pub struct Text;",
        "views/mod.rs": "pub mod html;\npub mod view;",
        "views/html.rs": "use crate::views::view::View;",
        "views/view.rs": "use crate::merge;\nuse super::Output;",
        "select.rs": "use crate::{merge::Text, views::{html, view::View}};",
    }
    for name, text in (sources | {file: code}).items():
        (tmp_path / "core/src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "core/src" / name).write_text(text)
    (tmp_path / "tools").mkdir()
    shutil.copy(REPOSITORY / "tools/core-floors", tmp_path / "tools")
    command = [sys.executable, tmp_path / "tools/core-floors"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == (done.stderr != "") == (fault != "")
    assert fault in done.stderr


def test_patterns_that_name_one_tool_are_counted_with_their_alternatives(tmp_path):
    (tmp_path / "tools").mkdir()
    (tmp_path / "core/grammar").mkdir(parents=True)
    shutil.copy(REPOSITORY / "tools/tool-rows", tmp_path / "tools")
    marks = r"""
a = [["jest*", 'x (?:y|[|]\|)'], ["tools", 'one|of (?:jest|Taskcluster)'], ["jest+ava", 'a|b']]
"""
    chapters = "chapters = [{ tool = 'zuul', line = 'z' }]\nhints = ['jest']\n"
    for name, text in {"marks": marks, "causes": "words = 'a|b'", "chapters": chapters}.items():
        (tmp_path / f"core/grammar/{name}.toml").write_text(text)
    command = [sys.executable, tmp_path / "tools/tool-rows", "--list"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "3 patterns name one tool, with 5 alternatives"
    assert [int(line.split()[0]) for line in done.stdout.splitlines()[:-1]] == [2, 2, 1]


@pytest.mark.parametrize(
    ("name", "why"), [("file", "this is no folder"), ("none", "there is no such folder")]
)
def test_make_run_says_why_there_are_no_logs(tmp_path, name, why):
    (tmp_path / "file").touch()
    run = [REPOSITORY / "tools/check-run", tmp_path / name, "1"]
    said = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert said == f"LOGS={tmp_path}/{name}: {why}\n"
