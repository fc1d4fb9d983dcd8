"""Games as the automata see them: who is asked what, since when."""

from __future__ import annotations

import msgspec
import pytest

from services.automata.games import Ask, Followed, Games
from shared.engine.app import EngineApp
from shared.engine.game import Damaged
from shared.engine.platform import Automaton, GameCreated, Player, Seat
from shared.engine.playing import Attempt, Request
from shared.eventlog.log import StreamKey
from shared.eventlog.memory import MemoryEventLog
from tests.service.calling import SETTINGS
from tests.titles import WIRES

WIRE = WIRES["strange_world"]
KEY = StreamKey("game", "g1")


class Play:
    """A game of seats 0 (random), 1 (a person), 2 (greedy), moved without a server."""

    def __init__(self, log: MemoryEventLog) -> None:
        """Play over `log`."""
        self.playing = EngineApp((WIRE,), SETTINGS, log).playing["strange_world"]
        self.session = self.playing.sessions.session(KEY.id)

    async def create(self) -> None:
        """Write the first commit."""
        title = WIRE.title
        key_id, commitment = self.playing.prepare(KEY.id)
        holders: tuple[Player | Automaton, ...] = (Automaton("random"), Player("p1", "P1"), Automaton("greedy"))
        created = GameCreated(
            game_id=KEY.id,
            title=title.id,
            table_id="t1",
            rules_version=title.rules_version,
            pack=title.pack(title.parse({})),
            seats=tuple(Seat(seat, holder) for seat, holder in enumerate(holders)),
            options={},
            key_id=key_id,
            commitment=commitment,
            entropies=(b"0", b"1", b"2"),
            private=False,
        )
        await self.playing.create(self.session, Request("service:table", KEY.id, bytes(16)), created)

    async def act(self, seat: int) -> None:
        """Let a seat take its first legal action."""
        game = self.session.game
        action = WIRE.title.legal_actions(game.state, seat)[0]
        request = Request("somebody", f"r{game.version}", bytes(16))
        await self.playing.act(self.session, request, Attempt(seat, action, None, lambda _: None))


@pytest.fixture
def log() -> MemoryEventLog:
    """An empty log."""
    return MemoryEventLog()


@pytest.fixture
async def play(log: MemoryEventLog) -> Play:
    """A game in which all three seats must pass two cards, since version 2."""
    play = Play(log)
    await play.create()
    decision = play.session.game.decision
    assert decision is not None
    assert decision.kind == "choose_direction"
    await play.act(decision.seats[0])
    return play


async def test_automata_are_asked_and_people_are_not(log: MemoryEventLog, play: Play) -> None:
    """Of three seats that must pass cards the two automata are asked, each by its brain's name."""
    del play
    followed = await Games(log, 4).current(KEY, WIRE)
    assert list(followed.asks()) == [Ask(0, "random", 2), Ask(2, "greedy", 2)]


async def test_a_decision_keeps_its_name_while_others_answer(log: MemoryEventLog, play: Play) -> None:
    """A seat that has not answered is asked the same as before, in the same state, after others have answered."""
    games = Games(log, 4)
    before = (await games.current(KEY, WIRE)).asks()
    await play.act(0)
    await play.act(1)
    after = (await games.current(KEY, WIRE)).asks()
    assert list(after) == [Ask(2, "greedy", 2)]
    assert after[Ask(2, "greedy", 2)] is before[Ask(2, "greedy", 2)]


async def test_a_game_is_the_same_folded_anew(log: MemoryEventLog, play: Play) -> None:
    """A game dropped from memory comes back with the same questions and the same states."""
    kept, fresh = Games(log, 4), Games(log, 4)
    await kept.current(KEY, WIRE)
    await play.act(1)
    assert (await kept.current(KEY, WIRE)).asks() == (await fresh.current(KEY, WIRE)).asks()


async def test_few_games_are_kept(log: MemoryEventLog, play: Play) -> None:
    """With room for one game the other is folded anew, and nothing else changes."""
    del play
    games = Games(log, 1)
    first = await games.current(KEY, WIRE)
    other = StreamKey("game", "g2")
    for entry in await log.read(KEY):
        await log.append(other, "strange_world", entry)
    await games.current(other, WIRE)
    again = await games.current(KEY, WIRE)
    assert again is not first
    assert again.asks() == first.asks()


async def test_a_game_that_does_not_fold_is_not_kept(log: MemoryEventLog, play: Play) -> None:
    """A damaged entry raises each time; nothing half-folded stays behind."""
    del play
    games, followed = Games(log, 4), Followed(WIRE)
    entries = await log.read(KEY)
    followed.apply(entries[0])
    with pytest.raises(Damaged):
        followed.apply(entries[0])
    broken = StreamKey("game", "g3")
    await log.append(broken, "strange_world", entries[0])
    await games.current(broken, WIRE)
    await log.append(broken, "strange_world", msgspec.structs.replace(entries[1], before=b"another entry"))
    for _ in range(2):
        with pytest.raises(Damaged):
            await games.current(broken, WIRE)


def test_a_game_without_commits_asks_nobody() -> None:
    """Before the first commit there is nothing to answer."""
    assert Followed(WIRE).asks() == {}
