"""What is told of a commit and of a result, whatever the title."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from services.cli.stage import Stage, score_table
from services.cli.telling import platform
from services.cli.title_client import seat_names
from services.strange_world.rules.events import TurnEnded, TurnStarted
from shared.engine.platform import (
    Automaton,
    GameAborted,
    PlatformEvent,
    Player,
    Seat,
    SeatReplaced,
    SeedRevealed,
    Undone,
)
from shared.engine.title_wire import AnyCommit, Commit
from shared.kernel import Line, Result, Standing

NAMES = ("Ada", "Bo")


def printed(what: object) -> list[str]:
    """Return the lines of something drawn, without frames and styles."""
    console = Console(file=StringIO(), width=60, color_system=None)
    with console.capture() as capture:
        console.print(what)
    return [
        " ".join(line.strip("│┃ ").replace("│", " ").replace("┃", " ").split()) for line in capture.get().splitlines()
    ]


def test_seats_are_called_by_player_or_brain_with_a_number_where_needed() -> None:
    """Two that would be called alike get their seat's number."""
    seats = (Seat(0, Player("p", "Ada")), Seat(1, Automaton("greedy")), Seat(2, Automaton("greedy")))
    assert seat_names(seats) == ("Ada", "greedy 1", "greedy 2")
    assert seat_names(seats[:2]) == ("Ada", "greedy")


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (SeatReplaced(Seat(1, Automaton("random"))), "random takes over the seat of Bo"),
        (SeatReplaced(Seat(0, Player("c", "Cy"))), "Cy takes over the seat of Ada"),
        (Undone(7), "the game goes back to version 7"),
        (SeedRevealed(bytes(32)), "the server seed is revealed: 0000000000000000…"),
        (GameAborted("nobody came"), "the game is ended without a result: nobody came"),
    ],
)
def test_the_platforms_facts_have_words(fact: PlatformEvent, words: str) -> None:
    """Each kind of fact is told in a clause."""
    assert platform.tell(fact, NAMES) == words


def test_a_commit_is_one_line_in_the_order_things_happen() -> None:
    """Version first; an undo comes before what follows it, the reveal at the very end."""
    commit: AnyCommit = Commit(
        version=12,
        at=0,
        seat=0,
        events=(TurnEnded(1), TurnStarted(2, 1)),
        platform_events=(Undone(3), SeedRevealed(bytes(32))),
        action=None,
        draws=(),
    )
    line = Stage(Console(file=StringIO()), "strange_world", NAMES).line(commit)
    told = "the game goes back to version 3; turn 1 ends; turn 2 begins, Bo holds the Sun; the server seed is revealed"
    assert line.plain.startswith(f"  12  {told}")


def test_score_sheets_stand_best_first() -> None:
    """One column a seat, the winner at the left; the outcome of a solo game is the title."""

    def standing(seat: int, rank: int, water: int) -> Standing:
        return Standing(seat, rank, water + 1, (Line("water", water), Line("dark_city", 1)))

    table = printed(score_table(Result((standing(0, 2, 3), standing(1, 1, 5)), "at_home"), NAMES))
    assert table[0] == "at home"
    assert [line for line in table if line and line[0] not in "┏┡├└"][1:] == [
        "Bo Ada",
        "water 5 3",
        "dark city 1 1",
        "total 6 4",
        "rank 1 2",
    ]
