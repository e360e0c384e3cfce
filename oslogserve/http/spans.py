# SPDX-License-Identifier: Apache-2.0
"""Spans of OpenTelemetry, one for each request: of the extra `otel`, and off by default.

Where they go and how many are sampled says the environment (OTEL_*), as the SDK reads it.
"""

from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

#: Attributes by the fields of the request log; the others have its names, behind "oslogserve.".
_ATTRIBUTES = {
    "method": "http.request.method",
    "path": "url.path",
    "query": "url.query",
    "status": "http.response.status_code",
    "agent": "user_agent.original",
    "client": "client.address",
}
_PROPAGATOR = TraceContextTextMapPropagator()


def processor() -> SpanProcessor:
    """A processor that sends spans to OTLP, several at once."""
    return BatchSpanProcessor(OTLPSpanExporter())


class Spans:
    """The spans of one process."""

    def __init__(self) -> None:
        provider = TracerProvider()
        provider.add_span_processor(processor())
        self._tracer = provider.get_tracer("oslogserve")

    def begin(self, traceparent: str) -> tuple[Any, str]:
        """A request's span, and its traceparent, "" for none. traceparent: the request's header."""
        parent = _PROPAGATOR.extract({"traceparent": traceparent})
        span = self._tracer.start_span("HTTP", parent, SpanKind.SERVER)
        own: dict[str, str] = {}
        _PROPAGATOR.inject(own, set_span_in_context(span))
        return span, own.get("traceparent", "")  # a disabled SDK has none

    def end(self, span: Any, fields: dict[str, Any]) -> None:
        """Ends a request's span. fields: of the request log."""
        if fields["method"] in ("GET", "HEAD"):  # else it is any word of a client
            span.update_name(fields["method"])
        for name, value in fields.items():
            if value not in (None, ""):
                span.set_attribute(_ATTRIBUTES.get(name, f"oslogserve.{name}"), value)
        if fields["status"] >= 500 or fields["ending"] == "failed":
            span.set_status(StatusCode.ERROR)
        span.end()
