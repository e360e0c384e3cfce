# SPDX-License-Identifier: Apache-2.0

import os
import re
import subprocess
import sys

import pytest

from oslogserve.config import ConfigError, load
from oslogserve.config.options import REMOVED

SWIFT = {
    "OS_AUTH_URL": "http://keystone/v3",
    "OS_USERNAME": "zuul",
    "OS_PASSWORD": "hunter2",
    "OS_PROJECT_NAME": "logs",
}


@pytest.fixture
def conf(tmp_path):
    def write(text, environ=None, **overrides):
        file = tmp_path / "x.conf"
        file.write_text(text)
        return load(str(file), environ or {}, **overrides)

    return write


def test_without_a_file_everything_is_at_its_default():
    config = load(None, {})
    assert config["disk", "root"] == config["swift", "container"] == ""
    assert config["serve", "chunk_size"] == 65536
    assert config["serve", "listing"] is True
    assert config["metrics", "path"] == "/metrics"
    assert config["swift", "read_timeout"] == 30.0
    assert config.views == []
    assert config.formats == []


def test_a_file_is_understood(conf):
    config = conf(
        "# a comment\n[disk]\nroot = /srv/logs\n[serve]\nchunk_size: 2000\nlisting = no\n"
        "[metrics]\npath =\n[view a]\npattern = \\.txt$\n[view b]\nview = raw\npattern = x%(y)s\n"
    )
    assert config["disk", "root"] == "/srv/logs"
    assert config["serve", "chunk_size"] == 2000
    assert config["serve", "listing"] is False
    assert config["metrics", "path"] == ""
    shown = [(pattern.pattern, view) for pattern, view in config.views]
    assert shown == [(r"\.txt$", "log"), ("x%(y)s", "raw")]


def test_a_site_s_own_formats_keep_their_order(conf):
    config = conf(
        "[format z]\npattern = (?P<time>\\d+) (?P<severity>[\\w:]+)\nwords = E:ERROR w::Warning\n"
        "[disk]\nroot = /x\n[format a b]\npattern = ^<(?<severity>ä+)>\nwords = ä:error\n"
        "[format m]\npattern = \\[(?P<time>[^[ ]+)\\]\n"
    )
    assert config.formats == [
        (
            "z",
            "(?P<time>[0-9]+) (?P<severity>[0-9A-Za-z_:]+)",
            {b"E": "ERROR", b"W:": "WARNING"},
        ),
        ("a b", "^<(?<severity>ä+)>", {"ä".encode(): "ERROR"}),
        ("m", r"\[(?P<time>[^\[ ]+)\]", {}),
    ]


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("", "a format needs a pattern"),
        ("(?P<time>x", "a regular expression (an opening parenthesis is never closed)"),
        ("(?P<time>x)(?=y)", "(?= looks around"),
        ("(?P<time>x)\\1", "\\1 is not taken"),
        ("(?P<time>[x", "a regular expression (an opening bracket is never closed)"),
        ("(?P<time>(?:x{1000}){1000})", "it needs too much memory"),
        ("\\d+ ERROR", "with a group (?P<time>...) or (?P<severity>...)"),
        ("(?P<time>x) (?P<host>y)", "the groups time and severity, once each"),
        ("(?P<time>x) (y)", "others are written (?:...)"),
        ("(?P<time>x)|(?P<time>y)", "two groups are named time"),
        ("(?P<zeit_ä>x)", "once each"),
        ("(?P<time>\\d*)", "does not fit an empty line"),
        ("(?P<time>" + 999 * "x" + ")", "at most 1000 bytes, these are 1009"),
        ("(?P<time>" + 496 * "ä" + ")", "at most 1000 bytes, these are 1002"),
    ],
)
def test_a_pattern_that_no_line_can_be_tried_with_is_named_with_its_line(conf, pattern, named):
    with pytest.raises(ConfigError) as caught:
        conf(f"[format x]\nwords =\npattern = {pattern}\n")
    [fault] = str(caught.value).split("\n")
    assert "x.conf:3: [format x]" in fault
    assert named in fault
    assert len(fault) < 500


def test_a_pattern_may_be_as_long_as_the_limit(conf):
    assert len(conf(f"[format x]\npattern = (?P<time>{990 * 'x'})\n").formats[0][1]) == 1000


