"""TableService: checks what is asked, changes or shows tables. What a table allows is in `decide`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from services.table import decide
from services.table.elsewhere import Elsewhere
from services.table.events import Access, SeatTaken, TableEvent, TableOpened
from services.table.lobby import Lobby
from services.table.names import Names
from services.table.requests import (
    ACCESSES,
    STATUSES,
    check_entropy,
    check_status,
    identify,
    page_size,
    page_token,
    read_access,
    read_options,
    read_page_token,
)
from services.table.starting import Starting
from services.table.state import Table, TableStatus
from services.table.tables import Decide, Folded, Tables, unknown
from shared.auth import Caller, Role, caller, require_player
from shared.clock import Clock
from shared.engine.platform import Player, Seat
from shared.engine.playing import Request
from shared.engine.title_wire import SEATS
from shared.errors import Fault, Problem
from shared.ids import check_id
from strata.table.v1 import table_pb2, table_pb2_grpc


class TableService(table_pb2_grpc.TableServiceServicer):
    """See table.proto for what each call does."""

    def __init__(
        self, tables: Tables, lobby: Lobby, starting: Starting, elsewhere: Elsewhere, names: Names, clock: Clock
    ) -> None:
        """Work with these parts."""
        self._tables = tables
        self._lobby = lobby
        self._starting = starting
        self._elsewhere = elsewhere
        self._names = names
        self._clock = clock

    async def ListTitles(self, _request: table_pb2.ListTitlesRequest, _: Any) -> table_pb2.ListTitlesResponse:
        """List what can be played; a title whose engine is away is left out."""
        response = table_pb2.ListTitlesResponse()
        for title in self._elsewhere.titles:
            try:
                about = await self._elsewhere.describe(title)
            except Problem:
                continue
            response.titles.add(title=about.title, name=about.name, seats=about.seats, options=about.options)
        return response

    async def CreateTable(self, request: table_pb2.CreateTableRequest, _: Any) -> table_pb2.CreateTableResponse:
        """Open a table and seat its host."""
        who = require_player()
        asked = identify(who, request)
        table_id = self._names.table_id(asked.caller, asked.id)
        folded = await self._tables.answered(table_id, asked) or await self._open(table_id, who, asked, request)
        self._lobby.note(folded)
        invitation = self._names.invitation(table_id) if folded.table.opened.access is Access.PRIVATE else ""
        return table_pb2.CreateTableResponse(table=shown(folded), invitation=invitation)

    async def ListTables(self, request: table_pb2.ListTablesRequest, _: Any) -> table_pb2.ListTablesResponse:
        """List public tables, or the caller's own."""
        who = caller()
        check_status(request)
        size = page_size(request)
        after = read_page_token(request.page_token)
        response = table_pb2.ListTablesResponse()
        for folded in self._lobby.newest_first():
            place = (folded.table.opened.created_at, folded.table.opened.table_id)
            if (after is not None and place >= after) or not _listed(folded.table, request, who):
                continue
            if len(response.tables) == size:
                last = response.tables[-1]
                response.next_page_token = page_token(last.created_at, last.table_id)
                break
            response.tables.append(shown(folded))
        return response

    async def GetTable(self, request: table_pb2.GetTableRequest, _: Any) -> table_pb2.GetTableResponse:
        """Show one table."""
        return table_pb2.GetTableResponse(table=shown(await self._visible(request.table_id, request.invitation)))

    async def WatchTable(
        self, request: table_pb2.WatchTableRequest, _: Any
    ) -> AsyncIterator[table_pb2.WatchTableResponse]:
        """Send a table now and after every change, until it has started or closed."""
        sent = 0
        while True:
            folded = await self._visible(request.table_id, request.invitation)
            if folded.version <= sent:
                raise Problem(Fault.TABLE_DAMAGED, "the record of this table went back; an operator has to look at it")
            sent = folded.version
            yield table_pb2.WatchTableResponse(table=shown(folded))
            if folded.table.status in (TableStatus.STARTED, TableStatus.CLOSED):
                return
            await self._lobby.changed(request.table_id, folded.version)
            if self._lobby.closing:
                raise Problem(Fault.SHUTTING_DOWN, "this server is stopping; watch again")

    async def JoinTable(self, request: table_pb2.JoinTableRequest, _: Any) -> table_pb2.JoinTableResponse:
        """Seat the caller."""
        who = require_player()
        player = Player(who.id, who.name)
        folded = await self._change(who, request, lambda table: decide.join(table, player), request.invitation)
        return table_pb2.JoinTableResponse(table=shown(folded), seat=folded.table.seat_of(who.id))

    async def LeaveTable(self, request: table_pb2.LeaveTableRequest, _: Any) -> table_pb2.LeaveTableResponse:
        """Free the caller's seat."""
        who = require_player()
        folded = await self._change(who, request, lambda table: decide.leave(table, who.id))
        return table_pb2.LeaveTableResponse(table=shown(folded))

    async def GiveEntropy(self, request: table_pb2.GiveEntropyRequest, _: Any) -> table_pb2.GiveEntropyResponse:
        """Take the caller's share of the game's chance."""
        who = require_player()
        check_entropy(request.entropy)
        folded = await self._change(who, request, lambda table: decide.give_entropy(table, who.id, request.entropy))
        return table_pb2.GiveEntropyResponse(table=shown(folded))

    async def AddAutomaton(self, request: table_pb2.AddAutomatonRequest, _: Any) -> table_pb2.AddAutomatonResponse:
        """Put a program on a free seat."""
        who = require_player()
        table_id, brain = check_id(request.table_id, "table_id"), check_id(request.brain, "brain")
        if await self._tables.answered(table_id, identify(who, request)) is None:
            table = (await self._visible(table_id)).table
            await self._elsewhere.require_brain(table.opened.title, brain)
        folded = await self._change(who, request, lambda table: decide.add_automaton(table, who.id, request.brain))
        return table_pb2.AddAutomatonResponse(table=shown(folded), seat=_seat_added(folded))

    async def RemoveAutomaton(
        self, request: table_pb2.RemoveAutomatonRequest, _: Any
    ) -> table_pb2.RemoveAutomatonResponse:
        """Take a program off its seat."""
        who = require_player()
        folded = await self._change(who, request, lambda table: decide.remove_automaton(table, who.id, request.seat))
        return table_pb2.RemoveAutomatonResponse(table=shown(folded))

    async def StartGame(self, request: table_pb2.StartGameRequest, _: Any) -> table_pb2.StartGameResponse:
        """Start the game; a repeat shows how the start stands now."""
        who = require_player()
        await self._change(who, request, lambda table: decide.start(table, who.id))
        folded = await self._tables.load(request.table_id)
        if folded.table.status is TableStatus.STARTING:
            folded = await self._starting.finish(folded)
            self._lobby.note(folded)
        return table_pb2.StartGameResponse(table=shown(folded))

    async def _open(self, table_id: str, who: Caller, asked: Request, request: table_pb2.CreateTableRequest) -> Folded:
        """Let the title check what is wanted, then write the table's first facts."""
        options, access = read_options(request), read_access(request)
        game_id = self._names.game_id(table_id)
        prepared = await self._elsewhere.prepare(request.title, game_id, request.seat_count, options)
        opened = TableOpened(
            table_id=table_id,
            title=request.title,
            seat_count=request.seat_count,
            options=options,
            access=access,
            host_id=who.id,
            game_id=game_id,
            key_id=prepared.key_id,
            commitment=prepared.commitment,
            created_at=self._clock(),
        )
        seated = SeatTaken(Seat(0, Player(who.id, who.name)))
        return await self._tables.open(table_id, asked, (opened, seated))

    async def _change(self, who: Caller, request: Any, decision: Decide, invitation: str = "") -> Folded:
        """Carry out a command of somebody who may know of the table; a repeat is answered before that is asked."""

        def decide_if_known(table: Table) -> decide.Events:
            self._require_known(table, who, invitation)
            return decision(table)

        asked = identify(who, request)
        folded = await self._tables.change(check_id(request.table_id, "table_id"), asked, decide_if_known)
        self._lobby.note(folded)
        return folded

    async def _visible(self, table_id: str, invitation: str = "") -> Folded:
        """Return a table if the caller may know of it."""
        folded = await self._tables.load(check_id(table_id, "table_id"))
        self._lobby.note(folded)
        self._require_known(folded.table, caller(), invitation)
        return folded

    def _require_known(self, table: Table, who: Caller, invitation: str) -> None:
        """Refuse who may not know of a table: a private one looks as if it did not exist."""
        known = who.role is Role.SERVICE or table.seat_of(who.id) is not None or who.id == table.host_id
        invited = self._names.invites(table.opened.table_id, invitation)
        if table.opened.access is Access.PRIVATE and not known and not invited:
            unknown()


def shown(folded: Folded) -> table_pb2.Table:
    """Return a table as everybody who may know of it sees it."""
    table, opened = folded.table, folded.table.opened
    return table_pb2.Table(
        table_id=opened.table_id,
        version=folded.version,
        title=opened.title,
        status=STATUSES[table.status],
        access=ACCESSES[opened.access],
        host_id=table.host_id,
        seat_count=opened.seat_count,
        seats=[SEATS.to_message(seat) for seat in table.seats],
        options=opened.options,
        game_id=opened.game_id,
        commitment=opened.commitment,
        created_at=opened.created_at,
        failure=table.failure,
    )


def _listed(table: Table, request: table_pb2.ListTablesRequest, who: Caller) -> bool:
    if request.title and request.title != table.opened.title:
        return False
    if request.status and request.status != STATUSES[table.status]:
        return False
    return table.seat_of(who.id) is not None if request.mine else table.opened.access is Access.PUBLIC


def _seat_added(folded: Folded) -> int:
    events: tuple[TableEvent, ...] = folded.last_events
    return next(event.seat.seat for event in events if isinstance(event, SeatTaken))
