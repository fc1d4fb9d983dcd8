"""Requests: answered once, however often they are repeated, whatever happened in between."""

from __future__ import annotations

import asyncio

import grpc
import msgspec
import pytest

from shared.config import Settings
from shared.engine.platform import Automaton, Seat, SeatReplaced
from shared.engine.watching import Hub
from shared.eventlog.log import Entry, StreamKey, Unavailable
from shared.eventlog.memory import MemoryEventLog
from tests.service.calling import SETTINGS, refused
from tests.service.engine.conftest import Engine, append_platform_event, running

Code = grpc.StatusCode


async def test_a_repeat_gets_the_first_answer(engine: Engine, log: MemoryEventLog) -> None:
    """The same request again, later in the game, gives the same commit and decision and writes nothing."""
    game = await engine.create(3)
    seat = (await engine.view(game)).decision.seats[0]
    action = (await engine.legal(game, seat))[0]
    first = await engine.act(game, seat, action, "once")
    await engine.play(game, 20)
    again = await engine.act(game, seat, action, "once")
    assert again == first
    assert len(await log.read(StreamKey("game", game))) == 22


async def test_a_repeat_with_another_body_is_refused(engine: Engine) -> None:
    """A request id that was used for another action is REQUEST_REUSED, for another seat too."""
    game = await engine.create(2)
    options = await engine.legal(game, 0)
    await engine.act(game, 0, options[0], "once")
    with refused(Code.INVALID_ARGUMENT, "REQUEST_REUSED"):
        await engine.act(game, 0, options[1], "once")


async def test_request_ids_belong_to_their_caller(engine: Engine) -> None:
    """Two players may use the same request id."""
    game = await engine.create(2)
    for seat in (0, 1):
        await engine.act(game, seat, (await engine.legal(game, seat))[0], "same")
    assert (await engine.view(game)).version == 3


async def test_a_refused_request_can_be_used_again(engine: Engine) -> None:
    """Refusals are not remembered."""
    game = await engine.create(2)
    options = await engine.legal(game, 0)
    wrong = type(options[0])()
    wrong.pass_two.lands.extend(["no", "no"])
    with refused(Code.FAILED_PRECONDITION, "NOT_AN_OPTION"):
        await engine.act(game, 0, wrong, "once")
    assert (await engine.act(game, 0, options[0], "once")).commit.version == 2


async def test_a_repeat_survives_eviction_and_restart(log: MemoryEventLog) -> None:
    """With room for one game in memory, and in another process, the repeat still finds its first answer."""
    small = msgspec.structs.replace(SETTINGS, cache_games=1)
    async with running(log, small) as engine:
        game = await engine.create(2)
        action = (await engine.legal(game, 0))[0]
        first = await engine.act(game, 0, action, "once")
        for _ in range(3):
            await engine.create(2)
        assert await engine.act(game, 0, action, "once") == first
    async with running(log) as engine:
        assert await engine.act(game, 0, action, "once") == first
    assert len(await log.read(StreamKey("game", game))) == 2


async def test_creating_a_game_twice(engine: Engine, log: MemoryEventLog) -> None:
    """The same request gives the same game; another one under the same id is refused."""
    game = await engine.create(2)
    assert await engine.create(2, game) == game
    with refused(Code.INVALID_ARGUMENT, "REQUEST_REUSED"):
        await engine.create(3, game)
    assert len(await log.read(StreamKey("game", game))) == 1


async def test_sealed_choices_do_not_abort_each_other(engine: Engine) -> None:
    """Seats that choose at the same time may all expect the version at which they were asked."""
    game = await engine.create(4)
    holder = (await engine.view(game)).decision.seats[0]
    await engine.act(game, holder, (await engine.legal(game, holder))[0])
    asked = (await engine.view(game)).version
    options = [(await engine.legal(game, seat))[0] for seat in range(4)]
    answers = await asyncio.gather(
        *(engine.act(game, seat, options[seat], expected_version=asked) for seat in range(4))
    )
    assert sorted(answer.commit.version for answer in answers) == [asked + 1, asked + 2, asked + 3, asked + 4]


async def test_a_stale_expectation_is_aborted(engine: Engine) -> None:
    """Once a seat has answered, an answer that expects the version before is ABORTED, and says where the game is."""
    game = await engine.create(2)
    options = await engine.legal(game, 0)
    await engine.act(game, 0, options[0], expected_version=1)
    with refused(Code.ABORTED, "STALE_VERSION"):
        await engine.act(game, 0, options[0], expected_version=1)


class LosesReplies(MemoryEventLog):
    """A log that writes, and then says that it does not know, as many times as told."""

    def __init__(self) -> None:
        """Lose nothing yet."""
        super().__init__()
        self.lose = 0

    async def append(self, key: StreamKey, title: str, entry: Entry) -> None:
        """Write; the answer may get lost."""
        await super().append(key, title, entry)
        if self.lose:
            self.lose -= 1
            raise Unavailable("the reply was lost")


async def test_an_unknown_outcome_is_settled_by_the_repeat() -> None:
    """A lost reply is UNAVAILABLE; the repeat finds the commit and does not play twice."""
    log = LosesReplies()
    async with running(log) as engine:
        game = await engine.create(2)
        action = (await engine.legal(game, 0))[0]
        log.lose = 1
        with refused(Code.UNAVAILABLE, "STORE_UNAVAILABLE"):
            await engine.act(game, 0, action, "once")
        assert (await engine.act(game, 0, action, "once")).commit.version == 2
        assert (await engine.view(game)).version == 2


async def test_an_engine_that_heard_nothing_decides_on_the_stream(
    log: MemoryEventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process whose feed is silent still takes an expected version it has not seen, and knows a new holder."""
    monkeypatch.setattr(Hub, "_heed", lambda *_: None)
    async with running(log) as one, running(log) as two:
        game = await one.create(2)
        options = [(await two.legal(game, seat))[0] for seat in (0, 1)]
        await one.act(game, 0, options[0])
        answer = await two.act(game, 1, options[1], expected_version=2)
        assert answer.commit.version == 3
        await append_platform_event(log, game, SeatReplaced(Seat(0, Automaton("random"))))
        action = (await two.legal(game, 1))[0]
        with refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
            await one.act(game, 0, action)
        assert len(await log.read(StreamKey("game", game))) == 4


async def test_two_engines_play_one_game(log: MemoryEventLog) -> None:
    """Two processes answer for the same game at the same time: every choice is accepted once, none is lost."""
    async with running(log) as one, running(log, Settings(**msgspec.structs.asdict(SETTINGS))) as two:
        game = await one.create(4)
        holder = (await two.view(game)).decision.seats[0]
        await two.act(game, holder, (await two.legal(game, holder))[0])
        options = [(await one.legal(game, seat))[0] for seat in range(4)]
        calls = [(one, two)[seat % 2].act(game, seat, options[seat], "r") for seat in range(4)]
        calls += [(two, one)[seat % 2].act(game, seat, options[seat], "r") for seat in range(4)]
        answers = await asyncio.gather(*calls)
        assert answers[:4] == answers[4:]
        assert len({answer.commit.version for answer in answers}) == 4
        assert await one.play(game) > 0
        assert (await one.view(game)) == (await two.view(game))