def test_a_pattern_is_shown_as_it_was_written(conf):
    with pytest.raises(ConfigError, match=re.escape(r"pattern: '(\d+\.txt' is not understood")):
        conf("[view x]\npattern = (\\d+\\.txt\n")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("E", "not 'E'"),
        (":ERROR", "not ':ERROR'"),
        ("E:ERROR W:LOUD", "not 'W:LOUD': of NONE, DEBUG"),
        ("E=ERROR", "not 'E=ERROR'"),
        ("E:ERROR E:INFO", "'E' is there with two severities"),
        ("E:ERROR " * 300, "at most 2000 bytes"),
    ],
)
def test_words_that_mean_nothing_are_named_with_their_line(conf, words, named):
    with pytest.raises(ConfigError) as caught:
        conf(f"[format x]\npattern = (?P<severity>x)\nwords = {words}\n")
    [fault] = str(caught.value).split("\n")
    assert "x.conf:3: [format x] words" in fault
    assert named in fault


def test_words_are_of_no_use_without_the_group_that_they_are_for(conf):
    with pytest.raises(ConfigError, match=r"x\.conf:2: \[format x\] words: of no use"):
        conf("[format x]\nwords = E:ERROR\npattern = (?P<time>x)\n")


@pytest.mark.parametrize("where", sorted(REMOVED))
def test_an_option_that_is_gone_is_a_warning_with_its_line_and_what_to_do(conf, where):
    section, key = where
    config = conf(f"[{section}]\n\n{key} = 1\n")
    (what,) = config.removed
    assert what.endswith(f"x.conf:3: [{section}] {key} is gone: {REMOVED[where]}")
    assert f"\n{key} = 1\n" not in config.as_file()


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ("[serve]\n\nchunk_sise = 1\n", 3, "chunk_sise"),
        ("[serve]\nlisting = yes\nchunk_size = many\n", 3, "chunk_size"),
        ("[serve]\nchunk_size = 0\n", 2, "chunk_size"),
        ("[serve]\nchunk_size = 1.5\n", 2, "chunk_size"),
        ("[serve]\nlisting = perhaps\n", 2, "listing"),
        ("[serve]\ngzip_level = 4\n", 2, "0, 1, 2, 3 or off"),
        ("[serve]\ngzip_level = no\n", 2, "gzip_level"),
        ("[disk]\nroot = logs\n", 2, "root"),
        ("[metrics]\npath = metrics\n", 2, "path"),
        ("[swift]\nauth_version = 2\n", 2, "auth_version"),
        ("[swift]\ninterface = secret\n", 2, "interface"),
        ("[swift]\nconnect_timeout = 0\n", 2, "connect_timeout"),
        ("[swift]\nread_timeout = nan\n", 2, "read_timeout"),
        ("[swift]\npartitions = (\n", 2, "partitions"),
        ("[swift]\ncontainer = a/b\n", 2, "container"),
        ("[swift]\ncontainer = {partition}{partition}\n", 2, "container"),
        ("[swift]\ncontainer = {other}\n", 2, "container"),
        ("[disk]\n\n[swfit]\n", 3, "swfit"),
        ("[DEFAULT]\nroot = /x\n", 1, "DEFAULT"),
        ("[swift]\nauth_url = keystone:5000/v3\n", 2, "auth_url"),
        ("[swift]\nauth_url = ftp://keystone/v3\n", 2, "auth_url"),
        ("[swift]\nauth_url = https://\n", 2, "auth_url"),
        ("[view x]\nview = raw\n", 1, "pattern"),
        ("[view x]\nview = raw\npattern =\n", 3, "pattern"),
        ("[view x]\npattern = [\n", 2, "pattern"),
        ("[view x]\npattern = a\nview = page\n", 3, "view"),
        ("[view x]\npattern = a\ntype = page\n", 3, "type"),
        ("[disk]\nroot = /x\n[serve]\nroot = /y\n", 4, "root"),
        ("[format x]\npattern = (?P<time>x)\nview = raw\n", 3, "view: no such key"),
        ("[format x]\nwords = E:ERROR\n", 1, "a format needs a pattern"),
        ("[format]\npattern = x\n", 1, "[format]: no such section"),
        ("[disk x]\nroot = /x\n", 1, "[disk x]: no such section"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(conf, text, line, named):
    with pytest.raises(ConfigError) as caught:
        conf(text)
    assert f"x.conf:{line}:" in str(caught.value)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\nroot = /x\nlisting\n", "2: a setting before the first [section]"),
        ("[disk]\nroot\n", "2: [disk]: neither a [section] nor a key with its value"),
        ("[disk]\n= /x\n", "2: [disk]: neither a [section] nor a key with its value"),
        ("[disk\nroot = /x\n[serve]\n", '1: a section without its "]"'),
        ("[disk]\nroot=/x\n\nroot=/y\n", "4: [disk] root: it is given in line 2 already"),
        ("[disk]\nroot=/x\n[disk]\n", "3: [disk]: it began in line 1 already"),
    ],
)
def test_a_fault_of_the_files_form_is_told_in_plain_words_with_its_line(conf, text, told):
    with pytest.raises(ConfigError) as caught:
        conf(text)
    [fault] = str(caught.value).split("\n")
    assert fault.endswith(f"x.conf:{told}")


