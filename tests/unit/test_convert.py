# SPDX-License-Identifier: Apache-2.0
"""`oslogserve convert-config`, of files of os-loganalyze as sites had them."""

import re
import sys

import pytest

from oslogserve.cli import main
from oslogserve.config import load

WSGI_CONF = """\
[general]
filter = SevFilter
view = HTMLView
file_conditions = conditions.yaml
generate_folder_index = true

[swift]
authurl=https://keystone.example.org/v2.0/
user=reader
password=1%;=x ; until May
tenant=ci
region=EXP
chunk_size=64
container=logs
"""
CONDITIONS = r"""conditions:
 - filename_pattern: ^.*\.txt(\.gz)?$
   filter: SevFilter
   view: HTMLView
 - filename_pattern: ^a|b
   view: text
 - filename_pattern: (?i)README
   view: passthrough
 - filename_pattern: ^.*$
   filter: NoFilter
   view: PassthroughView
"""


@pytest.fixture
def convert(tmp_path, capsys):
    def convert(conf, conditions="conditions: []", *arguments):
        """(exit status, standard output, standard error)"""
        (tmp_path / "wsgi.conf").write_text(conf)
        (tmp_path / "conditions.yaml").write_text(conditions)
        status = main(["convert-config", str(tmp_path / "wsgi.conf"), *arguments])
        return status, *capsys.readouterr()

    return convert


@pytest.fixture
def loaded(convert, tmp_path):
    def loaded(*arguments):
        status, out, _ = convert(*arguments)
        assert status == 0
        (tmp_path / "oslogserve.conf").write_text(out)
        return load(str(tmp_path / "oslogserve.conf"), environ={})

    return loaded


def test_every_setting_that_has_a_counterpart_is_taken_over(loaded):
    config = loaded(WSGI_CONF, CONDITIONS)
    default = load(None, environ={}).values
    changed = {
        where: value for where, value in config.values.items() if default.get(where) != value
    }
    assert {where: value for where, value in changed.items() if where in default} == {
        ("disk", "root"): "/srv/static/logs",
        ("swift", "auth_url"): "https://keystone.example.org/v3",
        ("swift", "username"): "reader",
        ("swift", "password"): "1%;=x",
        ("swift", "project_name"): "ci",
        ("swift", "region_name"): "EXP",
        ("swift", "container"): "logs",
    }
    assert [(pattern.pattern, view) for pattern, view in config.views] == [
        (r"^.*\.txt(\.gz)?$", "log"),
        ("^(?:^a|b)", "log"),
        ("(?i)^(?:README)", "raw"),
        ("^.*$", "raw"),
    ]


@pytest.mark.parametrize(
    "path", ["42/a.txt.gz", "a", "b/c", "cb", "readme.rst", "c/README", "x.png"]
)
def test_the_same_condition_decides(loaded, path):
    """Each condition was tried from the beginning of the path."""
    views = loaded(WSGI_CONF, CONDITIONS).views
    of_ancestor = [r"^.*\.txt(\.gz)?$", "^a|b", "(?i)README", "^.*$"]
    first = next(place for place, old in enumerate(of_ancestor) if re.match(old, path))
    assert next(place for place, (new, _) in enumerate(views) if new.search(path)) == first


def test_what_has_no_counterpart_is_said(convert):
    conf = WSGI_CONF + "[uwsgi]\nsecret = 1\n"
    _, out, _ = convert(conf, f"{CONDITIONS} - filename_pattern: c\n   view: Pink\n")
    comments = "\n".join(line for line in out.splitlines() if line.startswith("#"))
    for left_out in (
        *("[general] filter", "[general] view", "[swift] chunk_size", "[uwsgi]", "condition 5"),
        *("text for browsers too", "version 2.0"),
    ):
        assert left_out in comments
    assert "secret" not in out


