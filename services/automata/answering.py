"""Answering whatever a game waits for at its head: fold, think, submit, one seat after the other.

Doing it again is harmless: a decision that was answered is no longer asked, and one that is answered twice at the same
time gets the same request twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import structlog
from msgspec import Struct
from prometheus_client import Counter

from services.automata.games import Ask, Games
from services.automata.submitting import Engine, Refused
from services.automata.thinking import Thinker
from shared.engine.game import Foreign, Unreadable
from shared.engine.title_wire import TitleWire
from shared.errors import Fault
from shared.eventlog.log import StreamKey

AT_ONCE = 16
ANSWERS = Counter("strata_automata_answers_total", "Answers of automata, by outcome", ("title", "outcome"))

_log = structlog.get_logger("automata")


class Hosted(Struct, frozen=True):
    """A title that automata play here, and its engine."""

    wire: TitleWire
    engine: Engine


class UnknownTitle(Exception):
    """A game of a title that this version does not have; a newer process may."""


class Stuck(Exception):
    """A decision stands, but its answer was refused: the text is the reason."""


class Answering:
    """Answers for the automata of some titles."""

    def __init__(self, games: Games, hosted: Mapping[str, Hosted], thinker: Thinker, delay: float) -> None:
        """Hold each answer back until `delay` seconds after the decision was found, so that people can follow."""
        self._games = games
        self._hosted = hosted
        self._thinker = thinker
        self._delay = delay
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def answer_all(self, key: StreamKey, title: str) -> None:
        """Answer every decision that waits for an automaton; two calls for one game must not overlap.

        Raises `Lost` or `Unavailable` when an engine or the store is away, `Unreadable`, `UnknownTitle` or
        `UnknownBrain` for what a newer process may know, `Stuck`, `Damaged` or `Torn` for what nobody can answer.
        """
        hosted = self._hosted.get(title)
        if hosted is None:
            raise UnknownTitle(f"there is no title {title!r} here")
        try:
            async with self._slots:
                followed = await self._games.current(key, hosted.wire)
        except Foreign as error:
            raise UnknownTitle(f"the stream is of {error}, not of {title}") from error
        for ask, state in followed.asks().items():
            await self._answer(key, hosted, ask, state)

    async def _answer(self, key: StreamKey, hosted: Hosted, ask: Ask, state: Any) -> None:
        """Think about one decision and submit the answer."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self._delay
        async with self._slots:
            action = await self._thinker.choose(hosted.wire.title, key.id, ask, state)
        await asyncio.sleep(due - loop.time())
        try:
            await hosted.engine.submit(key.id, ask, action)
        except Refused as refused:
            await self._make_sure_it_is_too_late(key, hosted, ask, refused)
        else:
            ANSWERS.labels(hosted.wire.title.id, "accepted").inc()

    async def _make_sure_it_is_too_late(self, key: StreamKey, hosted: Hosted, ask: Ask, refused: Refused) -> None:
        """Raise `Stuck` or `Unreadable` if a decision stands whose answer was refused; too late is no failure."""
        title, reason = hosted.wire.title.id, str(refused)
        if reason == Fault.GAME_UNREADABLE.name:
            raise Unreadable("the engine cannot read the game") from refused
        now = await self._games.current(key, hosted.wire)
        if ask in now.asks():
            ANSWERS.labels(title, "refused").inc()
            raise Stuck(reason) from refused
        ANSWERS.labels(title, "too_late").inc()
        _log.debug("answer_too_late", game_id=key.id, version=ask.version, seat=ask.seat, reason=reason)
