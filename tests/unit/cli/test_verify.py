"""Verifying a record: an honest one passes, and of every kind of falsehood the first difference is named."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest
from msgspec import Struct

from services.strange_world.rules.events import DeckShuffled, SunAssigned
from shared import rng
from shared.engine.game import Game
from shared.engine.platform import GameCreated, PlatformEvent, SeedRevealed, Undone
from shared.engine.title_wire import AnyCommit, AnyTitle, Commit
from shared.engine.verify import Difference, Verdict, verify
from shared.kernel import Drawn, PackRef
from shared.rng import DrawRecord
from tests.museum.exhibits import play
from tests.titles import WIRES

WIRE = WIRES["strange_world"]
TITLE = WIRE.title


@pytest.fixture(scope="module")
def commits() -> list[AnyCommit]:
    """The record of a whole game for three, as the public may read it afterwards."""
    game = Game(WIRE)
    return [game.apply(entry) for entry in asyncio.run(play(WIRE, 3, {}))]


def changed(commits: list[AnyCommit], place: int, **fields: Any) -> list[AnyCommit]:
    """Return the record with one commit falsified."""
    return [
        msgspec.structs.replace(commit, **fields) if number == place else commit
        for number, commit in enumerate(commits)
    ]


def with_event(commits: list[AnyCommit], kind: type[Any], change: Callable[[Any], Any]) -> list[AnyCommit]:
    """Return the record with the first commit's event of one kind falsified."""
    events = tuple(change(event) if isinstance(event, kind) else event for event in commits[0].events)
    return changed(commits, 0, events=events)


def with_draw(commits: list[AnyCommit], place: int, **fields: Any) -> list[AnyCommit]:
    """Return the record with one draw of the first commit falsified."""
    draws = list(commits[0].draws)
    draws[place] = msgspec.structs.replace(draws[place], **fields)
    return changed(commits, 0, draws=tuple(draws))


def found(commits: list[AnyCommit], published: bytes | None = None) -> Difference:
    """Return the difference that verifying must find."""
    difference = verify(TITLE, commits, published).difference
    assert difference is not None
    return difference


def test_an_honest_record_passes(commits: list[AnyCommit]) -> None:
    """Three starting Lands out of four take three draws, a deck of 45 takes 44, the first holder one: 48."""
    created = next(fact for fact in commits[0].platform_events if isinstance(fact, GameCreated))
    verdict = verify(TITLE, commits, created.commitment)
    assert verdict.ok, verdict.difference
    assert (verdict.commits, verdict.draws) == (len(commits), 48)


def test_a_changed_result_is_found(commits: list[AnyCommit]) -> None:
    """A draw with another result than the seed gives is named by version, counter and label."""
    first = commits[0].draws[3]
    other = found(with_draw(commits, 3, result=(first.result + 1) % first.bound))
    assert (other.version, other.counter, other.label) == (1, 3, "land_deck")


def test_a_changed_card_is_found(commits: list[AnyCommit]) -> None:
    """Two cards of the deck that changed places betray themselves where the shuffle leaves what was drawn."""

    def swap(event: DeckShuffled) -> DeckShuffled:
        order = list(event.order)
        order[10], order[20] = order[20], order[10]
        return msgspec.structs.replace(event, order=tuple(order))

    other = found(with_event(commits, DeckShuffled, swap))
    assert (other.version, other.counter, other.label) == (1, 3 + 10, "land_deck")


def test_a_changed_holder_is_found(commits: list[AnyCommit]) -> None:
    """The event must name the seat that was drawn, the last of 48 draws."""
    other = found(with_event(commits, SunAssigned, lambda event: SunAssigned((event.seat + 1) % 3)))
    assert (other.version, other.counter, other.label) == (1, 47, "first_holder")


def test_a_card_that_does_not_exist_is_found(commits: list[AnyCommit]) -> None:
    """An outcome that no draw can give is named by its version, not answered by a crash."""
    other = found(
        with_event(commits, DeckShuffled, lambda event: msgspec.structs.replace(event, order=("x", *event.order[1:])))
    )
    assert (other.version, other.counter) == (1, None)


def test_draws_that_are_missing_or_too_many_are_found(commits: list[AnyCommit]) -> None:
    """A draw that the events do not tell, and one that they tell without a record."""
    draws = commits[0].draws
    dropped = found(changed(commits, 0, draws=draws[:-1]))
    assert (dropped.version, dropped.label) == (1, "first_holder")
    seed = rng.game_seed(revealed(commits).server_seed, created(commits).entropies)
    extra = DrawRecord(48, "more", 6, rng.draw_below(seed, 48, "more", 6))
    added = found(changed(commits, 0, draws=(*draws, extra)))
    assert (added.version, added.counter, added.label) == (1, 48, "more")


def test_a_gap_in_the_counters_is_found(commits: list[AnyCommit]) -> None:
    """Draws are numbered without a gap, so that none can be drawn again until it suits."""
    other = found(with_draw(commits, 5, counter=6))
    assert (other.version, other.counter) == (1, 6)


def test_an_impossible_bound_is_found(commits: list[AnyCommit]) -> None:
    """A bound of nothing is no draw."""
    assert found(with_draw(commits, 5, bound=0)).counter == 5


