"""`games`, `show`, `watch`, `legal`, `replay` and `verify`: looking at games of a server as a player or a guest."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import grpc
from msgspec import Struct
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from services.cli import checking
from services.cli.connection import Connection
from services.cli.failing import CommandFailed
from services.cli.plain import emit, plain
from services.cli.stage import Stage, score_table
from services.cli.title_client import Seen, TitleClient, seat_names
from services.cli.titles import TITLES, telling, wire
from shared.engine.title_wire import DECISIONS, RESULTS, SEATS
from shared.engine.verify import Verdict
from shared.errors import reason_of
from strata.table.v1 import table_pb2

PATIENCE = 60.0
_NOT_MINE = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED)


class Place(Struct, frozen=True):
    """Where and as whom to look: the server, a token ("" for a new guest), a title ("" to find it out)."""

    target: str
    token: str = ""
    title: str = ""


async def guest(target: str, name: str, *, as_json: bool) -> bool:
    """Make a new guest and print who it is and its token."""
    async with Connection(target) as connection:
        made = await connection.make_guest(name)
    if as_json:
        emit(plain(made))
    else:
        print(f"player {made.player_id}\nSTRATA_TOKEN={made.access_token}")
    return True


async def games(place: Place, limit: int, *, as_json: bool) -> bool:
    """List games, newest first, with where each stands."""
    async with _guest(place) as connection:
        request = table_pb2.ListTablesRequest(
            title=place.title, status=table_pb2.TABLE_STATUS_STARTED, page_size=min(limit, 100)
        )
        tables = (await connection.call(connection.tables.ListTables, request)).tables[:limit]
        found = await asyncio.gather(*(_standing(connection, table) for table in tables))
    if as_json:
        for row in found:
            emit(row)
        return True
    shown = Table(box=None, header_style="bold")
    # Every other command needs the whole id.
    shown.add_column("game", no_wrap=True, min_width=20)
    for heading in ("title", "players", "version", "status", "waiting for / best"):
        shown.add_column(heading)
    for row in found:
        shown.add_row(
            row["game_id"],
            row["title"],
            escape(", ".join(row["players"])),
            str(row["version"]),
            row["status"],
            escape(_news(row)),
        )
    Console().print(shown if found else "no games yet; try: strata demo --target " + place.target)
    return True


async def show(place: Place, game_id: str, version: int | None, seat: int | None, *, as_json: bool) -> bool:
    """Draw a game as a spectator or a seat sees it, now or as it was at a version."""
    async with _game(place, game_id) as client:
        seen = await client.view(game_id, seat, version)
        if as_json:
            emit(_seen(client, game_id, seen))
            return True
        console = Console()
        console.print(f"{client.wire.title.name} · game {game_id} · version {seen.version} · {seen.status.value}")
        console.print(Stage(console, client.wire.title.id, seat_names(seen.seats)).picture(seen))
    return True


async def watch(place: Place, game_id: str, seat: int | None, after: int, *, as_json: bool) -> bool:
    """Show what happens in a game until it ends, through restarts of the server."""
    async with _game(place, game_id, patience=PATIENCE) as client:
        if as_json:
            async for news in client.watch(game_id, seat, after):
                for commit in news.commits:
                    emit(plain(client.wire.commits.to_message(commit)))
            return True
        console = Console()
        names = seat_names((await client.view(game_id, seat)).seats)
        result = None
        with Stage(console, client.wire.title.id, names) as stage:
            client.connection.say = stage.say
            async for news in client.watch(game_id, seat, after):
                stage.hear(news)
                result = news.result
        if result is not None:
            console.print(score_table(result, names))
    return True


async def legal(place: Place, game_id: str, seat: int, *, as_json: bool) -> bool:
    """List every legal action of a seat."""
    async with _game(place, game_id) as client:
        version, decision, actions = await client.legal_actions(game_id, seat)
        if as_json:
            messages = [plain(client.wire.actions.to_message(action)) for action in actions]
            asked = plain(DECISIONS.to_message(decision)) if decision else None
            emit({"game_id": game_id, "version": version, "seat": seat, "decision": asked, "actions": messages})
            return True
        words = telling(client.wire.title.id)
        for number, action in enumerate(actions, 1):
            print(f"{number:>3}  {words.offer(action)}")
        if not actions:
            print(f"the game does not wait for seat {seat}" if decision else "the game is over")
    return True


async def replay(place: Place, game_id: str, *, as_json: bool) -> bool:
    """Fold a finished game from its first commit, tell it, and compare with what the server shows."""
    async with _game(place, game_id) as client:
        commits = await checking.record(client, game_id)
        found = await checking.replay(client, game_id, commits)
        if as_json:
            outcome = {"ok": found.ok, "version": found.version, "digest": found.digest, "difference": found.difference}
            emit({"game_id": game_id, "title": client.wire.title.id, **outcome})
            return found.ok
        console, seen = Console(), await client.view(game_id)
        stage = Stage(console, client.wire.title.id, seat_names(seen.seats))
        for commit in commits:
            stage.tell(commit)
        console.print(stage.picture(seen))
        print(told_replay(found))
    return found.ok


async def verify(place: Place, game_id: str, *, as_json: bool) -> bool:
    """Check every draw of a finished game against its revealed seed."""
    async with _game(place, game_id) as client:
        verdict = await checking.judge(client, await checking.record(client, game_id))
        if as_json:
            emit({"game_id": game_id, "title": client.wire.title.id, **judged(verdict)})
        else:
            print(told_verdict(verdict))
    return verdict.ok


def judged(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict for scripts."""
    first = verdict.difference
    found = {"ok": verdict.ok, "commits": verdict.commits, "draws": verdict.draws}
    if first is None:
        return {**found, "difference": None}
    place = {"version": first.version, "counter": first.counter, "label": first.label, "sentence": first.sentence}
    return {**found, "difference": place}


