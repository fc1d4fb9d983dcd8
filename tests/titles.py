"""Every title, for the tests that hold for all of them."""

from __future__ import annotations

from services.strange_world.app import wire as strange_world
from shared.engine.title_wire import AnyTitle, TitleWire

WIRES: dict[str, TitleWire] = {wire.title.id: wire for wire in (strange_world(),)}
TITLES: tuple[AnyTitle, ...] = tuple(wire.title for wire in WIRES.values())
