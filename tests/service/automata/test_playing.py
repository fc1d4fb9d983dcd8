"""Automata play whole games: alone, beside people, two processes at once."""

from __future__ import annotations

import asyncio
from typing import Any

from services.automata.brains import brains_of
from shared.engine.platform import Status
from shared.eventlog.memory import MemoryEventLog
from tests.service.automata.conftest import create, driving, finished, folded, played, until
from tests.service.engine.conftest import TITLE, running
from tests.service.engine.conftest import Engine as Server


async def test_a_whole_game_is_played(log: MemoryEventLog, server: Server, target: str) -> None:
    """Three automata play a game from its creation to its result, every action theirs."""
    async with driving(log, target):
        key = await create(server, "greedy", "random", "random", game_id="g1")
        entries = await finished(log, key)
    assert {entry.caller for entry in entries[1:]} == {"service:automata"}
    assert {entry.seat for entry in entries[1:]} == {0, 1, 2}
    game = await folded(log, key)
    assert game.status is Status.OVER
    assert game.result is not None
    assert len(game.result.standings) == 3


async def test_people_are_waited_for(log: MemoryEventLog, server: Server, target: str) -> None:
    """Automata answer for their own seats only, and go on when the person has answered."""
    async with driving(log, target):
        key = await create(server, "", "random", game_id="g1")

        async def only_the_person() -> bool:
            decision = (await folded(log, key)).decision
            return decision is not None and decision.seats == (0,)

        answers = 0
        while (await folded(log, key)).status is Status.PLAYING:
            await until(only_the_person)
            await server.act("g1", 0, (await server.legal("g1", 0))[0])
            answers += 1

            async def moved_on() -> bool:
                game = await folded(log, key)
                return game.decision is None or 0 in game.decision.seats

            await until(moved_on)
        entries = await log.read(key)
    assert [entry.caller for entry in entries[1:] if entry.seat == 0] == ["player:p0"] * answers
    assert {entry.caller for entry in entries[1:] if entry.seat == 1} == {"service:automata"}


async def test_many_games_at_once(log: MemoryEventLog, server: Server, target: str) -> None:
    """Twenty games are played side by side."""
    async with driving(log, target):
        keys = [await create(server, "random", "random", game_id=f"g{number}") for number in range(20)]
        await asyncio.gather(*(finished(log, key) for key in keys))


async def test_two_processes_play_one_game(log: MemoryEventLog, server: Server, target: str) -> None:
    """However many processes share the work, the game is the same, entry by entry, as one process plays it."""
    alone = MemoryEventLog()
    async with running(alone) as other, driving(alone, f"127.0.0.1:{other.server.port}"):
        key = await create(other, "greedy", "random", "random", game_id="g1")
        expected = played(await finished(alone, key))
    async with driving(log, target), driving(log, target), driving(log, target):
        await create(server, "greedy", "random", "random", game_id="g1")
        assert played(await finished(log, key)) == expected


async def test_answers_are_held_back(log: MemoryEventLog, server: Server, target: str) -> None:
    """With a delay an answer comes no sooner, so that people can follow."""
    async with driving(log, target, delay=0.15):
        key = await create(server, "random", "", game_id="g1")
        created = asyncio.get_running_loop().time()

        async def answered() -> bool:
            return len(await log.read(key)) == 2

        await until(answered)
        assert asyncio.get_running_loop().time() - created >= 0.14


class Watched:
    """A brain that notes what it is given."""

    about, slow, blind = "notes what it is given", False, False

    def __init__(self) -> None:
        """Begin with nothing noted."""
        self.given: list[tuple[Any, Any, Any]] = []

    def choose(self, title: Any, view: Any, legal: Any, draw: Any) -> Any:
        """Take the first legal action."""
        del draw
        self.given.append((title, view, legal))
        return legal[0]


async def test_a_brain_sees_its_seat_only(log: MemoryEventLog, server: Server, target: str) -> None:
    """A brain is given the view of its seat, as the API shows it to the holder, and its legal actions; nothing else."""
    brain = Watched()
    async with driving(log, target, {"watched": brain, "random": brains_of(TITLE)["random"]}):
        key = await create(server, "random", "watched", game_id="g1")
        await finished(log, key)
    for title, view, legal in brain.given:
        assert type(view) is title.view_type
        assert view.seat == 1
        assert legal
        hands = [transfer for transfer in view.transfers if transfer.lands]
        assert all(1 in (transfer.giver, transfer.receiver) for transfer in hands)