def told_replay(found: checking.Replay) -> str:
    """Say what replaying found."""
    if found.ok:
        digest = found.digest[:16]
        return f"replay: {found.version} commits from the first one lead to what the server shows (digest {digest}…)"
    return f"replay: {found.difference}"


def told_verdict(verdict: Verdict) -> str:
    """Say what verifying found, with the first difference if there is one."""
    first = verdict.difference
    if first is None:
        return f"verify: all {verdict.draws} draws follow from the seed that was committed to; every shuffle was honest"
    draw = (
        ""
        if first.label is None
        else f", draw {first.label!r}"
        if first.counter is None
        else (f", draw {first.counter} ({first.label!r})")
    )
    return f"verify: NOT HONEST at version {first.version}{draw}: {first.sentence}"


@contextlib.asynccontextmanager
async def _guest(place: Place, patience: float = 0.0) -> AsyncIterator[Connection]:
    async with Connection(place.target, place.token, patience) as connection:
        await connection.become_guest("Onlooker")
        yield connection


@contextlib.asynccontextmanager
async def _game(place: Place, game_id: str, patience: float = 0.0) -> AsyncIterator[TitleClient]:
    """Open the client of a game's title."""
    async with _guest(place, patience) as connection:
        title = place.title or await _title_of(connection, game_id)
        if title not in TITLES:
            raise CommandFailed(f"there is no title {title!r}; there are {', '.join(TITLES)}")
        yield TitleClient(wire(title), connection)


async def _title_of(connection: Connection, game_id: str) -> str:
    """Find out a game's title by asking each title for it."""
    *others, last = TITLES
    for title in others:
        try:
            await TitleClient(wire(title), connection).view(game_id)
        except grpc.aio.AioRpcError as error:
            if error.code() in _NOT_MINE:
                continue
            raise
        return title
    return last


async def _standing(connection: Connection, table: Any) -> dict[str, Any]:
    """Return one game for the list; a private one shows only that it exists."""
    row: dict[str, Any] = {"game_id": table.game_id, "title": table.title, "table_id": table.table_id, "players": []}
    row |= {"version": 0, "status": "private", "decision": None, "result": None}
    if table.title not in TITLES:
        return row
    client = TitleClient(wire(table.title), connection)
    try:
        seen = await client.view(table.game_id)
    except grpc.aio.AioRpcError as error:
        return row | {"status": reason_of(error).lower() or error.code().name.lower()}
    return row | _about(seen)


def _about(seen: Seen) -> dict[str, Any]:
    return {
        "players": list(seat_names(seen.seats)),
        "version": seen.version,
        "status": seen.status.value,
        "decision": plain(DECISIONS.to_message(seen.decision)) if seen.decision else None,
        "result": plain(RESULTS.to_message(seen.result)) if seen.result else None,
    }


def _seen(client: TitleClient, game_id: str, seen: Seen) -> dict[str, Any]:
    seats = [plain(SEATS.to_message(held)) for held in seen.seats]
    view = plain(client.wire.views.to_message(seen.view))
    return {"game_id": game_id, "title": client.wire.title.id, **_about(seen), "seats": seats, "view": view}


def _news(row: dict[str, Any]) -> str:
    """Say whom a game waits for, or who has won it."""
    if row["result"]:
        best = [one for one in row["result"]["standings"] if one["rank"] == 1]
        return ", ".join(f"{row['players'][one['seat']]} {one['total']}" for one in best)
    if row["decision"]:
        return ", ".join(row["players"][seat] for seat in row["decision"]["seats"])
    return ""
