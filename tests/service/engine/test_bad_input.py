"""Every wrong call gets its own typed error with a sentence, and changes nothing."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from shared.auth import Caller, Role, Tokens
from shared.eventlog.log import StreamKey
from shared.eventlog.memory import MemoryEventLog
from strata.engine.v1 import engine_pb2
from strata.strange_world.v1 import actions_pb2, service_pb2
from tests.service.calling import AUTH_KEY, metadata, refused
from tests.service.engine.conftest import TITLE, Engine

Code = grpc.StatusCode
PLACE = actions_pb2.Action(place_land=actions_pb2.PlaceLand(land="mo1", cell=actions_pb2.Cell(x=0, y=1)))


def submit(game_id: str, **fields: Any) -> service_pb2.SubmitActionRequest:
    """Return a request that is right but for what a case puts in."""
    right: dict[str, Any] = {"game_id": game_id, "request_id": "r1", "action": PLACE}
    return service_pb2.SubmitActionRequest(**(right | fields))


async def test_ids_and_games(engine: Engine) -> None:
    """Malformed and unknown ids are told apart."""
    for game_id in ("", "NO", "a b", "x" * 65, "é"):
        with refused(Code.INVALID_ARGUMENT, "BAD_ID"):
            await engine.view(game_id)
    with refused(Code.NOT_FOUND, "UNKNOWN_GAME"):
        await engine.view("nobody-made-this")
    with refused(Code.NOT_FOUND, "UNKNOWN_GAME"):
        await engine.titles.SubmitAction(submit("nobody-made-this"), metadata=metadata("p0"))


async def test_tokens(engine: Engine) -> None:
    """No token, a forged one, an expired one and a strange header are UNAUTHENTICATED, each with its reason."""
    game = await engine.create(2)
    request = service_pb2.GetViewRequest(game_id=game)
    old = Tokens(AUTH_KEY, clock=lambda: 0).issue(Caller(Role.PLAYER, "p0", "p0"), 60).text
    forged = Tokens(bytes(32)).issue(Caller(Role.PLAYER, "p0", "p0"), 3600).text
    for header, reason in (
        ((), "NO_TOKEN"),
        ((("authorization", "Basic abc"),), "BAD_TOKEN"),
        ((("authorization", f"Bearer {forged}"),), "BAD_TOKEN"),
        ((("authorization", f"Bearer {old}"),), "EXPIRED_TOKEN"),
    ):
        with refused(Code.UNAUTHENTICATED, reason):
            await engine.titles.GetView(request, metadata=header)


async def test_seats(engine: Engine) -> None:
    """Unknown seats and seats of others are refused, for acting, looking, listing and watching."""
    game = await engine.create(2)
    for seat in (2, -1, 1_000_000):
        with refused(Code.NOT_FOUND, "UNKNOWN_SEAT"):
            await engine.titles.SubmitAction(submit(game, seat=seat), metadata=metadata("p0"))
    with refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
        await engine.titles.SubmitAction(submit(game, seat=1), metadata=metadata("p0"))
    with refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
        await engine.view(game, 1, who="p0")
    with refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
        await engine.titles.GetHistory(service_pb2.GetHistoryRequest(game_id=game, seat=1), metadata=metadata("p0"))
    with refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
        request = service_pb2.ListLegalActionsRequest(game_id=game, seat=1)
        await engine.titles.ListLegalActions(request, metadata=metadata("p0"))
    with refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
        async for _ in engine.titles.WatchGame(
            service_pb2.WatchGameRequest(game_id=game, seat=1), metadata=metadata("p0")
        ):
            pass


async def test_a_service_token_holds_no_seat(engine: Engine) -> None:
    """Strata's own services may look at the public view, but a player's seat is the player's."""
    game = await engine.create(2)
    for service in ("table", "automata"):
        with refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
            request = service_pb2.GetViewRequest(game_id=game, seat=0)
            await engine.titles.GetView(request, metadata=metadata(service, Role.SERVICE))


async def test_actions(engine: Engine, log: MemoryEventLog) -> None:
    """Another phase, an unknown card, an empty action: each has its reason, and nothing is written."""
    game = await engine.create(2)
    cases: list[tuple[actions_pb2.Action, Code, str]] = [
        (PLACE, Code.FAILED_PRECONDITION, "WRONG_KIND"),
        (actions_pb2.Action(pick_stack=actions_pb2.PickStack(stack=1)), Code.FAILED_PRECONDITION, "WRONG_KIND"),
        (
            actions_pb2.Action(pass_two=actions_pb2.PassTwo(lands=["zz9", "zz8"])),
            Code.FAILED_PRECONDITION,
            "NOT_AN_OPTION",
        ),
        (actions_pb2.Action(pass_two=actions_pb2.PassTwo()), Code.FAILED_PRECONDITION, "NOT_AN_OPTION"),
        (actions_pb2.Action(), Code.INVALID_ARGUMENT, "BAD_REQUEST"),
        (
            actions_pb2.Action(place_land=actions_pb2.PlaceLand(land="mo1")),
            Code.INVALID_ARGUMENT,
            "BAD_REQUEST",
        ),
        (actions_pb2.Action(choose_direction=actions_pb2.ChooseDirection()), Code.INVALID_ARGUMENT, "BAD_REQUEST"),
    ]
    for action, code, reason in cases:
        with refused(code, reason):
            await engine.titles.SubmitAction(submit(game, action=action), metadata=metadata("p0"))
    assert len(await log.read(StreamKey("game", game))) == 1