def test_all_faults_are_told_those_of_the_environment_first(conf):
    with pytest.raises(ConfigError) as caught:
        conf(
            "[disk]\nroot = x\n[swift]\ncontainer = logs\n[view a]\nview = b\n[no]\nx = y\n[disk]\nrot = 1\n",
            {"OS_INTERFACE": "secret"},
        )
    told = str(caught.value).split("\n")
    assert told[0].startswith("OS_INTERFACE: 'secret'")
    assert [fault.partition("x.conf:")[2].split(":")[0] for fault in told[1:]] == (
        ["2", "6", "7", "9", "10"]
    )


def test_a_file_is_read_however_it_is_indented_and_its_lines_end(conf):
    config = conf("[disk]\r\n  root = /a=b:c\r\n    # more\r\n[serve] \n    Listing : no\n;x\n")
    assert config["disk", "root"] == "/a=b:c"
    assert config["serve", "listing"] is False


@pytest.mark.parametrize(
    ("name", "told"), [("none", "there is no such folder"), ("x.conf", "this is no folder")]
)
def test_a_server_may_wait_for_its_folder(tmp_path, name, told):
    file = tmp_path / "x.conf"
    file.write_text(f"[disk]\nroot = {tmp_path}/{name}\n")
    assert load(str(file), {}).lacks() == [f"{file}:2: [disk] root: {tmp_path}/{name}: {told}"]


def test_a_file_of_authorities_that_cannot_be_read_is_a_fault_where_swift_is_used(conf):
    swift = "auth_url = https://k/v3\nusername = a\npassword = b\nproject_name = c\n"
    authorities = f"[swift]\nca_file = /not/there\n{swift}"
    assert conf(authorities)["swift", "ca_file"] == "/not/there"
    with pytest.raises(ConfigError, match=r":2: \[swift\] ca_file: '/not/there' cannot be read"):
        conf(f"{authorities}container = logs\n")


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.conf"):
        load(str(tmp_path / "none.conf"), {})
    (tmp_path / "latin.conf").write_bytes(b"[disk]\nroot = /\xff\n")
    with pytest.raises(ConfigError, match=r"latin\.conf:2: the line is not UTF-8"):
        load(str(tmp_path / "latin.conf"), {})


def test_a_file_that_would_never_end_is_told_at_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file in (pipe, "/dev/zero"):
        with pytest.raises(ConfigError, match=rf"^{file}: it is no regular file$"):
            load(str(file), {})
    with pytest.raises(ConfigError, match=rf"^{tmp_path}: Is a directory$"):
        load(str(tmp_path), {})
    large = tmp_path / "large.conf"
    large.touch()
    os.truncate(large, 2**33)
    with pytest.raises(ConfigError, match=r"large\.conf: it has more than 1 MiB"):
        load(str(large), {})


