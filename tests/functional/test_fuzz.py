# SPDX-License-Identifier: Apache-2.0
"""A short round of requests that no client would send, always the same ones."""

from tests.fuzz.fuzzer import Round, run
from tests.fuzz.requests import Requests

#: They take some five seconds.
CASES = 300


def test_every_request_has_an_answer_and_none_is_wrong():
    with Requests() as fuzzer:
        assert run(fuzzer, cases=CASES) == Round(CASES, "")
