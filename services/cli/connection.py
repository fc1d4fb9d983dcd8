"""A connection to a Strata server as one player: who calls, how long a call is tried, what is tried again.

Every mutation carries a request id, so a call that got no answer is simply made again with the same words, until the
patience of the connection is over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any, Self

import grpc

from services.cli.failing import CommandFailed
from shared.channel import OPTIONS
from shared.ids import check_id
from strata.identity.v1 import identity_pb2, identity_pb2_grpc
from strata.table.v1 import table_pb2_grpc

CALL_SECONDS = 10.0
LONGEST_PAUSE = 1.0
SHORTEST_PAUSE = 0.05

_LOST = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)
"""Statuses of a call whose outcome is unknown: the server went away, was too slow, or is stopping."""

Sign = Callable[[str], None]


class Connection:
    """One channel to `target`; `async with` opens and closes it. Calls carry `token` once there is one.

    A call that is lost is repeated for `patience` seconds; `say` is told once when that begins and when it ends.
    """

    def __init__(self, target: str, token: str = "", patience: float = 0.0, say: Sign = lambda _: None) -> None:
        """Prepare a connection; nothing is sent yet."""
        self.target = target
        self.token = token
        self._patience = patience
        self.say = say

    async def __aenter__(self) -> Self:
        """Open the channel."""
        self.channel = grpc.aio.insecure_channel(self.target, options=OPTIONS)
        self.tables: Any = table_pb2_grpc.TableServiceStub(self.channel)
        self._identity: Any = identity_pb2_grpc.IdentityServiceStub(self.channel)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Close the channel."""
        await self.channel.close()

    async def become_guest(self, name: str) -> None:
        """Get a token as a new guest, unless there is one already."""
        if not self.token:
            self.token = (await self.make_guest(name)).access_token

    async def make_guest(self, name: str) -> identity_pb2.CreateGuestResponse:
        """Make a new guest, whose token is in the answer; this connection stays who it is."""
        request = identity_pb2.CreateGuestRequest(display_name=name)
        made: identity_pb2.CreateGuestResponse = await self.call(self._identity.CreateGuest, request)
        return made

    def metadata(self, request: Any) -> tuple[tuple[str, str], ...]:
        """Return what goes with a call: who calls, and the game for the proxy that spreads games over engines."""
        who = (("authorization", f"Bearer {self.token}"),) if self.token else ()
        game_id = getattr(request, "game_id", "")
        return (*who, ("game_id", check_id(game_id, "the id of a game"))) if game_id else who

    async def call(self, method: Callable[..., Awaitable[Any]], request: Any) -> Any:
        """Make one call; raises `grpc.aio.AioRpcError` when refused, `CommandFailed` when lost for too long."""

        async def once() -> Any:
            return await method(request, metadata=self.metadata(request), timeout=CALL_SECONDS)

        return await self.repeat(once)

    async def repeat(self, attempt: Callable[[], Awaitable[Any]]) -> Any:
        """Make an attempt again and again while it is lost and there is patience left."""
        losses = Losses(self._patience, self.say)
        while True:
            try:
                result = await attempt()
            except grpc.aio.AioRpcError as error:
                await losses.bear(error)
            else:
                losses.over()
                return result

    async def follow(self, watch: Callable[[], Any]) -> AsyncIterator[Any]:
        """Yield the messages of a stream that `watch` opens, opening it again from wherever it is whenever it is lost.

        Ends when the stream ends by itself; `watch` must ask for what comes after the last message yielded.
        """
        losses = Losses(self._patience, self.say)
        while True:
            try:
                async for message in watch():
                    losses.over()
                    yield message
            except grpc.aio.AioRpcError as error:
                await losses.bear(error)
            else:
                return


class Losses:
    """Counts how long a call has been lost and waits between attempts, longer each time."""

    def __init__(self, patience: float, say: Sign) -> None:
        """Bear losses for so many seconds."""
        self._patience = patience
        self.say = say
        self._since: float | None = None
        self._pause = SHORTEST_PAUSE
        self._told = False

    def over(self) -> None:
        """Note that an attempt succeeded."""
        if self._told:
            self.say("The server answers again.")
        self._since = None
        self._pause = SHORTEST_PAUSE
        self._told = False

    async def bear(self, error: grpc.aio.AioRpcError) -> None:
        """Wait before the next attempt; raises `error` when it is no loss, or when patience is over."""
        now = time.monotonic()
        since = self._since = self._since or now
        if not self._patience or not is_loss(error):
            raise error
        if now - since > self._patience:
            raise CommandFailed(
                f"the server has not answered for {self._patience:.0f} s ({error.details()})"
            ) from error
        if now - since > 4 * SHORTEST_PAUSE and not self._told:
            self._told = True
            self.say("The server does not answer; trying again …")
        await asyncio.sleep(self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)


def is_loss(error: grpc.aio.AioRpcError) -> bool:
    """Say whether a failed call may be made again in the hope of an answer."""
    from shared.errors import reason_of

    return error.code() in _LOST or reason_of(error) == "TOO_SLOW"
