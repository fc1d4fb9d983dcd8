"""A TCP proxy before a store that loses commands and replies on demand."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from enum import Enum, auto
from urllib.parse import unquote, urlsplit


class Fault(Enum):
    """What may happen to a piece of the client's stream; the connection is reset in each case."""

    COMMAND_LOST = auto()
    """The store never gets it."""
    REPLY_LOST = auto()
    """The store answers, and the client never hears it."""
    CUT = auto()
    """The store gets it, and the client is cut off before the store has done anything."""


Plan = Callable[[bytes], Fault | None]


class Proxy:
    """Passes bytes to and from a store; `plan` says what goes wrong with each piece that a client sends."""

    def __init__(self, store_url: str) -> None:
        self.faults = 0
        self.plan: Plan = lambda _piece: None
        self.port = 0
        self._connections: set[asyncio.Task[None]] = set()
        self._path = unquote(urlsplit(store_url).path)

    @property
    def url(self) -> str:
        """The URL of the store behind the proxy."""
        return f"redis://127.0.0.1:{self.port}"

    def lose_once(self, fault: Fault) -> None:
        """Let the next append meet a fault, and no other."""
        left = [fault]
        self.plan = lambda piece: left.pop() if left and is_append(piece) else None

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Proxy]:
        """Listen on a free port."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield self
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(self._serve(client, answer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve(self, client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        store, command = await asyncio.open_unix_connection(self._path)
        replies = asyncio.create_task(_pass_on(store, answer))
        with contextlib.suppress(OSError):
            while piece := await client.read(1 << 16):
                fault = self.plan(piece)
                if fault is not None:
                    self.faults += 1
                    await self._fail(fault, piece, replies, store, command)
                    break
                command.write(piece)
                await command.drain()
        answer.transport.abort()
        replies.cancel()
        command.close()

    async def _fail(
        self,
        fault: Fault,
        piece: bytes,
        replies: asyncio.Task[None],
        store: asyncio.StreamReader,
        command: asyncio.StreamWriter,
    ) -> None:
        """Have the store see as much as the fault lets through."""
        replies.cancel()
        await asyncio.wait([replies])
        if fault is Fault.COMMAND_LOST:
            return
        command.write(piece)
        await command.drain()
        if fault is Fault.REPLY_LOST:
            await store.read(1)


def is_append(piece: bytes) -> bool:
    """Say whether a piece of a client's stream holds an append."""
    return b"\r\nEVAL" in piece


async def _pass_on(store: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
    """Pass replies to the client until either side is gone."""
    with contextlib.suppress(OSError):
        while piece := await store.read(1 << 16):
            answer.write(piece)
            await answer.drain()
    answer.close()
