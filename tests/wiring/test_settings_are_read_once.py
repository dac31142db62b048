"""Settings: every variable has one meaning, a bad one is named, and no secret is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.settings import ROLE_FIELDS, SCOPE_KEY_FIELDS, BadSetting, Settings, read_settings
from fonds.store.scope import SCOPED_ROLES, ScopeKey
from fonds.wiring.serving import scope_key_of

SECRET = "postgresql://fonds:sesame@db.example/fonds"
TYPED = {  # settings that are no text
    "metrics_port": "9464",
    "serve_body_bytes": "4096",
    "desk_names": "fonds.example",
    "desk_port": "8081",
    "serve_names": "fonds.example",
    "serve_port": "8080",
    "serve_refusal_figures": "True",
    "serve_root_path": "/archive",
    "serve_threads": "3",
    "serve_waiting": "0",
    "shutdown_seconds": "7",
    "read_seconds": "7",
    "traces": "True",
    "trusted_proxies": "127.0.0.1, ::1,10.0.0.0/8",
}


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "secrets"
    folder.mkdir()
    monkeypatch.setenv("FONDS_SECRETS_DIR", str(folder))
    return folder


def test_without_a_variable_the_embedded_server_is_meant() -> None:
    settings = read_settings()
    assert settings.is_embedded
    assert settings.archive == Path("archive.toml")
    assert settings.home.name == "fonds"
    assert [settings.role_url(role) for role in ROLE_FIELDS] == [None] * len(ROLE_FIELDS)


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_each_field_is_read_from_its_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    field = Settings.model_fields[name]
    variable = str(field.validation_alias or f"FONDS_{name.upper()}")
    given = TYPED.get(name, "https://example.org/sesame/open/sesame")
    monkeypatch.setenv(variable, given)
    read = getattr(read_settings(), name)
    shown = read.get_secret_value() if hasattr(read, "get_secret_value") else str(read)
    assert shown.replace("https:/e", "https://e") == given


def test_a_role_connects_by_its_own_url_before_the_common_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FONDS_DATABASE_URL", "postgresql://common/fonds")
    monkeypatch.setenv("FONDS_READER_URL", "postgresql://own/fonds")
    settings = read_settings()
    urls = {
        role: url.get_secret_value() for role in ROLE_FIELDS if (url := settings.role_url(role))
    }
    assert urls.pop("fonds_reader") == "postgresql://own/fonds"
    assert set(urls.values()) == {"postgresql://common/fonds"}
    assert not settings.is_embedded


@pytest.mark.parametrize("field", ["scope_key", *SCOPE_KEY_FIELDS.values()])
def test_a_scope_key_is_long_and_is_not_shown(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R094: what is short enough to be guessed is refused by name."""
    variable = f"FONDS_{field.upper()}"
    monkeypatch.setenv(variable, "sesame")
    with pytest.raises(BadSetting, match=f"{variable}: 32 signs or more") as refused:
        read_settings()
    assert "sesame" not in str(refused.value)
    monkeypatch.setenv(variable, "sesame" * 6)
    assert "sesame" not in repr(read_settings())
    assert read_settings().is_embedded


def test_a_role_has_its_own_scope_key_before_the_derived_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R094: from the common secret comes another key for each role; none for who reads nothing."""
    monkeypatch.setenv("FONDS_SCOPE_KEY", "c" * 32)
    monkeypatch.setenv("FONDS_READER_SCOPE_KEY", "r" * 32)
    settings = read_settings()
    keys = {role: scope_key_of(settings, role) for role in SCOPE_KEY_FIELDS}
    assert keys.pop("fonds_reader") == ScopeKey.of("r" * 32)
    assert keys == {role: ScopeKey.derived("c" * 32, role) for role in keys}
    assert tuple(SCOPE_KEY_FIELDS) == SCOPED_ROLES


def test_trusted_proxies_are_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """R187: nobody by default; what is no network is refused by name, and is not shown."""
    assert read_settings().proxy_networks == ()
    monkeypatch.setenv("FONDS_TRUSTED_PROXIES", "10.0.0.0/8, 2001:db8::1")
    assert [str(one) for one in read_settings().proxy_networks] == ["10.0.0.0/8", "2001:db8::1/128"]
    for wrong in ("proxy.sesame", "10.0.0.1/8", "10.0.0.0/8,", "10.0.0.0/8 ::1"):
        monkeypatch.setenv("FONDS_TRUSTED_PROXIES", wrong)
        with pytest.raises(BadSetting, match="TRUSTED_PROXIES: addresses or networks") as no:
            read_settings()
        assert wrong not in str(no.value)


@pytest.mark.parametrize("field", ["database_url", *ROLE_FIELDS.values()])
def test_one_url_of_any_role_names_a_server(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"FONDS_{field.upper()}", SECRET)
    assert not read_settings().is_embedded


def test_a_secrets_folder_holds_one_file_a_setting(
    secrets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable stands above a file, and a file's last line break is not part of it."""
    (secrets / "fonds_reader_url").write_text(f"{SECRET}\n", encoding="utf-8")
    (secrets / "openai_api_key").write_text("a-key\n", encoding="utf-8")
    (secrets / "fonds_build_url").write_text("from the file", encoding="utf-8")
    monkeypatch.setenv("FONDS_BUILD_URL", "from the variable")
    settings = read_settings()
    reader, build, key = (
        settings.role_url("fonds_reader"),
        settings.role_url("fonds_build"),
        settings.openai_api_key,
    )
    assert reader is not None
    assert reader.get_secret_value() == SECRET
    assert build is not None
    assert build.get_secret_value() == "from the variable"
    assert key is not None
    assert key.get_secret_value() == "a-key"


@pytest.mark.parametrize("given", ["", "missing", "a-file"])
def test_a_secrets_folder_that_is_none_is_refused(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R196: a mistyped folder must not leave every URL unset and start the embedded server."""
    (tmp_path / "a-file").write_text(SECRET, encoding="utf-8")
    monkeypatch.setenv("FONDS_SECRETS_DIR", str(tmp_path / given) if given else "")
    with pytest.raises(BadSetting, match="FONDS_SECRETS_DIR: ") as refused:
        read_settings()
    assert "sesame" not in str(refused.value)


def test_a_secret_that_is_a_folder_or_no_text_is_refused(secrets: Path) -> None:
    """What a container makes of a secret whose file is missing, and a file of another kind."""
    (secrets / "fonds_reader_url").mkdir()
    with pytest.raises(BadSetting, match="FONDS_SECRETS_DIR: "):
        read_settings()
    (secrets / "fonds_reader_url").rmdir()
    (secrets / "fonds_reader_url").write_bytes(b"sesame\xff\xfe")
    with pytest.raises(BadSetting, match="FONDS_SECRETS_DIR: ") as refused:
        read_settings()
    assert "sesame" not in str(refused.value)


@pytest.mark.parametrize("variable", ["FONDS_HOME", "FONDS_ARCHIVE"])
def test_an_empty_path_is_not_the_current_folder(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "")
    with pytest.raises(BadSetting, match=f"^{variable}: empty"):
        read_settings()


def test_no_secret_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE", "ADMIN", "MIGRATOR", "INGEST", "BUILD", "CURATOR", "READER"):
        monkeypatch.setenv(f"FONDS_{name}_URL", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://ann:sesame@model.example/v1")
    settings = read_settings()
    assert "sesame" not in repr(settings) + str(settings)
    assert "sesame" not in settings.model_dump_json(exclude={"openai_base_url"})
