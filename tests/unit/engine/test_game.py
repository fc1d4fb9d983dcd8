"""Folding a stream: undo, takeover, abort, and what a fold refuses."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from shared.engine.game import Damaged, Foreign, Game, replay
from shared.engine.platform import Automaton, GameAborted, PlatformEvent, Seat, SeatReplaced, Status, Undone
from shared.engine.title_wire import Commit
from shared.eventlog.log import Entry
from tests.museum.exhibits import play
from tests.titles import WIRES

WIRE = WIRES["strange_world"]


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    """The stream of a whole game for two."""
    return asyncio.run(play(WIRE, 2, {}))


def platform_entry(last: Entry, *facts: PlatformEvent) -> Entry:
    """Return the entry that follows `last` and holds facts of the platform alone."""
    commit: Any = Commit(
        version=last.version + 1, at=last.at, seat=None, events=(), platform_events=facts, action=None, draws=()
    )
    return msgspec.structs.replace(
        last,
        version=last.version + 1,
        seat=None,
        action="platform",
        caller="service:table",
        request=f"platform-{last.version}",
        before=last.digest(),
        data=WIRE.stored(commit),
    )


def test_an_undo_goes_back_and_versions_go_on(entries: list[Entry]) -> None:
    """After Undone(to=5) at version 13 everything is as at version 5, but the version is 13."""
    undone = platform_entry(entries[11], Undone(5))
    game, then = replay(WIRE, [*entries[:12], undone]), replay(WIRE, entries[:5])
    assert (game.version, game.state, game.decision) == (13, then.state, then.decision)
    assert game.counter == then.counter
    assert game.answered.keys() >= then.answered.keys()
    assert game.decision is not None
    assert all(game.changed[seat] == 13 for seat in game.decision.seats)


def test_what_was_undone_can_be_undone_further(entries: list[Entry]) -> None:
    """A second undo goes back along what was left by the first, never into what it removed."""
    first = platform_entry(entries[11], Undone(8))
    second = platform_entry(first, Undone(6))
    assert replay(WIRE, [*entries[:12], first, second]).state == replay(WIRE, entries[:6]).state
    into_removed = platform_entry(first, Undone(10))
    assert replay(WIRE, [*entries[:12], first, into_removed]).state == replay(WIRE, entries[:8]).state


def test_a_seat_is_replaced_and_a_game_aborted(entries: list[Entry]) -> None:
    """The platform's record changes, the title's state does not."""
    replaced = platform_entry(entries[3], SeatReplaced(Seat(1, Automaton("random"))))
    aborted = platform_entry(replaced, GameAborted("nobody came"))
    game = replay(WIRE, [*entries[:4], replaced, aborted])
    assert game.state == replay(WIRE, entries[:4]).state
    assert game.record is not None
    assert game.record.holder(1) == Automaton("random")
    assert game.record.holder(2) is None
    assert (game.status, game.result) == (Status.ABORTED, None)


def test_a_fold_refuses_what_does_not_follow(entries: list[Entry]) -> None:
    """A gap, a repeat, a changed predecessor and another title's entry are refused."""
    for bad in (entries[4], entries[2], msgspec.structs.replace(entries[3], before=b"x")):
        with pytest.raises(Damaged):
            replay(WIRE, [*entries[:3], bad])
    with pytest.raises(Foreign):
        Game(WIRE).apply(msgspec.structs.replace(entries[0], schema="another_title.1"))


def test_a_whole_stream_folds_to_an_end(entries: list[Entry]) -> None:
    """The game is over, everybody is ranked, and the finishing commit reveals the seed."""
    game = replay(WIRE, entries)
    assert game.status is Status.OVER
    assert game.result is not None
    assert sorted(standing.seat for standing in game.result.standings) == [0, 1]
    assert [type(fact).__name__ for fact in game.read(entries[-1]).platform_events] == ["SeedRevealed"]
