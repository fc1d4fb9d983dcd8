"""Tables on the log: fold the stream, decide, append; on a conflict fold again.

A table is a dozen entries, so nothing is cached here: each command reads the whole stream. Idempotency works as for
games: every accepted (caller, request id) is part of the fold.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Never
from weakref import WeakValueDictionary

import structlog
from google.protobuf.message import DecodeError
from msgspec import Struct

from services.table.events import TableCommit, TableEvent
from services.table.state import Table, evolve
from shared.clock import Clock, now
from shared.engine.playing import Request
from shared.errors import Fault, Problem
from shared.eventlog.log import Conflict, Entry, EventLog, StreamKey, Torn, Unavailable
from shared.wire import Codec, Malformed, UnknownKind, snake
from strata.table.v1 import events_pb2

COMMITS: Codec[TableCommit, events_pb2.TableCommit] = Codec(TableCommit, events_pb2.TableCommit)
SCHEMA = "table.1"
KIND = "table"
_TRIES = 64
_log = structlog.get_logger("table")
Decide = Callable[[Table], tuple[TableEvent, ...]]


class Folded(Struct, frozen=True):
    """A table as of `version`, changed last at `at` (milliseconds), with its stream's entries."""

    table: Table
    entries: tuple[Entry, ...]

    @property
    def version(self) -> int:
        """Number of changes so far."""
        return len(self.entries)

    @property
    def last_events(self) -> tuple[TableEvent, ...]:
        """The facts of the last change."""
        return COMMITS.decode(self.entries[-1].data).events

    @property
    def at(self) -> int:
        """When the table changed last."""
        return self.entries[-1].at


class Tables:
    """Opens, changes and reads tables."""

    def __init__(self, log: EventLog, clock: Clock = now) -> None:
        """Keep tables in `log`."""
        self._log = log
        self._clock = clock
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def load(self, table_id: str) -> Folded:
        """Return a table.

        Raises UNKNOWN_TABLE, TABLE_DAMAGED when its stream contradicts itself, or TABLE_UNREADABLE when it holds
        something that only a newer process knows.
        """
        return await self._find(table_id) or unknown()

    async def answered(self, table_id: str, request: Request) -> Folded | None:
        """Return what a request that was accepted before was answered, None if it was not; see `change`."""
        folded = await self._find(table_id)
        return _first_answer(folded, request) if folded else None

    async def open(self, table_id: str, request: Request, events: tuple[TableEvent, ...]) -> Folded:
        """Write the first events of a table, or find that this request did so before."""
        return await self._write(table_id, request, lambda _: (), opening=events)

    async def change(self, table_id: str, request: Request, decide: Decide) -> Folded:
        """Carry out a command once for each request; a repeat gets the table as the first answer showed it."""
        return await self._write(table_id, request, decide)

    async def _write(
        self, table_id: str, request: Request, decide: Decide, *, opening: tuple[TableEvent, ...] = ()
    ) -> Folded:
        lock = self._locks.setdefault(table_id, asyncio.Lock())
        async with lock:
            for _ in range(_TRIES):
                folded = await self._find(table_id)
                if folded is not None and (first := _first_answer(folded, request)):
                    return first
                events = decide(folded.table) if folded else opening
                if not events:
                    return folded or unknown()
                entry = self._entry(folded, request, events)
                try:
                    await self._log.append(StreamKey(KIND, table_id), _title(folded, events), entry)
                except Conflict:
                    continue
                return _fold((*(folded.entries if folded else ()), entry))
        raise Unavailable("too many others change this table at the same time")

    async def _find(self, table_id: str) -> Folded | None:
        try:
            entries = await self._log.read(StreamKey(KIND, table_id))
            return _fold(tuple(entries)) if entries else None
        except UnknownKind as error:
            _log.error("table_unreadable", table_id=table_id, detail=str(error))
            sentence = "this table holds something newer than this server; try again later"
            raise Problem(Fault.TABLE_UNREADABLE, sentence) from error
        except (Torn, Malformed, DecodeError, ValueError) as error:
            _log.exception("table_damaged", table_id=table_id)
            sentence = "the record of this table is damaged; an operator has to look at it"
            raise Problem(Fault.TABLE_DAMAGED, sentence) from error

    def _entry(self, folded: Folded | None, request: Request, events: tuple[TableEvent, ...]) -> Entry:
        table = _evolve(folded.table if folded else None, events)
        return Entry(
            version=folded.version + 1 if folded else 1,
            at=max(self._clock(), folded.at if folded else 0),
            action=snake(type(events[0]).__name__),
            seat=None,
            caller=request.caller,
            request=request.id,
            body=request.body,
            schema=SCHEMA,
            status=table.status.value,
            waiting=(),
            deadline=None,
            before=folded.entries[-1].digest() if folded else b"",
            data=COMMITS.to_message(TableCommit(events)).SerializeToString(),
        )


def unknown() -> Never:
    """Raise UNKNOWN_TABLE, in the same words for a table that is not there and for one that must look so."""
    raise Problem(Fault.UNKNOWN_TABLE, "there is no table with this id, or it is private")


def _first_answer(folded: Folded, request: Request) -> Folded | None:
    """Return the table as it was right after this request was accepted, None if it was not."""
    for entry in folded.entries:
        if (entry.caller, entry.request) == (request.caller, request.id):
            if entry.body != request.body:
                raise Problem(Fault.REQUEST_REUSED, "this request_id was used before for something else")
            return _fold(folded.entries[: entry.version])
    return None


def _fold(entries: tuple[Entry, ...]) -> Folded:
    before, events = b"", list[TableEvent]()
    for entry in entries:
        if entry.before != before:
            raise Torn(f"entry {entry.version} does not continue the one before it")
        events += COMMITS.decode(entry.data).events
        before = entry.digest()
    return Folded(_evolve(None, events), entries)


def _evolve(table: Table | None, events: Sequence[TableEvent]) -> Table:
    for event in events:
        table = evolve(table, event)
    if table is None:
        raise Torn("a table has at least one event")
    return table


def _title(folded: Folded | None, events: tuple[TableEvent, ...]) -> str:
    table = folded.table if folded else evolve(None, events[0])
    return table.opened.title
