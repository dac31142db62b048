"""The private and the served schema, the functions between them, and who may do what."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Runs the frozen SQL beside this file."""
    frozen = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    op.get_bind().execution_options(no_parameters=True).exec_driver_sql(frozen)


def downgrade() -> None:
    """Migrations go forward only."""
    raise NotImplementedError
