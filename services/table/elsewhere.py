"""What the table asks of other services: the engines (what a title offers, create a game) and the automata (brains)."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar

import grpc

from services.table.events import Access
from services.table.state import Table
from shared.auth import Caller, Role, Tokens
from shared.channel import connect
from shared.clock import Clock, now
from shared.config import Settings
from shared.engine.title_wire import SEATS
from shared.errors import Fault, Problem
from strata.automata.v1 import automata_pb2, automata_pb2_grpc
from strata.engine.v1 import engine_pb2, engine_pb2_grpc

Answer = TypeVar("Answer")
_SECONDS = 10.0
_TOKEN_SECONDS = 24 * 3600
_REMEMBER_MS = 60_000


class Elsewhere:
    """Stubs of the other services, called as the service `table`."""

    def __init__(self, settings: Settings, clock: Clock = now) -> None:
        """Find engines and automata where the settings say; nothing is called yet."""
        self._clock = clock
        self._tokens = Tokens(settings.auth_key, clock)
        self._channels = {
            target: connect(target)
            for target in sorted({*settings.engine_targets.values(), settings.automata_target} - {""})
        }
        self._engines: dict[str, Any] = {
            title: engine_pb2_grpc.EngineServiceStub(self._channels[target])
            for title, target in settings.engine_targets.items()
        }
        automata = self._channels.get(settings.automata_target)
        self._automata: Any = automata_pb2_grpc.AutomataServiceStub(automata) if automata else None
        self._described: dict[str, tuple[int, engine_pb2.DescribeTitleResponse]] = {}
        self._token = self._tokens.issue(Caller(Role.SERVICE, "table", "table"), _TOKEN_SECONDS)

    async def close(self) -> None:
        """Let go of every connection."""
        for channel in self._channels.values():
            await channel.close()

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles that can be played here."""
        return tuple(self._engines)

    async def describe(self, title: str) -> engine_pb2.DescribeTitleResponse:
        """Return what a title offers; remembered for a minute. Raises UNKNOWN_TITLE or SERVICE_UNAVAILABLE."""
        known = self._described.get(title)
        if known is None or known[0] < self._clock() - _REMEMBER_MS:
            request = engine_pb2.DescribeTitleRequest(title=title)
            answer = await self._ask(self._engine(title).DescribeTitle(request, **self._how()), title)
            known = self._described[title] = (self._clock(), answer)
        return known[1]

    async def prepare(
        self, title: str, game_id: str, seats: int, options: dict[str, str]
    ) -> engine_pb2.PrepareGameResponse:
        """Let the title check seats and options, and commit to the game's chance."""
        request = engine_pb2.PrepareGameRequest(title=title, game_id=game_id, seats=seats, options=options)
        return await self._ask(self._engine(title).PrepareGame(request, **self._how()), title)

    async def create_game(self, table: Table) -> None:
        """Create a table's game, which may exist already. Raises `Problem` as the engine answered."""
        opened = table.opened
        request = engine_pb2.CreateGameRequest(
            title=opened.title,
            game_id=opened.game_id,
            table_id=opened.table_id,
            seats=[SEATS.to_message(seat) for seat in table.seats],
            options=opened.options,
            key_id=opened.key_id,
            commitment=opened.commitment,
            entropies=[table.entropy_of(seat.seat) for seat in table.seats],
            private=opened.access is Access.PRIVATE,
        )
        await self._ask(self._engine(opened.title).CreateGame(request, **self._how()), opened.title)

    async def exists(self, table: Table) -> bool:
        """Say whether a table's game exists, in spite of a refusal to create it again."""
        request = engine_pb2.GetGameSummaryRequest(title=table.opened.title, game_id=table.opened.game_id)
        try:
            await self._ask(self._engine(table.opened.title).GetGameSummary(request, **self._how()), table.opened.title)
        except Problem as problem:
            return problem.reason != Fault.UNKNOWN_GAME.name
        return True

    async def require_brain(self, title: str, brain: str) -> None:
        """Raise UNKNOWN_BRAIN unless the automata can play a title with this brain."""
        if self._automata is None:
            raise Problem(Fault.SERVICE_UNAVAILABLE, "there are no automata here")
        request = automata_pb2.ListBrainsRequest(title=title)
        answer = await self._ask(self._automata.ListBrains(request, **self._how()), "automata")
        names = [known.brain for known in answer.brains]
        if brain not in names:
            raise Problem(Fault.UNKNOWN_BRAIN, f"there is no such brain for this title; there are {', '.join(names)}")

    def _engine(self, title: str) -> Any:
        if title not in self._engines:
            raise Problem(Fault.UNKNOWN_TITLE, f"there is no such title here; there are {', '.join(self._engines)}")
        return self._engines[title]

    def _how(self) -> dict[str, Any]:
        """Return timeout and metadata for a call; the token is renewed in time."""
        if self._clock() > self._token.expires_at - 60_000:
            self._token = self._tokens.issue(Caller(Role.SERVICE, "table", "table"), _TOKEN_SECONDS)
        return {"timeout": _SECONDS, "metadata": (("authorization", f"Bearer {self._token.text}"),)}

    async def _ask(self, call: Awaitable[Answer], service: str) -> Answer:
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            raise Problem.relayed(error, service) from error
