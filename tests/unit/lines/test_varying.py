# SPDX-License-Identifier: Apache-2.0

import pytest

from oslogserve.lines.varying import normalised


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("took 1.52s at 10:11:12", "took 93s at 22:01:00"),
        ("commit 3f9d2c1b77 is gone", "commit 0a9d2c1b99eeff is gone"),
        (
            "volume 1b4e28ba-2fa1-11d2-883f-0016d3cca427",
            "volume 6fa459ea-ee8a-3ca4-894e-db77e160355e",
        ),
        ("connect to 10.4.0.17:5672 refused", "connect to 192.0.2.250:40001 refused"),
        ("at 0x7f3a90 in main", "at 0x55d0c8e1f0 in main"),
        ("open /tmp/tmpab12cd/x.conf: no such file", "open /tmp/tmpzz91/x.conf: no such file"),
        ("see tmp_k3j4h2_out", "see tmp_9s8d7f_out"),
        ("foo.py:123: NameError: x", "foo.py:98: NameError: x"),
        ("on Tue, 3 Mar it broke", "on Fri, 13 Nov it broke"),
        ("a  b\tc", "a b c"),
        ("at Tue Nov 24 10:00:00 2026", "at Wed Nov  4 11:30:12 2026"),
        ("since 2026-11-24T10:00:00Z", "since 2026-01-02T03:04:05.678+01:00"),
        ("commit 3F9D2C1B77 is gone", "commit 0A9D2C1B99EEFF is gone"),
        ("got 1731 rows, want 1730", "got 1829 rows, want 1828"),
        ("got 17 pods of 20", "got 3 pods of 20"),
        ("assert 0.125 == 0.25", "assert 0.75 == 0.5"),
        ("malloc returned 0x7f3a90aabbcc", "malloc returned 0x55d0c8e1f0aa"),
        ("pod web-5d9c7b6f4-x2x9z: no", "pod web-84bbd8c9cd-kq7wv: no"),
        ("open a/tmp-12-AbCdEf/x: no", "open a/tmp-9041-9hK2Lm/x: no"),
        ("open a/tmp-1204kd93hx2: no", "open a/tmp-99dj38sk2xq: no"),
        ("/workspace/job/src/a.c: no", "/workspace/job@2/src/a.c: no"),
        ("cd /workspace/job@tmp: no", "cd /workspace/job@12@tmp: no"),
        ("open /builds/t1_xB3fq/0/a/b: no", "open /builds/9sKd-Ba1/12/a/b: no"),
        ("on runner-t1xb3fq-project-7-concurrent-0", "on runner-9skdba1-project-7-concurrent-3"),
        ("host fv-az1234-567 is full", "host fv-az88-12 is full"),
        ("open /home/runner/work/_temp/k3j4h2: no", "open /home/runner/work/_temp/zz_91: no"),
        ("waited 1m2.3s for it", "waited 9.1s for it"),
        ("built 1.2.3-4-gabc1234", "built 1.2.4-11-g0123abc"),
        ("branch PR-123 has no file", "branch PR-88 has no file"),
        (
            'File "/src/a/b.py", line 3, in test_q',
            'File "/home/zuul/src/a/b.py", line 99, in test_q',
        ),
    ],
)
def test_what_differs_from_run_to_run_does_not_count(one, other):
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mount failed with exit code 32", "mount failed with exit code 1"),
        ("rc=137 from qemu", "rc=1 from qemu"),
        ("mirror answered HTTP 503", "mirror answered HTTP 404"),
        ("server returned status 401", "server returned status 500"),
        ("OSError: [Errno 28] no space", "OSError: [Errno 13] no space"),
        ("E231 missing whitespace", "E501 missing whitespace"),
        ("src/a.ts: TS2345", "src/a.ts: TS2339"),
        ("FAIL: test_server_2", "FAIL: test_server_3"),
        ("HTTPError: 404 Client Error: for url", "HTTPError: 429 Client Error: for url"),
        ("server answered 404", "server answered 503"),
        ("curl: (6) no host", "curl: (7) no connection"),
        ("pod web-default-agent: no", "pod web-primary-agent: no"),
        ("web-5d9c7b6f4-x2x9z: no", "api-5d9c7b6f4-x2x9z: no"),
        ("step build-linux-arm64", "step build-macos-arm64"),
        ("open a/tmp-cache/x: no", "open a/tmp-store/x: no"),
        ("/workspace/job@2/src/a.c: no", "/workspace/job@2/src/b.c: no"),
        ("/workspace/job@next: no", "/workspace/job@main: no"),
        ("a/job@2: no", "a/job: no"),
        ("needs six==1.2", "needs six==3.4.5"),
        ("/tmp/build/src/parser.c: no", "/tmp/build/src/lexer.c: no"),
        ("--- FAIL: TestCloud2 ", "--- FAIL: TestCloud3 "),
        ("URL returned error: 404", "URL returned error: 503"),
        ("HTTP Error 404: no", "HTTP Error 500: no"),
        ("Unexpected HTTP response: 404", "Unexpected HTTP response: 502"),
        ("HTTP/1.1 404 of mirror", "HTTP/1.1 503 of mirror"),
        ("E   assert 404 == 200", "E   assert 500 == 200"),
        ("E   assert 2 == 3", "E   assert 14 == 12"),
        ("expected:<3> but was:<4>", "expected:<7> but was:<4>"),
        ("expected 3 to equal 2", "expected 5 to equal 2"),
        (
            "Failed asserting that 3 matches expected 4.",
            "Failed asserting that 3 matches expected 2.",
        ),
        ("AssertionError: 200 != 404", "AssertionError: 200 != 503"),
        ("expected: <200> but was: <404>", "expected: <200> but was: <500>"),
        ("expected 404 to equal 200", "expected 500 to equal 200"),
        ("left: 404", "left: 500"),
        ("assert a.status_code == 404", "assert a.status_code == 500"),
        ("StatusCode=500", "StatusCode=502"),
        ("ERROR 1045 (28000): no", "ERROR 1049 (42000): no"),
        ("SQLSTATE[08006] no", "SQLSTATE[42000] no"),
        ("[WinError 10061] no", "[WinError 10060] no"),
        ("exit status 0xC0000005", "exit status 0xC0000135"),
        ("exited with code 3221225477", "exited with code 3221225781"),
        ("HRESULT: 0x80070005", "HRESULT: 0x80070002"),
        ("CVE-2024-1234 in zlib", "CVE-2024-9876 in zlib"),
        ("E   assert 404 in [200, 201]", "E   assert 500 in [200, 201]"),
        ("E   assert 3 < 2", "E   assert 4 < 2"),
        ("assert <Response [404]>.ok", "assert <Response [500]>.ok"),
        ("assert 'a1' == 'a2'", "assert 'a1' == 'a3'"),
        ("a.c:4:4: error: 'x1' undeclared", "a.c:4:4: error: 'x2' undeclared"),
        ("upload: error 404 from it", "upload: error 503 from it"),
        ("mount: error: 2", "mount: error: 13"),
        ("errcode 5 from it", "errcode 7 from it"),
        ("Which is: 3", "Which is: 4"),
        ("3", "4"),
        ('File "/src/a.py", line 3, in one', 'File "/src/a.py", line 3, in other'),
        ('File "/src/a.py", line 3, in one', 'File "/src/b.py", line 3, in one'),
    ],
)
def test_codes_and_numbers_in_names_count(one, other):
    assert normalised(one) != normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 - net_test (Failed)", "7 - net_test (Failed)"),
        ("FAIL in (t) (core_test.clj:12)", "FAIL in (t) (core_test.clj:30)"),
        ("Failure → spec/a_spec.lua @ 12", "Failure → spec/a_spec.lua @ 30"),
        ("[chromium] > a.spec.ts:3:5 > logs in", "[chromium] > a.spec.ts:9:1 > logs in"),
        ("src/a_test.cc:34: Failure", "src/a_test.cc:70: Failure"),
    ],
)
def test_the_line_and_the_place_of_a_failed_test_do_not_count_in_its_name(one, other):
    assert normalised(one, is_name=True) == normalised(other, is_name=True)


def test_ports_among_the_parameters_in_a_name_count():
    one, other = (f"FAILED a.py::test_x[example.org:{port}]" for port in (80, 443))
    assert normalised(one, is_name=True) != normalised(other, is_name=True)
