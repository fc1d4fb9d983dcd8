"""The contract of the log: what can be appended, read and followed, and what each failure means.

Two implementations keep it, `RedisEventLog` (the truth) and `MemoryEventLog` (its twin for tests and for
games that need not outlive the process); one contract suite runs on both. The stream id is the version:
entry *v* of a stream exists exactly when entries 1 … v-1 do, and is never changed.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct


class StreamKey(Struct, frozen=True):
    """Names one stream: its kind (`game`, `table`, `player` …) and its id."""

    kind: str
    id: str

    def shard(self, shards: int) -> int:
        """Return the shard of this stream, `crc32(id) % shards`."""
        return zlib.crc32(self.id.encode()) % shards


FIELDS: Final = (
    b"action",
    b"seat",
    b"at",
    b"caller",
    b"request",
    b"body",
    b"schema",
    b"status",
    b"waiting",
    b"deadline",
    b"before",
    b"data",
)
"""The names of a stream entry's fields; append.lua writes them in this order."""

_DIGESTED: Final = b"%d" + b"".join(name + b":%d:%b" for name in FIELDS)
"""What an entry's digest is made of: the version, and name, length and value of each field."""


class Entry(Struct, frozen=True, kw_only=True):
    """One commit as it lies in its stream.

    `at` is in milliseconds since the epoch and never runs backwards within a stream; `caller`, `request` and
    `body` (16 bytes: digest of the request's body) make the append idempotent; `waiting` are the seats to act
    afterwards; `deadline` (milliseconds, or None) is the earliest moment at which somebody must act for them; `schema`
    names what wrote the entry and by which version of its rules ("some_title.1");
    `before` is the digest of the previous entry (empty for the first); `data` are the bytes of the commit message.
    """

    version: int
    at: int
    action: str
    seat: int | None
    caller: str
    request: str
    body: bytes
    schema: str
    status: str
    waiting: tuple[int, ...]
    deadline: int | None
    before: bytes
    data: bytes

    def values(self) -> tuple[bytes, ...]:
        """Return the values of the stream entry, in the order of `FIELDS`."""
        return (
            self.action.encode(),
            b"" if self.seat is None else b"%d" % self.seat,
            b"%d" % self.at,
            self.caller.encode(),
            self.request.encode(),
            self.body,
            self.schema.encode(),
            self.status.encode(),
            b",".join([b"%d" % seat for seat in self.waiting]),
            b"" if self.deadline is None else b"%d" % self.deadline,
            self.before,
            self.data,
        )

    def fields(self) -> dict[bytes, bytes]:
        """Return the stream entry's fields, always all of them and always in the order of `FIELDS`."""
        return dict(zip(FIELDS, self.values(), strict=True))

    def digest(self) -> bytes:
        """Return the 16 bytes by which the next entry names this one: every field, length-prefixed, and the version."""
        parts = [part for value in self.values() for part in (len(value), value)]
        return hashlib.blake2b(_DIGESTED % (self.version, *parts), digest_size=16).digest()

    @classmethod
    def from_fields(cls, version: int, fields: Mapping[bytes, bytes]) -> Entry:
        """Rebuild an entry from its stream fields; raises `Torn` when a field is missing or malformed."""
        try:
            return cls.from_values(version, [fields[name] for name in FIELDS])
        except KeyError as error:
            raise Torn(f"entry {version} is not a whole commit: it has no field {error}") from error

    @classmethod
    def from_values(cls, version: int, values: Sequence[bytes]) -> Entry:
        """Rebuild an entry from the values of `FIELDS`, in their order; raises `Torn` when one is malformed."""
        try:
            action, seat, at, caller, request, body, schema, status, waiting, deadline, before, data = values
            return cls(
                version=version,
                at=int(at),
                action=action.decode(),
                seat=int(seat) if seat else None,
                caller=caller.decode(),
                request=request.decode(),
                body=body,
                schema=schema.decode(),
                status=status.decode(),
                waiting=tuple(map(int, waiting.split(b","))) if waiting else (),
                deadline=int(deadline) if deadline else None,
                before=before,
                data=data,
            )
        except ValueError as error:
            raise Torn(f"entry {version} is not a whole commit: {error}") from error


class Moved(Struct, frozen=True):
    """One feed entry: which stream moved to which version, and whom it waits for now."""

    key: StreamKey
    title: str
    version: int
    status: str
    waiting: tuple[int, ...]


