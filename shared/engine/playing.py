"""How a game moves: decide on the folded state, append, answer; on a conflict read the tail and decide again.

One round trip to the store for an accepted action. Described in docs/decisions.md ("One commit, one entry").
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
import structlog
from msgspec import Struct

from shared import metrics
from shared.auth import Caller
from shared.clock import Clock, now
from shared.config import SeedKey
from shared.engine.game import Game
from shared.engine.platform import GameCreated, PlatformEvent, SeedRevealed, Status
from shared.engine.sessions import Session, Sessions
from shared.engine.title_wire import AnyCommit, Commit
from shared.errors import Fault, Problem
from shared.eventlog.log import Conflict, Entry, EventLog, Torn, Unavailable
from shared.kernel import Decision, Refusal
from shared.rng import DrawRecord, KeyedDraw, commitment, game_seed, server_seed
from shared.wire import snake

_log = structlog.get_logger("engine")
_TRIES = 16


class Request(Struct, frozen=True):
    """One thing somebody asks of a game: who, under which request id, with which body (digest, 16 bytes)."""

    caller: str
    id: str
    body: bytes


class Attempt(Struct, frozen=True):
    """An action that a seat wants to play.

    `expected` is the version at which the seat saw its decision, if it cares; `allow` raises `Problem` unless whoever
    asks may act for the seat, and is asked anew whenever the game has moved.
    """

    seat: int
    action: Any
    expected: int | None
    allow: Callable[[Game], None]


class Proposal(Struct, frozen=True):
    """What an accepted request adds to a game, before it is written."""

    name: str
    seat: int | None
    action: Any
    events: tuple[Any, ...]
    platform_events: tuple[PlatformEvent, ...] = ()
    draws: tuple[DrawRecord, ...] = ()


class Accepted(Struct, frozen=True):
    """An accepted request: its commit, and what the game waited for right after it."""

    commit: AnyCommit
    decision: Decision | None


def caller_name(who: Caller) -> str:
    """Return how the log names a caller: `player:<id>` or `service:<name>`."""
    return f"{who.role.value}:{who.id}"


def body_digest(*parts: bytes) -> bytes:
    """Return the 16 bytes that tell whether a repeated request asks for the same thing."""
    hasher = hashlib.blake2b(digest_size=16)
    for part in parts:
        hasher.update(b"%d:" % len(part))
        hasher.update(part)
    return hasher.digest()


@functools.lru_cache(maxsize=4_096)
def _secrets(
    key: bytes, created_commitment: bytes, game_id: str, entropies: tuple[bytes, ...]
) -> tuple[bytes, bytes] | None:
    """Return a game's server seed and game seed, None if the key does not give what was committed to.

    They never change, and deriving them costs a tenth of an action.
    """
    seed = server_seed(key, game_id)
    return (seed, game_seed(seed, entropies)) if commitment(seed) == created_commitment else None


class Playing:
    """Moves the games of one title."""

    def __init__(self, sessions: Sessions, log: EventLog, seed_keys: tuple[SeedKey, ...], clock: Clock = now) -> None:
        """Use `seed_keys` for chance (the first for new games) and `clock` for the times of commits."""
        self.sessions = sessions
        self._title = sessions.wire.title
        self._wire = sessions.wire
        self._log = log
        self._keys = {key.id: key.secret for key in seed_keys}
        self._new_key = seed_keys[0]
        self._clock = clock
        self._appends = metrics.APPENDS.labels(self._title.id)

    def prepare(self, game_id: str) -> tuple[str, bytes]:
        """Return the key id and the commitment for a game that will be created under this id."""
        return self._new_key.id, commitment(server_seed(self._new_key.secret, game_id))

    def commitment(self, key_id: str, game_id: str) -> bytes:
        """Return the commitment of a game under one of our keys; raises BAD_REQUEST for a key that is gone."""
        if key_id not in self._keys:
            raise Problem(Fault.BAD_REQUEST, f"there is no seed key {key_id!r} here any more; open a new table")
        return commitment(server_seed(self._keys[key_id], game_id))

    async def act(self, session: Session, request: Request, attempt: Attempt) -> Accepted:
        """Play one action of a seat, once for each request; see `_commit` for what is raised."""
        return await self._commit(session, request, lambda game: self._decide(game, attempt))

    async def create(self, session: Session, request: Request, created: GameCreated) -> Accepted:
        """Write the first commit of a game; raises `Refusal` when the title cannot be played like this."""
        settings = self._title.parse(created.options)

        def begin(_: Game) -> Proposal:
            draw = KeyedDraw(self._secrets(created)[1])
            events = self._title.setup(settings, len(created.seats), draw)
            return Proposal("create_game", None, None, events, (created,), tuple(draw.records))

        return await self._commit(session, request, begin, new=True)

    def _decide(self, game: Game, attempt: Attempt) -> Proposal:
        seat, action = attempt.seat, attempt.action
        attempt.allow(game)
        if attempt.expected is not None:
            self._expect(game, seat, attempt.expected)
        if game.status is Status.ABORTED:
            raise Problem(Fault.GAME_ABORTED, "the game was ended without a result")
        draw = KeyedDraw(self._secrets(game.created)[1], game.counter)
        events = self._title.decide(game.state, seat, action, draw)
        return Proposal(snake(type(action).__name__), seat, action, events, (), tuple(draw.records))

    def _expect(self, game: Game, seat: int, expected: int) -> None:
        """Refuse an answer to a decision that is not the one the seat saw."""
        if expected < 1 or expected > game.version:
            raise Problem(Fault.BAD_VERSION, f"expected_version must be from 1 to {game.version}, the game's version")
        if game.changed.get(seat, 0) > expected:
            raise Problem(
                Fault.STALE_VERSION,
                f"the decision of seat {seat} has changed since version {expected}; the game is at {game.version}",
            )

    def _secrets(self, created: GameCreated) -> tuple[bytes, bytes]:
        """Return the server seed and the game seed; raises GAME_UNREADABLE without the key that was committed to."""
        key = self._keys.get(created.key_id)
        found = _secrets(key, created.commitment, created.game_id, created.entropies) if key else None
        if found is None:
            raise Problem(Fault.GAME_UNREADABLE, f"this server lacks the seed key {created.key_id!r} of the game")
        return found

    async def _commit(
        self, session: Session, request: Request, propose: Callable[[Game], Proposal], *, new: bool = False
    ) -> Accepted:
        """Append what `propose` makes of the game, or find that the request was accepted before.

        Raises `Refusal` or `Problem` as `propose` does, REQUEST_REUSED for a repeated id with another body, and
        `Unavailable` when the outcome is unknown: a repeat of the request tells.
        """
        async with session:
            for _ in range(_TRIES):
                if session.stale:
                    await self.sessions.refresh(session, new=new)
                if known := session.game.answered.get((request.caller, request.id)):
                    return await self._answer_again(session, known.version, same=known.body == request.body)
                try:
                    accepted = await self._append(session, request, propose(session.game))
                except Torn as torn:
                    self.sessions.halt(session, str(torn))
                except Conflict as conflict:
                    self._lost_race(session, conflict)
                except (Refusal, Problem):
                    if not await self._moved_meanwhile(session, new=new):
                        raise
                except Unavailable:
                    session.doubtful = True
                    raise
                else:
                    return accepted
        raise Unavailable("too many others write to this game at the same time")

    async def _moved_meanwhile(self, session: Session, *, new: bool) -> bool:
        """Say whether a refusal was made on an old state, because another process moved the game.

        A halted game raises its problem once more.
        """
        version = session.game.version
        await self.sessions.refresh(session, new=new)
        return session.game.version != version

    def _lost_race(self, session: Session, conflict: Conflict) -> None:
        metrics.CONFLICTS.labels(self._title.id).inc()
        if conflict.head < session.game.version:
            self.sessions.halt(session, f"the stream went back to version {conflict.head}")
        session.doubtful = True

    async def _append(self, session: Session, request: Request, proposal: Proposal) -> Accepted:
        """Write the next commit and fold it."""
        game = session.game
        commit: AnyCommit = Commit(
            version=game.version + 1,
            at=max(self._clock(), game.at),
            seat=proposal.seat,
            events=proposal.events,
            platform_events=proposal.platform_events,
            action=proposal.action,
            draws=proposal.draws,
        )
        ahead = game.look_ahead(commit)
        if ahead.decision is None:
            revealed = SeedRevealed(self._secrets(game.created)[0])
            commit = msgspec.structs.replace(commit, platform_events=(*commit.platform_events, revealed))
            ahead = msgspec.structs.replace(ahead, commit=commit)
        entry = self._entry(game, request, proposal.name, commit, ahead.decision)
        await self._log.append(session.key, self._title.id, entry)
        self._appends.inc()
        session.apply(entry, ahead)
        return Accepted(commit, ahead.decision)

    def _entry(self, game: Game, request: Request, name: str, commit: AnyCommit, decision: Decision | None) -> Entry:
        return Entry(
            version=commit.version,
            at=commit.at,
            action=name,
            seat=commit.seat,
            caller=request.caller,
            request=request.id,
            body=request.body,
            schema=self._wire.schema,
            status=(Status.PLAYING if decision else Status.OVER).value,
            waiting=decision.seats if decision else (),
            deadline=None,
            before=game.digest,
            data=self._wire.stored(commit),
        )

    async def _answer_again(self, session: Session, version: int, *, same: bool) -> Accepted:
        """Rebuild the first answer to a request from its commit."""
        if not same:
            raise Problem(Fault.REQUEST_REUSED, "this request_id was used before for something else")
        game, commit = await self.sessions.at(session, version)
        return Accepted(commit, game.decision)
