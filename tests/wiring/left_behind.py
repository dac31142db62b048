"""What a command may leave running: nothing that works in its home."""

from __future__ import annotations

from pathlib import Path


def left_behind(home: Path) -> list[str]:
    """Processes whose command line or folder is below the home, and claims of a server on it."""
    found = [str(claim) for claim in home.rglob("postmaster.pid")]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace")
            folder = (process / "cwd").readlink()
        except OSError:
            continue  # gone meanwhile, or somebody else's
        if "postgres" in words and (str(home) in words or folder.is_relative_to(home)):
            found.append(f"{process.name} {words}")
    return found
