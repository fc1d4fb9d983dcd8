"""TableService: checks what is asked, changes or shows tables. What a table allows is in `decide`."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncIterator
from typing import Any

from services.table import decide
from services.table.elsewhere import Elsewhere
from services.table.events import Access, SeatTaken, TableEvent, TableOpened
from services.table.lobby import Lobby
from services.table.names import Names
from services.table.starting import Starting
from services.table.state import Table, TableStatus
from services.table.tables import Decide, Folded, Tables
from shared.auth import Caller, Role, caller, require_player
from shared.clock import Clock
from shared.engine.internal import ENTROPY_LIMIT
from shared.engine.platform import Player, Seat
from shared.engine.playing import Request, body_digest, caller_name
from shared.engine.title_wire import SEATS
from shared.errors import Fault, Problem
from shared.ids import check_id, check_request_id
from strata.table.v1 import table_pb2, table_pb2_grpc

_PAGE, _LONGEST_PAGE = 50, 100
_MOST_OPTIONS, _LONGEST_OPTION = 32, 64
_STATUSES: dict[TableStatus, Any] = {
    status: table_pb2.TableStatus.Value(f"TABLE_STATUS_{status.name}") for status in TableStatus
}
_ACCESSES: dict[Access, Any] = {access: table_pb2.Access.Value(f"ACCESS_{access.name}") for access in Access}


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
            info = response.titles.add(title=about.title, name=about.name, seats=about.seats)
            for option in about.options:
                info.options.add(name=option.name, about=option.about, default=option.default, values=option.values)
        return response

    async def CreateTable(self, request: table_pb2.CreateTableRequest, _: Any) -> table_pb2.CreateTableResponse:
        """Open a table and seat its host."""
        who = require_player()
        asked = _request(who, request)
        options = _options(request)
        _check_entropy(request.entropy)
        access = Access.PRIVATE if request.access == table_pb2.ACCESS_PRIVATE else Access.PUBLIC
        table_id = self._names.table_id(asked.caller, asked.id)
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
        seated = SeatTaken(Seat(0, Player(who.id, who.name)), request.entropy)
        folded = await self._tables.open(table_id, asked, (opened, seated))
        self._lobby.note(folded)
        invitation = self._names.invitation(table_id) if access is Access.PRIVATE else ""
        return table_pb2.CreateTableResponse(table=shown(folded), invitation=invitation)

    async def ListTables(self, request: table_pb2.ListTablesRequest, _: Any) -> table_pb2.ListTablesResponse:
        """List public tables, or the caller's own."""
        who = caller()
        size = request.page_size or _PAGE
        if not 1 <= size <= _LONGEST_PAGE:
            raise Problem(Fault.BAD_REQUEST, f"page_size must be from 1 to {_LONGEST_PAGE}, or 0 for {_PAGE}")
        after = _read_page_token(request.page_token)
        response = table_pb2.ListTablesResponse()
        for folded in self._lobby.newest_first():
            place = (folded.table.opened.created_at, folded.table.opened.table_id)
            if (after is not None and place >= after) or not _listed(folded.table, request, who):
                continue
            if len(response.tables) == size:
                last = response.tables[-1]
                response.next_page_token = _page_token(last.created_at, last.table_id)
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
        while True:
            folded = await self._visible(request.table_id, request.invitation)
            yield table_pb2.WatchTableResponse(table=shown(folded))
            if folded.table.status in (TableStatus.STARTED, TableStatus.CLOSED):
                return
            await self._lobby.changed(request.table_id, folded.version)
            if self._lobby.closing:
                raise Problem(Fault.SHUTTING_DOWN, "this server is stopping; watch again")

    async def JoinTable(self, request: table_pb2.JoinTableRequest, _: Any) -> table_pb2.JoinTableResponse:
        """Seat the caller."""
        who = require_player()
        _check_entropy(request.entropy)
        await self._visible(request.table_id, request.invitation)
        player = Player(who.id, who.name)
        folded = await self._change(who, request, lambda table: decide.join(table, player, request.entropy))
        return table_pb2.JoinTableResponse(table=shown(folded), seat=folded.table.seat_of(who.id))

    async def LeaveTable(self, request: table_pb2.LeaveTableRequest, _: Any) -> table_pb2.LeaveTableResponse:
        """Free the caller's seat."""
        who = require_player()
        folded = await self._change(who, request, lambda table: decide.leave(table, who.id))
        return table_pb2.LeaveTableResponse(table=shown(folded))

    async def AddAutomaton(self, request: table_pb2.AddAutomatonRequest, _: Any) -> table_pb2.AddAutomatonResponse:
        """Put a program on a free seat."""
        who = require_player()
        table = (await self._visible(request.table_id)).table
        await self._elsewhere.require_brain(table.opened.title, check_id(request.brain, "brain"))
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

    async def _change(self, who: Caller, request: Any, decision: Decide) -> Folded:
        asked = _request(who, request)
        folded = await self._tables.change(check_id(request.table_id, "table_id"), asked, decision)
        self._lobby.note(folded)
        return folded

    async def _visible(self, table_id: str, invitation: str = "") -> Folded:
        """Return a table if the caller may know of it; a private one looks as if it did not exist."""
        who = caller()
        folded = await self._tables.load(check_id(table_id, "table_id"))
        self._lobby.note(folded)
        table = folded.table
        known = who.role is Role.SERVICE or table.seat_of(who.id) is not None or who.id == table.host_id
        if table.opened.access is Access.PUBLIC or known or self._names.invites(table_id, invitation):
            return folded
        raise Problem(Fault.UNKNOWN_TABLE, "there is no table with this id, or it is private")


