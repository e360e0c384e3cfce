# SPDX-License-Identifier: Apache-2.0
"""The application called as a server calls it, and what it then counted."""

import gzip
import os
import re
import zlib
from io import BytesIO
from urllib.parse import urljoin

import webob

from oslogserve.app import App
from oslogserve.config import load

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
HTML = {"Accept": "text/html"}


class Asking:
    def __init__(self, root, **options):
        self.app = App(load(None, {}, disk_root=str(root), **options))

    def __call__(self, url, method="GET", remote="127.0.0.1", **headers):
        """remote: the client's address."""
        environ = {"REMOTE_ADDR": remote}
        request = webob.Request.blank(url, environ, method=method)
        request.headers.update({name.replace("_", "-"): told for name, told in headers.items()})
        answer = request.get_response(self.app)
        told = list(answer.headerlist)
        answer.body  # noqa: B018 - read and closed
        answer.headerlist = told  # WebOb has added a length
        return answer

    def counted(self, name):
        """{labels: value} of a metric."""
        found = re.findall(
            rf"^oslogserve_{name}(?:\{{(.*)\}})? (\S+)$", self("/metrics").text, re.MULTILINE
        )
        return {labels: float(value) for labels, value in found if float(value)}


def followed(ask, url, next_of, **headers):
    """Yields the answers at a URL and at all that `next` leads to. One that leads back would be asked for ever."""
    seen = set()
    while url:
        assert url not in seen, f"next leads back to {url}"
        seen.add(url)
        answer = ask(url, **headers)
        yield answer
        following = next_of(answer)
        url = following and urljoin(url, following)


def plain(answer):
    """The answer's bytes, inflated; a compressed one must be one gzip member."""
    if "Content-Encoding" not in answer.headers:
        return answer.body
    assert answer.headers.getall("Content-Encoding") == ["gzip"]
    with gzip.GzipFile(fileobj=BytesIO(answer.body)) as member:
        return member.read()


def headers_of(answer):
    """The answer's headers, without its times."""
    return {name: value for name, value in answer.headers.items() if name != "Server-Timing"}


def is_unpacked_by_a_browser(body, expected):
    """True if the body is one gzip member of `expected`: browsers and curl end at the first."""
    reader = zlib.decompressobj(31)
    return reader.decompress(body) == expected and reader.eof and not reader.unused_data


def descriptors():
    return len(os.listdir("/proc/self/fd"))
