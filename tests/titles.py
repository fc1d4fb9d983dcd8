"""Every title, for the tests that hold for all of them."""

from __future__ import annotations

from msgspec import Struct

from services.strange_world.app import wire as strange_world
from shared.engine.title_wire import AnyTitle, TitleWire

WIRES: dict[str, TitleWire] = {wire.title.id: wire for wire in (strange_world(),)}
TITLES: tuple[AnyTitle, ...] = tuple(wire.title for wire in WIRES.values())


class Variant(Struct, frozen=True):
    """A way to set a title up."""

    seats: int
    options: dict[str, str]


VARIANTS: dict[str, tuple[Variant, ...]] = {
    "strange_world": tuple(
        Variant(seats, {"pack": pack, "strict_volcano": strict})
        for seats in (1, 2, 3, 4)
        for pack, strict in (("classic", "false"), ("skyward", "false"), ("classic", "true"), ("skyward", "true"))
    ),
}
"""The variants that laws are tried on: together they reach every option."""
