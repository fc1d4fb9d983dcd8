"""The codec: what it carries, and what it refuses to be made for."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from msgspec import Struct

from services.strange_world.rules.actions import (
    Action,
    Cell,
    ChooseDirection,
    DeclineTraveller,
    Direction,
    PassTwo,
    PlaceLand,
)
from services.strange_world.rules.events import Cause, Event, Flip, GameBegun, LandsDesolated, TurnStarted
from shared.engine.platform import Automaton, GameCreated, PlatformEvent, Player, Seat
from shared.kernel import PackRef
from shared.wire import Codec, Malformed, Mismatch, UnknownKind, snake
from strata.engine.v1 import platform_pb2
from strata.strange_world.v1 import actions_pb2, events_pb2

ACTIONS: Codec[Any, actions_pb2.Action] = Codec(Action, actions_pb2.Action)
EVENTS: Codec[Any, events_pb2.Event] = Codec(Event, events_pb2.Event)

_TYPES = descriptor_pb2.FieldDescriptorProto


def message_class(name: str, fields: list[tuple[str, int, bool]]) -> Any:
    """Make a message class at run time: fields are (name, type, repeated)."""
    file = descriptor_pb2.FileDescriptorProto(name=f"{name}.proto", package="test", syntax="proto3")
    message = file.message_type.add(name=name)
    for number, (field, kind, repeated) in enumerate(fields, 1):
        label = _TYPES.LABEL_REPEATED if repeated else _TYPES.LABEL_OPTIONAL
        message.field.add(name=field, number=number, type=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"test.{name}"))


@pytest.mark.parametrize(
    ("codec", "value"),
    [
        (ACTIONS, PlaceLand("vm1", Cell(0, 0))),
        (ACTIONS, PlaceLand("vm1", Cell(-3, 2))),
        (ACTIONS, PassTwo(("gm1", "mo2"))),
        (ACTIONS, DeclineTraveller()),
        (EVENTS, TurnStarted(3, None)),
        (EVENTS, TurnStarted(3, 0)),
        (EVENTS, LandsDesolated(1, (Flip(Cell(0, 1), (Cause.GATE, Cause.WATER)), Flip(Cell(2, 2), ())))),
        (EVENTS, GameBegun(4, PackRef("classic", 1, "ab"), strict_volcano=True, cities=(9, 7), fumaroles=11)),
    ],
)
def test_what_goes_in_comes_out(codec: Codec[Any, Any], value: Any) -> None:
    """A struct survives the way to bytes and back, zeros, Nones and empty structs included."""
    assert codec.decode(codec.to_message(value).SerializeToString()) == value


def test_an_enum_travels_by_its_name() -> None:
    """Direction.RIGHT is DIRECTION_RIGHT on the wire."""
    message = ACTIONS.to_message(ChooseDirection(Direction.RIGHT))
    assert message.choose_direction.direction == actions_pb2.DIRECTION_RIGHT


def test_a_union_inside_a_struct_is_a_oneof_of_its_message() -> None:
    """A seat's holder is a oneof beside the seat's number."""
    codec: Codec[PlatformEvent, platform_pb2.PlatformEvent] = Codec(PlatformEvent, platform_pb2.PlatformEvent)
    created = GameCreated(
        game_id="g",
        title="t",
        table_id="",
        rules_version=1,
        pack=PackRef("p", 1, "d"),
        seats=(Seat(0, Player("a", "Ann")), Seat(1, Automaton("random"))),
        options={"pack": "p"},
        key_id="k",
        commitment=b"\x00\x01",
        entropies=(b"", b"x"),
        private=False,
    )
    message = codec.to_message(created)
    assert message.game_created.seats[1].automaton.brain == "random"
    assert codec.from_message(message) == created


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (actions_pb2.Action(), "holds nothing"),
        (actions_pb2.Action(place_land=actions_pb2.PlaceLand(land="mo1")), "cell is missing"),
        (actions_pb2.Action(choose_direction=actions_pb2.ChooseDirection()), "direction is missing or unknown"),
    ],
)
def test_a_message_that_lacks_a_part_is_refused(message: actions_pb2.Action, sentence: str) -> None:
    """Missing submessages, unspecified enums and empty unions are named, never guessed."""
    with pytest.raises(Malformed, match=sentence):
        ACTIONS.from_message(message)


def test_a_kind_that_is_not_known_is_told_apart() -> None:
    """A union whose case comes from a newer version raises UnknownKind: field 99 is not ours."""
    newer = actions_pb2.Action.FromString(b"\x9a\x06\x00")
    with pytest.raises(UnknownKind):
        ACTIONS.from_message(newer)


class Plain(Struct, frozen=True):
    """A struct with two fields."""

    count: int
    name: str


class Listed(Struct, frozen=True):
    """A struct with a repeated field."""

    names: tuple[str, ...]


class Colour(Enum):
    """An enum where the message has none."""

    RED = "red"


class Coloured(Struct, frozen=True):
    """A struct with an enum."""

    colour: Colour


class Maybe(Struct, frozen=True):
    """A struct whose field may be None."""

    count: int | None


@pytest.mark.parametrize(
    ("struct", "fields"),
    [
        (Plain, [("count", _TYPES.TYPE_INT32, False)]),
        (
            Plain,
            [
                ("count", _TYPES.TYPE_INT32, False),
                ("name", _TYPES.TYPE_STRING, False),
                ("more", _TYPES.TYPE_BOOL, False),
            ],
        ),
        (Plain, [("count", _TYPES.TYPE_STRING, False), ("name", _TYPES.TYPE_STRING, False)]),
        (Plain, [("count", _TYPES.TYPE_INT32, False), ("name", _TYPES.TYPE_BYTES, False)]),
        (Plain, [("count", _TYPES.TYPE_INT32, True), ("name", _TYPES.TYPE_STRING, False)]),
        (Listed, [("names", _TYPES.TYPE_STRING, False)]),
        (Coloured, [("colour", _TYPES.TYPE_INT32, False)]),
        (Maybe, [("count", _TYPES.TYPE_INT32, False)]),
    ],
)
def test_two_sides_that_disagree_are_refused(struct: type[Struct], fields: list[tuple[str, int, bool]]) -> None:
    """A missing, surplus or differently typed field stops the start-up."""
    with pytest.raises(Mismatch):
        Codec(struct, message_class("M", fields))


def test_names_become_snake_case() -> None:
    """Struct names become field names as protobuf writes them."""
    assert [snake(name) for name in ("PlaceLand", "CoverCard", "ABTest", "Pass2Cards")] == [
        "place_land",
        "cover_card",
        "abtest",
        "pass2_cards",
    ]
