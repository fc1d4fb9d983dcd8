"""One game folded from its stream: the title's state, the platform's record, and what must survive a restart.

Everything that reads a stream folds it here: the engine's sessions, the automata, `strata replay`. Nothing is kept
that the stream does not say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from google.protobuf.message import DecodeError
from msgspec import Struct

from shared.engine.platform import GameCreated, Record, Status, Undone, fold
from shared.engine.title_wire import AnyCommit, TitleWire
from shared.eventlog.log import Entry
from shared.kernel import Decision, Result
from shared.wire import Malformed, UnknownKind


class Damaged(Exception):
    """The stream contradicts itself: a broken chain, bytes that are no commit, a head that went back."""


class Unreadable(Exception):
    """The stream holds something this version does not know; a newer process may."""


class Foreign(Exception):
    """The stream belongs to a game of another title."""


class Answered(Struct, frozen=True):
    """What an accepted request was: the digest of its body, and the version it became."""

    body: bytes
    version: int


class Ahead(Struct, frozen=True):
    """A next commit and what it leads to; `undone_to` is the version it goes back to, if it does."""

    commit: AnyCommit
    state: Any
    decision: Decision | None
    undone_to: int | None


class Game:
    """A game as of `version`; `apply` moves it one entry on.

    `counter` is the number of draws made so far; `answered` maps (caller, request id) to what was accepted;
    `changed` maps a seat to the version at which its decision last changed; `digest` is that of the last entry.
    The data of commits that were not undone are kept, so that an undo needs no reading.
    """

    def __init__(self, wire: TitleWire) -> None:
        """Begin with nothing; the first entry creates the game."""
        self.wire = wire
        self.version = 0
        self.at = 0
        self.digest = b""
        self.state: Any = None
        self.record: Record | None = None
        self.decision: Decision | None = None
        self.counter = 0
        self.answered: dict[tuple[str, str], Answered] = {}
        self.changed: dict[int, int] = {}
        self._kept: list[tuple[int, int, bytes]] = []

    @property
    def created(self) -> GameCreated:
        """How the game was created; ValueError before its first commit."""
        if self.record is None:
            raise ValueError("the game has not been created yet")
        return self.record.created

    @property
    def status(self) -> Status:
        """Where the game stands."""
        if self.record is not None and self.record.aborted:
            return Status.ABORTED
        return Status.PLAYING if self.decision is not None else Status.OVER

    @property
    def result(self) -> Result | None:
        """The ranking, once the game is over."""
        return self.wire.title.result(self.state) if self.status is Status.OVER else None

    def read(self, entry: Entry) -> AnyCommit:
        """Return the commit an entry holds; raises `Damaged` or `Unreadable`."""
        try:
            commit = self.wire.commits.decode(entry.data)
        except UnknownKind as error:
            raise Unreadable(f"entry {entry.version}: {error}") from error
        except (Malformed, DecodeError) as error:
            raise Damaged(f"entry {entry.version} holds no commit: {error}") from error
        return msgspec.structs.replace(commit, version=entry.version, at=entry.at, seat=entry.seat)

    def apply(self, entry: Entry, ahead: Ahead | None = None) -> AnyCommit:
        """Fold the next entry and return its commit; whoever just wrote it passes along what it leads to.

        Raises `Damaged` when the entry does not follow the last one, `Unreadable` for an unknown kind of event,
        `Foreign` for an entry of another title.
        """
        if not entry.schema.startswith(self.wire.schema_prefix):
            raise Damaged(f"entry {entry.version} is of {entry.schema}") if self.version else Foreign(entry.schema)
        if entry.version != self.version + 1 or entry.before != self.digest:
            raise Damaged(f"entry {entry.version} does not continue entry {self.version}")
        ahead = ahead or self._look_at(entry)
        self._step(ahead, entry.data)
        self.digest = entry.digest()
        self.answered[entry.caller, entry.request] = Answered(entry.body, entry.version)
        return ahead.commit

    def _look_at(self, entry: Entry) -> Ahead:
        """Return what an entry leads to; whatever its events cannot be applied to is damage."""
        try:
            return self.look_ahead(self.read(entry))
        except (Damaged, Unreadable):
            raise
        except Exception as error:
            raise Damaged(f"entry {entry.version} cannot follow entry {self.version}: {error!r}") from error

    def fold(self, commit: AnyCommit) -> None:
        """Fold a commit without its entry, as the API shows it."""
        self._step(self.look_ahead(commit), self.wire.stored(commit))

    def look_ahead(self, commit: AnyCommit) -> Ahead:
        """Return what the title makes of a commit that would be the next one; changes nothing."""
        state = self.state
        undone = next((fact for fact in commit.platform_events if isinstance(fact, Undone)), None)
        if undone is not None:
            state = self._state_at(undone.to)
        evolve = self.wire.title.evolve
        for event in commit.events:
            state = evolve(state, event)
        return Ahead(commit, state, self.wire.title.decision(state), undone.to if undone else None)

    def _step(self, ahead: Ahead, data: bytes) -> None:
        commit, before = ahead.commit, self.decision
        for fact in commit.platform_events:
            self.record = fold(self.record, fact)
        if ahead.undone_to is not None:
            self._kept = [kept for kept in self._kept if kept[0] <= ahead.undone_to]
            self.counter = sum(draws for _, draws, _ in self._kept)
        self._kept.append((commit.version, len(commit.draws), data))
        self.counter += len(commit.draws)
        self.version, self.at = commit.version, commit.at
        self.state, self.decision = ahead.state, ahead.decision
        self._note_changes(before, commit.seat, undone=ahead.undone_to is not None)

    def _state_at(self, version: int) -> Any:
        """Refold the title's half from the commits up to `version` that were not undone."""
        state = None
        for kept, _, data in self._kept:
            if kept <= version:
                for event in self.wire.commits.decode(data).events:
                    state = self.wire.title.evolve(state, event)
        return state

    def _note_changes(self, before: Decision | None, actor: int | None, *, undone: bool) -> None:
        """Note for which seats the decision is another one now: all but those that still choose at the same time."""
        now = self.decision
        if before is not None and now is not None and before.kind == now.kind and not undone:
            still = [seat for seat in before.seats if seat in now.seats and seat != actor]
        else:
            still = []
        for seat in {*(before.seats if before else ()), *(now.seats if now else ())}.difference(still):
            self.changed[seat] = self.version


def replay(wire: TitleWire, entries: Iterable[Entry]) -> Game:
    """Return the game that a stream from its beginning gives."""
    game = Game(wire)
    for entry in entries:
        game.apply(entry)
    return game
