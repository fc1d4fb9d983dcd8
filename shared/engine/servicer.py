"""The one gRPC servicer of all titles: from a typed request to the game and back.

Its handlers are made from the title's own service descriptor, so that a title adds protos and rules and nothing else.
Who may see what is decided here, from the game's own record: a seat's view is for its holder, the public view for
everybody unless the game is private.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.protobuf.message import Message

from shared.auth import Caller, Role, caller
from shared.engine.game import Game
from shared.engine.platform import Automaton, Player, Status
from shared.engine.playing import Attempt, Playing, Request, body_digest, caller_name
from shared.engine.sessions import Session
from shared.engine.title_wire import DECISIONS, RESULTS, SEATS, STATUSES, AnyCommit, TitleWire
from shared.engine.watching import Hub
from shared.errors import Fault, Problem
from shared.ids import check_id, check_request_id
from shared.kernel import Decision
from shared.wire import Malformed

_PAGE = 100
_LONGEST_PAGE = 500


class TitleServicer:
    """Answers `SubmitAction`, `GetView`, `ListLegalActions`, `WatchGame` and `GetHistory` of one title."""

    def __init__(self, playing: Playing, hub: Hub) -> None:
        """Play through `playing`, watch through `hub`."""
        self._playing = playing
        self._sessions = playing.sessions
        self._wire: TitleWire = playing.sessions.wire
        self._hub = hub
        self._new = {
            name: self._wire.message(f"{name}Response") for name in ("SubmitAction", "GetView", "ListLegalActions")
        }
        self._new |= {name: self._wire.message(f"{name}Response") for name in ("WatchGame", "GetHistory")}

    def handlers(self) -> grpc.GenericRpcHandler:
        """Return the handlers of the title's service, one for each method of its descriptor."""
        service, methods = (
            self._wire.service,
            {
                "SubmitAction": self.submit_action,
                "GetView": self.get_view,
                "ListLegalActions": self.list_legal_actions,
                "WatchGame": self.watch_game,
                "GetHistory": self.get_history,
            },
        )
        handlers = {}
        for method in service.methods:
            make = (
                grpc.unary_stream_rpc_method_handler if method.server_streaming else grpc.unary_unary_rpc_method_handler
            )
            asked, answer = self._wire.message(method.input_type.name), self._wire.message(method.output_type.name)
            handlers[method.name] = make(methods.pop(method.name), asked.FromString, answer.SerializeToString)
        if methods:
            raise TypeError(f"{service.full_name} lacks {', '.join(methods)}")
        return grpc.method_handlers_generic_handler(service.full_name, handlers)

    async def submit_action(self, request: Any, _: Any) -> Any:
        """Play one action; see the proto."""
        who = caller()
        session = await self._open(request.game_id)
        check_request_id(request.request_id)
        try:
            action = self._wire.actions.from_message(request.action)
        except Malformed as error:
            raise Problem(Fault.BAD_REQUEST, f"the action cannot be read: {error}") from error
        body = body_digest(b"%d" % request.seat, request.action.SerializeToString(deterministic=True))
        asked = Request(caller_name(who), request.request_id, body)
        expected = request.expected_version if request.HasField("expected_version") else None
        attempt = Attempt(request.seat, action, expected, lambda game: self._require_holder(game, request.seat, who))
        accepted = await self._playing.act(session, asked, attempt)
        response: Any = self._new["SubmitAction"](commit=session.seen(accepted.commit, request.seat))
        _put_decision(response, accepted.decision)
        return response

    async def get_view(self, request: Any, _: Any) -> Any:
        """Show the game to a seat or a spectator, now or in the past; see the proto."""
        session = await self._open(request.game_id, fresh=True)
        seat = self._viewer(session.game, request)
        game = session.game
        if request.HasField("version"):
            if not 1 <= request.version <= game.version:
                raise Problem(Fault.BAD_VERSION, f"version must be from 1 to {game.version}, the game's version")
            if request.version < game.version:
                game, _commit = await self._sessions.at(session, request.version)
        response: Any = self._new["GetView"](version=game.version, status=STATUSES[game.status])
        self._wire.views.fill(response.view, self._wire.title.view(game.state, seat))
        _put_decision(response, game.decision)
        _put_result(response, game)
        for held in session.game.record.seats if session.game.record else ():
            SEATS.fill(response.seats.add(), held)
        return response

    async def list_legal_actions(self, request: Any, _: Any) -> Any:
        """List what a seat may do now; see the proto."""
        session = await self._open(request.game_id, fresh=True)
        game = session.game
        self._require_seat(game, request.seat, caller())
        if game.decision is not None and not game.decision.open:
            self._require_holder(game, request.seat, caller())
        response: Any = self._new["ListLegalActions"](version=game.version)
        _put_decision(response, game.decision)
        if game.decision is not None and request.seat in game.decision.seats:
            for action in self._wire.title.legal_actions(game.state, request.seat):
                self._wire.actions.fill(response.actions.add(), action)
        return response

    async def get_history(self, request: Any, _: Any) -> Message:
        """List past commits; see the proto."""
        session = await self._open(request.game_id, fresh=True)
        seat = self._viewer(session.game, request)
        size = request.page_size or _PAGE
        if not 1 <= size <= _LONGEST_PAGE:
            raise Problem(Fault.BAD_REQUEST, f"page_size must be from 1 to {_LONGEST_PAGE}, or 0 for {_PAGE}")
        self._check_after(session.game, request.after_version)
        commits = await self._sessions.commits(session, request.after_version, size)
        seen = [session.seen(commit, seat) for commit in commits]
        return self._new["GetHistory"](commits=seen, head_version=session.game.version)

    async def watch_game(self, request: Any, _: Any) -> AsyncIterator[Message]:
        """Send what was missed and then every commit as it happens; see the proto."""
        who = caller()
        session = await self._open(request.game_id, fresh=True)
        self._viewer(session.game, request)
        self._check_after(session.game, request.after_version)
        cursor = request.after_version
        async with self._hub.watching(session, caller_name(who)) as watch:
            while True:
                moved = session.moved
                if session.stale:
                    await self._refresh(session)
                commits = await self._sessions.commits(session, cursor, _LONGEST_PAGE)
                if commits:
                    seat = self._viewer(session.game, request, who)
                    cursor = commits[-1].version
                    yield await self._told(session, commits, seat, with_view=request.include_view)
                    watch.check_pace()
                elif session.game.status is not Status.PLAYING:
                    return
                else:
                    await watch.wait(moved)

    async def _told(self, session: Session, commits: list[AnyCommit], seat: int | None, *, with_view: bool) -> Any:
        """Return one watch message: commits, and what they lead to."""
        game = session.game
        if commits[-1].version < game.version:
            game, _commit = await self._sessions.at(session, commits[-1].version)
        seen = [session.seen(commit, seat) for commit in commits]
        response: Any = self._new["WatchGame"](commits=seen, status=STATUSES[game.status])
        _put_decision(response, game.decision)
        _put_result(response, game)
        if with_view:
            self._wire.views.fill(response.view, self._wire.title.view(game.state, seat))
        return response

    async def _open(self, game_id: str, *, fresh: bool = False) -> Session:
        """Return a game's session, brought up to date if it is new, doubtful, or `fresh` is asked for."""
        session = self._sessions.session(check_id(game_id, "game_id"))
        if fresh or session.stale:
            await self._refresh(session, fresh=fresh)
        return session

    async def _refresh(self, session: Session, *, fresh: bool = False) -> None:
        async with session:
            if fresh or session.stale:
                await self._sessions.refresh(session)

    def _viewer(self, game: Game, request: Any, who: Caller | None = None) -> int | None:
        """Return as whom a call may look: the seat it names, which the caller must hold, or None for a spectator."""
        who = who or caller()
        if not request.HasField("seat"):
            self._require_spectator(game, who)
            return None
        self._require_holder(game, request.seat, who)
        return int(request.seat)

    def _require_seat(self, game: Game, seat: int, who: Caller) -> None:
        self._require_spectator(game, who)
        if game.record is None or game.record.holder(seat) is None:
            seats = len(game.record.seats) if game.record else 0
            raise Problem(Fault.UNKNOWN_SEAT, f"there is no seat {seat}; this game has seats 0 to {seats - 1}")

    def _require_holder(self, game: Game, seat: int, who: Caller) -> None:
        """Let only the holder of a seat pass: its player, or the automata service for a program."""
        self._require_seat(game, seat, who)
        if not _holds(game, seat, who):
            raise Problem(Fault.NOT_YOUR_SEAT, f"seat {seat} is held by somebody else")

    def _require_spectator(self, game: Game, who: Caller) -> None:
        """Let everybody look at a public game, only holders of a seat and services at a private one."""
        if who.role is Role.SERVICE or not game.created.private:
            return
        if not any(_holds(game, held.seat, who) for held in (game.record.seats if game.record else ())):
            raise Problem(Fault.NOT_ALLOWED, "this game is private; only those who hold a seat may look at it")

    def _check_after(self, game: Game, version: int) -> None:
        if not 0 <= version <= game.version:
            raise Problem(Fault.BAD_VERSION, f"after_version must be from 0 to {game.version}, the game's version")


def _holds(game: Game, seat: int, who: Caller) -> bool:
    holder = game.record.holder(seat) if game.record else None
    match holder:
        case Player(player_id):
            return who.role is Role.PLAYER and who.id == player_id
        case Automaton():
            return who.role is Role.SERVICE and who.id == "automata"
        case _:
            return False


def _put_decision(response: Any, decision: Decision | None) -> None:
    if decision is not None:
        DECISIONS.fill(response.decision, decision)


def _put_result(response: Any, game: Game) -> None:
    result = game.result
    if result is not None:
        RESULTS.fill(response.result, result)
