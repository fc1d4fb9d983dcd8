"""`strata replay` and `strata verify`: reading a finished game again from its public record.

Replaying folds every commit from the first one and compares what comes out with what the server shows, at the end and
in the middle. Verifying checks every draw of chance (`shared.engine.verify`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import grpc
from msgspec import Struct

from services.cli.failing import CommandFailed
from services.cli.title_client import Seen, TitleClient
from shared.engine.game import Game
from shared.engine.platform import GameCreated, Status
from shared.engine.title_wire import AnyCommit, TitleWire
from shared.engine.verify import Verdict, verify
from strata.table.v1 import table_pb2


class Replay(Struct, frozen=True):
    """What folding a game's record gave: the digest of its final state, and the first difference to the server's."""

    version: int
    digest: str
    difference: str

    @property
    def ok(self) -> bool:
        """Whether the record leads to what the server shows."""
        return not self.difference


async def record(client: TitleClient, game_id: str) -> list[AnyCommit]:
    """Return the whole record of a finished game; raises `CommandFailed` while it is still hidden."""
    seen = await client.view(game_id)
    if seen.status is Status.PLAYING:
        raise CommandFailed(
            f"game {game_id} is still being played (version {seen.version}); its record opens when it ends"
        )
    return await client.history(game_id)


async def replay(client: TitleClient, game_id: str, commits: Sequence[AnyCommit], seats: Sequence[int] = ()) -> Replay:
    """Fold a record and compare it with what a spectator, and the holder of `seats`, is shown."""
    head = len(commits)
    difference = ""
    for version in dict.fromkeys((max(1, head // 2), head)):
        game = fold(client.wire, commits[:version])
        for seat in (None, *seats):
            difference = difference or compare(game, await client.view(game_id, seat, version), seat)
    return Replay(head, digest(game), difference)


def fold(wire: TitleWire, commits: Sequence[AnyCommit]) -> Game:
    """Return the game that commits from the first one lead to."""
    game = Game(wire)
    for commit in commits:
        game.fold(commit)
    return game


def compare(game: Game, seen: Seen, seat: int | None) -> str:
    """Return the first difference between a folded game and what the server shows a viewer, "" if there is none."""
    who = "a spectator" if seat is None else f"seat {seat}"
    encode = game.wire.encode_view
    pairs = (
        ("version", game.version, seen.version),
        ("status", game.status, seen.status),
        ("decision", game.decision, seen.decision),
        ("result", game.result, seen.result),
        ("view", encode(game.wire.title.view(game.state, seat)), encode(seen.view)),
    )
    for what, ours, theirs in pairs:
        if ours != theirs:
            return f"at version {game.version} the {what} of {who} is another one than the record gives"
    return ""


def digest(game: Game) -> str:
    """Return the hexadecimal SHA-256 of a game's state, which says in one line whether two replays agree."""
    return hashlib.sha256(game.wire.encode_view(game.state)).hexdigest()


async def judge(client: TitleClient, commits: Sequence[AnyCommit]) -> Verdict:
    """Check the chance of a game, with the commitment its table published if that can still be seen."""
    facts = (fact for commit in commits[:1] for fact in commit.platform_events)
    created = next((fact for fact in facts if isinstance(fact, GameCreated)), None)
    published = await _published(client, created.table_id) if created else None
    return verify(client.wire.title, commits, published)


async def _published(client: TitleClient, table_id: str) -> bytes | None:
    tables = client.connection.tables
    try:
        answer = await client.connection.call(tables.GetTable, table_pb2.GetTableRequest(table_id=table_id))
    except grpc.aio.AioRpcError as error:
        if error.code() in (
            grpc.StatusCode.NOT_FOUND,
            grpc.StatusCode.PERMISSION_DENIED,
            grpc.StatusCode.UNIMPLEMENTED,
        ):
            return None
        raise
    return bytes(answer.table.commitment)
