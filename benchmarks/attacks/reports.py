# SPDX-License-Identifier: Apache-2.0
"""The worst valid reports: each takes as much memory or time as its format allows."""

import gzip
import struct
import zlib

MIB = 2**20
#: Flags of subunit's packets, with the version.
_TAGS, _TEST_ID = 0x2080, 0x2800


def _number(value):
    """A length or a number of subunit, in four bytes."""
    return struct.pack(">I", value | 0xC0000000)


def _packet(flags, body):
    size = 6 + len(body) + 4
    packet = struct.pack(">BH", 0xB3, flags) + struct.pack(">I", size | 0x800000)[1:] + body
    return packet + struct.pack(">I", zlib.crc32(packet))


def _tagged(first, tags):
    names = b"".join(b"\x06%06x" % n for n in range(first, first + tags))
    return _packet(_TAGS, _number(tags) + names)


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
    ("tags", "a.subunit"): b"".join(_tagged(590_000 * n, 590_000) for n in range(4)),
    ("tags", "b.subunit"): _tagged(0, 95) * 23_000,
    ("packets", "a.subunit"): _packet(0x2000, b"") * 1_500_000,
    ("packets", "b.subunit"): _packet(0x2806, _number(4_000_000) + b"x" * 4_000_000) * 4,
    ("packets", "c.subunit"): b"".join(
        _packet(_TEST_ID, b"\x06%06x" % n) * 2 for n in range(100_000)
    ),
    ("tags", "junit1.xml"): b"<a " + b" ".join(b'a%d=""' % n for n in range(190_000)) + b"/>",
    ("tags", "junit2.xml"): b"<a>" + b"<b %b/>" % _ATTRIBUTES * 2500 + b"</a>",
    ("packets", "junit1.xml"): b"<a>" * 690_000,
    ("packets", "junit2.xml"): b"<a>" + b"".join(b"<a%x/>" % n for n in range(220_000)),
}


def write(root):
    """Writes the jobs, below `root`."""
    for (job, name), content in REPORTS.items():
        folder = root / "reports" / job
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.gz").write_bytes(gzip.compress(content))