@pytest.mark.parametrize("text", ["[a\x1b[31m]\n", "[disk]\n\x9bx = y\n", "[disk]\nroot = /\x7f"])
def test_no_control_character_of_a_file_is_shown(conf, text):
    line = text.rstrip().count("\n") + 1
    with pytest.raises(ConfigError, match=rf"x\.conf:{line}: the line has a control .* U\+00..$"):
        conf(text)


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path):
    file = tmp_path / "x.conf"
    file.write_bytes(b"\xef\xbb\xbf[disk]\nroot = /x\n")
    assert load(str(file), {})["disk", "root"] == "/x"
    file.write_bytes(b"\xef\xbb\xbf[disk]\n\xff")
    with pytest.raises(ConfigError, match=r"x\.conf:2: the line is not UTF-8"):
        load(str(file), {})


def test_the_environment_speaks_where_the_file_is_silent(conf):
    config = conf("[swift]\ncontainer = logs\nusername = other\n", SWIFT)
    assert config["swift", "username"] == "other"
    assert config["swift", "password"] == "hunter2"
    assert config["swift", "auth_url"] == "http://keystone/v3"
    assert config["swift", "user_domain_name"] == "Default"


def test_a_project_s_id_is_enough_in_place_of_its_name(conf):
    environ = {**SWIFT, "OS_PROJECT_ID": "5f2"}
    del environ["OS_PROJECT_NAME"]
    assert conf("[swift]\ncontainer = logs\n", environ)["swift", "project_id"] == "5f2"


@pytest.mark.parametrize("what", ["project", "user_domain", "project_domain"])
def test_an_id_of_the_environment_yields_to_a_name_in_the_file(conf, what):
    environ = {**SWIFT, f"OS_{what.upper()}_ID": "5f2"}
    assert conf("", environ)["swift", f"{what}_id"] == "5f2"
    assert conf(f"[swift]\n{what}_name = other\n", environ)["swift", f"{what}_id"] == ""
    config = conf(f"[swift]\n{what}_name = other\n{what}_id = 7\n", environ)
    assert config["swift", f"{what}_id"] == "7"


def test_partitions_are_shards_and_names_of_pipelines_but_nothing_that_leads_elsewhere():
    looks_like_one = load(None, {})["swift", "partitions"].fullmatch
    for partition in ("3f", "42", "abc", "periodic", "periodic-weekly", "Post_Merge"):
        assert looks_like_one(partition)
    for other in ("", ".", "..", "a.b", "{partition}", "a b", "a%2Fb", "a\n", "ä", "x" * 65):
        assert not looks_like_one(other)


def test_the_command_line_wins_over_the_file(conf):
    assert conf("[disk]\nroot = /x\n", disk_root="/y")["disk", "root"] == "/y"
    with pytest.raises(ConfigError, match="root"):
        conf("", disk_root="relative")


@pytest.mark.parametrize(
    ("left_out", "text"),
    [
        ("OS_AUTH_URL", "[swift]\ncontainer = logs\n"),
        ("OS_USERNAME", "[swift]\ncontainer = logs\n"),
        ("OS_PASSWORD", "[swift]\ncontainer = logs\nauth_version = 1\n"),
        ("OS_PROJECT_NAME", "[swift]\ncontainer = logs\n"),
        (
            "OS_APPLICATION_CREDENTIAL_SECRET",
            "[swift]\ncontainer = logs\napplication_credential_id = x\n",
        ),
    ],
)
def test_a_swift_that_is_configured_by_half_is_told(conf, left_out, text):
    environ = {name: value for name, value in SWIFT.items() if name != left_out}
    with pytest.raises(ConfigError, match=left_out.lower().removeprefix("os_")):
        conf(text, environ)


def test_secrets_are_never_described():
    environ = {**SWIFT, "OS_APPLICATION_CREDENTIAL_SECRET": "hunter3"}
    described = load(None, environ, swift_container="logs").as_file()
    assert "hunter" not in described
    assert "password = (set)" in described
    assert "username = zuul" in described


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[disk]\nroot = /x\n[serve]\nlisting = no\ngzip_level = off\nchunk_size = 2000\n",
        "[serve]\ngzip_level = 0\n[metrics]\npath =\n",
        "[swift]\npartitions = [#;]{1,2}=:\nread_timeout = 0.5\nca_file = /a b\n",
        "[view b]\npattern = \\.txt$\nview = raw\n[view a]\npattern = [=:#] x\n",
        "[view a]b ]\npattern = a\n[view  ]\npattern = b\n",
        "[format b]\npattern = (?P<severity>ä)\nwords = ä:error x=y:info :::warning\n",
        "[format b]\npattern = (?P<time>x)\n[format a]\npattern = \\[(?P<time>x)\\] # ; = :\n",
    ],
)
def test_what_is_described_is_a_file_that_says_the_same(conf, text):
    config = conf(text)
    again = conf(config.as_file())
    assert again == config
    assert again.views == config.views


