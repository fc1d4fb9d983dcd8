"""`strata demo`: one complete game through gRPC, shown as it happens, then read again from the beginning and checked.

Without a target a temporary server runs in this process. With a seed and that server the game comes out the same
every time: its keys, the player, and every request id follow from the seed, and ids of tables and games follow from
those. The server may be killed and started again at any moment: calls are repeated with the same request id, and the
watch goes on behind the last version seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from rich.console import Console

from services.cli import checking, looking
from services.cli.connection import Connection
from services.cli.failing import CommandFailed
from services.cli.local_seat import LocalSeat, find_brain
from services.cli.plain import emit
from services.cli.stack import temporary
from services.cli.stage import Stage, score_table
from services.cli.title_client import TitleClient, seat_names
from services.cli.titles import TITLES, wire
from shared import logs
from shared.auth import Caller, Role, Tokens
from shared.engine.title_wire import AnyCommit
from shared.engine.verify import Verdict
from shared.kernel import Result
from strata.table.v1 import table_pb2

PATIENCE = 60.0
PLAYER = "demo-player"
NAME = "Guest"
_START_PAUSE = 0.05
_PACE = 0.1
_TOKEN_SECONDS = 3600


class Wish(Struct, frozen=True, kw_only=True):
    """What game is wanted: how many seats, which brain plays them (seat 0 from here), which options of the table.

    `seed` is None for a game nobody can repeat; `delay` are the seconds each commit stays on the screen, None for what
    suits who watches.
    """

    title: str
    players: int
    brain: str
    options: Mapping[str, str]
    target: str = ""
    seed: bytes | None = None
    delay: float | None = None


class Played(Struct, frozen=True):
    """A game that was watched to its end."""

    game_id: str
    result: Result
    seconds: float


async def demo(wish: Wish, *, as_json: bool) -> bool:
    """Play, show, replay and verify one game; True if everything about it was right."""
    if wish.title not in TITLES:
        raise CommandFailed(f"there is no title {wish.title!r}; there are {', '.join(TITLES)}")
    find_brain(wish.title, wish.brain)
    logs.configure(os.environ.get("STRATA_LOG_LEVEL", "error"), json=False)
    # A script reads one object from stdout; people may still watch.
    console = Console(stderr=as_json)
    async with _server(wish) as (target, token), Connection(target, token, PATIENCE) as connection:
        await connection.become_guest(NAME)
        client = TitleClient(wire(wish.title), connection)
        nonce = (wish.seed or secrets.token_bytes(16)).hex()[:32] if not wish.target else secrets.token_hex(8)
        game_id = await _open_game(wish, connection, nonce)
        played = await _play(wish, client, game_id, nonce, console)
        commits = await checking.record(client, game_id)
        replayed = await checking.replay(client, game_id, commits, seats=(0,))
        verdict = await checking.judge(client, commits)
    for told in (looking.told_replay(replayed), looking.told_verdict(verdict)):
        console.print(told, highlight=False, soft_wrap=True)
    if as_json:
        emit(_report(wish, played, commits, replayed, verdict))
    return replayed.ok and verdict.ok


@contextlib.asynccontextmanager
async def _server(wish: Wish) -> AsyncIterator[tuple[str, str]]:
    """Give the server to play on and the token to play with, "" for that of a new guest."""
    if wish.target:
        yield wish.target, ""
        return
    async with temporary(wish.seed) as settings:
        token = Tokens(settings.auth_key).issue(Caller(Role.PLAYER, PLAYER, NAME), _TOKEN_SECONDS)
        yield settings.listen, token.text if wish.seed is not None else ""


async def _open_game(wish: Wish, connection: Connection, nonce: str) -> str:
    """Open a table, fill its seats, start it, and return the id of its game."""
    tables, call = connection.tables, connection.call
    create = table_pb2.CreateTableRequest(
        request_id=f"{nonce}-create",
        title=wish.title,
        seat_count=wish.players,
        options=dict(wish.options),
    )
    table = (await call(tables.CreateTable, create)).table
    give = table_pb2.GiveEntropyRequest(
        request_id=f"{nonce}-entropy",
        table_id=table.table_id,
        entropy=hashlib.sha256(wish.seed).digest() if wish.seed is not None else secrets.token_bytes(32),
    )
    await call(tables.GiveEntropy, give)
    for number in range(1, wish.players):
        add = table_pb2.AddAutomatonRequest(
            request_id=f"{nonce}-add-{number}", table_id=table.table_id, brain=wish.brain
        )
        await call(tables.AddAutomaton, add)
    start = table_pb2.StartGameRequest(request_id=f"{nonce}-start", table_id=table.table_id)
    table = (await call(tables.StartGame, start)).table
    while table.status != table_pb2.TABLE_STATUS_STARTED:
        if table.failure:
            raise CommandFailed(f"the game could not be started: {table.failure}")
        await asyncio.sleep(_START_PAUSE)
        table = (await call(tables.GetTable, table_pb2.GetTableRequest(table_id=table.table_id))).table
    return str(table.game_id)


async def _play(wish: Wish, client: TitleClient, game_id: str, nonce: str, console: Console) -> Played:
    """Watch a game to its end, answering for seat 0."""
    started = time.monotonic()
    names = seat_names((await client.view(game_id, 0)).seats)
    seat = LocalSeat(client, game_id, wish.brain, nonce, wish.seed, in_turn=not wish.target)
    result = None
    delay = wish.delay if wish.delay is not None else _PACE if console.is_terminal and not console.stderr else 0.0
    console.print(f"{client.wire.title.name} · game {game_id} on {client.connection.target}", highlight=False)
    with Stage(console, wish.title, names) as stage:
        client.connection.say = stage.say
        async for news in client.watch(game_id, 0):
            stage.hear(news)
            result = news.result
            await asyncio.sleep(delay)
            await seat.heed(news)
    if result is None:
        raise CommandFailed(f"game {game_id} ended without a result")
    console.print(score_table(result, names))
    return Played(game_id, result, time.monotonic() - started)


def _report(
    wish: Wish, played: Played, commits: list[AnyCommit], replayed: checking.Replay, verdict: Verdict
) -> dict[str, Any]:
    """Return the object that a script reads."""
    return {
        "game_id": played.game_id,
        "title": wish.title,
        "players": wish.players,
        "commits": len(commits),
        "actions": sum(1 for commit in commits if commit.action is not None),
        "seconds": round(played.seconds, 3),
        "result": [
            {
                "seat": standing.seat,
                "rank": standing.rank,
                "total": standing.total,
                "lines": {line.category: line.points for line in standing.lines},
            }
            for standing in played.result.standings
        ],
        "replay": {"ok": replayed.ok, "digest": replayed.digest},
        "verify": {"ok": verdict.ok},
    }


def read_seed(text: str) -> bytes | None:
    """Return the seed that an option gives in hexadecimal, None for ""."""
    if not text:
        return None
    try:
        seed = bytes.fromhex(text)
    except ValueError as error:
        raise CommandFailed("--seed must be written in hexadecimal, like 00ff12") from error
    if len(seed) > 64:
        raise CommandFailed(f"--seed has {len(seed)} bytes, at most 64 can be mixed into a game's chance")
    return seed


def read_options(pairs: Sequence[str]) -> dict[str, str]:
    """Return table options given as NAME=VALUE."""
    options: dict[str, str] = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name or name in options:
            raise CommandFailed(f"--option {pair!r} must read NAME=VALUE, each name once")
        options[name] = value
    return options
