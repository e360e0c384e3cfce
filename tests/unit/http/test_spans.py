# SPDX-License-Identifier: Apache-2.0
"""Spans of OpenTelemetry, by the SDK's exporter in memory."""

import subprocess
import sys

import pytest
import webob
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from oslogserve.app import App
from oslogserve.config import ConfigError, load
from oslogserve.http import spans
from oslogserve.sources.disk.source import Disk

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
LOG = b"2013-09-27 18:07:11.860 1 INFO a\n"


@pytest.fixture
def exporter(monkeypatch):
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(spans, "processor", lambda: SimpleSpanProcessor(exporter))
    return exporter


@pytest.fixture
def get(exporter, tmp_path):
    (tmp_path / "a.txt").write_bytes(LOG)
    config = tmp_path / "oslogserve.conf"
    config.write_text(f"[disk]\nroot = {tmp_path}\n[serve]\nopentelemetry = yes\n")
    app = App(load(str(config), {}))

    def get(url, method="GET", **headers):
        """(the answer, the attributes of its span, the span)"""
        exporter.clear()
        answer = webob.Request.blank(url, method=method, headers=headers).get_response(app)
        assert answer.body is not None
        (span,) = exporter.get_finished_spans()
        return answer, span.attributes, span

    return get


def test_a_disabled_sdk_disables_no_request(get, exporter, tmp_path, monkeypatch):
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    config = load(str(tmp_path / "oslogserve.conf"), {})
    assert webob.Request.blank("/a.txt").get_response(App(config)).status_int == 200
    assert not exporter.get_finished_spans()


def test_a_request_is_a_span_that_says_what_the_request_log_says(get):
    answer, attributes, span = get("/a.txt?level=NONE")
    assert answer.body == LOG
    assert (span.name, span.kind, span.parent) == ("GET", SpanKind.SERVER, None)
    assert span.status.status_code == StatusCode.UNSET
    assert span.end_time > span.start_time
    assert attributes["http.request.method"] == "GET"
    assert attributes["url.path"] == "/a.txt"
    assert attributes["url.query"] == "level=NONE"
    assert attributes["http.response.status_code"] == 200
    assert attributes["oslogserve.source"] == "disk"
    assert attributes["oslogserve.stored"] == len(LOG)
    assert attributes["oslogserve.ending"] == "complete"


def test_a_span_is_the_child_of_who_asked_and_the_parent_of_what_goes_to_swift(get, monkeypatch):
    seen = []
    look = lambda disk, context: seen.append(context.trace.headers) or disk
    monkeypatch.setattr(Disk, "for_request", look)
    _, _, span = get("/a.txt", traceparent=PARENT)
    assert f"{span.context.trace_id:032x}" in PARENT
    assert f"{span.parent.span_id:016x}" in PARENT
    own = f"00-{span.context.trace_id:032x}-{span.context.span_id:016x}-01"
    assert seen == [{"traceparent": own}]


@pytest.mark.parametrize(
    ("method", "name", "status"), [("HEAD", "HEAD", 404), ("X-ANYTHING", "HTTP", 405)]
)
def test_a_span_is_not_named_by_what_a_client_made_up(get, method, name, status):
    answer, attributes, span = get("/none.txt", method, traceparent="hostile")
    assert (span.name, span.parent, answer.status_int) == (name, None, status)
    assert attributes["http.request.method"] == method


def test_a_failure_is_an_error(get, exporter, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(Disk, "open", fail)
    with pytest.raises(ZeroDivisionError):
        get("/a.txt")
    (span,) = exporter.get_finished_spans()
    assert span.status.status_code == StatusCode.ERROR
    assert span.attributes["http.response.status_code"] == 500


def test_without_the_option_nothing_of_it_is_loaded_and_it_is_refused_where_it_is_missing(
    tmp_path, monkeypatch
):
    loaded = "import oslogserve.wsgi, sys; sys.exit('opentelemetry' in sys.modules)"
    subprocess.run([sys.executable, "-W", "ignore", "-c", loaded], check=True)
    config = tmp_path / "oslogserve.conf"
    config.write_text("[serve]\nopentelemetry = yes\n")
    monkeypatch.setitem(sys.modules, "oslogserve.http.spans", None)
    monkeypatch.delattr("oslogserve.http.spans")
    with pytest.raises(ConfigError, match=r"no; yes where oslogserve\[otel\] is installed"):
        load(str(config), {})
