# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve import errors


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.BadRequest("x"), "400"),
        (errors.Forbidden("x"), "403"),
        (errors.NotFound("x"), "404"),
        (errors.MethodNotAllowed("PUT"), "405"),
        (errors.RangeUnsatisfiable(5), "416"),
        (errors.Error("x"), "500"),
        (errors.Unavailable([errors.SourceError("swift", "status 500")]), "503"),
    ],
)
def test_every_error_has_its_status_and_a_sentence(error, status):
    assert error.status.startswith(status + " ")
    assert error.sentence == str(error) != ""


def test_what_a_client_can_do_is_in_the_headers():
    assert errors.MethodNotAllowed("PUT").headers == [("Allow", "GET, HEAD")]
    assert errors.RangeUnsatisfiable(5).headers == [("Content-Range", "bytes */5")]
    [(name, seconds)] = errors.Unavailable([]).headers
    assert name == "Retry-After"
    assert int(seconds) > 0


def test_unavailable_names_every_source_that_failed():
    failures = [errors.SourceError("disk", "I/O"), errors.SourceError("swift", "late", "timeout")]
    assert "disk: I/O; swift: late" in errors.Unavailable(failures).sentence


def test_reasons_are_a_fixed_set():
    for reason in errors.Incomplete.REASONS:
        assert errors.Incomplete(reason, "x").reason == reason
    with pytest.raises(ValueError, match="other"):
        errors.Incomplete("other", "x")
