"""Group commit: commands that are asked for at the same time travel together on one connection.

A lane sends everything submitted during one turn of the event loop as one pipeline (no transaction); while a
pipeline is in flight the next batch gathers. One fsync of the store then serves all that waited, and the client
pays for one write instead of one per command. A command alone in its turn is sent at once. redis-py makes the
connection (passwords, TLS, Sentinel); from then on the lane reads and writes it itself, because redis-py's way of doing
so costs more than the rest of an append (docs/performance.md).

What a lane promises: every submitted command is answered exactly once, by its reply, by the error the store gave
it, or by `Unavailable` when the connection broke before its reply came (it may have been executed, or not).
A caller that is cancelled leaves the others of its batch alone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError, ResponseError

from shared.eventlog.log import Closed, Unavailable

Command = tuple[str | bytes | int, ...]
Batch = list[tuple[bytes, asyncio.Future[Any]]]
Failure = Callable[[], Unavailable]
"""Makes an error, a new one for each who is told."""

BATCH: Final = 512
"""The most commands in one pipeline: it bounds how long the next batch waits."""

UNFINISHED: Final = object()
"""What hiredis gives when a reply has not arrived as a whole."""


class Lane:
    """One connection on which concurrent commands are pipelined."""

    def __init__(
        self, connect: Callable[[], AbstractConnection], lost_after: float, blame: Callable[[Exception], str]
    ) -> None:
        """Take connections from `connect`, give a batch `lost_after` seconds, and word failures with `blame`."""
        self._connect = connect
        self._lost_after = lost_after
        self._blame = blame
        self._line: Line | None = None
        self._waiting: Batch = []
        self._opening: asyncio.Task[None] | None = None
        self._closed = False

    def submit(self, command: Command) -> asyncio.Future[Any]:
        """Return the future reply to a command; it raises what the store answered, or `Unavailable`."""
        if self._closed:
            raise Closed
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((pack(command), future))
        if len(self._waiting) == 1:
            loop.call_soon(self._go_on)
        return future

    async def close(self) -> None:
        """Stop sending; whoever still waits gets `Unavailable`."""
        self._closed = True
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait([self._opening])
        if self._line is not None:
            self._line.close(Closed)
        self._fail_waiting(Closed)

    def _go_on(self) -> None:
        """Send the next batch, unless replies are still awaited; open a connection first if there is none."""
        while self._waiting and not self._closed:
            if self._line is None:
                self._opening = self._opening or asyncio.create_task(self._open())
                return
            if self._line.busy:
                return
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            self._line.send([item for item in batch if not item[1].done()])

    async def _open(self) -> None:
        """Connect, then go on; whoever waits is told if that fails."""
        try:
            async with asyncio.timeout(self._lost_after):
                connection = self._connect()
                await connection.connect()  # type: ignore[no-untyped-call]  # redis-py has no annotations here
            self._line = Line(connection, self._lost_after, self._go_on, self._lost)
        except (RedisError, OSError, TimeoutError) as error:
            self._fail_waiting(self._failure(error))
        finally:
            self._opening = None
        self._go_on()

    def _lost(self, error: Exception) -> Failure:
        """Note that the connection broke; the next batch opens another."""
        self._line = None
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._go_on)
        return self._failure(error)

    def _failure(self, error: Exception) -> Failure:
        sentence = self._blame(error)
        return lambda: Unavailable(sentence)

    def _fail_waiting(self, failure: Failure) -> None:
        waiting, self._waiting = self._waiting, []
        fail((future for _, future in waiting), failure)


class Line(asyncio.Protocol):
    """An open connection; replies are handed out in the order of the commands.

    It breaks, once, when the store closes it, sends what is no reply, or is silent for too long; `lost` is told why and
    says what those are told who wait for replies. `idle` is called whenever all replies have come.
    """

    def __init__(
        self,
        connection: AbstractConnection,
        lost_after: float,
        idle: Callable[[], None],
        lost: Callable[[Exception], Failure],
    ) -> None:
        """Take over a connection of redis-py that is connected and on which nothing is under way."""
        self._connection = cast("Any", connection)
        self._lost_after = lost_after
        self._idle = idle
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._sent: deque[tuple[float, asyncio.Future[Any]]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._open = True
        # redis-py offers no other way to its transport, and none to the names of its errors.
        self._replies = hiredis.Reader(notEnoughData=UNFINISHED, replyError=self._connection._parser.parse_error)  # noqa: SLF001
        self._transport: asyncio.Transport = self._connection._writer.transport  # noqa: SLF001
        self._transport.set_protocol(self)

    @property
    def busy(self) -> bool:
        """Whether replies are awaited."""
        return bool(self._sent)

    def send(self, batch: Batch) -> None:
        """Write a batch as one piece."""
        if not batch:
            return
        now = self._loop.time()
        self._sent.extend([(now, future) for _, future in batch])
        self._timer = self._timer or self._loop.call_at(now + self._lost_after, self._check_time)
        self._transport.write(b"".join([packed for packed, _ in batch]))

    def data_received(self, data: bytes) -> None:
        """Hand out the replies that have arrived as a whole."""
        self._replies.feed(data)
        try:
            while self._open and (reply := self._replies.gets()) is not UNFINISHED:
                self._hand_out(reply)
        except (hiredis.ProtocolError, IndexError) as error:
            self._break(error)
        if self._open and not self._sent:
            self._idle()

    def connection_lost(self, exc: Exception | None) -> None:
        """Break, unless it was closed from here."""
        self._break(exc or ConnectionError("the store closed the connection"))

    def close(self, failure: Failure) -> None:
        """Close the connection; whoever waits for a reply is told `failure`."""
        self._open = False
        if self._timer is not None:
            self._timer.cancel()
        self._connection._close()  # noqa: SLF001  # the public way is a coroutine
        sent, self._sent = self._sent, deque()
        fail((future for _, future in sent), failure)

    def _hand_out(self, reply: Any) -> None:
        """Answer the oldest command; an error that is about the connection (loading, say) breaks it instead."""
        if isinstance(reply, RedisError) and not isinstance(reply, ResponseError):
            self._break(reply)
            return
        _, future = self._sent.popleft()
        if future.done():
            return
        if isinstance(reply, ResponseError):
            future.set_exception(reply)
        else:
            future.set_result(reply)

    def _check_time(self) -> None:
        """Break when the oldest command has waited too long; else look again when it will have."""
        self._timer = None
        if not self._sent:
            return
        due = self._sent[0][0] + self._lost_after
        if due <= self._loop.time():
            self._break(TimeoutError())
        else:
            self._timer = self._loop.call_at(due, self._check_time)

    def _break(self, error: Exception) -> None:
        if self._open:
            self.close(self._lost(error))


def pack(command: Command) -> bytes:
    """Return a command in the protocol's form; a name of two words (`CONFIG GET`) is two arguments."""
    arguments: Any = (*str(command[0]).split(), *command[1:])
    packed: bytes = hiredis.pack_command(arguments)
    return packed


def fail(futures: Iterable[asyncio.Future[Any]], failure: Failure) -> None:
    """Give an error of its own to everyone who has no answer yet."""
    for future in futures:
        if not future.done():
            future.set_exception(failure())