def test_what_is_described_of_a_swift_says_the_same_but_for_the_secrets(conf):
    config = conf("[swift]\ncontainer = logs\n", {**SWIFT, "OS_PROJECT_ID": "5f2"})
    again = conf(config.as_file(), {"OS_USERNAME": "other", "OS_REGION_NAME": "other"})
    assert again.values == {**config.values, ("swift", "password"): "(set)"}


@pytest.mark.parametrize(
    "text",
    [
        "[swift]\npassword hunter2\n",
        "password = hunter2\n",
        "[swift]\npasword = hunter2\n",
        "[swift]\npassword = hunter2\npassword = hunter2\n",
        "[swift]\ncontainer = logs\npassword = hunter2\n",
        "[disk]\npassword = hunter2\n",
        "[swift]\nauth_url = user:hunter2@keystone/v3\n",
        "[swift]\nauth_url = ftp://user:hunter2/@keystone/v3\n",
        "[store]\nurl = az://logs?sig=hunter2\n",
        "[store]\nurl = s3://logs#hunter2\n",
        "[store]\nurl = s3://AKIA:hunter2@logs\n",
        "[store]\nurl = s3://logs\nendpoint = https://store?sig=hunter2\n",
        "[store]\nurl = s3://logs\nendpoint = https://store?sig=a@hunter2\n",
        "[store]\nurl = s3://logs\nendpoint = https://user:?hunter2@store\n",
    ],
)
def test_a_secret_is_in_no_error(conf, text):
    with pytest.raises(ConfigError) as caught:
        conf(text)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("password", ["hunter2", "hunter2/@", "hun/ter2"])
def test_a_credential_in_the_auth_url_is_not_described(password):
    described = load(None, {}, swift_auth_url=f"http://user:{password}@127.0.0.1/v3").as_file()
    assert "auth_url = http://(set)@127.0.0.1/v3\n" in described


def test_the_scheme_of_an_address_may_be_in_capitals(conf):
    config = conf("[store]\nurl = s3://logs\nanonymous = yes\nendpoint = HTTP://Store/A/\n")
    assert config["store", "endpoint"] == "http://Store/A"


def test_without_a_cloud_and_rules_nothing_reads_yaml():
    code = "import sys, oslogserve.config as c; c.load(None, {}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert b"yaml" not in loaded.stdout.split()


@pytest.mark.parametrize(
    ("given", "level"), [("0", 0), ("1", 1), ("2", 2), ("3", 3), ("off", None), ("OFF", None)]
)
def test_answers_are_compressed_at_a_level_or_not_at_all(conf, given, level):
    assert conf(f"[serve]\ngzip_level = {given}\n")["serve", "gzip_level"] == level
    assert conf("")["serve", "gzip_level"] == 2


PUBLIC = "[swift]\ncontainer = logs\nstorage_url = https://swift.example.org/v1/AUTH_a/\n"


def test_a_public_container_needs_no_credentials(conf):
    assert conf(PUBLIC)["swift", "storage_url"] == "https://swift.example.org/v1/AUTH_a"


@pytest.mark.parametrize(
    "address", ["swift:8080/v1/a", "ftp://swift/v1/a", "https://", "https://a:b@c/v1", "http://a?b"]
)
def test_an_address_of_a_public_container_has_no_user_and_no_query(conf, address):
    with pytest.raises(ConfigError, match=r":3: \[swift\] storage_url: .* is not understood"):
        conf(f"[swift]\ncontainer = logs\nstorage_url = {address}\n")


