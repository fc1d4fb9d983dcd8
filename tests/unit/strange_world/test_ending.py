"""SW-12: the end of the game."""

from __future__ import annotations

import pytest

from services.strange_world.rules import TITLE, Event
from services.strange_world.rules.board import left_and_right, top_and_bottom
from services.strange_world.rules.events import GameEnded, LandPlaced, TurnEnded, WorldsScored
from services.strange_world.rules.phases import GameOver
from shared.kernel import Result
from tests.unit.strange_world.building import fold
from tests.unit.strange_world.endings import before_last_play, end
from tests.unit.strange_world.games import game


def ended(events: tuple[Event, ...]) -> GameEnded:
    """Return the last event."""
    last = events[-1]
    assert isinstance(last, GameEnded)
    return last


def result(*totals: int) -> Result:
    """Return the result of a game that ends with these totals."""
    found = TITLE.result(fold(end(*totals), before_last_play(totals)))
    assert found is not None
    return found


@pytest.mark.rule("SW-12.1", "SW-12.2", "INV-03")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_the_game_ends_with_full_worlds(seats: int) -> None:
    """After turn 5 every World is a 4 x 4 square: its starting Land and three cards of each turn."""
    told = game(seats)
    state = told.states[-1]
    assert isinstance(state.phase, GameOver)
    assert TITLE.decision(state) is None
    for seat, world in enumerate(state.worlds):
        assert world.occupied.bit_count() == 16
        for first, last in (left_and_right(world.occupied), top_and_bottom(world.occupied)):
            assert last - first == 3
        assert sum(event.seat == seat for event in told.of(LandPlaced)) == 15
    assert isinstance(told.events[-1], GameEnded)
    assert len(told.of(GameEnded)) == 1
    assert told.of(TurnEnded)[-1].turn == 5


@pytest.mark.rule("SW-12.3")
def test_the_highest_total_wins() -> None:
    """Of 40, 62, 61 seat 1 wins alone."""
    assert ended(end(40, 62, 61)) == GameEnded(ranks=(3, 1, 2), winners=(1,), level=None)


@pytest.mark.rule("SW-12.4")
@pytest.mark.parametrize(
    ("totals", "winners"),
    [((50, 50), (0, 1)), ((61, 61, 50), (0, 1)), ((50, 61, 50, 61), (1, 3)), ((7, 7, 7), (0, 1, 2))],
)
def test_a_tie_is_a_shared_victory(totals: tuple[int, ...], winners: tuple[int, ...]) -> None:
    """All seats with the highest total win."""
    assert ended(end(*totals)).winners == winners


@pytest.mark.rule("SW-12.5")
@pytest.mark.parametrize(
    ("totals", "ranks"), [((58, 61, 58, 40), (2, 1, 2, 4)), ((61, 61, 50), (1, 1, 3)), ((45, 70), (2, 1))]
)
def test_a_rank_counts_the_higher_totals(totals: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    """Equal totals share a rank, and the next one is left out."""
    assert ended(end(*totals)).ranks == ranks
    assert [(standing.rank, standing.total) for standing in result(*totals).standings] == list(
        zip(ranks, totals, strict=True)
    )


@pytest.mark.rule("SW-12.6", "SW-14.14")
@pytest.mark.parametrize(
    ("total", "level", "code"),
    [
        (1, 1, "devoured"),
        (59, 1, "devoured"),
        (60, 2, "expelled"),
        (69, 2, "expelled"),
        (70, 3, "tolerated"),
        (74, 3, "tolerated"),
        (75, 4, "at_home"),
        (79, 4, "at_home"),
        (80, 5, "master"),
        (104, 5, "master"),
    ],
)
def test_solo_has_a_level_and_no_winner(total: int, level: int, code: str) -> None:
    """The bounds of table 4.8 are included."""
    assert ended(end(total)) == GameEnded(ranks=(1,), winners=(), level=level)
    assert result(total).outcome == code


@pytest.mark.rule("SW-12.6")
def test_several_seats_have_no_level() -> None:
    """The outcome of a game of two is in its ranks alone."""
    assert ended(end(80, 40)).level is None
    assert result(80, 40).outcome == ""


@pytest.mark.rule("SW-17.4")
def test_the_last_play_is_followed_by_the_end() -> None:
    """TurnEnded, WorldsScored and GameEnded come in this order with the last play, without another decision."""
    events = end(58, 61)
    assert [type(event) for event in events[-3:]] == [TurnEnded, WorldsScored, GameEnded]
    assert TITLE.decision(fold(events, before_last_play((58, 61)))) is None
    told = game(4)
    assert [type(event) for event in told.steps[-1].events[-3:]] == [TurnEnded, WorldsScored, GameEnded]


@pytest.mark.rule("SW-12.1")
def test_a_running_game_has_no_result() -> None:
    """Before the end there is nothing to rank."""
    assert TITLE.result(before_last_play((50, 60))) is None
