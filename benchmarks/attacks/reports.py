# SPDX-License-Identifier: Apache-2.0
"""The worst valid reports: each takes as much memory or time as its format allows."""

import gzip

MIB = 2**20


def _task(message, phase=b"run", hosts=1):
    """Zuul's report of a task that failed on so many hosts. message: in JSON."""
    failed = b", ".join(b'"%d": {"failed": true, "msg": %b}' % (n, message) for n in range(hosts))
    return b'[{"phase": "%b", "plays": [{"tasks": [{"hosts": {%b}}]}]}]' % (phase, failed)


#: Texts whose repr() has four characters for each, which an emoji makes four bytes long.
_ESCAPED = b'"\xf0\x9f\x98\x80' + b"\x7f" * (8 * MIB - 500) + b'"'
_ATTRIBUTES = b" ".join(b'a%d=""' % n for n in range(99))

#: By the job and the file's name.
REPORTS = {
    ("text", "job-output.json"): _task(_ESCAPED),
    ("list", "job-output.json"): _task(b"[%b]" % _ESCAPED),
    ("hosts", "job-output.json"): _task(b'""', b"x" * 10_000 + b"\xf0\x9f\x98\x80", 26_000),
    ("lists", "job-output.json"): ("[" + ",".join(["[]"] * 2_500_000) + "]").encode("utf-16"),
    ("tags", "junit1.xml"): b"<a " + b" ".join(b'a%d=""' % n for n in range(190_000)) + b"/>",
    ("tags", "junit2.xml"): b"<a>" + b"<b %b/>" % _ATTRIBUTES * 2500 + b"</a>",
    ("elements", "junit1.xml"): b"<a>" * 690_000,
    ("elements", "junit2.xml"): b"<a>" + b"".join(b"<a%x/>" % n for n in range(220_000)),
}


def write(root):
    """Writes the jobs, below `root`."""
    for (job, name), content in REPORTS.items():
        folder = root / "reports" / job
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.gz").write_bytes(gzip.compress(content))
