# SPDX-License-Identifier: Apache-2.0
"""The HTML of pages: Jinja2 templates, which escape every value."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice, takewhile
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from oslogserve.text import counted, duration, iso_moment, moment, size_shown, visible

#: Placeholder of a page's content in its template. No value from a request or a log can equal it, since
#: their "<" are escaped.
_CONTENT = Markup("<!-- content -->")
#: Texts of a template that are joined to one piece, some 500 rows of a folder.
_JOINED = 5000

_ENVIRONMENT = Environment(
    loader=PackageLoader("oslogserve"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    auto_reload=False,
)
_ENVIRONMENT.filters |= {
    "counted": counted,
    "duration": duration,
    "iso_moment": iso_moment,
    "moment": moment,
    "size": size_shown,
    "thousands": "{:,}".format,
    "visible": visible,
}


def template(name: str) -> Template:
    return _ENVIRONMENT.get_template(name)


def rendered(name: str, /, **values: Any) -> bytes:
    return template(name).render(values).encode()


def streamed(name: str, content: Iterable[bytes] = (), /, **values: Any) -> Iterator[bytes]:
    """Yields a page in pieces. The pieces of `content` replace {{ content }}.

    The template is evaluated piece by piece, so values after the content may depend on it.
    """
    texts = template(name).generate(values, content=_CONTENT)
    head = takewhile(lambda text: text != _CONTENT, texts)
    return chain(_joined(head), content, _joined(texts))


def _joined(texts: Iterator[str]) -> Iterator[bytes]:
    while batch := list(islice(texts, _JOINED)):
        yield "".join(batch).encode()


# Compile all now, so that no request waits for it or gets the templates of a later version.
for _name in _ENVIRONMENT.list_templates(extensions=["html"]):
    template(_name)
