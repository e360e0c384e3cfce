# SPDX-License-Identifier: Apache-2.0
"""Requests' paths and queries, valid and mutated, and the links on the pages that they lead to."""

import json
import random
import re
from dataclasses import dataclass, replace
from html import unescape
from urllib.parse import parse_qsl, quote, unquote_to_bytes, urlencode

from oslogserve.errors import BadRequest
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import PageLimits
from oslogserve.pages.log import LogView
from oslogserve.query import Query
from oslogserve.query.parameters import MAX_QUERY
from oslogserve.urls import address
from tests.fuzz import grammar
from tests.fuzz.fuzzer import Fuzzer
from tests.kit.mutated import log_of, mutated
from tests.kit.open_logs import open_log

RENDERER = Renderer()
_PATHS = ("/", "/a.txt", "/a/b.txt.gz", "/a/", "/ä ö/console.html", "/%2e%2e/a", "/htmlify/a", "")
_ACCEPTS = (
    *("", "text/html", "text/html;q=0.5,text/plain", "*/*", "text/*;q=x"),
    "text/html;q=2,a/b;c=d",
)
_ASCII = "".join(map(chr, range(128)))
_TOKENS = (
    *(b"&", b"=", b"%00", b"%", b"%zz", b"%c3%a4", b"%ff", b"+", b";", b"\xc3\xa4", b"%0d%0a"),
    b"\0",
    *(b"level=", b"re=", b"q=", b"(", b"[", b"{1000}", b".*", b"\\", b"-", b"9" * 20, b"%EF%BF%BD"),
    *(b"../", b"/..", b"/./", b"//", b"lines=1-", b"show=L1", b"&&", b"re=(a{30}){30}"),
    b"%F0%9F%98%80",
    *(b"since=2013-09-27T18:22+02:00", b"%E2%84%AA", b"re=%5Cx", b"<script>", b'"><b>'),
    b"content-type=",
)


@dataclass(frozen=True)
class Case:
    #: As they stand in a request.
    path: bytes
    query: bytes
    accept: bytes
    log: bytes


class Queries(Fuzzer):
    name = "queries"
    shortens = "query", "path", "accept", "log"
    #: A parameter may need eight patterns of a thousand characters.
    most_seconds = 2.0
    imports = "from tests.fuzz.queries import Case, Queries\n"

    def case_of(self, number):
        chance = random.Random(number)
        path = quote(chance.choice(_PATHS)).encode()
        query = _encoded(grammar.parameters(chance), chance)
        accept = chance.choice(_ACCEPTS).encode()
        if chance.random() < 0.2:
            path = mutated(path, chance, _TOKENS)
        if chance.random() < 0.5:
            query = mutated(query, chance, _TOKENS)
        if chance.random() < 0.1:
            accept = mutated(accept, chance, (b",", b";q=", b"*/*", b'"'))
        return Case(path, query, accept, log_of(chance, most=6))

    def fault(self, case):
        try:
            query = Query.from_environ(_environ(case))
        except BadRequest as error:
            return _fault_of_message(error.sentence)
        escaped = replace(case, query=quote(case.query, safe=_ASCII).encode())
        if (
            _is_utf8(case.query)
            and len(escaped.query) <= MAX_QUERY
            and Query.from_environ(_environ(escaped)) != query
        ):
            return "it is another query where it is escaped"
        # An excerpt is no page, and its links have queries of their own.
        links = "" if query.format == "brief" else _fault_of_links(query, case.log)
        return _fault_of_address(query) or links


def _encoded(pairs, chance):
    """A query string, escaped as browsers do, or as little as curl does."""
    if chance.random() < 0.7:
        return urlencode(pairs).encode()
    return "&".join(f"{name}={quote(value, safe=chr(32))}" for name, value in pairs).encode()


def _is_utf8(query):
    return query.decode("utf-8", "replace").encode() == query


def _environ(case):
    return {
        "PATH_INFO": unquote_to_bytes(case.path).decode("latin-1"),
        "QUERY_STRING": case.query.decode("latin-1"),
        "HTTP_ACCEPT": case.accept.decode("latin-1"),
    }


def _parsed(link):
    """The Query of a link that is relative to a log's page."""
    path, _, query = link.partition("?")
    return Query.from_environ({"PATH_INFO": path or "/a", "QUERY_STRING": query.partition("#")[0]})


def _fault_of_message(sentence):
    if len(sentence) > 500 or not sentence.isprintable() or not sentence.endswith("."):
        return f"no clear sentence: {sentence!r}"
    return ""


def _fault_of_address(query):
    """A link to the same lines parses to the same query."""
    link = address(query.parameters)
    if len(link) - 1 > MAX_QUERY:  # of what was sent unescaped
        return ""
    again = _parsed(link)
    given = [pair for pair in query.parameters if pair[1]]
    if parse_qsl(link[1:]) != given or again.parameters != tuple(given):
        return f"{link} has {again.parameters}, not {given}"
    fields = "selection", "source", "format", "wraps", "sort"
    differing = [name for name in fields if getattr(query, name) != getattr(again, name)]
    return f"{link} has another {differing}: {again}, not {query}" if differing else ""


def _fault_of_links(query, log):
    """Every link on a page and in JSON leads to a valid query."""
    for view in ("html", "jsonl"):
        opened = open_log(log, modified=1.4e9)
        shown = LogView(query, opened, RENDERER, PageLimits(400, 30))
        text = b"".join(shown.render(view, opened.text())).decode("utf-8", "replace")
        for link in _links_of(view, text):
            if len(link) > MAX_QUERY:
                continue
            try:
                found = _parsed(link)
            except BadRequest as error:
                return f"{view} has the link {link}: {error.sentence}"
            if query.source != found.source:
                return f"{view} has the link {link} to another source"
    return ""


def _links_of(view, text):
    if view == "html":
        return [unescape(link) for link in re.findall(r'<a [^>]*href="(\?[^"]*)"', text)]
    following = json.loads(text.splitlines()[-1])["next"]
    return [following[following.index("?") :]] if following else []
