"""The games an engine process keeps folded: at most so many, each brought up to date from its stream when needed.

A session is only a cache: it may be dropped at any moment and comes back by folding the stream again. What makes
concurrent use safe is the log's version check, not the lock here, which only spares this process useless conflicts.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Never, Self

import structlog
from google.protobuf.message import Message

from shared import metrics
from shared.engine.game import Ahead, Damaged, Foreign, Game, Unreadable
from shared.engine.platform import Status
from shared.engine.title_wire import AnyCommit, TitleWire
from shared.errors import Fault, Problem
from shared.eventlog.log import Entry, EventLog, StreamKey, Torn

_log = structlog.get_logger("engine")
_RECENT = 64
_LOOK_AT = 64


class Session:
    """One game in memory: folded up to `game.version`, with its latest commits as viewers saw them.

    `heard` is the highest version the feed told of; `doubtful` is set when an append's outcome is unknown or the feed
    had a gap; `halted` is why the game cannot be used, if it cannot.
    """

    def __init__(self, key: StreamKey, wire: TitleWire) -> None:
        """Start empty; `Sessions.open` fills it."""
        self.key = key
        self.game = Game(wire)
        self.lock = asyncio.Lock()
        self.moved = asyncio.Event()
        self.doubtful = True
        self.heard = 0
        self.watchers = 0
        self.users = 0
        self.halted: Problem | None = None
        self._recent: deque[AnyCommit] = deque(maxlen=_RECENT)
        self._seen: dict[int, dict[int | None, Message]] = {}

    async def __aenter__(self) -> Self:
        """Wait for one's turn to change or refresh the session; who waits keeps it in memory."""
        self.users += 1
        try:
            await self.lock.acquire()
        except BaseException:
            self.users -= 1
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """End one's turn."""
        self.lock.release()
        self.users -= 1

    def apply(self, entry: Entry, ahead: Ahead | None = None) -> None:
        """Fold the next entry and wake whoever watches; raises `Damaged`, `Unreadable` or `Foreign`."""
        commit = self.game.apply(entry, ahead)
        if len(self._recent) == _RECENT:
            self._seen.pop(self._recent[0].version, None)
        self._recent.append(commit)
        if self.game.status is not Status.PLAYING:
            self._seen.clear()
        self.wake()

    @property
    def stale(self) -> bool:
        """Say whether the stream must be read before the session is used: something may have happened elsewhere."""
        return self.doubtful or self.halted is not None or self.heard > self.game.version

    def hear(self, version: int) -> None:
        """Take note that the game has moved to a version, wherever; who watches looks for itself."""
        self.heard = max(self.heard, version)
        if self.stale:
            self.wake()

    def doubt(self) -> None:
        """Take note that the session may be behind, and nobody knows by how much."""
        self.doubtful = True
        self.wake()

    def wake(self) -> None:
        """Let every watcher look again."""
        self.moved.set()
        self.moved = asyncio.Event()

    def after(self, version: int) -> list[AnyCommit] | None:
        """Return the commits after `version` if all of them are still in memory, else None."""
        if version >= self.game.version:
            return []
        if not self._recent or self._recent[0].version > version + 1:
            return None
        return [commit for commit in self._recent if commit.version > version]

    def seen(self, commit: AnyCommit, seat: int | None) -> Message:
        """Return a commit as a seat or a spectator may see it now, encoded once for each kind of viewer."""
        over = self.game.status is not Status.PLAYING
        viewer = None if over else seat
        known = self._seen.get(commit.version, {})
        message = known.get(viewer)
        if message is None:
            message = known[viewer] = self.game.wire.seen(commit, seat, everything=over)
            if self._recent and commit.version >= self._recent[0].version:
                self._seen[commit.version] = known
        return message


