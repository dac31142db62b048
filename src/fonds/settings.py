"""Every environment variable, read once and validated. Secrets are typed and never shown."""

from __future__ import annotations

from pathlib import Path

import platformdirs
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

ROLE_FIELDS = {
    "fonds_migrator": "migrator_url",
    "fonds_ingest": "ingest_url",
    "fonds_build": "build_url",
    "fonds_curator": "curator_url",
    "fonds_reader": "reader_url",
}


class Settings(BaseSettings):
    """What the process is told from outside; everything else is in the archive file."""

    model_config = SettingsConfigDict(
        env_prefix="FONDS_", extra="ignore", frozen=True, hide_input_in_errors=True
    )

    home: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("fonds")),
        description="Folder of the embedded server: its data, socket and passwords.",
    )
    archive: Path = Field(
        default=Path("archive.toml"),
        description="The archive file, or the folder it is in.",
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
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_API_KEY",
        description="Key of the provider. With it the answer writer defaults to openai.",
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias="OPENAI_BASE_URL",
        description="Any compatible server; unset: the provider's own.",
    )

    @property
    def is_embedded(self) -> bool:
        """Whether no server is named at all, for any role."""
        named = (self.database_url, *(getattr(self, field) for field in ROLE_FIELDS.values()))
        return all(url is None for url in named)

    def role_url(self, role: str) -> SecretStr | None:
        """The URL of one role, its own or the common one."""
        own: SecretStr | None = getattr(self, ROLE_FIELDS[role])
        return own if own is not None else self.database_url


def read_settings() -> Settings:
    """Read the environment, and the folder `FONDS_SECRETS_DIR` names: one file a setting.

    Raises pydantic's ValidationError naming settings, never values.
    """
    secrets = _SecretsFolder().secrets_dir
    return Settings(_secrets_dir=secrets)  # pyright: ignore[reportCallIssue]


class _SecretsFolder(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="FONDS_", extra="ignore")

    secrets_dir: Path | None = None
