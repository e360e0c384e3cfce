# SPDX-License-Identifier: Apache-2.0
"""The times of lines as tools write them, and what only looks like one: a time is read whole or not at all."""

from oslogserve.lines.selection import Wanted

#: 5 March 2024, 04:56:07 UTC.
WRITTEN = 1_709_614_567
#: line -> its time in ISO 8601, or as it is if it has no date; "" for none. And its severity.
LINES = {
    # Web servers.
    b"2024-03-04 05:06:07 10.0.0.1 GET /index.html - 80 - 10.0.0.2 curl/8 500 0 0 15": (
        "2024-03-04T05:06:07",
        "NONE",
    ),
    b"04-Mar-2024 05:06:07.123 SEVERE [main] org.apache.catalina.x y": (
        "2024-03-04T05:06:07.123",
        "ERROR",
    ),
    b"####<Mar 4, 2024 5:06:07 AM EST> <Error> <Deployer> x": (
        "2024-03-04T05:06:07-05:00",
        "ERROR",
    ),
    b"####<Mar 4, 2024, 5:06:07,123 PM CET> <Error> <Deployer> x": (
        "2024-03-04T17:06:07.123+01:00",
        "ERROR",
    ),
    b"<Mar 4, 2024 5:06:07 AM UTC> <Error> <Deployer> x": ("2024-03-04T05:06:07Z", "ERROR"),
    b"Mar 04, 2024 5:06:07 AM org.x.Y z": ("2024-03-04T05:06:07", "NONE"),
    b"Mar 4, 2024, 5:06:07\xe2\x80\xafAM org.x.Y z": ("2024-03-04T05:06:07", "NONE"),
    b"[Mon Mar 04 05:06:07.123456 2024] [core:error] [pid 12:tid 34] [client 10.0.0.1:80] x": (
        "2024-03-04T05:06:07.123456",
        "ERROR",
    ),
    b"2024/03/04 05:06:07 [error] 12#34: *5 open() failed": ("2024-03-04T05:06:07", "ERROR"),
    b"[04-Mar-2024 05:06:07] ERROR: failed to x": ("2024-03-04T05:06:07", "ERROR"),
    b"[04-Mar-2024 05:06:07 UTC] PHP Fatal error:  x": ("2024-03-04T05:06:07Z", "CRITICAL"),
    b'10.0.0.1 - - [04/Mar/2024:05:06:07 +0100] "GET / HTTP/1.1" 200 5': (
        "2024-03-04T05:06:07+01:00",
        "INFO",
    ),
    b"Mar  4 05:06:07 lb haproxy[12]: 10.0.0.1:80 [04/Mar/2024:05:06:07.123] f b/s 0/0/0 503": (
        "2024-03-04T05:06:07",
        "ERROR",
    ),
    # Glog, klog, chromium.
    b"E20240304 05:06:07.123456 12 a.cc:3] x": ("2024-03-04T05:06:07.123456", "ERROR"),
    b"E0304 05:06:07.123456      12 a.go:3] x": ("2024-03-04T05:06:07.123456", "ERROR"),
    b"[12:34:0304/050607.123456:ERROR:a.cc(3)] x": ("2024-03-04T05:06:07.123456", "ERROR"),
    # Languages.
    b"E, [2024-03-04T05:06:07.123456 #12] ERROR -- : x": ("2024-03-04T05:06:07.123456", "ERROR"),
    b"=ERROR REPORT==== 4-Mar-2024::05:06:07 ===": ("2024-03-04T05:06:07", "ERROR"),
    b"=ERROR REPORT==== 4-Mar-2024::05:06:07.123456 UTC ===": (
        "2024-03-04T05:06:07.123456Z",
        "ERROR",
    ),
    b"2024-03-04 05:06:07.123 [error] <0.123.0>@riak_core:x:12 y": (
        "2024-03-04T05:06:07.123",
        "ERROR",
    ),
    b"05:06:07.123 [error] GenServer x terminating": ("05:06:07.123", "ERROR"),
    b"2024/03/04 05:06:07.123456 main.go:12: x": ("2024-03-04T05:06:07.123456", "NONE"),
    b"[2024-03-04T05:06:07Z ERROR app] x": ("2024-03-04T05:06:07Z", "ERROR"),
    b"2024-03-04T05:06:07.123456Z ERROR app: x": ("2024-03-04T05:06:07.123456Z", "ERROR"),
    b'{"level":"error","ts":1709528767.1234567,"msg":"x"}': (
        "2024-03-04T05:06:07.1234567Z",
        "ERROR",
    ),
    b'{"name":"a","hostname":"h","pid":1,"level":50,"msg":"x","time":"2024-03-04T05:06:07.123Z","v":0}': (
        "2024-03-04T05:06:07.123Z",
        "ERROR",
    ),
    b'{"level":50,"time":1709528767123,"pid":1,"msg":"x"}': ("2024-03-04T05:06:07.123Z", "ERROR"),
    b'{"@timestamp":"2024-03-04T05:06:07.123+01:00","level":"ERROR","message":"x"}': (
        "2024-03-04T05:06:07.123+01:00",
        "ERROR",
    ),
    b'{"instant":{"epochSecond":1709528767,"nanoOfSecond":12000000},"level":"ERROR","message":"x"}': (
        "2024-03-04T05:06:07.012000000Z",
        "ERROR",
    ),
    b'{"thread":"main","timeMillis":1709528767123,"level":"ERROR"}': (
        "2024-03-04T05:06:07.123Z",
        "ERROR",
    ),
    b'{"severity":"ERROR","time_ns":1709528767123456789}': (
        "2024-03-04T05:06:07.123456789Z",
        "ERROR",
    ),
    b'{"severity":"ERROR","time_ns":1709528767}': ("", "ERROR"),
    b'{"severity":"ERROR","time_ms": 1709528767}': ("", "ERROR"),
    b'{"severity":"ERROR","timestamp":{"seconds":"1709528767","nanos":123000000}}': (
        "2024-03-04T05:06:07.123000000Z",
        "ERROR",
    ),
    b'{"severity":"ERROR","timestamp":{"seconds":1709528767, "nanos": 5}}': (
        "2024-03-04T05:06:07.000000005Z",
        "ERROR",
    ),
    b'{"severity":"ERROR","duration":{"seconds":1709528767}}': ("", "ERROR"),
    b'{"level":"ERROR","datetime":{"date":"2024-03-04 05:06:07.123456","timezone_type":1,"timezone":"+02:00"}}': (
        "2024-03-04T05:06:07.123456+02:00",
        "ERROR",
    ),
    b'{"t":{"$date":"2024-03-04T05:06:07.123+00:00"},"s":"E","c":"NETWORK","msg":"x"}': (
        "2024-03-04T05:06:07.123+00:00",
        "ERROR",
    ),
    b"time=2024-03-04T05:06:07.123Z level=ERROR msg=x": ("2024-03-04T05:06:07.123Z", "ERROR"),
    b"ts=1709528767.123 level=error msg=x": ("2024-03-04T05:06:07.123Z", "ERROR"),
    b"Mon Mar 04 2024 05:06:07 GMT+0200 (Central European Summer Time) ERROR x": (
        "2024-03-04T05:06:07+02:00",
        "ERROR",
    ),
    b"2024-03-04 05:06:07.123 +01:00 [ERR] x": ("2024-03-04T05:06:07.123+01:00", "ERROR"),
    b"3/4/2024 5:06:07 AM ERROR x": ("", "ERROR"),
    b"13/4/2024 5:06:07 AM ERROR x": ("2024-04-13T05:06:07", "ERROR"),
    b"2024/3/4 5:06:07 ERROR x": ("2024-03-04T05:06:07", "ERROR"),
    b"2024-03-04 05:06:07 +0100 CET ERROR x": ("2024-03-04T05:06:07+01:00", "ERROR"),
    b"2024-03-04T05:06:07.123+01:00[Europe/Berlin] ERROR x": (
        "2024-03-04T05:06:07.123+01:00",
        "ERROR",
    ),
    # Databases.
    b"1234:M 04 Mar 2024 05:06:07.123 # x": ("2024-03-04T05:06:07.123", "WARNING"),
    b"[1234] 04 Mar 05:06:07.123 # x": ("2024-03-04T05:06:07.123", "NONE"),
    b"2024-03-04T05:06:07.123+0100 E NETWORK  [conn1] x": (
        "2024-03-04T05:06:07.123+01:00",
        "ERROR",
    ),
    b"2024-03-04T05:06:07.123456Z 12 [ERROR] [MY-010123] [Server] x": (
        "2024-03-04T05:06:07.123456Z",
        "ERROR",
    ),
    b"240304  5:06:07 [ERROR] x": ("2024-03-04T05:06:07", "ERROR"),
    b"2024-03-04  5:06:07 12 [ERROR] x": ("2024-03-04T05:06:07", "ERROR"),
    b"Mon Mar 04 05:06:07 2024": ("2024-03-04T05:06:07", "NONE"),
    b"2024-03-04T05:06:07.123456+01:00": ("2024-03-04T05:06:07.123456+01:00", "NONE"),
    b"04-MAR-2024 05:06:07 * service_update * x * 0": ("2024-03-04T05:06:07", "NONE"),
    b"2024-03-04-05.06.07.123456+060 I12345E500 LEVEL: Error": (
        "2024-03-04T05:06:07.123456",
        "ERROR",
    ),
    b"2024-03-04 05:06:07 UTC:10.0.0.1(52134):u@d:[12]:ERROR:  x": (
        "2024-03-04T05:06:07Z",
        "ERROR",
    ),
    b"2024-03-04 05:06:07.123 UTC [12] u@d ERROR:  x": ("2024-03-04T05:06:07.123Z", "ERROR"),
    b"< 2024-03-04 05:06:07.123 CET >ERROR:  x": ("2024-03-04T05:06:07.123+01:00", "ERROR"),
    # Systems.
    b"<11>1 2024-03-04T05:06:07.123+01:00 host app 12 ID - x": (
        "2024-03-04T05:06:07.123+01:00",
        "ERROR",
    ),
    b"Mar  4 2024 05:06:07 host app: ERROR x": ("2024-03-04T05:06:07", "ERROR"),
    b"2024 Mar  4 05:06:07 host %SYS-3-X: y": ("2024-03-04T05:06:07", "ERROR"),
    b"*Mar  4 05:06:07.123 UTC: %SYS-3-X: y": ("2024-03-04T05:06:07.123Z", "ERROR"),
    b"Mar  4 05:06:07.123 EST: %SYS-3-X: y": ("2024-03-04T05:06:07.123-05:00", "ERROR"),
    b"[Mon Mar  4 05:06:07 2024] usb 1-1: device error": ("2024-03-04T05:06:07", "NONE"),
    b"Mon 2024-03-04 05:06:07 CET host app[12]: ERROR x": ("2024-03-04T05:06:07+01:00", "ERROR"),
    b"2024-03-04T05:06:07+0100 host app[12]: ERROR x": ("2024-03-04T05:06:07+01:00", "ERROR"),
    b"Mar 04 05:06:07.123456 host app[12]: ERROR x": ("2024-03-04T05:06:07.123456", "ERROR"),
    b"E [04/Mar/2024:05:06:07 +0100] [Job 1] x": ("2024-03-04T05:06:07+01:00", "ERROR"),
    b"03-04 05:06:07.123  1234  5678 E ActivityManager: x": ("2024-03-04T05:06:07.123", "ERROR"),
    b"2024-03-04 05:06:07.123  1234  5678 E ActivityManager: x": (
        "2024-03-04T05:06:07.123",
        "ERROR",
    ),
    b"2024-03-04 05:06:07.123456+0100 app[12:34] x": ("2024-03-04T05:06:07.123456+01:00", "NONE"),
    b"type=AVC msg=audit(1709528767.123:45): x": ("2024-03-04T05:06:07.123Z", "NONE"),
    b"2024-03-04T05:06:07.123456789Z stderr F ERROR x": (
        "2024-03-04T05:06:07.123456789Z",
        "ERROR",
    ),
    # Builds.
    b"2024-03-04T05:06:07.1234567Z ##[error]x": ("2024-03-04T05:06:07.1234567Z", "ERROR"),
    b"[05:06:07] : [Step 1/2] x": ("05:06:07", "NONE"),
    b"(05:06:07) ERROR: /a/BUILD:3:1: x": ("05:06:07", "ERROR"),
    b"2024-03-04T05:06:07.123-0800 [ERROR] [org.gradle.x] y": (
        "2024-03-04T05:06:07.123-08:00",
        "ERROR",
    ),
    # Date.
    b"Tue 25 Jun 14:54:31 BST 2024 ERROR x": ("2024-06-25T14:54:31", "ERROR"),
    b"Tue 25 Jun 14:54:31 CEST 2024 ERROR x": ("2024-06-25T14:54:31+02:00", "ERROR"),
    b"Tue 25 Jun 2024 02:54:31 PM EDT: ERROR x": ("2024-06-25T14:54:31-04:00", "ERROR"),
    b"Tue 25 Jun 2024 02:54:31 p.m. EDT: ERROR x": ("2024-06-25T14:54:31-04:00", "ERROR"),
    b"Tuesday 25 June 2024 02:54:31 PM IST ERROR x": ("2024-06-25T14:54:31", "ERROR"),
    b"Tuesday, June 25, 2024 at 2:54:31 PM ERROR x": ("2024-06-25T14:54:31", "ERROR"),
    b"Tue, 25 Jun 2024 14:54:31 +0000 ERROR x": ("2024-06-25T14:54:31+00:00", "ERROR"),
    b"Tue, 25 Jun 2024 14:54:31 GMT ERROR x": ("2024-06-25T14:54:31Z", "ERROR"),
    b"2024-06-25T14:54:31,123456789+00:00 ERROR x": (
        "2024-06-25T14:54:31.123456789+00:00",
        "ERROR",
    ),
    b"Jun 25 14:54:31 UTC 2024 ERROR x": ("2024-06-25T14:54:31Z", "ERROR"),
    b"25/06/2024 14:54 ERROR x": ("2024-06-25T14:54:00", "ERROR"),
    b"2024-06-25 02:54 PM ERROR x": ("2024-06-25T14:54:00", "ERROR"),
    b"2024-06-25_14-54-31 ERROR x": ("2024-06-25T14:54:31", "ERROR"),
    b"20240625T145431.123Z ERROR x": ("2024-06-25T14:54:31.123Z", "ERROR"),
    b"2024-06-25:14:54:31 ERROR x": ("2024-06-25T14:54:31", "ERROR"),
    b"2024-Jun-25 14:54:31.123456 ERROR x": ("2024-06-25T14:54:31.123456", "ERROR"),
    b"2024-177T14:54:31Z ERROR x": ("2024-06-25T14:54:31Z", "ERROR"),
    b"2024-06-25T14:54:31.123 UTC+5:30 ERROR x": ("2024-06-25T14:54:31.123+05:30", "ERROR"),
    b"2024-06-25T14:54:31GMT-3 ERROR x": ("2024-06-25T14:54:31-03:00", "ERROR"),
    b"2024-06-25 14:54:31:123456 ERROR x": ("2024-06-25T14:54:31.123456", "ERROR"),
    b"[2024-06-25 14:54:31 +0200] ERROR x": ("2024-06-25T14:54:31+02:00", "ERROR"),
    # In front.
    b"\xef\xbb\xbf2024-03-04 05:06:07 ERROR x": ("2024-03-04T05:06:07", "ERROR"),
    b"\x0c2024-03-04 05:06:07 ERROR x": ("2024-03-04T05:06:07", "ERROR"),
    b'\x00\x00\x00\x00{"time":"2024-03-04T05:06:07Z","level":"error"}': (
        "2024-03-04T05:06:07Z",
        "ERROR",
    ),
    # Neither.
    b"took 05:06:07 in all": ("", "NONE"),
    b"--2024-03-04 05:06:07--  https://h/x": ("2024-03-04T05:06:07", "NONE"),
    b"   compiled Aug 10 2017, 17:20:39 on x86_64": ("", "NONE"),
    b"rebar 2.6.4 17 20160831_145136 git": ("", "NONE"),
    b"L 03/14/2024 - 05:06:07: x": ("2024-03-14T05:06:07", "NONE"),
    b"[03/14/24 05:06:07] ERROR    x": ("2024-03-14T05:06:07", "ERROR"),
    b"elapsed: 0:05:06.123": ("", "NONE"),
    b"elapsed time 00:05:06": ("", "NONE"),
    b"Duration: 00:05:06 (306 s)": ("", "NONE"),
    b"real 00:05:06": ("", "NONE"),
    b"version 10.20.30.40 of 2024.03.04": ("", "NONE"),
    b"2024-03-04 10.20.30.40 - GET /": ("", "NONE"),
    b"2024-03-04 10.20.30.140 - GET /": ("", "NONE"),
    b"10:20:30:40:50:60 is up": ("", "NONE"),
    b"00:11:22:33:44:55 is up": ("", "NONE"),
    b"2024-13-04 05:06:07 ERROR x": ("", "ERROR"),
    b"2024-02-30 05:06:07 ERROR x": ("", "ERROR"),
    b"30 Feb 2024 05:06:07 ERROR x": ("", "ERROR"),
    b"4. M\xc3\xa4rz 2024 05:06:07 ERROR x": ("", "ERROR"),
    b"lun. 4 mars 2024 05:06:07 ERROR x": ("", "ERROR"),
    b"2024\xe5\xb9\xb43\xe6\x9c\x884\xe6\x97\xa5 05:06:07 ERROR x": ("", "ERROR"),
    b"2024-03-04 25:06:07 ERROR x": ("", "ERROR"),
    b"12345678901234567890 x": ("", "NONE"),
    b"size 1709528767 bytes": ("", "NONE"),
    b"2024-03-04 05:06:07.1234567890123 x": ("", "NONE"),
    b"16-07-2021 13:46:59 ERROR x": ("2021-07-16T13:46:59", "ERROR"),
    b"06-07-2021 13:46:59 ERROR x": ("", "ERROR"),
    b"2024-03 05:06:07 ERROR x": ("", "ERROR"),
    b"Mon 05:06:07 ERROR x": ("05:06:07", "ERROR"),
    b"app 05:06:07 ERROR x": ("05:06:07", "ERROR"),
}


def test_the_time_and_the_severity_of_each_line(renderer):
    wrong = []
    for line, wanted in LINES.items():
        [row] = renderer([line], Wanted("jsonl", written=WRITTEN)).objects()
        found = row["time"] or "", row["severity"]
        if found != wanted:
            wrong.append((line, found, wanted))
    assert wrong == []
