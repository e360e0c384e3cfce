# SPDX-License-Identifier: Apache-2.0
"""Wrong configurations, each of which `oslogserve check-config` tells in one true sentence."""

import pytest

from oslogserve.cli import main

DISK = "[disk]\nroot = {at}/logs\n"
#: A Keystone that is not there, and its user.
KEYSTONE = "auth_url = http://127.0.0.1:9/v3\nusername = a\npassword = p4ss\nproject_name = c\n"
AT_ONCE = "retries = 0\n"

#: By name: a configuration, and what its sentence has, in which {conf} is its file.
WRONG = {
    # No file of settings.
    "empty": ("", "oslogserve: nothing to serve: give a [disk] root, "),
    "yaml": ("disk:\n  root: {at}/logs\n", "{conf}:1: a setting before the first [section]"),
    "header": ("[disk\nroot = {at}/logs\n", '{conf}:1: a section without its "]"'),
    "no sign": ("[disk]\nroot {at}/logs\n", "{conf}:2: [disk]: neither a [section] nor a key"),
    "escape": (DISK + "# \x1b[2J\n", "{conf}:3: the line has a control character, U+001B"),
    # Names.
    "section": ("[dsik]\nroot = {at}/logs\n", "{conf}:1: [dsik]: no such section"),
    "key": ("[disk]\nroots = {at}/logs\n", "{conf}:2: [disk] roots: no such key"),
    "key twice": (DISK + "root = {at}\n", "{conf}:3: [disk] root: it is given in line 2 already"),
    "section twice": (
        DISK + "[serve]\nlisting = no\n[disk]\nlinks = no\n",
        "{conf}:5: [disk]: it began in line 1 already",
    ),
    "section and its key twice": (
        DISK + "[disk]\nroot = {at}/other\n",
        "{conf}:3: [disk]: it began in line 1 already",
    ),
    # Logs on disk.
    "relative": ("[disk]\nroot = logs\n", "{conf}:2: [disk] root: 'logs' is not understood"),
    "no root": ("[disk]\nroot =\n", "oslogserve: nothing to serve: "),
    "root gone": (
        "[disk]\nroot = {at}/none\n",
        "{conf}:2: [disk] root: {at}/none: there is no such folder",
    ),
    "root a file": (
        "[disk]\nroot = {at}/file\n",
        "{conf}:2: [disk] root: {at}/file: this is no folder",
    ),
    # Swift.
    "keystone gone": (
        "[swift]\ncontainer = a\n" + KEYSTONE + AT_ONCE,
        "# swift: auth_url cannot be reached (container a)",
    ),
    "keystone gone, by partition": (
        "[swift]\ncontainer = a_{{partition}}\n" + KEYSTONE + AT_ONCE,
        "# swift: auth_url cannot be reached (container a_{{partition}})",
    ),
    "storage gone": (
        "[swift]\ncontainer = a\nstorage_url = http://127.0.0.1:9/v1/a\n" + AT_ONCE,
        "# swift: the connection to it failed (container a)",
    ),
    "no container": (
        DISK + "[swift]\n" + KEYSTONE,
        "[swift] container: it is empty, and needed for auth_url, username, password, project_name",
    ),
    "no credentials": (
        "[swift]\ncontainer = a\nauth_url = http://127.0.0.1:9/v3\n",
        "[swift] container: it is of no use without username, password, project_name",
    ),
    "auth_version": (
        "[swift]\ncontainer = a\nauth_version = 2\n" + KEYSTONE,
        "{conf}:3: [swift] auth_version: '2' is not understood",
    ),
    "ca_file": (
        "[swift]\ncontainer = a\n" + KEYSTONE + "ca_file = {at}/none\n",
        "[swift] ca_file: '{at}/none' cannot be read",
    ),
    "no certificates": (
        "[swift]\ncontainer = a\n" + KEYSTONE + "ca_file = {at}/file\n",
        "{conf}:7: [swift] ca_file: '{at}/file' has no certificates",
    ),
    "cloud": ("[swift]\ncontainer = a\ncloud = nobodys\n", "{conf}:3: [swift] cloud: "),
    # Buckets.
    "bucket": ("[store]\nurl = ftp://logs\n", "{conf}:2: [store] url: 'ftp://logs' is not"),
    "bucket's name": (
        "[store disk]\nurl = s3://logs\nanonymous = yes\n",
        "{conf}:1: [store disk]: a name has letters",
    ),
    "no url": (DISK + "[store]\nregion = a\n", "{conf}:4: [store] region: of no use without url"),
    "bucket gone": (
        "[store]\nurl = s3://a\nanonymous = yes\nendpoint = http://127.0.0.1:9\n" + AT_ONCE,
        "# store: the connection to it failed (s3://a)",
    ),
    # Values.
    "yes or no": (DISK + "[serve]\nlisting = perhaps\n", "{conf}:4: [serve] listing: 'perhaps'"),
    "size": (DISK + "[serve]\npage_size = 8M\n", "{conf}:4: [serve] page_size: '8M' is not"),
    "networks": (DISK + "[serve]\noperators = 10.0.0.0/33\n", "{conf}:4: [serve] operators: "),
    "hosts": (
        DISK + "[serve]\nhosts = logs.example.org, www.example.org\n",
        "{conf}:4: [serve] hosts: 'logs.example.org, www.example.org' is not understood",
    ),
    "marks": (DISK + "[serve]\njob_marks = a/b.txt\n", "{conf}:4: [serve] job_marks: 'a/b.txt' is"),
    "pattern": (DISK + "[view a]\npattern = (\n", "{conf}:4: [view a] pattern: '(' is not"),
    "no pattern": (DISK + "[noise a]\n", "{conf}:3: [noise a] pattern: a noise needs a pattern"),
    "words": (
        DISK + "[format a]\npattern = (?P<time>a)\nwords = E:ERROR\n",
        "{conf}:5: [format a] words: of no use, its pattern has no group severity",
    ),
    "job": (
        DISK + "[job]\npassed = .*/[^/]+\n",
        "{conf}:4: [job] passed: '.*/[^/]+' is not understood: it takes a regular expression with a",
    ),
    "job's pattern": (DISK + "[job]\npassed = (\n", "{conf}:4: [job] passed: '(' is not"),
    # What the server would write, read or answer beside logs.
    "metrics": (
        DISK + "[metrics]\npath = /readyz\n",
        "{conf}:4: [metrics] path: /readyz is another page of the server",
    ),
    "metrics, list": (
        DISK + "[metrics]\npath = /_oslogserve/seen\n",
        "{conf}:4: [metrics] path: /_oslogserve/seen is another page of the server",
    ),
    "index a file": (
        DISK + "[index]\ndirectory = {at}/file\n",
        "{conf}:4: [index] directory: {at}/file: Not a directory",
    ),
    "index among logs": (
        DISK + "[index]\ndirectory = {at}/logs/later\n",
        "{conf}:4: [index] directory: {at}/logs/later: readers can read it, since it is in [disk]",
    ),
    "request log among logs": (
        DISK + "[request_log]\nto = {at}/rules/../logs/requests.log\n",
        "requests.log: readers can read it, since it is in [disk] root",
    ),
    "index below a file": (
        DISK + "[index]\ndirectory = {at}/file/index\n",
        "{conf}:4: [index] directory: {at}/file/index: Not a directory",
    ),
    "runs in a file": (
        DISK + "[seen]\ndirectory = {at}/file\n",
        "# seen: its folder: Not a directory (sqlite:///{at}/file/seen.sqlite)",
    ),
    "no database": (
        DISK + "[seen]\ndatabase = sqlite:///{at}/file\n",
        "# seen: file is not a database (sqlite:///{at}/file)",
    ),
    "database gone": (
        DISK + "[seen]\ndatabase = postgresql://a:p4ss@127.0.0.1:9/b\n",
        "# seen: connection ",
    ),
    "database relative": (
        DISK + "[seen]\ndatabase = sqlite:///runs\n",
        "{conf}:4: [seen] database: 'sqlite:///runs' is not understood",
    ),
    "directory and database": (
        DISK + "[seen]\ndirectory = {at}/runs\ndatabase = sqlite:///{at}/runs.sqlite\n",
        "{conf}:4: [seen] directory: of no use next to database",
    ),
    "rules a file": (
        DISK + "[known]\nrules = {at}/file\n",
        "{conf}:4: [known] rules: {at}/file: Not a directory",
    ),
    "rule's key": (
        DISK + "[known]\nrules = {at}/rules\n",
        "{conf}:4: [known] rules: {at}/rules/a.yaml:2: 'titel': no such key",
    ),
    "request log a folder": (
        DISK + "[request_log]\nto = {at}/rules\n",
        "{conf}:4: [request_log] to: {at}/rules: Is a directory",
    ),
    "request log nowhere": (
        DISK + "[request_log]\nto = {at}/none/requests.log\n",
        "{conf}:4: [request_log] to: {at}/none/requests.log: No such file or directory",
    ),
    # What seems to be missing or of no use, as something else is wrong.
    "container": (
        "[swift]\ncontainer = a/b\nstorage_url = http://127.0.0.1:9/v1/a\n",
        "{conf}:2: [swift] container: 'a/b' is not understood",
    ),
    "container's key": (
        "[swift]\ncontaner = a\nstorage_url = http://127.0.0.1:9/v1/a\n",
        "{conf}:2: [swift] contaner: no such key",
    ),
    "auth_url's key": (
        "[swift]\ncontainer = a\nauth_ulr = http://127.0.0.1:9/v3\nusername = a\n",
        "{conf}:3: [swift] auth_ulr: no such key",
    ),
    "url's key": ("[store]\nulr = s3://a\nregion = a\n", "{conf}:2: [store] ulr: no such key"),
    "endpoint": (
        "[store]\nurl = az://a\nendpoint = a\nanonymous = yes\n",
        "{conf}:3: [store] endpoint: 'a' is not understood",
    ),
    "pattern's key": (DISK + "[view a]\npatern = a\n", "{conf}:4: [view a] patern: no such key"),
    "database": (
        DISK + "[seen]\ndirectory = {at}/runs\ndatabase = runs\n",
        "{conf}:5: [seen] database: 'runs' is not understood",
    ),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder of what the configurations name."""
    for name in ("logs", "rules"):
        (tmp_path / name).mkdir()
    (tmp_path / "logs" / "a.txt").write_text("a log\n")
    (tmp_path / "rules" / "a.yaml").write_text("- pattern: x\n  titel: y\n")
    (tmp_path / "file").write_text("no database, and no folder\n" * 100)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CACHE_DIRECTORY", "OS_CLOUD", "OSLOGSERVE_THREADS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_configuration_is_told_in_one_true_sentence(place, name, capsys):
    text, sentence = WRONG[name]
    conf = place / "site.conf"
    conf.write_text(text.format(at=place))
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    assert main(["check-config", str(conf)]) in (1, 2)
    told = capsys.readouterr()
    comments = [line for line in told.out.splitlines() if line.startswith("# ")]
    [said] = told.err.splitlines() + [
        line for line in comments[1:] if not line.endswith((": ok", " of known causes"))
    ]
    assert sentence.format(at=place, conf=conf) in said
    assert "p4ss" not in told.out + told.err
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before


def test_a_configuration_that_works_has_nothing_made_for_it(place, capsys):
    conf, later = place / "site.conf", place / "later"
    conf.write_text(
        f"{DISK.format(at=place)}[seen]\ndirectory = {later}/seen\n[index]\ndirectory = {later}\n"
        f"[request_log]\nto = {place}/requests.log\n"
    )
    assert main(["check-config", str(conf)]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert told.out.endswith(
        f"# the directory of indexes, {later}, is not there yet\n# disk: ok\n# seen: ok\n"
    )
    assert not later.exists()
    assert not (place / "requests.log").exists()


def test_a_hidden_folder_among_logs_is_no_fault(place, capsys):
    conf = place / "site.conf"
    hidden = f"{DISK.format(at=place)}[index]\ndirectory = {place}/logs/.index\n"
    conf.write_text(hidden)
    assert main(["check-config", str(conf)]) == 0
    conf.write_text(f"{hidden}[serve]\ndot_files = yes\n")
    assert main(["check-config", str(conf)]) == 2
    assert "/logs/.index: readers can read it" in capsys.readouterr().err