async def test_not_your_turn(engine: Engine) -> None:
    """Who has already answered, or is not asked, is told that the game waits for others."""
    game = await engine.create(2)
    first = (await engine.legal(game, 0))[0]
    await engine.act(game, 0, first)
    with refused(Code.FAILED_PRECONDITION, "NOT_YOUR_DECISION"):
        await engine.act(game, 0, first)


async def test_versions(engine: Engine) -> None:
    """A version beyond the head or below 1 is INVALID_ARGUMENT, wherever one can be given."""
    game = await engine.create(2)
    for version in (0, -1, 2, 10**15):
        with refused(Code.INVALID_ARGUMENT, "BAD_VERSION"):
            await engine.view(game, version=version)
        with refused(Code.INVALID_ARGUMENT, "BAD_VERSION"):
            await engine.titles.SubmitAction(submit(game, expected_version=version), metadata=metadata("p0"))
    for after in (-1, 2):
        with refused(Code.INVALID_ARGUMENT, "BAD_VERSION"):
            await engine.titles.GetHistory(
                service_pb2.GetHistoryRequest(game_id=game, after_version=after), metadata=metadata("x")
            )
        with refused(Code.INVALID_ARGUMENT, "BAD_VERSION"):
            async for _ in engine.titles.WatchGame(
                service_pb2.WatchGameRequest(game_id=game, after_version=after), metadata=metadata("x")
            ):
                pass
    with refused(Code.INVALID_ARGUMENT, "BAD_REQUEST"):
        await engine.titles.GetHistory(
            service_pb2.GetHistoryRequest(game_id=game, page_size=501), metadata=metadata("x")
        )


async def test_request_ids(engine: Engine) -> None:
    """A request id must be there and be readable."""
    game = await engine.create(2)
    for request_id in ("", "a b", "x" * 65, "\x00"):
        with refused(Code.INVALID_ARGUMENT, "BAD_ID"):
            await engine.titles.SubmitAction(submit(game, request_id=request_id), metadata=metadata("p0"))


async def test_messages_over_the_limit(engine: Engine) -> None:
    """70,000 bytes are over the limit of 65,536 and get a typed error."""
    game = await engine.create(2)
    action = actions_pb2.Action(pass_one=actions_pb2.PassOne(land="x" * 70_000))
    with refused(Code.INVALID_ARGUMENT, "MESSAGE_TOO_LARGE"):
        await engine.titles.SubmitAction(submit(game, action=action), metadata=metadata("p0"))


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"pack": "nope"}, "BAD_OPTION"), ({"colour": "red"}, "BAD_OPTION"), ({"strict_volcano": "maybe"}, "BAD_OPTION")],
)
async def test_options(engine: Engine, log: MemoryEventLog, options: dict[str, str], reason: str) -> None:
    """Unknown packs, options and values are refused at creation; no game exists afterwards."""
    with refused(Code.INVALID_ARGUMENT, reason):
        await engine.create(2, "g1", options=options)
    assert await log.head(StreamKey("game", "g1")) is None


async def test_seat_counts_and_titles(engine: Engine) -> None:
    """Five seats are too many, none too few; an unknown title is NOT_FOUND."""
    for seats in (0, 5):
        with refused(Code.INVALID_ARGUMENT, "BAD_SEATS"):
            await engine.create(seats)
    with refused(Code.NOT_FOUND, "UNKNOWN_TITLE"):
        await engine.internal.DescribeTitle(
            engine_pb2.DescribeTitleRequest(title="chess"), metadata=metadata("table", Role.SERVICE)
        )


async def test_the_internal_service_is_for_services(engine: Engine) -> None:
    """A player's token does not open EngineService."""
    with refused(Code.PERMISSION_DENIED, "NOT_ALLOWED"):
        await engine.internal.DescribeTitle(engine_pb2.DescribeTitleRequest(title=TITLE), metadata=metadata("p0"))
    with refused(Code.PERMISSION_DENIED, "NOT_ALLOWED"):
        await engine.internal.CreateGame(engine_pb2.CreateGameRequest(title=TITLE), metadata=metadata("p0"))