@pytest.mark.parametrize(
    ("conf", "arguments", "expected"),
    [
        ("", [], "[disk]\nroot = /srv/static/logs\n[serve]\nlisting = yes\n"),
        ("[general]\n", ["--root", "/logs"], "[disk]\nroot = /logs\n[serve]\nlisting = yes\n"),
        (
            "[general]\nview = passthrough\ngenerate_folder_index = 1\n",
            [],
            (
                "[disk]\nroot = /srv/static/logs\n[serve]\nlisting = 1\n"
                "# [general] view: left out, see doc/moving.rst\n"
                "[view default]\npattern = ^\nview = raw\n"
            ),
        ),
    ],
)
def test_small_files(convert, conf, arguments, expected):
    assert convert(conf, "", *arguments) == (0, expected, "")


@pytest.mark.parametrize("version", ["/v2.0/", "/v2.0", "/", "", "/v3", "/v3/"])
def test_every_address_becomes_that_of_version_3(convert, version):
    _, out, _ = convert(f"[swift]\nauthurl = https://k{version}\n", "")
    assert "auth_url = https://k/v3\n" in out
    assert ("used version 2.0" in out) is ("3" not in version)


def test_other_conditions_may_be_given(convert, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text("conditions: [{filename_pattern: x, view: html}]")
    _, out, _ = convert(WSGI_CONF, CONDITIONS, "--conditions", str(other))
    assert out.count("[view ") == 1
    assert "pattern = ^(?:x)\nview = log\n" in out


@pytest.mark.parametrize(
    ("conf", "conditions", "said"),
    [
        ("a log\n", "", "no section headers"),
        ("[general]\n\0junk\n", "", "conf:2: the line has a control character"),
        ("[general]\njunk\n", "", "parsing errors"),
        ("[disk]\nroot = /srv\n", "", "[disk]: it is oslogserve's own configuration"),
        ("[view a]\npattern = x\n", "", "[view a]: it is oslogserve's own configuration"),
        ("[swift]\nauth_url = https://k\n", "", "[swift] auth_url: it is oslogserve's own"),
        ("[general]\ngenerate_folder_index = perhaps\n", "", "listing: it takes yes or no"),
        ("[swift]\nauthurl = keystone\n", "", "auth_url: it takes an address"),
        ("[swift]\npassword = %(user)s\n", "", "password: it takes one line"),
        ("[swift]\npassword = se\n cret\n", "", "password: it takes one line"),
        ("[swift]\ncontainer = a/b\n", "", "container: it takes the name"),
        (WSGI_CONF, "[" * 100_000, "conditions.yaml: it is no YAML with a list of conditions"),
        (
            WSGI_CONF,
            'conditions: [{filename_pattern: "\\e", view: html}]',
            "pattern: it takes one line of text",
        ),
        (WSGI_CONF, "conditions: [", "conditions.yaml: it is no YAML with a list of conditions"),
        (WSGI_CONF, "- filename_pattern: x", "conditions.yaml: it is no YAML with a list"),
        (WSGI_CONF, "", "conditions.yaml: it is no YAML with a list"),
        (WSGI_CONF, "conditions: {a: 1}", "conditions.yaml: it is no YAML with a list"),
        (WSGI_CONF, "conditions: [{filename_pattern: (, view: html}]", "a regular expression"),
        (WSGI_CONF.replace("conditions.yaml", "none.yaml"), "", "No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_one_error(convert, conf, conditions, said):
    status, out, err = convert(conf, conditions)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("oslogserve: ")
    assert said in err
    assert "cret" not in err


def test_a_file_that_is_not_there_is_one_error(capsys, tmp_path):
    assert main(["convert-config", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_without_pyyaml_it_says_what_to_install(convert, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    status, _, err = convert(WSGI_CONF, CONDITIONS)
    assert status == 2
    assert "install PyYAML" in err


def test_a_password_in_its_output_is_announced(convert):
    _, out, err = convert("[swift]\npassword = hunter2\n")
    assert "password = hunter2" in out
    assert "this has Swift's password" in err
    assert "hunter2" not in err
    assert convert("[swift]\nuser = a\n")[2] == ""
