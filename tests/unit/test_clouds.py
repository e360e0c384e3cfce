# SPDX-License-Identifier: Apache-2.0
"""[swift] cloud, by openstacksdk."""

import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from keystoneauth1.identity import v3
from openstack.config import loader

from oslogserve.cli import main
from oslogserve.config import ConfigError, load
from oslogserve.metrics import Metrics
from oslogserve.sources.swift import SwiftSession

SECRET = "s3cr3t"
AUTH = {
    "auth_url": "http://keystone.example/v3",
    "username": "logs",
    "project_name": "ci",
    "user_domain_name": "Default",
    "project_domain_name": "Default",
}
PASSWORD = AUTH | {"password": SECRET}


@pytest.fixture(autouse=True)
def no_files_of_this_machine(monkeypatch):
    monkeypatch.setattr(loader, "CONFIG_FILES", [])
    monkeypatch.setattr(loader, "SECURE_FILES", [])


@pytest.fixture
def conf(tmp_path):
    """Loads a configuration with this [swift], and a clouds.yaml with this cloud "ci", or with this text."""

    def loaded(cloud, swift="container = logs\ncloud = ci\n", environ=(), **secure):
        file, clouds, secrets = (tmp_path / name for name in ("conf", "clouds.yaml", "secure.yaml"))
        text = cloud if isinstance(cloud, str) else yaml.dump({"clouds": {"ci": cloud}})
        clouds.write_text(text)
        secrets.write_text(yaml.dump({"clouds": {"ci": secure}}))
        file.write_text(f"[swift]\n{swift}")
        files = {"OS_CLIENT_CONFIG_FILE": str(clouds)}
        if secure:
            files["OS_CLIENT_SECURE_FILE"] = str(secrets)
        return load(str(file), files | dict(environ))

    return loaded


def fault(conf, *arguments, **secure):
    """The fault of a configuration, without the name of its file."""
    with pytest.raises(ConfigError) as raised:
        conf(*arguments, **secure)
    [line] = str(raised.value).split("\n")
    assert SECRET not in line
    return line.partition("[swift] ")[2]


@pytest.mark.parametrize(
    "text", [f"clouds: {{ci: {{auth: {{password: {SECRET}\n", f"ci: {SECRET}\n"]
)
def test_a_file_of_secrets_that_is_not_understood_is_a_fault(conf, tmp_path, text):
    (tmp_path / "broken.yaml").write_text(text)
    environ = {"OS_CLIENT_SECURE_FILE": str(tmp_path / "broken.yaml")}
    told = fault(conf, {"auth": AUTH}, environ=environ)
    assert told.endswith(
        f"its secrets cannot be read (no YAML with clouds: {tmp_path / 'broken.yaml'})"
    )


def test_a_cloud_gives_credentials_and_endpoint(conf, tmp_path):
    authority = tmp_path / "authorities"
    authority.mkdir()
    given = {
        "auth": PASSWORD,
        "region_name": "north",
        "interface": "internal",
        "cacert": str(authority),
    }
    config = conf(given)
    options = config.section("swift")
    assert [options[key] for key in ("region_name", "interface", "ca_file")] == [
        "north",
        "internal",
        str(authority),
    ]
    cloud = options["cloud"]
    assert (str(cloud), cloud.auth_url, cloud.endpoint) == ("ci", AUTH["auth_url"], "")
    assert SECRET not in repr(config) + repr(vars(config)) + repr(cloud.auth) + config.as_file()
    assert "\ncloud = ci\n" in config.as_file()
    other = "container = logs\ncloud = ci\nca_file = /etc\ninterface = admin\n"
    options = conf(given, other).section("swift")
    assert (options["ca_file"], options["interface"]) == ("/etc", "admin")


def test_what_check_config_prints_gives_the_same_cloud(conf, tmp_path):
    config = conf({"auth": PASSWORD, "region_name": "north"})
    printed = tmp_path / "printed.conf"
    printed.write_text(config.as_file())
    environ = {"OS_CLIENT_CONFIG_FILE": str(tmp_path / "clouds.yaml")}
    assert load(str(printed), environ) == config


@pytest.mark.parametrize(
    ("given", "class_name"),
    [
        ({"auth": PASSWORD}, "Password"),
        ({"auth_type": "v3password", "auth": PASSWORD}, "Password"),
        ({"auth_type": "v3token", "auth": {"auth_url": "http://k", "token": SECRET}}, "Token"),
        ({"auth_type": "token", "auth": {"auth_url": "http://k", "token": SECRET}}, "Token"),
        (
            {
                "auth_type": "v3applicationcredential",
                "auth": {
                    "auth_url": "http://k",
                    "application_credential_id": "5f1c3a",
                    "application_credential_secret": SECRET,
                },
            },
            "ApplicationCredential",
        ),
        (
            {
                "auth_type": "v1password",
                "auth": {"auth_url": "http://k", "username": "a:b", "password": SECRET},
            },
            "PasswordPlugin",
        ),
        # As older files have it: the password is not in auth.
        ({"auth": AUTH, "password": SECRET}, "Password"),
    ],
)
def test_the_ways_to_a_token_are_keystoneauths(conf, given, class_name):
    plugin = conf(given)["swift", "cloud"].plugin(auth_url="http://other")
    assert (type(plugin).__name__, plugin.auth_url) == (class_name, "http://other")