class Sessions:
    """The sessions of one title, least recently used ones dropped first (never one that is watched or busy)."""

    def __init__(self, wire: TitleWire, log: EventLog, limit: int) -> None:
        """Keep about `limit` games of a title folded."""
        self.wire = wire
        self._log = log
        self._limit = limit
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._cached = metrics.CACHED.labels(wire.title.id)

    def cached(self, game_id: str) -> Session | None:
        """Return a game's session if there is one."""
        return self._sessions.get(game_id)

    def all(self) -> list[Session]:
        """Return every session."""
        return list(self._sessions.values())

    def session(self, game_id: str) -> Session:
        """Return a game's session, an empty one if it was not in memory; it may name a game that does not exist."""
        session = self._sessions.get(game_id)
        if session is None:
            session = self._sessions[game_id] = Session(StreamKey("game", game_id), self.wire)
            self._evict()
            self._cached.set(len(self._sessions))
        else:
            self._sessions.move_to_end(game_id)
        return session

    async def refresh(self, session: Session, *, new: bool = False) -> None:
        """Fold what the stream holds beyond the session; call with its lock held. A `new` game may not exist yet.

        Raises `Problem`: UNKNOWN_GAME, GAME_DAMAGED or GAME_UNREADABLE; `Unavailable` when the store is away.
        """
        if session.halted is not None:
            # Kept and raised anew: without this it would gather the frames of every call it refused.
            raise session.halted.with_traceback(None)
        fresh, heard = session.game.version == 0, session.heard
        with self._trusting(session):
            try:
                for entry in await self._log.read(session.key, after=session.game.version):
                    session.apply(entry)
            except Foreign:
                new = False
        session.doubtful = False
        if heard > session.game.version:
            self.halt(session, f"the feed told of version {heard}, the stream ends at {session.game.version}")
        if session.game.version == 0 and not new:
            self._drop(session)
            raise Problem(Fault.UNKNOWN_GAME, f"there is no game of {self.wire.title.name} with this id")
        if fresh and not new:
            metrics.FOLDED.labels(self.wire.title.id).inc()

    async def at(self, session: Session, version: int) -> tuple[Game, AnyCommit]:
        """Return the game as it was at a version (1 … head) and the commit that led to it, from the stream."""
        game = Game(self.wire)
        with self._trusting(session):
            for entry in await self._log.read(session.key, limit=version):
                commit = game.apply(entry)
        return game, commit

    async def commits(self, session: Session, after: int, limit: int) -> list[AnyCommit]:
        """Return at most `limit` commits after a version: from memory if they are there, else from the stream."""
        kept = session.after(after)
        if kept is not None:
            return kept[:limit]
        with self._trusting(session):
            return [session.game.read(entry) for entry in await self._log.read(session.key, after=after, limit=limit)]

    @contextlib.contextmanager
    def _trusting(self, session: Session) -> Iterator[None]:
        """Turn what is wrong with a stream into what callers are told, and stop using the session."""
        try:
            yield
        except (Damaged, Torn) as error:
            self.halt(session, str(error))
        except Unreadable as error:
            _log.error("game_unreadable", game_id=session.key.id, detail=str(error))
            sentence = "this game holds something newer than this server; try again later"
            session.halted = Problem(Fault.GAME_UNREADABLE, sentence)
            self._drop(session)
            raise session.halted from error

    def halt(self, session: Session, detail: str) -> Never:
        """Stop a game whose stream cannot be trusted, say so loudly, and raise GAME_DAMAGED."""
        _log.error("game_halted", game_id=session.key.id, version=session.game.version, detail=detail)
        metrics.HALTED.labels(self.wire.title.id).inc()
        session.halted = Problem(
            Fault.GAME_DAMAGED, "the record of this game is damaged; an operator has to look at it"
        )
        session.wake()
        raise session.halted

    def _drop(self, session: Session) -> None:
        if self._sessions.get(session.key.id) is session:
            del self._sessions[session.key.id]
        session.wake()

    def _evict(self) -> None:
        if len(self._sessions) <= self._limit:
            return
        for game_id, session in list(itertools.islice(self._sessions.items(), _LOOK_AT)):
            if session.watchers or session.users or session.halted is not None:
                self._sessions.move_to_end(game_id)
                continue
            del self._sessions[game_id]
            if len(self._sessions) <= self._limit:
                return
