"""What a table does when others are away, answers are lost, or somebody asks who must not know."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import grpc
import msgspec
import pytest

from services.table.elsewhere import Elsewhere as Calls
from shared.errors import Fault, Problem
from shared.eventlog.log import Entry, Moved, StreamKey, Trimmed, Unavailable
from shared.eventlog.memory import MemoryEventLog
from strata.table.v1 import events_pb2, table_pb2
from tests.service.calling import refused
from tests.service.table.conftest import TITLE, Elsewhere, Front, front

Code = grpc.StatusCode


class LosingLog(MemoryEventLog):
    """A log whose next `lost` appends of tables are written although the answer does not come."""

    lost = 0

    async def append(self, key: StreamKey, title: str, entry: Entry) -> None:
        """Write, then lose the answer."""
        await super().append(key, title, entry)
        if key.kind == "table" and self.lost:
            self.lost -= 1
            raise Unavailable("the answer was lost")


class TrimmedLog(MemoryEventLog):
    """A log whose feeds are found trimmed once, and which cannot be reached during the reading that follows."""

    trims = 0
    outages = 0

    async def watch_feed(self, cursors: Mapping[int, str], wait: float) -> list[tuple[int, str, Moved]]:
        """Follow the feeds, unless they are trimmed."""
        found = await super().watch_feed(cursors, min(wait, 0.05))
        if self.trims:
            self.trims, self.outages = self.trims - 1, 1
            raise Trimmed([0])
        return found

    async def feed_heads(self) -> dict[int, str]:
        """Return the heads, unless the store is away."""
        if self.outages:
            self.outages -= 1
            raise Unavailable("the store is away")
        return await super().feed_heads()


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("LeaveTable", {}),
        ("StartGame", {}),
        ("AddAutomaton", {"brain": "random"}),
        ("RemoveAutomaton", {"seat": 0}),
    ],
)
async def test_a_stranger_cannot_tell_a_private_table_from_none(
    tables: Front, name: str, fields: dict[str, Any]
) -> None:
    """Every call that changes a table answers a stranger at a private one as it answers at one never opened."""
    table_id = await tables.open(access=table_pb2.ACCESS_PRIVATE)
    with refused(Code.NOT_FOUND, "UNKNOWN_TABLE"):
        await tables.call(name, "bob", table_id="nobody-opened-this", **fields)
    with refused(Code.NOT_FOUND, "UNKNOWN_TABLE"):
        await tables.call(name, "bob", table_id=table_id, **fields)
    assert (await tables.table(table_id)).version == 1


async def test_leaving_a_private_table_can_be_repeated(tables: Front) -> None:
    """Who left a private table and lost the answer gets it on a repeat, although the table is hidden from them now."""
    answer = await tables.call("CreateTable", "ann", title=TITLE, seat_count=2, access=table_pb2.ACCESS_PRIVATE)
    table_id = answer.table.table_id
    await tables.call("JoinTable", "bob", table_id=table_id, invitation=answer.invitation)
    left = await tables.call("LeaveTable", "bob", table_id=table_id, request_id="leave")
    assert await tables.call("LeaveTable", "bob", table_id=table_id, request_id="leave") == left
    with refused(Code.NOT_FOUND, "UNKNOWN_TABLE"):
        await tables.call("GetTable", "bob", table_id=table_id)


@pytest.mark.parametrize("name", ["CreateTable", "AddAutomaton"])
async def test_a_repeat_needs_no_other_service(log: MemoryEventLog, elsewhere: Elsewhere, name: str) -> None:
    """A request that was accepted gets its first answer again while engines and automata are away."""
    async with front(log, elsewhere) as tables:
        create = {"title": TITLE, "seat_count": 2, "request_id": "open"}
        opened = await tables.call("CreateTable", "ann", **create)
        add = {"table_id": opened.table.table_id, "brain": "random", "request_id": "add"}
        added = await tables.call("AddAutomaton", "ann", **add)
    alone: Any = Elsewhere.__new__(Elsewhere)
    nowhere = {"engine_targets": {TITLE: "127.0.0.1:1"}, "automata_target": "127.0.0.1:1"}
    alone.settings = msgspec.structs.replace(elsewhere.settings, **nowhere)
    async with front(log, alone) as tables:
        again = await tables.call(name, "ann", **(create if name == "CreateTable" else add))
        assert again == (opened if name == "CreateTable" else added)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("CreateTable", {"title": TITLE, "seat_count": 2, "access": 9}),
        ("ListTables", {"status": 9}),
    ],
)
async def test_an_unknown_enum_value_is_refused(
    tables: Front, log: MemoryEventLog, name: str, fields: dict[str, Any]
) -> None:
    """A value of a newer client is never taken for another one: such a table would be open to everybody."""
    with refused(Code.INVALID_ARGUMENT, "BAD_REQUEST"):
        await tables.call(name, "ann", **fields)
    assert [key async for key in log.streams("table")] == []


async def test_a_lost_answer_is_found_by_the_repeat(elsewhere: Elsewhere) -> None:
    """An append whose answer is lost is UNAVAILABLE; the repeated request finds it and nothing happens twice."""
    log = LosingLog()
    async with front(log, elsewhere) as tables:
        create = {"title": TITLE, "seat_count": 2, "request_id": "open"}
        log.lost = 1
        with refused(Code.UNAVAILABLE, "STORE_UNAVAILABLE"):
            await tables.call("CreateTable", "ann", **create)
        table_id = (await tables.call("CreateTable", "ann", **create)).table.table_id
        log.lost = 1
        with refused(Code.UNAVAILABLE, "STORE_UNAVAILABLE"):
            await tables.call("JoinTable", "bob", table_id=table_id, request_id="join")
        assert (await tables.call("JoinTable", "bob", table_id=table_id, request_id="join")).seat == 1
    assert [key.id async for key in log.streams("table")] == [table_id]
    assert len(await log.read(StreamKey("table", table_id))) == 2


async def test_two_processes_are_refused_differently(
    log: MemoryEventLog, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When two finish one start and each is refused with its own sentence, the first sentence stays and both answer."""
    sentences = iter(("the first sentence", "the second sentence"))
    both = asyncio.Barrier(2)

    async def refuse(*_: object) -> None:
        sentence = next(sentences)
        await both.wait()
        raise Problem(Fault.BAD_REQUEST, sentence)

    async with front(log, elsewhere) as one, front(log, elsewhere) as two:
        table_id = await one.open()
        await one.call("AddAutomaton", "ann", table_id=table_id, brain="random")
        monkeypatch.setattr(Calls, "create_game", refuse)
        answers = await asyncio.gather(*(side.call("StartGame", "ann", table_id=table_id) for side in (one, two)))
    assert {answer.table.failure for answer in answers} <= {"the first sentence", "the second sentence"}
    assert len({answer.table.failure for answer in answers}) == 1
    assert {answer.table.status for answer in answers} == {table_pb2.TABLE_STATUS_GATHERING}


