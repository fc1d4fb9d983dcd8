"""Games as the automata see them: folded from their streams, with what each automaton is asked.

A game in memory is only a saving of time: it may be dropped at any moment and is brought up to date from its stream
before it is used. Nothing of it goes to a brain but the view of one seat (`thinking.py`).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from msgspec import Struct

from shared.engine.game import Game
from shared.engine.platform import Automaton, Status
from shared.engine.title_wire import TitleWire
from shared.eventlog.log import Entry, EventLog, StreamKey


class Ask(Struct, frozen=True):
    """One decision that waits for an automaton: its seat, its brain, and the version at which the decision arose.

    Seats that choose at the same time keep the version at which they were asked while others answer, so everybody who
    works on this decision, now or again, names and seeds it alike.
    """

    seat: int
    brain: str
    version: int


class Followed:
    """A game, and for each seat that must act the state in which it was asked."""

    def __init__(self, wire: TitleWire) -> None:
        """Begin before the first entry."""
        self.wire = wire
        self.game = Game(wire)
        self._asked: dict[int, Any] = {}

    def apply(self, entry: Entry) -> None:
        """Fold the next entry; raises as `Game.apply` does."""
        self.game.apply(entry)
        decision = self.game.decision
        for seat in decision.seats if decision else ():
            if self.game.changed[seat] == self.game.version:
                self._asked[seat] = self.game.state

    def asks(self) -> dict[Ask, Any]:
        """Return what waits for automata now, by seat, each with the state in which it was asked."""
        game, record = self.game, self.game.record
        if record is None or game.decision is None or game.status is not Status.PLAYING:
            return {}
        held = ((seat, record.holder(seat)) for seat in sorted(game.decision.seats))
        return {
            Ask(seat, who.brain, game.changed[seat]): self._asked[seat]
            for seat, who in held
            if isinstance(who, Automaton)
        }


class Games:
    """The games of every title, the least recently used dropped first."""

    def __init__(self, log: EventLog, limit: int) -> None:
        """Keep at most `limit` games folded."""
        self._log = log
        self._limit = limit
        self._kept: OrderedDict[StreamKey, Followed] = OrderedDict()

    async def current(self, key: StreamKey, wire: TitleWire) -> Followed:
        """Return a game as of its head; one that could not be folded is not kept.

        Raises `Damaged`, `Unreadable` or `Foreign` as `Game.apply` does, `Torn` and `Unavailable` as the log does. Two
        calls for one game must not overlap.
        """
        followed = self._kept.pop(key, None) or Followed(wire)
        for entry in await self._log.read(key, after=followed.game.version):
            followed.apply(entry)
        self._kept[key] = followed
        if len(self._kept) > self._limit:
            self._kept.popitem(last=False)
        return followed
