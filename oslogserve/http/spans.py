# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's spans, one for each request. They need the extra `otel`, and are off by default.

The SDK reads from the environment (OTEL_*) where to send them, and how many to sample.
"""

from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

#: Attributes by fields of the request log; any other field is "oslogserve." and its name.
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
    """A processor that sends spans in batches by OTLP."""
    return BatchSpanProcessor(OTLPSpanExporter())


class Spans:
    """The spans of one process."""

    def __init__(self) -> None:
        provider = TracerProvider()
        provider.add_span_processor(processor())
        self._tracer = provider.get_tracer("oslogserve")

    def begin(self, traceparent: str) -> tuple[Any, str]:
        """Begins a request's span. Returns it and its traceparent, "" for none.

        traceparent: the request's header.
        """
        parent = _PROPAGATOR.extract({"traceparent": traceparent})
        span = self._tracer.start_span("HTTP", parent, SpanKind.SERVER)
        own: dict[str, str] = {}
        _PROPAGATOR.inject(own, set_span_in_context(span))
        return span, own.get("traceparent", "")  # a disabled SDK has none

    def end(self, span: Any, fields: dict[str, Any]) -> None:
        """Ends a request's span. fields: see fields_of()."""
        if fields["method"] in ("GET", "HEAD"):  # any other method is a client's own word
            span.update_name(fields["method"])
        for name, value in fields.items():
            if value not in (None, ""):
                span.set_attribute(_ATTRIBUTES.get(name, f"oslogserve.{name}"), value)
        if fields["status"] >= 500 or fields["ending"] == "failed":
            span.set_status(StatusCode.ERROR)
        span.end()