async def test_the_lobby_survives_an_outage_while_it_rereads(elsewhere: Elsewhere) -> None:
    """Feeds trimmed and the store away during the rereading: the lobby tries again and shows what others opened."""
    log = TrimmedLog()
    async with front(log, elsewhere) as one, front(log, elsewhere) as two:
        log.trims = 2
        await asyncio.sleep(0.3)
        assert log.trims == 0
        table_id = await one.open()
        await _listed(two, table_id)


async def test_a_table_from_a_newer_process_is_not_called_damaged(log: MemoryEventLog, elsewhere: Elsewhere) -> None:
    """An event this process does not know makes one table UNAVAILABLE; nothing is written and the lobby goes on."""
    async with front(log, elsewhere) as tables:
        newer, good = await tables.open(), await tables.open()
    key = StreamKey("table", newer)
    (first,) = await log.read(key)
    unknown = b"\x0a\x04\xfa\x07\x01\x00"
    assert events_pb2.TableCommit.FromString(unknown).events[0].WhichOneof("kind") is None
    entry = msgspec.structs.replace(first, version=2, request="later", before=first.digest(), data=unknown)
    await log.append(key, TITLE, entry)
    async with front(log, elsewhere) as tables:
        with refused(Code.UNAVAILABLE, "TABLE_UNREADABLE"):
            await tables.call("JoinTable", "bob", table_id=newer)
        assert [table.table_id for table in (await tables.call("ListTables", "ann")).tables] == [good]
    assert len(await log.read(key)) == 2


async def _listed(tables: Front, table_id: str) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(3):
            async for found in _lists(tables):
                if table_id in found:
                    return
    raise AssertionError("the table was never listed")


async def _lists(tables: Front) -> AsyncIterator[list[str]]:
    while True:
        yield [table.table_id for table in (await tables.call("ListTables", "bob")).tables]
        await asyncio.sleep(0.05)