def test_secrets_may_be_in_a_file_of_their_own(conf):
    config = conf({"auth_type": "v3password", "auth": AUTH}, auth={"password": SECRET})
    plugin = config["swift", "cloud"].plugin()
    assert isinstance(plugin, v3.Password)
    assert plugin.auth_methods[0].password == SECRET


def test_a_region_of_several_can_be_chosen(conf):
    south = {"name": "south", "values": {"object_store_endpoint_override": "https://s/v1/AUTH_a"}}
    given = {"auth": PASSWORD, "regions": ["north", south]}
    assert conf(given)["swift", "region_name"] == "north"
    config = conf(given, "container = logs\ncloud = ci\nregion_name = south\n")
    assert config["swift", "cloud"].endpoint == "https://s/v1/AUTH_a"
    assert "Region west is not a valid" in fault(
        conf, given, "container = logs\ncloud = ci\nregion_name = west\n"
    )


@pytest.mark.parametrize(
    ("key", "variable", "own", "wins"),
    [
        ("region_name", "OS_REGION_NAME", "north", "south"),
        ("interface", "OS_INTERFACE", "admin", "internal"),
        ("ca_file", "OS_CACERT", "/usr", "/etc"),
    ],
)
def test_what_the_file_or_the_environment_says_wins_over_the_cloud(conf, key, variable, own, wins):
    cloud = {"regions": ["north", "south"], "interface": "admin", "cacert": "/usr"}
    cloud["auth"] = PASSWORD
    swift = "container = logs\ncloud = ci\n"
    assert conf(cloud)["swift", key] == own
    assert conf(cloud, f"{swift}{key} = {wins}\n")["swift", key] == wins
    assert conf(cloud, swift, {variable: wins})["swift", key] == wins


def test_an_address_of_the_cloud_is_used_instead_of_the_catalogs(conf, monkeypatch):
    given = {"auth": PASSWORD, "object_store_endpoint_override": "https://swift.example/v1/AUTH_a/"}
    with closing(SwiftSession(conf(given), Metrics())) as session:
        token = SimpleNamespace(expires=None, auth_token="t")
        keystone = SimpleNamespace(invalidate=lambda: None, get_access=lambda _: token)
        monkeypatch.setattr(session, "_auth", keystone)
        assert session._token().storage_url == "https://swift.example/v1/AUTH_a"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (f"clouds: {{other: {{auth: {{password: {SECRET}}}}}}}", "Cloud ci was not found."),
        (f"clouds:\n  ci: {{\n  password: *{SECRET}\n", "was not found. (no YAML with clouds: /"),
        (f"clouds: *{SECRET}", "was not found. (no YAML with clouds: /"),
        (f"clouds: !{SECRET} x", "was not found. (no YAML with clouds: /"),
        (f"password: {SECRET}", "was not found. (no YAML with clouds: /"),
        ("", "Cloud ci was not found."),
        (f"clouds: {{ci: {SECRET}}}", "'str' object has no attribute"),
        (f"clouds: {{ci: {{auth: [{SECRET}]}}}}", "ValueError in openstacksdk"),
        ({"auth": AUTH | {"auth_url": f"http://{{{SECRET}}}"}}, "KeyError in openstacksdk"),
        ({"auth": {"password": SECRET}}, "parameters which were not given: auth_url"),
        ({"auth": {"auth_url": "http://k"}, "auth_type": "v3token"}, "argument: 'token'"),
        ({"auth": PASSWORD | {"passcode": SECRET}}, "unexpected keyword argument 'passcode'"),
        (
            {"auth": AUTH, "regions": [{"nam": "north", "values": {"auth": PASSWORD}}]},
            "Invalid region entry at: ",
        ),
        ({"auth": PASSWORD, "auth_type": "unknown"}, "The plugin unknown could not be found"),
        (
            {"auth": {"endpoint": "http://s", "token": SECRET}, "auth_type": "admin_token"},
            "ci: auth_type admin_token gets no token from Keystone",
        ),
        ({"auth": PASSWORD, "verify": False}, "ci: verification cannot be switched off"),
        ({"auth": PASSWORD, "insecure": True}, "ci: verification cannot be switched off"),
        ({"auth": PASSWORD, "cert": "/a.pem", "key": "/b"}, "a client's certificate is not sent"),
        (
            {"auth": PASSWORD | {"auth_url": f"http://a:{SECRET}@[::1"}},
            "ci: auth_url and object_store_endpoint_override take an address that begins with http",
        ),
        (
            {"auth": PASSWORD, "object_store_endpoint_override": f"https://a:{SECRET}@s"},
            "ci: auth_url and object_store_endpoint_override take an address that begins with http",
        ),
    ],
)
def test_a_cloud_that_cannot_be_used_is_one_sentence(conf, tmp_path, caplog, given, told):
    line = fault(conf, given)
    assert line.startswith(f"cloud: {tmp_path / 'clouds.yaml'}:")
    assert told in line
    assert SECRET not in caplog.text


