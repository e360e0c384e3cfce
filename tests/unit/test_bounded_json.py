# SPDX-License-Identifier: Apache-2.0
import json
import time

import pytest

from oslogserve.bounded_json import parsed


@pytest.mark.parametrize("value", [None, [], {"a": [1.5, True, "\u00e9"]}, 'x\\"y', ["a:[{"] * 9])
def test_a_document_is_parsed(value):
    document = json.dumps(value, ensure_ascii=False).encode()
    assert parsed(document, 1000) == value


def test_signs_in_strings_are_no_tokens():
    assert parsed(json.dumps([',:[{}]\\"' * 1000]).encode(), 3)


@pytest.mark.parametrize("value", [b"1", b'"ab"', b"[]", b"{}", b"[[[]]]", b'{"a":1}'])
def test_a_document_of_too_many_tokens_is_refused_before_it_is_parsed(value, monkeypatch):
    monkeypatch.setattr(json, "loads", lambda _: pytest.fail("it was parsed"))
    with pytest.raises(ValueError, match="tokens"):
        parsed(b"[" + b",".join([value] * 2000) + b"]", 2000)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_another_encoding_than_utf_8_is_refused(encoding):
    with pytest.raises(ValueError, match=r"decode|token|line 1"):
        parsed('["\u00e9"]'.encode(encoding), 100)


@pytest.mark.parametrize("document", [b"[" * 100_000, b'{"a":' * 100_000, b"", b"[", b'["\\'])
def test_what_is_no_document_is_refused(document):
    with pytest.raises(ValueError):  # noqa: PT011 - json has several
        parsed(document, 10**6)


@pytest.mark.parametrize("document", [b'"' + b'\\"' * 2**21, b'"a' * 2**21, b'["' + b"a" * 2**22])
def test_strings_without_an_end_take_no_longer_than_others(document):
    began = time.thread_time()
    with pytest.raises(ValueError):  # noqa: PT011 - json has several
        parsed(document, 100)
    assert time.thread_time() - began < 2
