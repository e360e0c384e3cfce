# SPDX-License-Identifier: Apache-2.0
import re
from importlib import resources

import pytest
from jinja2 import UndefinedError

from oslogserve import templates
from oslogserve.ci.build import Build
from oslogserve.templates import rendered, streamed

HOSTILE = '<script>alert("1")</script>&\''
TEMPLATES = {
    file.name: file.read_text()
    for file in resources.files("oslogserve").joinpath("templates").iterdir()
    if file.name.endswith(".html")
}


def large_job(address):
    return rendered("large_job.html", build=Build(), address=address).decode()


def test_a_template_escapes_what_fills_it():
    assert 'href="&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;&amp;&#39;"' in large_job(HOSTILE)


def test_what_is_filled_in_is_no_template():
    assert 'href="{{ address }}{% raw %}"' in large_job("{{ address }}{% raw %}")


def test_a_value_that_is_missing_is_an_error():
    with pytest.raises(UndefinedError):
        rendered("large_job.html")


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_template_switches_escaping_off(name):
    assert not re.search(r"\|\s*safe|autoescape|<script(?![^>]*src=)", TEMPLATES[name])


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_value_of_an_attribute_is_quoted(name):
    assert not re.search(r"=\{\{(?!.*%\})", re.sub(r"\{%.*?%\}", "", TEMPLATES[name]))


def test_content_goes_where_the_template_has_it_alone(monkeypatch):
    source = "{{ name }}<ol>{{ content }}</ol>{{ name }}"
    monkeypatch.setattr(templates, "template", lambda _: templates._ENVIRONMENT.from_string(source))
    page = b"".join(streamed("any.html", [b"x"], name=str(templates._CONTENT)))
    assert page.count(b"<ol>x</ol>") == 1
    assert page.count(b"&lt;!-- content --&gt;") == 2