class Delivery(Struct, frozen=True):
    """A feed entry handed to one consumer of a group; `attempts` counts deliveries, this one included."""

    shard: int
    id: str
    attempts: int
    moved: Moved


class LogError(Exception):
    """Anything the log could not do."""


class Conflict(LogError):
    """The stream's head is not the version before the one appended; `head` is where it is. Nothing was written."""

    def __init__(self, head: int) -> None:
        """Remember the head found."""
        super().__init__(f"the stream is at version {head}")
        self.head = head


class Unavailable(LogError):
    """The store cannot be reached; the outcome of an append in flight may be unknown."""


class Closed(Unavailable):
    """The log was closed by this process; what was in flight may or may not have been done."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("the log is closed")


class Torn(LogError):
    """The stream holds an entry that is not a whole commit, or a gap."""


class Trimmed(LogError):
    """The feeds of `shards` were trimmed past a cursor or a group: reread the heads of the streams you follow."""

    def __init__(self, shards: Sequence[int]) -> None:
        """Remember the shards whose followers missed something."""
        super().__init__(f"the feeds of shards {', '.join(map(str, shards))} have dropped entries not yet read")
        self.shards = tuple(shards)


class WrongShards(LogError):
    """The store was laid out for another number of shards than this process is configured for."""


class EventLog(Protocol):
    """What every log can do; all methods raise `Unavailable` when the store cannot be reached."""

    shards: int

    async def append(self, key: StreamKey, title: str, entry: Entry) -> None:
        """Write `entry` as `entry.version`, with its feed entry and its deadline slot, or nothing at all.

        Raises `Conflict(head)` when the head is not `entry.version - 1`. When the reply is lost it is sent again,
        which the version check makes harmless, until a few seconds have passed; a conflict met then is success if
        the very same entry is there. After that `Unavailable` (outcome unknown: whoever repeats the request must
        read first). A cancelled append may or may not have been written.
        """

    async def read(self, key: StreamKey, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Return the entries after version `after`, at most `limit`; raises `Torn` on a gap or a torn entry."""

    async def head(self, key: StreamKey) -> Entry | None:
        """Return the last entry of a stream, or None if there is no such stream."""

    def streams(self, kind: str) -> AsyncIterator[StreamKey]:
        """Walk over the keys of all streams of one kind, in no order."""

    async def feed_heads(self) -> dict[int, str]:
        """Return the last feed id of every shard, the cursors from which `watch_feed` starts (`0-0` if it is empty)."""

    async def watch_feed(self, cursors: Mapping[int, str], wait: float) -> list[tuple[int, str, Moved]]:
        """Return (shard, id, moved) for what the feeds got after `cursors[shard]`, waiting up to `wait` seconds.

        A plain read over all shards of `cursors`, in feed order within a shard; at most some hundreds a shard and
        call. The caller moves its cursor to the last id of each shard. Raises `Trimmed` when entries after a
        cursor were already dropped (or the feed itself was): take `feed_heads` anew, then reread the heads.
        """

    async def claim(
        self, group: str, consumer: str, shards: Sequence[int], wait: float, limit: int = 16
    ) -> list[Delivery]:
        """Take new feed entries for `consumer` of `group`, at most `limit` a shard, waiting up to `wait` seconds.

        The group is created on first use, and again if somebody deletes it or the feed, from the feed's beginning; then
        `Trimmed` is raised once, because what was there and not claimed is not known.
        """

    async def reclaim(
        self, group: str, consumer: str, shards: Sequence[int], idle: float, limit: int = 16
    ) -> list[Delivery]:
        """Take over entries that any consumer has left unacknowledged for `idle` seconds.

        Raises `Trimmed` when the feed dropped entries that the group had not read or not acknowledged; what was
        taken over by that call stays pending and is handed out again after `idle`.
        """

    async def renew(self, group: str, consumer: str, delivery: Delivery) -> bool:
        """Reset a delivery's idle time; False when it is no longer this consumer's."""

    async def ack(self, group: str, delivery: Delivery) -> None:
        """Say that a delivery needs no more work, whoever holds it now."""

    async def due(self, shard: int, now: int, limit: int = 100) -> list[tuple[StreamKey, int]]:
        """Return (stream, deadline) pairs whose deadline is at or before `now` milliseconds."""

    async def check(self) -> list[str]:
        """Ping the store; return one sentence for each way in which it is configured to lose data."""

    async def close(self) -> None:
        """Let go of every connection; whoever still waits gets `Unavailable`."""