def test_a_profile_that_nobody_knows_warns_in_no_words_of_python(conf, recwarn):
    assert conf({"auth": PASSWORD, "profile": "unknown"})["swift", "cloud"]
    assert not recwarn.list


def test_a_missing_file_is_told_with_where_it_is_looked_for(conf, monkeypatch, tmp_path):
    monkeypatch.setattr(loader, "CONFIG_FILES", ["/a/clouds.yaml", "/b/clouds.yaml"])
    config = tmp_path / "conf"
    config.write_text("[swift]\ncontainer = logs\ncloud = ci\n")
    with pytest.raises(
        ConfigError, match=r"cloud: /a/clouds.yaml, /b/clouds.yaml: Cloud ci was not found"
    ):
        load(str(config), {})


def test_the_first_file_of_the_search_counts(conf, monkeypatch, tmp_path):
    conf({"auth": PASSWORD})  # writes the files
    found, config = tmp_path / "clouds.yaml", tmp_path / "conf"
    monkeypatch.setattr(loader, "CONFIG_FILES", ["/none/clouds.yaml", str(found), "/dev/null"])
    assert str(load(str(config), {})["swift", "cloud"]) == "ci"


def test_a_missing_authority_is_a_fault(conf):
    assert fault(conf, {"auth": PASSWORD, "cacert": "/none/ca.pem"}).startswith(
        "ca_file: '/none/ca"
    )


@pytest.mark.parametrize(
    ("beside", "environ", "named"),
    [
        ("password = x\n", {}, "password"),
        ("auth_version = 1\n", {}, "auth_version"),
        ("username = x\n", {"OS_PASSWORD": SECRET}, "username, OS_PASSWORD"),
        ("", {"OS_AUTH_URL": "http://k", "OS_PROJECT_ID": "1"}, "OS_AUTH_URL, OS_PROJECT_ID"),
    ],
)
def test_other_credentials_are_refused_beside_a_cloud(conf, beside, environ, named):
    swift = f"container = logs\ncloud = ci\n{beside}"
    told = fault(conf, {"auth": PASSWORD}, swift, environ)
    assert told == f"cloud: the cloud ci has credentials of its own: leave out {named}"


def test_a_public_container_needs_no_cloud(conf):
    swift = "container = logs\ncloud = ci\nstorage_url = http://swift/v1/a\n"
    told = fault(conf, {"auth": PASSWORD}, swift)
    assert told == "storage_url: it is for reading without credentials: leave out cloud"


@pytest.mark.parametrize(
    ("swift", "name"),
    [
        ("container = logs\n", "ci"),
        ("container = logs\nregion_name = south\nca_file = /etc\n", "ci"),
        ("container = logs\ncloud = ci\n", "ci"),
        ("container = logs\nstorage_url = http://swift/v1/a\n", ""),
        (
            "container = logs\nauth_url = http://k\nusername = u\npassword = x\nproject_id = 1\n",
            "",
        ),
    ],
)
def test_the_environment_names_a_cloud_where_the_file_has_no_credentials(conf, swift, name):
    config = conf({"auth": PASSWORD}, swift, {"OS_CLOUD": "ci"})
    assert str(config["swift", "cloud"]) == name


def test_without_a_container_no_cloud_is_looked_for(conf):
    config = conf("no clouds", "", {"OS_CLOUD": "ci", "OS_PASSWORD": SECRET})
    assert config["swift", "cloud"] == "ci"


def test_without_the_extra_one_sentence_says_what_to_install(conf, monkeypatch):
    monkeypatch.setitem(sys.modules, "openstack.config", None)
    told = fault(conf, {"auth": PASSWORD})
    assert told == 'cloud: clouds.yaml is read where "oslogserve[clouds]" is installed'


def test_check_config_tries_the_cloud(conf, tmp_path, monkeypatch, capsys):
    conf({"auth": PASSWORD | {"auth_url": "http://127.0.0.1:9/v3"}})
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(tmp_path / "clouds.yaml"))
    config = Path(tmp_path, "conf")
    config.write_text(config.read_text() + "retries = 0\n")
    assert main(["check-config", str(config)]) == 1
    out = capsys.readouterr().out
    assert "\ncloud = ci\n" in out
    assert out.endswith("\n# swift: auth_url cannot be reached (container logs)\n")
