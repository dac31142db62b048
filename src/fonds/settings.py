"""Every environment variable, read once and validated. Secrets are typed and never shown."""

from __future__ import annotations

import os
import warnings
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, TypeAlias

import platformdirs
from pydantic import (
    AfterValidator,
    BeforeValidator,
    DirectoryPath,
    Field,
    SecretStr,
    ValidationError,
)
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

ROLE_FIELDS = {
    "fonds_migrator": "migrator_url",
    "fonds_ingest": "ingest_url",
    "fonds_build": "build_url",
    "fonds_curator": "curator_url",
    "fonds_reader": "reader_url",
    "fonds_host": "host_url",
    "fonds_queue": "queue_url",
}
SCOPE_KEY_SIGNS = 32  # as many as a hash has bytes
# What each role says archives by; the migrator and the queue name none.
SCOPE_KEY_FIELDS = {
    "fonds_ingest": "ingest_scope_key",
    "fonds_build": "build_scope_key",
    "fonds_curator": "curator_scope_key",
    "fonds_reader": "reader_scope_key",
    "fonds_host": "host_scope_key",
}


class BadSetting(Exception):
    """A variable that cannot be used: one line with its name and no value (R196)."""


def _not_empty(given: object) -> object:
    # An empty path is the current folder: a database would be made wherever a command is run.
    if given == "":
        raise PydanticCustomError("empty", "empty: unset it, or name a path")
    return given


def _networks(given: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(one.strip()) for one in given.split(",")) if given.strip() else ()


def _known_networks(given: str) -> str:
    try:
        _networks(given)
    except ValueError:
        raise PydanticCustomError("networks", "addresses or networks with commas between") from None
    return given


def _long_enough(given: SecretStr | None) -> SecretStr | None:
    if given is not None and len(given.get_secret_value()) < SCOPE_KEY_SIGNS:
        raise PydanticCustomError("short", "32 signs or more are needed")
    return given


LongSecret: TypeAlias = Annotated[SecretStr | None, AfterValidator(_long_enough)]
_Hosts: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9.:*\[\]-]+(,[A-Za-z0-9.:*\[\]-]+)*$")]
_NamedPath: TypeAlias = Annotated[Path, BeforeValidator(_not_empty)]


