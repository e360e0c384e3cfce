# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.config.values import networks
from oslogserve.http.operators import Operators
from tests.unit.handlers.asking import Asking

#: 10.0.0.0/8 has the fronts, 192.0.2.7 is an operator's.
OPERATORS = Operators(networks("127.0.0.0/8 ::1 192.0.2.7"), networks("127.0.0.1 ::1 10.0.0.0/8"))


def are(peer, forwarded=None):
    environ = {"REMOTE_ADDR": peer}
    if forwarded is not None:
        environ["HTTP_X_FORWARDED_FOR"] = forwarded
    return OPERATORS.include(environ)


@pytest.mark.parametrize(
    ("peer", "forwarded"),
    [
        ("127.0.0.1", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("192.0.2.7", None),
        ("192.0.2.7", "198.51.100.1"),  # no front: the header is ignored
        ("127.0.0.1", "192.0.2.7"),
        ("127.0.0.1", "127.0.0.1"),
        ("10.1.2.3", "198.51.100.1, 192.0.2.7"),  # what the client sent counts for nothing
        ("10.1.2.3", "192.0.2.7, 10.9.9.9"),
        ("", "192.0.2.7"),
    ],
)
def test_operators(peer, forwarded):
    assert are(peer, forwarded)


@pytest.mark.parametrize(
    ("peer", "forwarded"),
    [
        ("198.51.100.1", None),
        ("198.51.100.1", "127.0.0.1"),
        ("198.51.100.1", "192.0.2.7"),
        ("127.0.0.1", "198.51.100.1"),
        ("127.0.0.1", "127.0.0.1, 198.51.100.1"),
        ("127.0.0.1", "192.0.2.7, 198.51.100.1"),
        ("10.1.2.3", "192.0.2.7,198.51.100.1, 10.9.9.9"),
        ("10.1.2.3", None),
        ("127.0.0.1", "unknown"),
        ("127.0.0.1", "192.0.2.7, "),
        ("127.0.0.1", "192.0.2.7:80"),
        ("127.0.0.1", "for=192.0.2.7"),
        ("", None),
        ("", ""),
        ("nonsense", None),
    ],
)
def test_who_is_no_operator_cannot_say_to_be_one(peer, forwarded):
    assert not are(peer, forwarded)


@pytest.mark.parametrize("path", ["/metrics", "/readyz"])
def test_readers_get_neither_metrics_nor_readiness(tmp_path, path):
    ask = Asking(tmp_path)
    assert ask(path).status_int == 200
    refused = ask(path, remote="198.51.100.1")
    assert refused.status_int == 403
    assert b"disk" not in refused.body
    assert (
        Asking(tmp_path, serve_operators="0.0.0.0/0")(path, remote="198.51.100.1").status_int == 200
    )
    assert ask("/healthz", remote="198.51.100.1").status_int == 200
