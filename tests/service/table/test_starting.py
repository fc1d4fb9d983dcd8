"""Starting a game: one game, whatever dies in between."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import msgspec
import pytest

from services.table.elsewhere import Elsewhere as Calls
from services.table.tables import Tables
from shared.errors import Fault, Problem
from shared.eventlog.log import Entry, StreamKey
from shared.eventlog.memory import MemoryEventLog
from strata.table.v1 import table_pb2
from tests.service.calling import refused
from tests.service.table.conftest import Elsewhere, Front, front
from tests.titles import WIRES

Code = grpc.StatusCode


async def full(tables: Front) -> str:
    """Open a table for two and fill it with an automaton."""
    table_id = await tables.open()
    await tables.call("AddAutomaton", "ann", table_id=table_id, brain="random")
    return table_id


async def games(log: MemoryEventLog) -> list[str]:
    """Return the ids of all games."""
    return [key.id async for key in log.streams("game")]


async def until_started(tables: Front, table_id: str) -> Any:
    """Wait until a table has started."""
    for _ in range(100):
        table = await tables.table(table_id)
        if table.status == table_pb2.TABLE_STATUS_STARTED:
            return table
        await asyncio.sleep(0.1)
    raise AssertionError(f"the table is still {table.status}")


async def test_a_full_table_starts_its_game(tables: Front, log: MemoryEventLog) -> None:
    """The game has the id and commitment that the table showed from the beginning; starting again changes nothing."""
    table_id = await full(tables)
    before = await tables.table(table_id)
    started = (await tables.call("StartGame", "ann", table_id=table_id)).table
    assert started.status == table_pb2.TABLE_STATUS_STARTED
    assert (started.game_id, started.commitment) == (before.game_id, before.commitment)
    assert await games(log) == [before.game_id]
    again = (await tables.call("StartGame", "ann", table_id=table_id)).table
    assert again == started
    with refused(Code.FAILED_PRECONDITION, "WRONG_STATUS"):
        await tables.call("JoinTable", "bob", table_id=table_id)


async def test_only_the_host_starts_and_only_a_full_table(tables: Front, log: MemoryEventLog) -> None:
    """A free seat is TABLE_NOT_FULL; another player is NOT_ALLOWED; no game comes of it."""
    table_id = await tables.open()
    with refused(Code.FAILED_PRECONDITION, "TABLE_NOT_FULL"):
        await tables.call("StartGame", "ann", table_id=table_id)
    await tables.call("JoinTable", "bob", table_id=table_id)
    with refused(Code.PERMISSION_DENIED, "NOT_ALLOWED"):
        await tables.call("StartGame", "bob", table_id=table_id)
    assert await games(log) == []


@pytest.mark.parametrize("gap", ["before the game is created", "after the game is created"])
async def test_a_start_that_died_is_finished_by_another_process(
    log: MemoryEventLog, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch, gap: str
) -> None:
    """A process that dies at either gap leaves a table that another one finishes: one game, started once."""
    async with front(log, elsewhere) as tables:
        table_id = await full(tables)

        async def die(*_: object) -> None:
            raise Problem(Fault.SERVICE_UNAVAILABLE, "the process is gone")

        if gap.startswith("before"):
            monkeypatch.setattr(Calls, "create_game", die)
            await tables.call("StartGame", "ann", table_id=table_id)
        else:
            real = Tables.change

            async def change(self: Tables, table_id: str, request: Any, decide: Any) -> Any:
                if request.id.startswith("started-"):
                    raise Problem(Fault.SERVICE_UNAVAILABLE, "the process is gone")
                return await real(self, table_id, request, decide)

            monkeypatch.setattr(Tables, "change", change)
            with refused(Code.UNAVAILABLE, "SERVICE_UNAVAILABLE"):
                await tables.call("StartGame", "ann", table_id=table_id)
        assert (await tables.table(table_id)).status == table_pb2.TABLE_STATUS_STARTING
        assert len(await games(log)) == (0 if gap.startswith("before") else 1)
    monkeypatch.undo()
    async with front(log, elsewhere) as tables:
        table = await until_started(tables, table_id)
        assert await games(log) == [table.game_id]
        assert [entry.action for entry in await log.read(StreamKey("table", table_id))].count("game_started") == 1


async def test_a_refused_start_gathers_again(
    tables: Front, log: MemoryEventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the engine refuses the game the table says why and can be changed and started again."""
    table_id = await full(tables)

    async def refuse(*_: object) -> None:
        raise Problem(Fault.BAD_REQUEST, "there is no seed key 'old' here any more")

    with monkeypatch.context() as patched:
        patched.setattr(Calls, "create_game", refuse)
        table = (await tables.call("StartGame", "ann", table_id=table_id)).table
    assert table.status == table_pb2.TABLE_STATUS_GATHERING
    assert "seed key" in table.failure
    table = (await tables.call("StartGame", "ann", table_id=table_id)).table
    assert (table.status, table.failure) == (table_pb2.TABLE_STATUS_STARTED, "")
    assert len(await games(log)) == 1


async def test_two_processes_start_at_once(log: MemoryEventLog, elsewhere: Elsewhere) -> None:
    """However many press start, there is one game."""
    async with front(log, elsewhere) as one, front(log, elsewhere) as two:
        table_id = await full(one)
        presses = [(one, two)[n % 2].call("StartGame", "ann", table_id=table_id) for n in range(8)]
        answers = await asyncio.gather(*presses)
        assert {answer.table.status for answer in answers} == {table_pb2.TABLE_STATUS_STARTED}
        assert len(await games(log)) == 1


async def test_a_damaged_table_is_left_out(log: MemoryEventLog, elsewhere: Elsewhere) -> None:
    """A table whose record was changed is DATA_LOSS; the lobby goes on without it."""
    async with front(log, elsewhere) as tables:
        bad, good = await full(tables), await full(tables)
    key = StreamKey("table", bad)
    entries: list[Entry] = await log.read(key)
    log._streams[key] = [msgspec.structs.replace(entries[0], at=1), *entries[1:]]
    async with front(log, elsewhere) as tables:
        with refused(Code.DATA_LOSS, "TABLE_DAMAGED"):
            await tables.table(bad)
        assert [table.table_id for table in (await tables.call("ListTables", "ann")).tables] == [good]


async def test_the_game_knows_what_the_table_gathered(tables: Front, log: MemoryEventLog) -> None:
    """Seats, options, privacy and each seat's entropy reach the game's first commit."""
    answer = await tables.call(
        "CreateTable",
        "ann",
        title="strange_world",
        seat_count=2,
        access=table_pb2.ACCESS_PRIVATE,
        options={"pack": "skyward"},
    )
    table_id = answer.table.table_id
    await tables.call("JoinTable", "bob", table_id=table_id, invitation=answer.invitation)
    for who in ("bob", "ann", "bob"):
        await tables.call("GiveEntropy", who, table_id=table_id, entropy=f"{who}'s luck".encode())
    table = (await tables.call("StartGame", "ann", table_id=table_id)).table
    (entry,) = await log.read(StreamKey("game", table.game_id))
    created: Any = WIRES["strange_world"].commits.decode(entry.data).platform_events[0]
    assert (created.table_id, created.options, created.private) == (table_id, {"pack": "skyward"}, True)
    assert created.entropies == (b"ann's luck", b"bob's luck")
    assert created.commitment == table.commitment
    assert [seat.holder.player_id for seat in created.seats] == ["ann", "bob"]
