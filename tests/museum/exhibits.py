"""Frozen streams of released versions: how they are kept, and how a new one is made.

An exhibit is a file of JSON lines: first what the game must come to, then one line for each stream entry (bytes in
hexadecimal). An exhibit is never changed; a release adds new ones: `python -m tests.museum.exhibits strange_world 4`.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from pathlib import Path
from typing import Any

import msgspec

from shared.config import SeedKey
from shared.engine.game import Game, replay
from shared.engine.platform import GameCreated, Player, Seat
from shared.engine.playing import Attempt, Playing, Request, body_digest
from shared.engine.sessions import Sessions
from shared.engine.title_wire import TitleWire
from shared.eventlog.log import Entry
from shared.eventlog.memory import MemoryEventLog
from shared.rng import KeyedDraw
from tests.titles import WIRES

FOLDER = Path(__file__).parent / "streams"
_BYTES = ("body", "before", "data")


class Label(msgspec.Struct, frozen=True):
    """What an exhibit must come to: its title, how many entries, a digest of all events, the totals by seat."""

    title: str
    entries: int
    events: str
    totals: tuple[int, ...]


def label(game: Game, entries: list[Entry]) -> Label:
    """Return what a folded game comes to."""
    result = game.result
    assert result is not None
    hasher = hashlib.sha256()
    for entry in entries:
        for event in game.read(entry).events:
            hasher.update(type(event).__name__.encode() + msgspec.json.encode(event, order="sorted"))
    totals = tuple(standing.total for standing in sorted(result.standings, key=lambda standing: standing.seat))
    return Label(game.wire.title.id, len(entries), hasher.hexdigest(), totals)


def load(path: Path) -> tuple[Label, list[Entry]]:
    """Read an exhibit."""
    first, *rest = path.read_bytes().splitlines()
    return msgspec.json.decode(first, type=Label), [_entry(msgspec.json.decode(line)) for line in rest]


def save(path: Path, entries: list[Entry], wire: TitleWire) -> None:
    """Write an exhibit; refuses to change one."""
    if path.exists():
        raise SystemExit(f"{path.name} is in the museum already and never changes")
    lines = [msgspec.json.encode(label(replay(wire, entries), entries)), *map(_line, entries)]
    path.write_bytes(b"\n".join(lines) + b"\n")


def _line(entry: Entry) -> bytes:
    fields = msgspec.structs.asdict(entry)
    return msgspec.json.encode(fields | {name: fields[name].hex() for name in _BYTES})


def _entry(fields: dict[str, Any]) -> Entry:
    waiting = {"waiting": tuple(fields["waiting"])}
    return Entry(**(fields | waiting | {name: bytes.fromhex(fields[name]) for name in _BYTES}))


async def play(wire: TitleWire, seats: int, options: dict[str, str]) -> list[Entry]:
    """Play one game with actions chosen by a keyed draw and return its stream."""
    log = MemoryEventLog()
    times = iter(range(1_767_225_600_000, 1_767_225_600_000 + 10_000_000, 1_000))
    playing = Playing(Sessions(wire, log, 10), log, (SeedKey("museum", bytes(32)),), lambda: next(times))
    title = wire.title
    created = GameCreated(
        game_id=f"museum-{seats}",
        title=title.id,
        table_id="museum",
        rules_version=title.rules_version,
        pack=title.pack(title.parse(options)),
        seats=tuple(Seat(seat, Player(f"p{seat}", f"Player {seat}")) for seat in range(seats)),
        options=options,
        key_id="museum",
        commitment=playing.commitment("museum", f"museum-{seats}"),
        entropies=tuple(b"%d" % seat for seat in range(seats)),
        private=False,
    )
    session = playing.sessions.session(created.game_id)
    await playing.create(session, Request("service:table", created.game_id, body_digest(b"create")), created)
    draw = KeyedDraw(b"which action")
    while (decision := session.game.decision) is not None:
        seat = decision.seats[draw.below(len(decision.seats), "seat")]
        options_now = title.legal_actions(session.game.state, seat)
        action = options_now[draw.below(len(options_now), "action")]
        request = Request(f"player:p{seat}", f"r{session.game.version}", body_digest(repr(action).encode()))
        await playing.act(session, request, Attempt(seat, action, None, lambda _: None))
    return await log.read(session.key)


def main(title: str, seats: str, *options: str) -> None:
    """Add an exhibit: title, seats, options as name=value."""
    wire, chosen = WIRES[title], dict(option.split("=", 1) for option in options)
    name = "-".join([f"v{wire.title.rules_version}", f"{seats}p", *sorted(chosen.values())])
    folder = FOLDER / title
    folder.mkdir(parents=True, exist_ok=True)
    save(folder / f"{name}.jsonl", asyncio.run(play(wire, int(seats), chosen)), wire)


if __name__ == "__main__":
    main(*sys.argv[1:])
