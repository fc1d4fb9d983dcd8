"""JSON for scripts: numbers are numbers, bytes are hexadecimal, absent things are absent."""

from __future__ import annotations

from services.cli.plain import plain
from strata.common.v1 import common_pb2
from strata.engine.v1 import platform_pb2
from strata.strange_world.v1 import actions_pb2


def test_a_message_becomes_what_a_script_expects() -> None:
    """Long numbers, bytes, maps, lists and nested messages keep their field names; unset ones are left out."""
    fact = platform_pb2.PlatformEvent(
        game_created=platform_pb2.GameCreated(
            game_id="g1",
            seats=[common_pb2.Seat(seat=0, automaton=common_pb2.Automaton(brain="random"))],
            options={"pack": "classic"},
            commitment=b"\x00\xff",
            entropies=[b"\x01", b""],
        )
    )
    created = plain(fact)["game_created"]
    assert plain(fact).keys() == {"game_created"}
    assert created["seats"] == [{"seat": 0, "automaton": {"brain": "random"}}]
    assert (created["options"], created["commitment"], created["entropies"]) == (
        {"pack": "classic"},
        "00ff",
        ["01", ""],
    )
    assert "pack" not in created
    assert plain(platform_pb2.Undone(to=7)) == {"to": 7}


def test_an_enum_is_told_by_its_name_without_the_prefix() -> None:
    """`DIRECTION_LEFT` is "left", an unknown number stays a number."""
    assert plain(actions_pb2.ChooseDirection(direction=actions_pb2.DIRECTION_LEFT)) == {"direction": "left"}
    assert plain(actions_pb2.ChooseDirection.FromString(b"\x08\x63")) == {"direction": 99}