def test_another_seed_than_promised_is_found(commits: list[AnyCommit]) -> None:
    """The revealed seed must hash to the commitment, and the commitment must be the one the table showed."""
    other = found(changed(commits, len(commits) - 1, platform_events=(SeedRevealed(bytes(32)),)))
    assert other.version == len(commits)
    assert "committed" in other.sentence
    assert "table" in found(commits, published=bytes(32)).sentence


def test_changed_entropy_is_found(commits: list[AnyCommit]) -> None:
    """The seats' entropies are part of every draw."""
    facts = (msgspec.structs.replace(created(commits), entropies=(b"0", b"1", b"other")),)
    assert found(changed(commits, 0, platform_events=facts)).counter == 0


def test_a_record_that_is_not_whole_is_found(commits: list[AnyCommit]) -> None:
    """A missing commit, a missing end and a missing beginning are named."""
    assert found([*commits[:4], *commits[5:]]).version == 5
    assert "not been revealed" in found(commits[:-1]).sentence
    assert found(commits[1:]).version == 1
    assert found([]).version == 0
    assert "created" in found(changed(commits, 0, platform_events=())).sentence


def created(commits: list[AnyCommit]) -> GameCreated:
    """Return how a record says that its game was created."""
    return next(fact for fact in commits[0].platform_events if isinstance(fact, GameCreated))


def revealed(commits: list[AnyCommit]) -> SeedRevealed:
    """Return the reveal at the end of a record."""
    return next(fact for fact in commits[-1].platform_events if isinstance(fact, SeedRevealed))


class DieRolled(Struct, frozen=True):
    """The one event of a game of dice."""

    face: int


class Dice(Struct, frozen=True):
    """A game of dice: how often was rolled, for which the bound of the next die is 6 more."""

    rolls: int = 0


class DiceTitle:
    """As much of a title as verifying asks for, with draws in every commit; its rules are newer than the record's."""

    rules_version = 99

    @staticmethod
    def evolve(state: Dice | None, event: DieRolled) -> Dice:
        """Count."""
        assert event.face >= 0
        return Dice((state.rolls if state else 0) + 1)

    @staticmethod
    def draws(before: Dice | None, event: DieRolled) -> tuple[Drawn, ...]:
        """Each roll has a die of its own."""
        return (Drawn("die", 6 * ((before.rolls if before else 0) + 1), event.face),)


def only_its_rules_are_not_at_hand(verdict: Verdict) -> bool:
    """Say whether every draw was right: what is left is that the dice's rules cannot be played again here."""
    return verdict.difference is not None and "cannot be played again" in verdict.difference.sentence


DICE = cast("AnyTitle", DiceTitle)
SEED = rng.server_seed(bytes(32), "dice")
GAME_SEED = rng.game_seed(SEED, ())


def roll(version: int, counter: int, rolls: int, *facts: PlatformEvent) -> AnyCommit:
    """Return a commit that rolls one die honestly, as draw `counter`, after so many rolls."""
    bound = 6 * (rolls + 1)
    face = rng.draw_below(GAME_SEED, counter, "die", bound)
    return dice_commit(version, facts, (DieRolled(face),), (DrawRecord(counter, "die", bound, face),))


def dice_commit(
    version: int, facts: tuple[PlatformEvent, ...], events: tuple[Any, ...] = (), draws: tuple[DrawRecord, ...] = ()
) -> AnyCommit:
    """Return a commit of the game of dice."""
    return Commit(version=version, at=0, seat=None, events=events, platform_events=facts, action=None, draws=draws)


DICE_CREATED = GameCreated(
    game_id="dice",
    title="dice",
    table_id="",
    rules_version=1,
    pack=PackRef("", 1, ""),
    seats=(),
    options={},
    key_id="",
    commitment=rng.commitment(SEED),
    entropies=(),
    private=False,
)


def test_counting_goes_back_with_an_undo() -> None:
    """After three rolls and an undo of two, the next roll is number 1 again and comes out the same."""
    record = [
        roll(1, 0, 0, DICE_CREATED),
        roll(2, 1, 1),
        roll(3, 2, 2),
        dice_commit(4, (Undone(1),)),
        roll(5, 1, 1),
        roll(6, 2, 2, SeedRevealed(SEED)),
    ]
    assert record[4].events == record[1].events
    assert only_its_rules_are_not_at_hand(verify(DICE, record))
    forgotten = [*record[:4], roll(5, 3, 1), *record[5:]]
    difference = verify(DICE, forgotten).difference
    assert difference is not None
    assert (difference.version, difference.counter) == (5, 3)


def test_an_undo_inside_what_was_undone_counts_what_is_left() -> None:
    """Undone(3), then Undone(2), then a roll: it follows the two rolls that are left."""
    record = [
        roll(1, 0, 0, DICE_CREATED),
        roll(2, 1, 1),
        roll(3, 2, 2),
        roll(4, 3, 3),
        dice_commit(5, (Undone(3),)),
        dice_commit(6, (Undone(2),)),
        roll(7, 2, 2, SeedRevealed(SEED)),
    ]
    assert only_its_rules_are_not_at_hand(verify(DICE, record))


def test_draws_after_the_reveal_are_found() -> None:
    """Once the seed is known a draw is no chance any more."""
    record = [roll(1, 0, 0, DICE_CREATED), roll(2, 1, 1, SeedRevealed(SEED)), roll(3, 2, 2)]
    difference = verify(DICE, record).difference
    assert difference is not None
    assert difference.version == 3