@pytest.mark.parametrize(
    ("more", "environ", "named"),
    [
        ("password = x\n", {}, "password"),
        ("auth_version = 1\n", {}, "auth_version"),
        ("", {"OS_USERNAME": "zuul", "OS_PASSWORD": "hunter2"}, "OS_USERNAME, OS_PASSWORD"),
    ],
)
def test_a_public_container_with_credentials_is_refused_in_one_sentence(conf, more, environ, named):
    with pytest.raises(ConfigError) as caught:
        conf(PUBLIC + more, environ)
    fault = f":3: [swift] storage_url: it is for reading without credentials: leave out {named}"
    assert str(caught.value).endswith(fault)


def test_an_address_of_a_public_container_is_of_no_use_without_its_name(conf):
    with pytest.raises(ConfigError, match="it is of no use without container"):
        conf("[swift]\nstorage_url = https://swift.example.org/v1/AUTH_a\n")


@pytest.mark.parametrize("host", ["[::1", "h\u2100"])
def test_an_address_whose_host_cannot_be_parsed_is_the_only_fault(conf, host):
    for section in (
        f"[swift]\ncontainer = x\nstorage_url = http://{host}/v1\n",
        f"[swift]\ncontainer = x\nauth_url = http://{host}/v3\nusername = a\npassword = b\nproject_id = c\n",
        f"[store]\nurl = az://x\nanonymous = yes\nendpoint = http://{host}\n",
    ):
        with pytest.raises(ConfigError, match="it takes an address that begins with") as caught:
            conf(section)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pattern", ["(" * 20_000 + ")" * 20_000, "a{99999999999999999999}"])
def test_a_pattern_that_is_too_much_for_python_is_a_fault(conf, pattern):
    with pytest.raises(ConfigError, match="it takes a regular expression"):
        conf(f"[view a]\npattern = {pattern}\n")


def test_a_password_in_an_address_is_in_no_fault(conf):
    with pytest.raises(ConfigError) as caught:
        conf("[swift]\nstorage_url = https://zuul:hunter2@swift.example.org\n")
    assert "hunter2" not in str(caught.value)


def test_origins_are_as_browsers_write_them(conf):
    config = conf("[serve]\ncors_origins = https://Dash.example.org http://[::1]:3000\n")
    assert config["serve", "cors_origins"] == ("https://dash.example.org", "http://[::1]:3000")


def test_names_of_hosts_are_in_small_letters(conf):
    config = conf("[serve]\nhosts = Logs.example.org logs\n")
    assert config["serve", "hosts"] == ("logs.example.org", "logs")


@pytest.mark.parametrize("name", ["*", "logs.example.org:80", "https://logs", "a..b"])
def test_what_is_no_hosts_name_is_refused(conf, name):
    with pytest.raises(ConfigError, match=r":2: \[serve\] hosts: .* is not understood"):
        conf(f"[serve]\nhosts = {name}\n")


@pytest.mark.parametrize("origin", ["*", "null", "dash.example.org", "https://a/", "https://a/b"])
def test_what_is_no_origin_is_refused(conf, origin):
    with pytest.raises(ConfigError, match=r":2: \[serve\] cors_origins: .* is not understood"):
        conf(f"[serve]\ncors_origins = {origin}\n")


@pytest.mark.parametrize(
    ("address", "used"),
    [
        ("sqlite:////var/lib/seen.sqlite", "sqlite:////var/lib/seen.sqlite"),
        ("postgresql://u@h/x", "postgresql+psycopg://u@h/x"),
        ("postgresql+psycopg://u:p@h:5432/x", "postgresql+psycopg://u:p@h:5432/x"),
        ("", ""),
    ],
)
def test_a_database_has_an_address_with_its_driver(address, used):
    assert load(None, {}, seen_database=address)["seen", "database"] == used


@pytest.mark.parametrize(
    "address",
    [
        *("mysql://h/x", "postgresql+asyncpg://h/x", "postgresql:", "/var/seen.sqlite"),
        *("postgresql://u:geheim@h:port/x", "postgresql://u:geheim@h:65536/x"),
        *("postgresql://h/x?plugin=geheim", "postgresql://h/x?host=a&port=geheim"),
        *("sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:///file:/x?uri=true"),
        *("sqlite://rel.db", "sqlite:///rel.db", "sqlite:///rel/x.db", "sqlite://u:geheim@/x"),
        *("sqlite:////", "sqlite:////var/", "sqlite:////x?timeout=x"),
    ],
)
def test_what_is_no_address_of_a_database_is_refused_without_its_password(conf, address):
    refused = r":2: \[seen\] database: .* is not understood: it takes an address that begins with"
    with pytest.raises(ConfigError, match=refused) as raised:
        conf(f"[seen]\ndatabase = {address}\n")
    assert "geheim" not in str(raised.value)


