"""What a table allows, and what its facts make of it, without any service around."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.table import decide
from services.table.events import (
    Access,
    EntropyGiven,
    GameStarted,
    GameStarting,
    HostPassed,
    SeatLeft,
    SeatTaken,
    StartFailed,
    TableClosed,
    TableEvent,
    TableOpened,
)
from services.table.state import Table, TableStatus, evolve
from shared.engine.platform import Automaton, Player, Seat
from shared.errors import Problem

ANN, BOB, CID = (Player(name, name.title()) for name in ("ann", "bob", "cid"))
RANDOM = Automaton("random")


def taken(seat: int, holder: Player | Automaton) -> SeatTaken:
    return SeatTaken(Seat(seat, holder))


def table(*events: TableEvent, seats: int = 3) -> Table:
    """A table of ann's, with her on seat 0, after further events."""
    opened = TableOpened("t", "some_title", seats, {}, Access.PUBLIC, "ann", "g", "k1", bytes(32), 1)
    folded = evolve(evolve(None, opened), taken(0, ANN))
    for event in events:
        folded = evolve(folded, event)
    return folded


STARTING = table(taken(1, BOB), GameStarting(), seats=2)
STARTED = table(taken(1, BOB), GameStarting(), GameStarted(), seats=2)
CLOSED = table(SeatLeft(0), TableClosed())


def test_a_player_gets_the_lowest_free_seat() -> None:
    """Seat 1 was left, so it is taken before seat 3 would be."""
    gathered = table(taken(1, BOB), taken(2, RANDOM), SeatLeft(1), seats=4)
    assert decide.join(gathered, CID) == (taken(1, CID),)


def test_entropy_belongs_to_who_sits_and_a_later_one_counts() -> None:
    """Bob's second share replaces his first; when he leaves it goes with him; who does not sit gives none."""
    gathered = table(taken(1, BOB), EntropyGiven(1, b"first"), EntropyGiven(1, b"second"))
    assert [gathered.entropy_of(seat) for seat in (0, 1, 2)] == [b"", b"second", b""]
    assert decide.give_entropy(gathered, "bob", b"third") == (EntropyGiven(1, b"third"),)
    assert evolve(evolve(gathered, SeatLeft(1)), taken(1, CID)).entropy_of(1) == b""
    with pytest.raises(Problem, match="only who sits"):
        decide.give_entropy(gathered, "cid", b"luck")
    with pytest.raises(Problem, match="can no longer be changed"):
        decide.give_entropy(STARTED, "ann", b"luck")


@pytest.mark.parametrize("state", [table(), STARTING, STARTED])
def test_who_sits_already_stays_whatever_the_table_does(state: Table) -> None:
    """Joining a second time changes nothing, and is no failure once the game has begun."""
    assert decide.join(state, ANN) == ()


def test_who_does_not_sit_cannot_leave() -> None:
    """Leaving a table that one does not sit at changes nothing, also after it has started."""
    assert decide.leave(table(), "cid") == ()
    assert decide.leave(STARTED, "cid") == ()


def test_the_host_passes_to_the_player_on_the_lowest_seat() -> None:
    """An automaton on a lower seat is passed over; another player who leaves takes no host along."""
    gathered = table(taken(1, RANDOM), taken(2, CID))
    assert decide.leave(gathered, "ann") == (SeatLeft(0), HostPassed("cid"))
    assert decide.leave(gathered, "cid") == (SeatLeft(2),)


def test_the_last_player_closes_the_table() -> None:
    """A table with automata only has nobody to start it: it closes."""
    assert decide.leave(table(taken(1, RANDOM)), "ann") == (SeatLeft(0), TableClosed())


def test_starting_twice_is_starting_once() -> None:
    """A full table begins to start; one that starts or has started does nothing more."""
    assert decide.start(table(taken(1, BOB), seats=2), "ann") == (GameStarting(),)
    assert decide.start(STARTING, "ann") == ()
    assert decide.start(STARTED, "ann") == ()


@pytest.mark.parametrize("state", [table(taken(1, BOB), seats=2), STARTED, CLOSED])
def test_only_a_starting_table_hears_of_its_start(state: Table) -> None:
    """News of a start that is over already changes nothing."""
    assert decide.started(state) == ()
    assert decide.start_failed(state, "why") == ()


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (lambda: decide.join(table(taken(1, BOB), seats=2), CID), "TABLE_FULL"),
        (lambda: decide.join(STARTING, CID), "WRONG_STATUS"),
        (lambda: decide.join(CLOSED, CID), "WRONG_STATUS"),
        (lambda: decide.leave(STARTING, "bob"), "WRONG_STATUS"),
        (lambda: decide.leave(STARTED, "ann"), "WRONG_STATUS"),
        (lambda: decide.add_automaton(table(), "bob", "random"), "NOT_ALLOWED"),
        (lambda: decide.add_automaton(table(taken(1, BOB), seats=2), "ann", "random"), "TABLE_FULL"),
        (lambda: decide.add_automaton(STARTED, "ann", "random"), "WRONG_STATUS"),
        (lambda: decide.remove_automaton(table(taken(1, RANDOM)), "bob", 1), "NOT_ALLOWED"),
        (lambda: decide.remove_automaton(table(taken(1, BOB)), "ann", 1), "UNKNOWN_SEAT"),
        (lambda: decide.remove_automaton(table(), "ann", 2), "UNKNOWN_SEAT"),
        (lambda: decide.remove_automaton(table(), "ann", -1), "UNKNOWN_SEAT"),
        (lambda: decide.start(table(), "ann"), "TABLE_NOT_FULL"),
        (lambda: decide.start(table(taken(1, BOB), seats=2), "bob"), "NOT_ALLOWED"),
        (lambda: decide.start(CLOSED, "ann"), "WRONG_STATUS"),
    ],
)
def test_what_a_table_refuses(command: Callable[[], object], reason: str) -> None:
    """Each command that cannot be carried out has its reason and a sentence."""
    with pytest.raises(Problem) as caught:
        command()
    assert caught.value.reason == reason
    assert caught.value.sentence


def test_a_failed_start_gathers_again_and_the_next_one_forgets_why() -> None:
    """The failure stays readable until somebody starts again; seats and entropies are kept."""
    failed = evolve(STARTING, StartFailed("no such key"))
    assert (failed.status, failed.failure) == (TableStatus.GATHERING, "no such key")
    assert failed.seats == STARTING.seats
    again = evolve(failed, GameStarting())
    assert (again.status, again.failure) == (TableStatus.STARTING, "")


def test_seats_are_told_in_order_however_they_were_taken() -> None:
    """Seats and entropies go to the engine in seat order, so a seat taken late but lower comes first."""
    gathered = table(taken(2, CID), EntropyGiven(2, b"c"), taken(1, BOB), EntropyGiven(1, b"b"))
    assert [seat.seat for seat in gathered.seats] == [0, 1, 2]
    assert [gathered.entropy_of(seat.seat) for seat in gathered.seats] == [b"", b"b", b"c"]


def test_a_table_begins_with_being_opened() -> None:
    """A stream that begins with anything else is no table."""
    with pytest.raises(ValueError, match="begins with TableOpened"):
        evolve(None, GameStarted())
