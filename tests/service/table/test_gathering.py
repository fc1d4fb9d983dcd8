"""Gathering at a table: seats, hosts, automata, lists, watching, and what is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest

from shared.auth import Role
from shared.errors import reason_of
from shared.eventlog.log import StreamKey
from shared.eventlog.memory import MemoryEventLog
from strata.identity.v1 import identity_pb2
from strata.table.v1 import table_pb2
from tests.service.calling import TOKENS, metadata, refused
from tests.service.table.conftest import TITLE, Elsewhere, Front, front

Code = grpc.StatusCode


def held(table: Any) -> dict[int, str]:
    """Return who sits where: player ids, and brains in brackets."""
    return {
        seat.seat: seat.player.player_id if seat.HasField("player") else f"({seat.automaton.brain})"
        for seat in table.seats
    }


async def test_a_guest_gets_a_token_that_works(tables: Front) -> None:
    """CreateGuest needs no token; its token names the guest, who can open a table with it."""
    guest = await tables.identity.CreateGuest(identity_pb2.CreateGuestRequest(display_name="  Ann  "))
    assert guest.display_name == "Ann"
    assert TOKENS.verify(guest.access_token).id == guest.player_id
    request = table_pb2.CreateTableRequest(request_id="r", title=TITLE, seat_count=2)
    answer = await tables.tables.CreateTable(request, metadata=(("authorization", f"Bearer {guest.access_token}"),))
    assert answer.table.seats[0].player.display_name == "Ann"
    with refused(Code.INVALID_ARGUMENT, "BAD_NAME"):
        await tables.identity.CreateGuest(identity_pb2.CreateGuestRequest(display_name="a\x00b"))


async def test_titles_say_what_they_offer(tables: Front) -> None:
    """The title is listed with its seats 1 to 4, its packs and its option for volcanoes."""
    (title,) = (await tables.call("ListTitles", "ann")).titles
    assert (title.title, list(title.seats)) == (TITLE, [1, 2, 3, 4])
    options = {option.name: (option.default, set(option.values)) for option in title.options}
    assert options["pack"] == ("classic", {"classic", "skyward"})
    assert options["strict_volcano"] == ("false", {"false", "true"})


async def test_seats_are_taken_and_left(tables: Front) -> None:
    """The host sits at 0, others on the lowest free seat; joining twice changes nothing; a left seat is free again."""
    table_id = await tables.open(seats=3)
    assert (await tables.call("JoinTable", "bob", table_id=table_id)).seat == 1
    assert (await tables.call("JoinTable", "cid", table_id=table_id)).seat == 2
    version = (await tables.table(table_id)).version
    assert (await tables.call("JoinTable", "bob", table_id=table_id)).seat == 1
    assert (await tables.table(table_id)).version == version
    await tables.call("LeaveTable", "bob", table_id=table_id)
    assert (await tables.call("JoinTable", "dan", table_id=table_id)).seat == 1
    assert held(await tables.table(table_id)) == {0: "ann", 1: "dan", 2: "cid"}


async def test_fifty_joins_for_four_seats(log: MemoryEventLog, elsewhere: Elsewhere) -> None:
    """Fifty players join at the same moment through two processes: three get the free seats, all others TABLE_FULL."""
    async with front(log, elsewhere) as one, front(log, elsewhere) as two:
        table_id = await one.open(seats=4)
        joins = [(one, two)[n % 2].call("JoinTable", f"p{n}", table_id=table_id) for n in range(50)]
        answers = await asyncio.gather(*joins, return_exceptions=True)
        seats = sorted(answer.seat for answer in answers if not isinstance(answer, BaseException))
        reasons = {reason_of(answer) for answer in answers if isinstance(answer, grpc.RpcError)}
        assert (seats, reasons) == ([1, 2, 3], {"TABLE_FULL"})
        assert len(held(await two.table(table_id, "p0"))) == 4


async def test_the_host_passes_on_and_the_last_one_closes(tables: Front) -> None:
    """When the host leaves the next player is host; when nobody is left, not counting automata, the table closes."""
    table_id = await tables.open(seats=3)
    await tables.call("AddAutomaton", "ann", table_id=table_id, brain="random")
    await tables.call("JoinTable", "bob", table_id=table_id)
    table = (await tables.call("LeaveTable", "ann", table_id=table_id)).table
    assert (table.host_id, held(table)) == ("bob", {1: "(random)", 2: "bob"})
    table = (await tables.call("LeaveTable", "bob", table_id=table_id)).table
    assert table.status == table_pb2.TABLE_STATUS_CLOSED
    with refused(Code.FAILED_PRECONDITION, "WRONG_STATUS"):
        await tables.call("JoinTable", "cid", table_id=table_id)


async def test_automata_are_the_hosts_business(tables: Front) -> None:
    """The host adds and removes them; others may not; an unknown brain and a seat without automaton are refused."""
    table_id = await tables.open(seats=2)
    assert (await tables.call("AddAutomaton", "ann", table_id=table_id, brain="greedy")).seat == 1
    with refused(Code.FAILED_PRECONDITION, "TABLE_FULL"):
        await tables.call("AddAutomaton", "ann", table_id=table_id, brain="greedy")
    with refused(Code.PERMISSION_DENIED, "NOT_ALLOWED"):
        await tables.call("RemoveAutomaton", "bob", table_id=table_id, seat=1)
    with refused(Code.NOT_FOUND, "UNKNOWN_SEAT"):
        await tables.call("RemoveAutomaton", "ann", table_id=table_id, seat=0)
    table = (await tables.call("RemoveAutomaton", "ann", table_id=table_id, seat=1)).table
    assert held(table) == {0: "ann"}
    with refused(Code.NOT_FOUND, "UNKNOWN_BRAIN"):
        await tables.call("AddAutomaton", "ann", table_id=table_id, brain="genius")


async def test_a_repeated_request_gets_its_first_answer(log: MemoryEventLog, elsewhere: Elsewhere) -> None:
    """Opening and joining twice with one request id, also after a restart, makes one table and one seat."""
    async with front(log, elsewhere) as tables:
        create = {"title": TITLE, "seat_count": 3, "request_id": "open", "access": table_pb2.ACCESS_PRIVATE}
        first = await tables.call("CreateTable", "ann", **create)
        join = {"table_id": first.table.table_id, "request_id": "join", "invitation": first.invitation}
        joined = await tables.call("JoinTable", "bob", **join)
        await tables.call("JoinTable", "cid", table_id=first.table.table_id, invitation=first.invitation)
    async with front(log, elsewhere) as tables:
        assert await tables.call("CreateTable", "ann", **create) == first
        assert await tables.call("JoinTable", "bob", **join) == joined
        with refused(Code.INVALID_ARGUMENT, "REQUEST_REUSED"):
            await tables.call("CreateTable", "ann", **(create | {"seat_count": 2}))
        other = await tables.call("CreateTable", "bob", **create)
        assert other.table.table_id != first.table.table_id
    assert len(await log.read(StreamKey("table", first.table.table_id))) == 3


async def test_a_private_table_looks_as_if_it_did_not_exist(tables: Front) -> None:
    """Without a seat or the invitation nobody can see, join, watch or list it; with it they can."""
    answer = await tables.call("CreateTable", "ann", title=TITLE, seat_count=2, access=table_pb2.ACCESS_PRIVATE)
    table_id, invitation = answer.table.table_id, answer.invitation
    assert invitation
    for name in ("GetTable", "JoinTable"):
        for code in ("", "wrong"):
            with refused(Code.NOT_FOUND, "UNKNOWN_TABLE"):
                await tables.call(name, "bob", table_id=table_id, invitation=code)
    assert not (await tables.call("ListTables", "bob")).tables
    assert not (await tables.call("ListTables", "bob", mine=True)).tables
    assert (await tables.call("ListTables", "ann", mine=True)).tables[0].table_id == table_id
    assert (await tables.call("JoinTable", "bob", table_id=table_id, invitation=invitation)).seat == 1
    assert (await tables.call("GetTable", "bob", table_id=table_id)).table.version == 2


async def test_lists_are_filtered_and_come_in_pages(tables: Front) -> None:
    """Seven tables in pages of three come newest first, each once; title and status are filters."""
    ids = []
    for _ in range(7):
        ids.append(await tables.open())
        await asyncio.sleep(0.002)
    await tables.call("LeaveTable", "ann", table_id=ids[0])
    found, token = [], ""
    while True:
        page = await tables.call("ListTables", "bob", page_size=3, page_token=token)
        assert len(page.tables) <= 3
        found += [table.table_id for table in page.tables]
        token = page.next_page_token
        if not token:
            break
    assert found == ids[::-1]
    gathering = await tables.call("ListTables", "bob", status=table_pb2.TABLE_STATUS_GATHERING)
    assert [table.table_id for table in gathering.tables] == ids[:0:-1]
    assert not (await tables.call("ListTables", "bob", title="chess")).tables
    for wrong in ({"page_token": "!"}, {"page_token": "YWJj"}, {"page_size": 101}, {"page_size": -1}):
        with refused(Code.INVALID_ARGUMENT, "BAD_REQUEST"):
            await tables.call("ListTables", "bob", **wrong)


async def test_a_watcher_sees_changes_made_anywhere(log: MemoryEventLog, elsewhere: Elsewhere) -> None:
    """WatchTable sends the table now and after a change that another process made."""
    async with front(log, elsewhere) as one, front(log, elsewhere) as two:
        table_id = await one.open()
        request = table_pb2.WatchTableRequest(table_id=table_id)
        stream = aiter(two.tables.WatchTable(request, metadata=metadata("bob")))
        assert (await anext(stream)).table.version == 1
        changing = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.05)
        await one.call("JoinTable", "bob", table_id=table_id)
        assert held((await asyncio.wait_for(changing, 5)).table) == {0: "ann", 1: "bob"}


@pytest.mark.parametrize(
    ("fields", "code", "reason"),
    [
        ({"title": "chess", "seat_count": 2}, Code.NOT_FOUND, "UNKNOWN_TITLE"),
        ({"title": TITLE, "seat_count": 0}, Code.INVALID_ARGUMENT, "BAD_SEATS"),
        ({"title": TITLE, "seat_count": 5}, Code.INVALID_ARGUMENT, "BAD_SEATS"),
        ({"title": TITLE, "seat_count": -1}, Code.INVALID_ARGUMENT, "BAD_SEATS"),
        ({"title": TITLE, "seat_count": 2, "options": {"pack": "nope"}}, Code.INVALID_ARGUMENT, "BAD_OPTION"),
        ({"title": TITLE, "seat_count": 2, "options": {"x": "y"}}, Code.INVALID_ARGUMENT, "BAD_OPTION"),
        ({"title": TITLE, "seat_count": 2, "options": {"x" * 65: "y"}}, Code.INVALID_ARGUMENT, "BAD_REQUEST"),
        ({"title": TITLE, "seat_count": 2, "request_id": "a b"}, Code.INVALID_ARGUMENT, "BAD_ID"),
        ({"title": TITLE, "seat_count": 2, "options": {"x": "y" * 70_000}}, Code.INVALID_ARGUMENT, "MESSAGE_TOO_LARGE"),
    ],
)
async def test_tables_that_cannot_be_opened(
    tables: Front, log: MemoryEventLog, fields: dict[str, Any], code: Code, reason: str
) -> None:
    """Each impossible wish has its own reason, and no table comes of it."""
    with refused(code, reason):
        await tables.call("CreateTable", "ann", **fields)
    assert [key async for key in log.streams("table")] == []


async def test_entropy_is_for_those_who_sit(tables: Front) -> None:
    """A seated player may give 1 to 64 bytes; nobody ever sees them at the table; a stranger may not."""
    table_id = await tables.open()
    answer = await tables.call("GiveEntropy", "ann", table_id=table_id, entropy=b"ann's luck")
    assert b"ann's luck" not in answer.SerializeToString()
    for entropy in (b"", bytes(65)):
        with refused(Code.INVALID_ARGUMENT, "BAD_REQUEST"):
            await tables.call("GiveEntropy", "ann", table_id=table_id, entropy=entropy)
    with refused(Code.PERMISSION_DENIED, "NOT_ALLOWED"):
        await tables.call("GiveEntropy", "bob", table_id=table_id, entropy=b"bob's luck")


async def test_wrong_ids_and_wrong_callers(tables: Front) -> None:
    """Unknown and malformed table ids, a service as a player, a call without a token."""
    with refused(Code.NOT_FOUND, "UNKNOWN_TABLE"):
        await tables.call("JoinTable", "bob", table_id="nobody-opened-this")
    with refused(Code.NOT_FOUND, "UNKNOWN_TABLE"):
        await tables.call("LeaveTable", "bob", table_id="nobody-opened-this")
    with refused(Code.INVALID_ARGUMENT, "BAD_ID"):
        await tables.call("GetTable", "bob", table_id="NO")
    request = table_pb2.CreateTableRequest(request_id="r", title=TITLE, seat_count=2)
    with refused(Code.PERMISSION_DENIED, "NOT_ALLOWED"):
        await tables.tables.CreateTable(request, metadata=metadata("table", Role.SERVICE))
    with refused(Code.UNAUTHENTICATED, "NO_TOKEN"):
        await tables.tables.CreateTable(request)
