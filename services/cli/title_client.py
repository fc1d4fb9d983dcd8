"""The calls of a title's service, the same for every title: messages go out, structs come back.

What a call of `strata.<title>.v1` is named follows from the title's own service descriptor, as on the server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.protobuf.message import Message
from msgspec import Struct

from services.cli.connection import Connection
from shared.engine.platform import Automaton, Seat, Status
from shared.engine.title_wire import DECISIONS, RESULTS, SEATS, STATUSES, AnyCommit, TitleWire
from shared.kernel import Decision, Result

PAGE = 200
_STATUSES = {number: status for status, number in STATUSES.items()}


class Seen(Struct, frozen=True, kw_only=True):
    """A game as of `version`, as its viewer may see it: what `GetView` answers."""

    version: int
    status: Status
    view: Any
    decision: Decision | None
    result: Result | None
    seats: tuple[Seat, ...]


class News(Struct, frozen=True, kw_only=True):
    """One message of a watch: commits and what they lead to."""

    commits: tuple[AnyCommit, ...]
    status: Status
    view: Any
    decision: Decision | None
    result: Result | None


class TitleClient:
    """One title as a client sees it, over a connection."""

    def __init__(self, wire: TitleWire, connection: Connection) -> None:
        """Derive the calls from the title's service."""
        self.wire = wire
        self.connection = connection
        self._methods = {method.name: self._callable(method) for method in wire.service.methods}

    async def view(self, game_id: str, seat: int | None = None, version: int | None = None) -> Seen:
        """Return a game as a seat (None: a spectator) may see it, at a version (None: now)."""
        answer = await self._call("GetView", game_id=game_id, seat=seat, version=version)
        return Seen(
            version=answer.version,
            status=_STATUSES[answer.status],
            view=self.wire.views.from_message(answer.view),
            decision=_decision(answer),
            result=_result(answer),
            seats=tuple(SEATS.from_message(held) for held in answer.seats),
        )

    async def legal_actions(self, game_id: str, seat: int) -> tuple[int, Decision | None, tuple[Any, ...]]:
        """Return the version, the pending decision, and every legal action of a seat."""
        answer = await self._call("ListLegalActions", game_id=game_id, seat=seat)
        actions = tuple(self.wire.actions.from_message(action) for action in answer.actions)
        return answer.version, _decision(answer), actions

    async def submit(self, game_id: str, seat: int, action: Any, request_id: str) -> AnyCommit:
        """Play an action and return its commit; a repeat with the same request id gives the same answer."""
        message = self.wire.actions.to_message(action)
        answer = await self._call("SubmitAction", game_id=game_id, seat=seat, action=message, request_id=request_id)
        return self.wire.commits.from_message(answer.commit)

    async def history(self, game_id: str, seat: int | None = None) -> list[AnyCommit]:
        """Return every commit of a game so far."""
        commits: list[AnyCommit] = []
        while True:
            after = commits[-1].version if commits else 0
            answer = await self._call("GetHistory", game_id=game_id, seat=seat, after_version=after, page_size=PAGE)
            commits += [self.wire.commits.from_message(commit) for commit in answer.commits]
            if not answer.commits or commits[-1].version >= answer.head_version:
                return commits

    async def watch(self, game_id: str, seat: int | None = None, after: int = 0) -> AsyncIterator[News]:
        """Yield what happens after a version until the game ends, each commit once, through any loss of the server."""
        version = after

        def open_stream() -> Any:
            request = self._request("WatchGame", game_id=game_id, seat=seat, after_version=version, include_view=True)
            return self._methods["WatchGame"](request, metadata=self.connection.metadata(request))

        async for message in self.connection.follow(open_stream):
            version = message.commits[-1].version
            yield News(
                commits=tuple(self.wire.commits.from_message(commit) for commit in message.commits),
                status=_STATUSES[message.status],
                view=self.wire.views.from_message(message.view),
                decision=_decision(message),
                result=_result(message),
            )

    async def _call(self, name: str, **fields: Any) -> Any:
        return await self.connection.call(self._methods[name], self._request(name, **fields))

    def _request(self, name: str, **fields: Any) -> Message:
        given = {field: value for field, value in fields.items() if value is not None}
        return self.wire.message(f"{name}Request")(**given)

    def _callable(self, method: Any) -> Callable[..., Awaitable[Any]]:
        channel: grpc.aio.Channel = self.connection.channel
        make: Any = channel.unary_stream if method.server_streaming else channel.unary_unary
        path = f"/{self.wire.service.full_name}/{method.name}"
        asked, answer = self.wire.message(method.input_type.name), self.wire.message(method.output_type.name)
        call: Callable[..., Awaitable[Any]] = make(path, asked.SerializeToString, answer.FromString)
        return call


def seat_names(seats: tuple[Seat, ...]) -> tuple[str, ...]:
    """Return what to call each seat: its player's name or its brain, with the number where two would be alike."""
    bare = [held.holder.brain if isinstance(held.holder, Automaton) else held.holder.display_name for held in seats]
    return tuple(f"{name} {seat}" if bare.count(name) > 1 else name for seat, name in enumerate(bare))


def _decision(message: Any) -> Decision | None:
    return DECISIONS.from_message(message.decision) if message.HasField("decision") else None


def _result(message: Any) -> Result | None:
    return RESULTS.from_message(message.result) if message.HasField("result") else None
