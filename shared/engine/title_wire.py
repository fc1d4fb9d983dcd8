"""A title joined to its messages: every codec and message class the engine needs, found by name in its package.

Making a `TitleWire` checks the whole title against its protos.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec
from google.protobuf import message_factory
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.message import Message
from msgspec import Struct

from shared.engine.platform import PlatformEvent, Seat, Status
from shared.kernel import Decision, OptionSpec, Result, Title
from shared.rng import DrawRecord
from shared.wire import Codec
from strata.common.v1 import common_pb2

A = TypeVar("A")
E = TypeVar("E")


class Commit(Struct, Generic[A, E], frozen=True, kw_only=True):
    """All facts of one accepted action, as one stream entry holds them.

    `at` is in milliseconds since the epoch; `seat` and `action` are None when the platform acted.
    """

    version: int
    at: int
    seat: int | None
    events: tuple[E, ...]
    platform_events: tuple[PlatformEvent, ...]
    action: A | None
    draws: tuple[DrawRecord, ...]


AnyCommit = Commit[Any, Any]
AnyTitle = Title[Any, Any, Any, Any, Any]

STATUSES = {
    Status.PLAYING: common_pb2.GAME_STATUS_PLAYING,
    Status.OVER: common_pb2.GAME_STATUS_OVER,
    Status.ABORTED: common_pb2.GAME_STATUS_ABORTED,
}
DECISIONS: Codec[Decision, common_pb2.Decision] = Codec(Decision, common_pb2.Decision)
RESULTS: Codec[Result, common_pb2.Result] = Codec(Result, common_pb2.Result)
OPTIONS: Codec[OptionSpec, common_pb2.OptionSpec] = Codec(OptionSpec, common_pb2.OptionSpec)
SEATS: Codec[Seat, common_pb2.Seat] = Codec(Seat, common_pb2.Seat)


class TitleWire:
    """Codecs and message classes of one title; raises `shared.wire.Mismatch` when rules and protos disagree."""

    def __init__(self, title: AnyTitle, protos: FileDescriptor) -> None:
        """Derive everything from the title's types and the package of `protos`, the file with its one service."""
        self.title = title
        self._package = protos.package
        self._pool = protos.pool
        (self.service,) = protos.services_by_name.values()
        self.actions: Codec[Any, Message] = Codec(title.actions, self.message("Action"))
        self.events: Codec[Any, Message] = Codec(title.events, self.message("Event"))
        self.views: Codec[Any, Message] = Codec(title.view_type, self.message("View"))
        generic: Any = Commit
        self.commits: Codec[AnyCommit, Message] = Codec(generic[title.actions, title.events], self.message("Commit"))
        self.schema_prefix = f"{title.id}."
        self.schema = f"{title.id}.{title.rules_version}"
        self.encode_view = msgspec.msgpack.Encoder(order="deterministic").encode

    def message(self, name: str) -> type[Message]:
        """Return the class of a message of this title's package; KeyError if the protos lack it."""
        return message_factory.GetMessageClass(self._pool.FindMessageTypeByName(f"{self._package}.{name}"))

    def stored(self, commit: AnyCommit) -> bytes:
        """Return the bytes of a commit as its stream entry holds them: version, time and seat lie beside them."""
        bare = msgspec.structs.replace(commit, version=0, at=0, seat=None)
        return self.commits.to_message(bare).SerializeToString()

    def seen(self, commit: AnyCommit, seat: int | None, *, everything: bool) -> Message:
        """Return a commit as a seat (None: a spectator) may see it; `everything` once the game is over."""
        if everything:
            return self.commits.to_message(commit)
        redacted = (self.title.redact(event, seat) for event in commit.events)
        events = tuple(event for event in redacted if event is not None)
        return self.commits.to_message(msgspec.structs.replace(commit, events=events, action=None, draws=()))
