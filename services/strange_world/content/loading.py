"""Reading a pack file: bytes of TOML become a `Pack`, or a sentence says what is wrong with them (SW-1.15).

The digest in the pack's reference is taken from the very bytes that were read, so two packs with one digest are
one pack.
"""

from __future__ import annotations

import hashlib
import tomllib
from types import MappingProxyType

import msgspec
from msgspec import Struct

from services.strange_world.content.pack import Icon, Land, Pack, Traveller
from shared.kernel import PackRef

MARKS = (1, 2, 3, 4)
SOLO_DECK = 21
LEAST_DECK = {2: 30, 3: 45, 4: 60}
VOLCANO_LIMIT = 11
STARTING_LANDS = 4


class PackError(ValueError):
    """A pack file that cannot be played with; the text says why."""


class Design(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of a pack file's table of designs; `copies` with mark 1, 2, 3 and 4."""

    code: str
    icons: str
    copies: tuple[int, int, int, int]
    animals: tuple[str, ...] = ()
    gate: bool = False
    moon: bool = False


class StartingLand(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of a pack file's table of starting Lands."""

    id: str
    icons: str
    animals: tuple[str, ...] = ()
    gate: bool = False
    moon: bool = False


class PackFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A pack file as it is written."""

    id: str
    version: int
    fumaroles: int
    cities: tuple[int, ...]
    designs: tuple[Design, ...]
    starting_lands: tuple[StartingLand, ...]
    travellers: tuple[Traveller, ...]
    animals: dict[str, str]


def load(data: bytes) -> Pack:
    """Read a pack file; raises `PackError` with a sentence when it is malformed or breaks SW-1.15."""
    try:
        file = msgspec.convert(tomllib.loads(data.decode()), PackFile)
        deck = tuple(_deck_lands(file))
        starting = tuple(_starting_lands(file, len(deck)))
    except (ValueError, msgspec.ValidationError) as error:
        raise PackError(f"the pack file cannot be read: {error}") from error
    pack = Pack(
        ref=PackRef(file.id, file.version, hashlib.sha256(data).hexdigest()),
        lands=MappingProxyType({land.id: land for land in deck + starting}),
        deck=deck,
        starting_lands=starting,
        travellers=file.travellers,
        cities=file.cities,
        fumaroles=file.fumaroles,
        animals=MappingProxyType(file.animals),
    )
    for fault in _faults(pack):
        raise PackError(f"pack {file.id}: {fault}")
    return pack


def _deck_lands(file: PackFile) -> list[Land]:
    lands: list[Land] = []
    for design in file.designs:
        marks = [mark for mark, copies in zip(MARKS, design.copies, strict=True) for _ in range(copies)]
        for number, mark in enumerate(marks, start=1):
            lands.append(_land(f"{design.code}{number}", len(lands), mark, design))
    return lands


def _starting_lands(file: PackFile, order: int) -> list[Land]:
    return [_land(row.id, order + i, None, row) for i, row in enumerate(file.starting_lands)]


def _land(land_id: str, order: int, mark: int | None, row: Design | StartingLand) -> Land:
    icons = tuple(Icon(letter) for letter in row.icons)
    return Land(
        id=land_id,
        order=order,
        mark=mark,
        icons=icons,
        animals=row.animals,
        gate=row.gate,
        moon=row.moon,
        mountains=icons.count(Icon.MOUNTAIN),
        waters=icons.count(Icon.WATER),
        forests=icons.count(Icon.FOREST),
        plants=icons.count(Icon.PLANT),
        volcanoes=icons.count(Icon.VOLCANO),
        kinds=tuple(dict.fromkeys(icons)),
    )


def _faults(pack: Pack) -> list[str]:
    """Say what makes a pack unfit to play with (SW-1.15, SW-1.4, SW-1.6)."""
    faults = _deck_faults(pack) + _starting_faults(pack)
    if len(pack.lands) != len(pack.deck) + len(pack.starting_lands):
        faults.append("two Lands have the same id")
    if len({traveller.id for traveller in pack.travellers}) != len(pack.travellers):
        faults.append("two Travellers have the same id")
    for land in pack.deck + pack.starting_lands:
        faults += _land_faults(pack, land)
    return faults


def _deck_faults(pack: Pack) -> list[str]:
    faults = []
    solo = len(pack.deck_for(1))
    if solo != SOLO_DECK:
        faults.append(f"the deck for 1 seat has {solo} Lands, it must have exactly {SOLO_DECK}")
    for seats, least in LEAST_DECK.items():
        size = len(pack.deck_for(seats))
        if size < least:
            faults.append(f"the deck for {seats} seats has {size} Lands, it must have at least {least}")
    volcanoes = sum(1 for land in pack.deck if land.volcanoes)
    if volcanoes > VOLCANO_LIMIT:
        faults.append(f"{volcanoes} Lands have a Volcano, at most {VOLCANO_LIMIT} may")
    return faults


def _starting_faults(pack: Pack) -> list[str]:
    faults = []
    if len(pack.starting_lands) != STARTING_LANDS:
        faults.append(f"there are {len(pack.starting_lands)} starting Lands, there must be {STARTING_LANDS}")
    faults += [
        f"starting Land {land.id} must have one icon out of M, W, F, P, no gate and no moon"
        for land in pack.starting_lands
        if len(land.icons) != 1 or land.volcanoes or land.gate or land.moon
    ]
    return faults


def _land_faults(pack: Pack, land: Land) -> list[str]:
    faults = []
    if max(land.waters, land.plants, land.volcanoes) > 1:
        faults.append(f"Land {land.id} has two W, two P or two V")
    if len(land.animals) != land.forests:
        faults.append(f"Land {land.id} has {land.forests} Forests and {len(land.animals)} animals")
    if land.moon and land.icons:
        faults.append(f"Land {land.id} is a moon and has icons")
    faults += [f"Land {land.id} shows the unknown animal {kind}" for kind in land.animals if kind not in pack.animals]
    return faults
