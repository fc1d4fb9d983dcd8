"""INV-39 and INV-40: what a reader cannot know does not reach it.

Games are told a second time with other hidden cards: every event of the log is rewritten, so that nothing depends on
how the engine itself invents hidden cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import Cell, PassOne, PassTwo, PickStack, PlaceLand
from services.strange_world.rules.events import PassesResolved, Passing, Transfer
from shared.rng import KeyedDraw
from tests.laws.playing import Step, fold, play, refusal, variants
from tests.laws.strange_world.tables import renamed, tables

Log = tuple[Any, ...]


class Moment(NamedTuple):
    """A position of a random game, the events that led to it, and what a reader (None: a spectator) has seen of it."""

    step: Step
    log: Log
    reader: int | None
    received: tuple[Any, ...]


def moments(every: int) -> Iterator[Moment]:
    """Return every so manieth position of every random game for one reader after the other, the end left out."""
    count = 0
    for variant, game in variants(TITLE):
        log: Log = ()
        for step in play(TITLE, variant, game):
            log += step.events
            count += 1
            if count % every == 0 and TITLE.decision(step.after) is not None:
                reader = (*range(variant.seats), None)[count // every % (variant.seats + 1)]
                yield Moment(step, log, reader, tuple(TITLE.redact(event, reader) for event in log))


def texts(value: Any) -> set[str]:
    """Return every text anywhere in a struct."""
    found: set[str] = set()
    stack = [msgspec.to_builtins(value)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.add(item)
        elif isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list | tuple):
            stack += item
    return found


def tried(moment: Moment, hidden: tuple[str, ...]) -> list[Any]:
    """Return actions that the reader may try: its legal ones, and some with cards that it cannot have seen."""
    one, two = (*hidden, "mo1", "mo2")[:2]
    strange = [PlaceLand(one, Cell(0, 1)), PassTwo((one, two)), PassOne(one), PickStack(1), PickStack(7)]
    return [*TITLE.legal_actions(moment.step.after, moment.reader or 0)[:12], *strange]


def same_to_reader(moment: Moment, other_log: Log, hidden: tuple[str, ...] = ()) -> None:
    """Check that a log told otherwise is the same to the reader, and goes on being so when the reader acts."""
    reader, state, other = moment.reader, moment.step.after, fold(TITLE, None, other_log)
    assert tuple(TITLE.redact(event, reader) for event in other_log) == moment.received
    assert TITLE.view(other, reader) == TITLE.view(state, reader)
    assert TITLE.decision(other) == TITLE.decision(state)
    if reader is None:
        return
    assert TITLE.legal_actions(other, reader) == TITLE.legal_actions(state, reader)
    for action in tried(moment, hidden):
        refused = refusal(TITLE, state, reader, action)
        assert refusal(TITLE, other, reader, action) == refused
        if refused is None:
            here, there = (TITLE.decide(at, reader, action, KeyedDraw(b"")) for at in (state, other))
            for event, event_there in zip(here, there, strict=True):
                if reader in TITLE.disclosed(state, event):
                    break
                assert TITLE.redact(event, reader) == TITLE.redact(event_there, reader)


@pytest.mark.rule("INV-40")
def test_views_show_no_card_that_was_not_seen() -> None:
    """Before the end a view names only cards that its reader saw in an event, or that are public."""
    seen: dict[int | None, set[str]] = {}
    for table in tables():
        step, lands = table.step, set(table.pack.lands)
        if step.before is None:
            seen = {viewer: set() for viewer in (*range(step.variant.seats), None)}
        for viewer in seen:
            for event in step.events:
                seen[viewer] |= texts(TITLE.redact(event, viewer)) & lands
            if TITLE.decision(step.after) is not None:
                assert texts(TITLE.view(step.after, viewer)) & lands <= seen[viewer]


@pytest.mark.rule("INV-39", "SW-15.1", "SW-15.4", "SW-15.11", "SW-15.12")
def test_cards_that_were_not_seen_may_be_any_others() -> None:
    """All cards the reader has not seen trade places: deck, other hands, sealed choices, passes, lower stack cards."""
    for number, moment in enumerate(moments(every=3)):
        pack = newest(moment.step.variant.options["pack"])
        seen = texts(moment.received)
        hidden = tuple(land for land in pack.deck_for(moment.step.variant.seats) if land not in seen)
        names = dict(zip(hidden, KeyedDraw(b"%d" % number).shuffle(hidden, "hidden"), strict=True))
        same_to_reader(moment, renamed(moment.log, names), hidden)


@pytest.mark.rule("INV-39", "SW-15.6", "SW-15.7", "SW-15.9")
def test_third_parties_may_have_passed_another_card() -> None:
    """In each pass two other seats moved a card that is still unplayed; had it been another one, all looks the same."""
    told = 0
    for moment in moments(every=1):
        for transfer, kept, gave in other_cards(moment):
            told += 1
            same_to_reader(moment, passed_otherwise(moment.log, transfer, kept, gave))
    assert told > 200


def other_cards(moment: Moment) -> Iterator[tuple[tuple[Passing, Transfer], str, str]]:
    """Return third-party transfers of this turn, each with a card its giver kept and one it gave.

    Both lie where that pass left them, and the kept one was there to be given: it came in with no later pass.
    """
    state = moment.step.after
    passes = {Passing.TWO: state.transfers[: state.seats], Passing.ONE: state.transfers[state.seats :]}
    for passing, moved in passes.items():
        for transfer in moved:
            if moment.reader in (transfer.giver, transfer.receiver):
                continue
            later = [*moved, *passes[Passing.ONE]]
            came = {land for other in later if other.receiver == transfer.giver for land in other.lands}
            kept = [land for land in state.hands[transfer.giver] if land not in came]
            gave = [land for land in transfer.lands if land in state.hands[transfer.receiver]]
            if kept and gave:
                yield (passing, transfer), kept[0], gave[0]


def passed_otherwise(log: Log, move: tuple[Passing, Transfer], kept: str, gave: str) -> Log:
    """Tell the last pass of a kind again, its giver having given the card it kept instead."""
    passing, transfer = move
    resolved = [n for n, event in enumerate(log) if isinstance(event, PassesResolved) and event.passing is passing]
    changed = list(log)
    for number in range(resolved[-1] - len(log[resolved[-1]].transfers), resolved[-1]):
        if log[number].seat == transfer.giver:
            changed[number] = renamed(log[number], {gave: kept})
    event = log[resolved[-1]]
    transfers = tuple(renamed(other, {gave: kept}) if other == transfer else other for other in event.transfers)
    changed[resolved[-1]] = msgspec.structs.replace(event, transfers=transfers)
    return tuple(changed)
