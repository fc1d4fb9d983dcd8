"""EngineService: what the table and the automata ask of the engines, for every title this process hosts."""

from __future__ import annotations

from typing import Any

import grpc

from shared.auth import caller, require_service
from shared.engine.platform import GameCreated
from shared.engine.playing import Playing, Request, body_digest, caller_name
from shared.engine.title_wire import DECISIONS, OPTIONS, RESULTS, SEATS, STATUSES, AnyTitle
from shared.errors import Fault, Problem
from shared.ids import check_id
from shared.kernel import Reason, Refusal
from shared.wire import Malformed
from strata.engine.v1 import engine_pb2, engine_pb2_grpc

ENTROPY_LIMIT = 64


class EngineService(engine_pb2_grpc.EngineServiceServicer):
    """Routes each call by its title; every call needs a service token."""

    def __init__(self, titles: dict[str, Playing]) -> None:
        """Host these titles."""
        self._titles = titles

    def attach(self, server: grpc.aio.Server) -> None:
        """Register with a server."""
        engine_pb2_grpc.add_EngineServiceServicer_to_server(self, server)

    async def DescribeTitle(self, request: engine_pb2.DescribeTitleRequest, _: Any) -> engine_pb2.DescribeTitleResponse:
        """Say what a title offers."""
        title = self._title(request.title).sessions.wire.title
        specs = map(OPTIONS.to_message, title.options)
        return engine_pb2.DescribeTitleResponse(
            title=title.id, name=title.name, rules_version=title.rules_version, seats=title.seats, options=specs
        )

    async def PrepareGame(self, request: engine_pb2.PrepareGameRequest, _: Any) -> engine_pb2.PrepareGameResponse:
        """Check seats and options, and commit to the chance of a game that does not exist yet."""
        playing = self._title(request.title)
        title = playing.sessions.wire.title
        title.parse(dict(request.options))
        _check_seats(title, request.seats)
        key_id, commitment = playing.prepare(check_id(request.game_id, "game_id"))
        return engine_pb2.PrepareGameResponse(key_id=key_id, commitment=commitment)

    async def CreateGame(self, request: engine_pb2.CreateGameRequest, _: Any) -> engine_pb2.CreateGameResponse:
        """Start a game, once for each game id."""
        playing = self._title(request.title)
        created = self._created(playing, request)
        body = body_digest(request.SerializeToString(deterministic=True))
        asked = Request(caller_name(caller()), request.game_id, body)
        session = playing.sessions.session(request.game_id)
        accepted = await playing.create(session, asked, created)
        return engine_pb2.CreateGameResponse(game_id=request.game_id, version=accepted.commit.version)

    async def GetGameSummary(
        self, request: engine_pb2.GetGameSummaryRequest, _: Any
    ) -> engine_pb2.GetGameSummaryResponse:
        """Say where a game stands."""
        sessions = self._title(request.title).sessions
        session = sessions.session(check_id(request.game_id, "game_id"))
        async with session:
            await sessions.refresh(session)
        game = session.game
        response = engine_pb2.GetGameSummaryResponse(
            game_id=request.game_id, title=request.title, version=game.version, status=STATUSES[game.status]
        )
        for seat in game.record.seats if game.record else ():
            SEATS.fill(response.seats.add(), seat)
        if game.decision is not None:
            DECISIONS.fill(response.decision, game.decision)
        if (result := game.result) is not None:
            RESULTS.fill(response.result, result)
        return response

    def _title(self, title: str) -> Playing:
        require_service()
        if title not in self._titles:
            raise Problem(Fault.UNKNOWN_TITLE, f"this server plays {', '.join(self._titles)}, nothing else")
        return self._titles[title]

    def _created(self, playing: Playing, request: engine_pb2.CreateGameRequest) -> GameCreated:
        """Check a request to create a game and turn it into the game's first fact."""
        title = playing.sessions.wire.title
        check_id(request.game_id, "game_id")
        try:
            seats = tuple(SEATS.from_message(seat) for seat in request.seats)
        except Malformed as error:
            raise Problem(Fault.BAD_REQUEST, f"seats: {error}") from error
        if [seat.seat for seat in seats] != list(range(len(seats))):
            raise Problem(Fault.BAD_REQUEST, "seats must be listed from 0 on, without gaps")
        if len(request.entropies) != len(seats) or any(len(e) > ENTROPY_LIMIT for e in request.entropies):
            raise Problem(
                Fault.BAD_REQUEST, f"there must be one entropy for each seat, of at most {ENTROPY_LIMIT} bytes"
            )
        _check_seats(title, len(seats))
        options = dict(request.options)
        commitment = playing.commitment(request.key_id, request.game_id)
        if request.commitment not in (b"", commitment):
            raise Problem(Fault.BAD_REQUEST, f"seed key {request.key_id!r} is not the one that was committed to")
        return GameCreated(
            game_id=request.game_id,
            title=title.id,
            table_id=request.table_id,
            rules_version=title.rules_version,
            pack=title.pack(title.parse(options)),
            seats=seats,
            options=options,
            key_id=request.key_id,
            commitment=commitment,
            entropies=tuple(request.entropies),
            private=request.private,
        )


def _check_seats(title: AnyTitle, seats: int) -> None:
    if seats not in title.seats:
        numbers = ", ".join(map(str, title.seats))
        raise Refusal(Reason.BAD_SEATS, f"{title.name} is played by {numbers} seats, not by {seats}")
