"""The load: planned requests sent as bytes, and the two bare probes, through one client process on one loop.

Echo and command go through the same kind of channel, are serialised beforehand and are not parsed afterwards, so that
what differs is the server, and the token that a command carries.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
from msgspec import Struct

from services.cli.bench.amounts import PATIENCE
from services.cli.bench.arena import Arena
from services.cli.bench.echo import METHOD, request_of
from services.cli.bench.planning import Plan, Step, make_plan, seats_of
from services.cli.failing import CommandFailed
from shared.auth import Caller, Role, Tokens
from shared.engine.title_wire import TitleWire
from shared.eventlog.log import StreamKey
from shared.ids import new_id
from strata.common.v1 import common_pb2
from strata.engine.v1 import engine_pb2, engine_pb2_grpc

Item = TypeVar("Item")
Metadata = tuple[tuple[str, str], ...]
_CHANNEL = (("grpc.enable_http_proxy", 0),)
_TOKEN_SECONDS = 3600
_FEED = bytes(60)

APPEND = """
redis.call('XADD', KEYS[1], '*', 'd', ARGV[1])
redis.call('XADD', KEYS[2], 'MAXLEN', '~', 10000, '*', 'd', ARGV[2])
"""
"""The bare append: one entry and one feed entry, and no questions."""


class Sizes(Struct, frozen=True):
    """Bytes of one command: its request, its answer, and the values of the entry it writes."""

    request: int
    answer: int
    entry: int


class Load:
    """Sends commands of one title and bare probes; `async with` opens and closes the channels."""

    def __init__(self, arena: Arena, wire: TitleWire) -> None:
        """Prepare the tokens of the players, the same ones in every game."""
        self.arena = arena
        self.wire = wire
        self.title = wire.title
        self._tokens = Tokens(arena.auth_key)
        self._players = [new_id() for _ in range(seats_of(wire.title))]
        self._metadata = [self._bearer(Role.PLAYER, player) for player in self._players]
        self._service = self._bearer(Role.SERVICE, "table")
        self._numbers = itertools.count()

    async def __aenter__(self) -> Self:
        """Open the channels."""
        self._engine = grpc.aio.insecure_channel(self.arena.engine.target, options=_CHANNEL)
        self._probe = grpc.aio.insecure_channel(self.arena.echo.target, options=_CHANNEL)
        service = self.wire.service.full_name
        self._submit: Any = self._engine.unary_unary(f"/{service}/SubmitAction")
        self._watch: Any = self._engine.unary_stream(f"/{service}/WatchGame")
        self._echo: Any = self._probe.unary_unary(METHOD)
        self._internal: Any = engine_pb2_grpc.EngineServiceStub(self._engine)
        self._append = self.arena.redis.register_script(APPEND)
        self._stream = f"bench:{new_id()}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Close the channels."""
        await self._engine.close()
        await self._probe.close()

    def plan(self) -> Plan:
        """Plan a new game."""
        return make_plan(self.wire, new_id(), len(self._players), self.arena.seed_key, next(self._numbers))

    async def game(self) -> Plan:
        """Plan a game and create it on the engine."""
        plan = self.plan()
        request = engine_pb2.CreateGameRequest(
            title=self.title.id,
            game_id=plan.game_id,
            table_id=plan.game_id,
            seats=[
                common_pb2.Seat(seat=seat, player=common_pb2.Player(player_id=player, display_name=f"Player {seat}"))
                for seat, player in enumerate(self._players)
            ],
            key_id="k1",
            entropies=plan.entropies,
        )
        await self._internal.CreateGame(request, metadata=self._service, timeout=PATIENCE)
        return plan

    async def games(self, steps: int) -> list[Plan]:
        """Create as many games as have so many steps together."""
        plans: list[Plan] = []
        while sum(len(plan.steps) for plan in plans) < steps:
            plans.append(await self.game())
        return plans

    async def submit(self, step: Step) -> bytes:
        """Play one step."""
        answer: bytes = await self._submit(step.request, metadata=self._metadata[step.seat])
        return answer

    async def echo(self, sizes: Sizes) -> None:
        """Send and get as many bytes as a command."""
        await self._echo(request_of(sizes.request, sizes.answer))

    async def append(self, sizes: Sizes) -> None:
        """Append as many bytes as a command."""
        await self._append(keys=(self._stream, f"{self._stream}:feed"), args=(bytes(sizes.entry), _FEED))

    async def watch(self, plan: Plan) -> AsyncGenerator[bytes, None]:
        """Yield what a spectator of a game is sent."""
        request: Any = self.wire.message("WatchGameRequest")
        message = request(game_id=plan.game_id, after_version=1)
        async for answer in self._watch(message.SerializeToString(), metadata=self._metadata[0]):
            yield answer

    async def played(self) -> tuple[Plan, list[Sizes]]:
        """Play a whole game, check that it went as planned, and return it with the sizes of its commands."""
        plan = await self.game()
        answers = [await self.submit(step) for step in plan.steps]
        await self.check(plan, len(plan.steps))
        entries = await self.arena.log.read(StreamKey("game", plan.game_id), after=1)
        values = [sum(map(len, entry.values())) for entry in entries]
        return plan, [
            Sizes(len(step.request), len(answer), entry)
            for step, answer, entry in zip(plan.steps, answers, values, strict=True)
        ]

    async def check(self, plan: Plan, steps: int, before: int = 1) -> None:
        """See that the engine took exactly so many steps of a game; raises `CommandFailed` if not."""
        request = engine_pb2.GetGameSummaryRequest(title=self.title.id, game_id=plan.game_id)
        answer = await self._internal.GetGameSummary(request, metadata=self._service, timeout=PATIENCE)
        if answer.version != before + steps:
            raise CommandFailed(f"a measured game is at version {answer.version}, not at {before + steps}")

    def _bearer(self, role: Role, who: str) -> Metadata:
        token = self._tokens.issue(Caller(role, who, who), _TOKEN_SECONDS)
        return (("authorization", f"Bearer {token.text}"),)


async def one_by_one(do: Callable[[Item], Awaitable[Any]], items: Iterable[Item]) -> list[float]:
    """Do something to each item, one after the other, and return how many seconds each took."""
    times: list[float] = []
    async with asyncio.timeout(PATIENCE):
        for item in items:
            started = time.perf_counter()
            await do(item)
            times.append(time.perf_counter() - started)
    return times


async def by_turns(*kinds: tuple[Callable[[Any], Awaitable[Any]], Sequence[Any]]) -> list[list[float]]:
    """Do the first of each kind to its first item, then the second of each, and so on; return the times by kind."""
    times: list[list[float]] = [[] for _ in kinds]
    async with asyncio.timeout(PATIENCE):
        for turn in zip(*(items for _, items in kinds), strict=True):
            for spent, (do, _), item in zip(times, kinds, turn, strict=True):
                started = time.perf_counter()
                await do(item)
                spent.append(time.perf_counter() - started)
    return times


async def together(do: Callable[[Item], Awaitable[Any]], workers: Sequence[Sequence[Item]]) -> float:
    """Let every worker do something to its items, one after the other; return how many a second all did together."""

    async def work(items: Sequence[Item]) -> None:
        for item in items:
            await do(item)

    started = time.perf_counter()
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        for items in workers:
            group.create_task(work(items))
    return sum(map(len, workers)) / (time.perf_counter() - started)
