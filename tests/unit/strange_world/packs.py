"""Packs made up for tests: the classic pack with a few words changed."""

from __future__ import annotations

from services.strange_world.content import Pack, admit, load
from tests.conftest import ROOT

CLASSIC = (ROOT / "services" / "strange_world" / "content" / "classic-1.toml").read_text()


def changed(*changes: tuple[str, str]) -> Pack:
    """Load the classic pack with words replaced; every word to be replaced must be there."""
    text = CLASSIC
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return load(text.encode())


def admitted(name: str, *changes: tuple[str, str]) -> str:
    """Make a changed pack known under a new name, which is returned."""
    admit(changed(('id = "classic"', f'id = "{name}"'), *changes))
    return name


def gate_moons() -> str:
    """Make a pack known whose moons bear gates: the seed's literal reading (SW-1.3)."""
    return admitted("gate_moons", ('icons = "", moon = true', 'icons = "", moon = true, gate = true'))