def shown(folded: Folded) -> table_pb2.Table:
    """Return a table as everybody who may know of it sees it."""
    table, opened = folded.table, folded.table.opened
    return table_pb2.Table(
        table_id=opened.table_id,
        version=folded.version,
        title=opened.title,
        status=_STATUSES[table.status],
        access=_ACCESSES[opened.access],
        host_id=table.host_id,
        seat_count=opened.seat_count,
        seats=[SEATS.to_message(seat) for seat in table.seats],
        options=opened.options,
        game_id=opened.game_id,
        commitment=opened.commitment,
        created_at=opened.created_at,
        failure=table.failure,
    )


def _request(who: Caller, request: Any) -> Request:
    """Return who asks under which request id; the body is the whole message without that id."""
    check_request_id(request.request_id)
    body = type(request)()
    body.CopyFrom(request)
    body.ClearField("request_id")
    kind = type(request).DESCRIPTOR.name.encode()
    return Request(caller_name(who), request.request_id, body_digest(kind, body.SerializeToString(deterministic=True)))


def _options(request: table_pb2.CreateTableRequest) -> dict[str, str]:
    options = dict(sorted(request.options.items()))
    if len(options) > _MOST_OPTIONS or any(len(text) > _LONGEST_OPTION for pair in options.items() for text in pair):
        raise Problem(
            Fault.BAD_REQUEST, f"at most {_MOST_OPTIONS} options with names and values of {_LONGEST_OPTION} characters"
        )
    return options


def _check_entropy(entropy: bytes) -> None:
    if len(entropy) > ENTROPY_LIMIT:
        raise Problem(Fault.BAD_REQUEST, f"entropy has {len(entropy)} bytes, the limit is {ENTROPY_LIMIT}")


def _listed(table: Table, request: table_pb2.ListTablesRequest, who: Caller) -> bool:
    if request.title and request.title != table.opened.title:
        return False
    if request.status and request.status != _STATUSES[table.status]:
        return False
    return table.seat_of(who.id) is not None if request.mine else table.opened.access is Access.PUBLIC


def _seat_added(folded: Folded) -> int:
    events: tuple[TableEvent, ...] = folded.last_events
    return next(event.seat.seat for event in events if isinstance(event, SeatTaken))


def _page_token(created_at: int, table_id: str) -> str:
    return base64.urlsafe_b64encode(f"{created_at}:{table_id}".encode()).decode()


def _read_page_token(token: str) -> tuple[int, str] | None:
    if not token:
        return None
    try:
        created_at, _, table_id = base64.urlsafe_b64decode(token.encode()).decode().partition(":")
        return int(created_at), table_id
    except (binascii.Error, ValueError) as error:
        raise Problem(Fault.BAD_REQUEST, "page_token must be the one that the previous page gave") from error