def test_a_database_without_its_driver_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"where oslogserve\[postgresql\] is installed"):
        load(None, {}, seen_database="postgresql://h/x")


def test_the_password_of_a_database_is_not_shown():
    config = load(None, {}, seen_database="postgresql://u:geheim@h/x")
    assert "database = postgresql+psycopg://(set)@h/x\n" in config.as_file()
    assert "geheim" not in repr(config)


def test_stores_are_asked_in_the_order_of_the_file_the_one_without_a_name_first(conf):
    text = "[store b]\nurl = gs://one\nanonymous = yes\n[store a]\nretries = 0\nanonymous = yes\n"
    text += "url = s3://logs-{partition}/x/y/\n[store]\nanonymous = yes\nurl = s3://two\n"
    config = conf(text)
    assert [name for name, _ in config.stores] == ["store", "b", "a"]
    assert [str(row["url"]) for _, row in config.stores] == [
        *("s3://two", "gs://one", "s3://logs-{partition}/x/y"),
    ]
    assert [row["retries"] for _, row in config.stores] == [2, 2, 0]
    assert conf(config.as_file()) == config


def test_a_store_without_its_library_is_told_but_not_one_that_needs_none(conf, monkeypatch):
    monkeypatch.setattr("oslogserve.config._LIBRARIES", {"s3": "no_such.library"})
    with pytest.raises(ConfigError, match=r"needs oslogserve\[store\], which is not installed"):
        conf("[store]\nurl = s3://logs\n")
    assert conf("[store]\nurl = s3://logs\nanonymous = yes\n").stores


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[store]\nurl = ftp://logs", "url: 'ftp://logs' is not understood: it takes s3://BUCKET"),
        *(
            (f"[store]\nurl = s3://{bad}", "it takes s3://BUCKET")
            for bad in ("", "a@b", "a/../b", "a//b", "..", ".", "./a")
        ),
        ("[store]\nurl = s3://logs?x", "it takes s3://BUCKET"),
        ("[store]\nurl = az://logs", "url: it needs an endpoint"),
        ("[store]\nurl = s3://logs\nendpoint = ceph:80", "an address that begins with http"),
        ("[store]\nurl = s3://logs\nregion = a/b", "letters, digits and hyphens"),
        ("[store]\nurl = s3://logs\nca_file = /none", "'/none' cannot be read"),
        ("[store]\nurl = s3://logs\nprofile = a\nanonymous = yes", "of no use to an anonymous"),
        ("[store swift]\nurl = s3://logs", "none of all, disk, store, swift"),
        ("[store A]\nurl = s3://logs", "letters from a to z"),
        ("[store a]\nregion = x", "a store needs one"),
        ("[store]\nendpoint = https://ceph", "endpoint: of no use without url"),
        ("[store]\nregion = x\nretries = 1\n", "region: of no use without url"),
        ("[store]\nurl = gs://logs\nregion = x\n", "region: of no use to gs://"),
        ("[store a]\nurl = az://logs\nprofile = x\n", "profile: of no use to az://"),
    ],
)
def test_a_store_that_cannot_be_used_is_told(conf, text, told):
    with pytest.raises(ConfigError) as caught:
        conf(text)
    assert told in caught.value.sentence
    assert "x.conf:" in caught.value.sentence


def test_the_cache_directory_has_no_runs_where_a_database_has_them(conf):
    environ = {"CACHE_DIRECTORY": "/var/cache/logs"}
    assert conf("", environ)["seen", "directory"] == "/var/cache/logs"
    config = conf("[seen]\ndatabase = sqlite:////var/lib/runs.sqlite\n", environ)
    assert config["seen", "directory"] == ""
    assert conf(config.as_file(), environ).values == config.values