class Settings(BaseSettings):
    """What the process is told from outside; everything else is in the archive file."""

    model_config = SettingsConfigDict(
        env_prefix="FONDS_", extra="ignore", frozen=True, hide_input_in_errors=True
    )

    home: _NamedPath = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("fonds")),
        description="Folder of the embedded server: its data, socket and passwords.",
    )
    archive: _NamedPath = Field(
        default=Path("archive.toml"),
        description="The archive file, or the folder it is in.",
    )
    archives: Annotated[Path, BeforeValidator(_not_empty)] | None = Field(
        default=None,
        description="The folder of hosted archives: one folder each, named by its slug.",
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="Server and database by URL; each role connects by its own name. Unset: the "
        "embedded server.",
    )
    admin_url: SecretStr | None = Field(
        default=None,
        description="A superuser's URL, for `fonds migrate --roles` alone.",
    )
    migrator_url: SecretStr | None = Field(
        default=None, description="Overrides FONDS_DATABASE_URL for the role fonds_migrator."
    )
    ingest_url: SecretStr | None = Field(
        default=None, description="Overrides FONDS_DATABASE_URL for the role fonds_ingest."
    )
    build_url: SecretStr | None = Field(
        default=None, description="Overrides FONDS_DATABASE_URL for the role fonds_build."
    )
    curator_url: SecretStr | None = Field(
        default=None, description="Overrides FONDS_DATABASE_URL for the role fonds_curator."
    )
    reader_url: SecretStr | None = Field(
        default=None, description="Overrides FONDS_DATABASE_URL for the role fonds_reader."
    )
    host_url: SecretStr | None = Field(
        default=None, description="Overrides FONDS_DATABASE_URL for the role fonds_host."
    )
    queue_url: SecretStr | None = Field(
        default=None, description="Overrides FONDS_DATABASE_URL for the role fonds_queue."
    )
    scope_key: LongSecret = Field(
        default=None,
        description="A secret of 32 signs or more: each role's key by which it says which archive "
        "it reads comes from it. `fonds migrate` registers them; the embedded server has its own.",
    )
    ingest_scope_key: LongSecret = Field(
        default=None, description="Overrides FONDS_SCOPE_KEY for the role fonds_ingest."
    )
    build_scope_key: LongSecret = Field(
        default=None, description="Overrides FONDS_SCOPE_KEY for the role fonds_build."
    )
    curator_scope_key: LongSecret = Field(
        default=None, description="Overrides FONDS_SCOPE_KEY for the role fonds_curator."
    )
    reader_scope_key: LongSecret = Field(
        default=None, description="Overrides FONDS_SCOPE_KEY for the role fonds_reader."
    )
    host_scope_key: LongSecret = Field(
        default=None, description="Overrides FONDS_SCOPE_KEY for the role fonds_host."
    )
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_API_KEY",
        description="Key of the provider. With it the answer writer defaults to openai.",
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias="OPENAI_BASE_URL",
        repr=False,  # whoever writes a password into it is refused by the provider, not shown
        description="Any compatible server; unset: the provider's own.",
    )

    trusted_proxies: Annotated[str, AfterValidator(_known_networks)] = Field(
        default="",
        description="Addresses or networks of reverse proxies, with commas between: whose word on "
        "a client's address is taken. Unset: nobody's.",
    )
    serve_host: str = Field(
        default="127.0.0.1",
        description="Address `fonds serve` listens on; a proxy stands before it.",
    )
    serve_port: int = Field(
        default=8010, ge=0, le=65535, description="Port of `fonds serve`; 0 takes a free one."
    )
    serve_root_path: str = Field(
        default="",
        pattern=r"^(/[A-Za-z0-9._~-]+)*$",
        description="Path the proxy serves it below, such as `/archive`.",
    )
    serve_threads: int = Field(
        default=8,
        ge=1,
        le=256,
        description="Requests at work at once; an archive has half of them.",
    )
    serve_waiting: int = Field(
        default=32, ge=0, le=10_000, description="Requests in line; whoever comes then is told 503."
    )
    serve_body_bytes: int = Field(
        default=65_536, ge=1_024, le=1_048_576, description="Largest body of a request."
    )
    serve_refusal_figures: bool = Field(
        default=False,
        description="Whether a refusal over HTTP shows its figures, coarse where they are private.",
    )
    serve_names: _Hosts = Field(
        default="localhost:*,127.0.0.1:*,[::1]:*",
        description="Hosts MCP and a reader's form are reached by, with commas between; `:*` is "
        "any port. A browser that was led here by another name is refused.",
    )
    desk_host: str = Field(
        default="127.0.0.1", description="Address `fonds desk` listens on: the machine alone."
    )
    desk_port: int = Field(
        default=8011, ge=0, le=65535, description="Port of `fonds desk`; 0 takes a free one."
    )
    desk_key: LongSecret = Field(
        default=None,
        description="Key a browser is let in with, 32 signs or more; needed where others can "
        "reach the address. Unset: the address shown at the start lets in, once, within an hour.",
    )
    desk_names: _Hosts = Field(
        default="localhost:*,127.0.0.1:*,[::1]:*",
        description="Hosts the desk is reached by, written like FONDS_SERVE_NAMES.",
    )
    mcp_key: SecretStr | None = Field(
        default=None,
        description="Key `fonds mcp` asks the archive with, counted as any caller. Unset: as its "
        "owner, at the machine itself.",
    )
    read_seconds: int = Field(
        default=30, ge=1, le=600, description="Longest a statement of `fonds serve` may read."
    )
    shutdown_seconds: int = Field(
        default=20, ge=0, le=600, description="How long what runs may run on when told to end."
    )
    metrics_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port of `/metrics`, apart from the service and its callers; 0 chooses one. "
        "Unset: none.",
    )
    metrics_host: str = Field(
        default="127.0.0.1",
        description="Address FONDS_METRICS_PORT is bound to; by default the machine alone.",
    )
    traces: bool = Field(
        default=False,
        description="Send spans to the collector OTEL_EXPORTER_OTLP_ENDPOINT names (extra `otel`).",
    )

    @property
    def is_embedded(self) -> bool:
        """Whether no server is named at all, for any role."""
        named = (self.database_url, *(getattr(self, field) for field in ROLE_FIELDS.values()))
        return all(url is None for url in named)

    @property
    def proxy_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The trusted proxies, as `contract.client_address` asks for them."""
        return _networks(self.trusted_proxies)

    def role_url(self, role: str) -> SecretStr | None:
        """The URL of one role, its own or the common one."""
        own: SecretStr | None = getattr(self, ROLE_FIELDS[role])
        return own if own is not None else self.database_url

    def own_scope_key(self, role: str) -> SecretStr | None:
        """The scope key set for one role alone."""
        field = SCOPE_KEY_FIELDS.get(role)
        return None if field is None else getattr(self, field)


def read_settings() -> Settings:
    """Read the environment, and the folder `FONDS_SECRETS_DIR` names: one file a setting.

    A variable stands above a file. Raises BadSetting naming the variable, never its value.
    """
    try:
        secrets = _SecretsFolder().secrets_dir
        if secrets is not None:
            os.listdir(secrets)
        with warnings.catch_warnings():
            # A folder where a file is meant: what a container makes of a secret that is missing.
            warnings.simplefilter("error", UserWarning)
            return Settings(_secrets_dir=secrets)  # pyright: ignore[reportCallIssue]
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False, include_context=False)[0]
        raise BadSetting(f"{_variable(first['loc'])}: {first['msg'].lower()}") from None
    except (SettingsError, OSError, UnicodeDecodeError, UserWarning):
        raise BadSetting(
            "FONDS_SECRETS_DIR: a readable folder of small text files is needed"
        ) from None


def _variable(place: tuple[int | str, ...]) -> str:
    """The variable of a field: those with an alias are placed by it, the others by their name."""
    name = str(place[0]) if place else ""
    return name if name.isupper() else f"FONDS_{name.upper()}"


class _SecretsFolder(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="FONDS_", extra="ignore", hide_input_in_errors=True
    )

    # A folder that is not there would leave every secret unset: the embedded server instead of
    # the one that was meant.
    secrets_dir: Annotated[DirectoryPath, BeforeValidator(_not_empty)] | None = None
