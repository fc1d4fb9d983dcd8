"""Laws of the title contract, in every state that random legal play reaches, for every title."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from shared.engine.title_wire import AnyTitle
from shared.rng import KeyedDraw, draw_below
from tests.conftest import ROOT
from tests.laws.playing import Step, fold, play, refusal, seed_of, variants
from tests.titles import TITLES, VARIANTS, WIRES

pytestmark = pytest.mark.parametrize("title", TITLES, ids=lambda title: str(title.id))
SAMPLES = 20


def steps(title: AnyTitle, every: int = 1) -> Iterator[tuple[int, Step]]:
    """Return the steps of all random games, or every so manieth, counted over all games."""
    count = 0
    for variant, game in variants(title):
        for step in play(title, variant, game):
            count += 1
            if count % every == 0:
                yield count, step


def viewers(step: Step) -> tuple[int | None, ...]:
    """Return everybody who may look: all seats and a spectator."""
    return (*range(step.variant.seats), None)


def pool(title: AnyTitle) -> list[Any]:
    """Return actions of every kind from one game of each variant, to be tried where they may not fit."""
    found: dict[bytes, Any] = {}
    for variant in VARIANTS[title.id]:
        for step in play(title, variant, 1):
            if step.action is not None:
                found[type(step.action).__name__.encode() + msgspec.json.encode(step.action)] = step.action
    return [action for _, action in sorted(found.items())][:: max(1, len(found) // 150)]


@pytest.mark.rule("INV-31", "SW-16.2")
def test_what_is_listed_is_accepted_and_nothing_else(title: AnyTitle) -> None:
    """Every listed action is accepted, all differ; every other one is refused; the state never changes."""
    others = pool(title)
    for _, step in steps(title, every=7):
        decision = title.decision(step.after)
        frozen = msgspec.msgpack.encode(step.after)
        for seat in range(step.variant.seats):
            legal = title.legal_actions(step.after, seat)
            asked = decision is not None and seat in decision.seats
            assert bool(legal) == asked
            assert len({msgspec.json.encode([type(action).__name__, action]) for action in legal}) == len(legal)
            for action in legal:
                assert refusal(title, step.after, seat, action) is None
            for action in others:
                assert (refusal(title, step.after, seat, action) is None) == (action in legal)
        assert msgspec.msgpack.encode(step.after) == frozen


@pytest.mark.rule("INV-37", "SW-17.2")
def test_folding_the_events_gives_the_running_state(title: AnyTitle) -> None:
    """A game folded from its events alone ends in the state that live play ended in."""
    for variant, game in variants(title):
        events: list[Any] = []
        last = None
        for step in play(title, variant, game):
            events += step.events
            last = step.after
        assert fold(title, None, tuple(events)) == last


def test_every_game_ends_with_a_ranking(title: AnyTitle) -> None:
    """Random play ends; then there is no decision, a result with every seat, and sums that are right."""
    for variant, game in variants(title):
        *_, last = play(title, variant, game)
        result = title.result(last.after)
        assert title.decision(last.after) is None
        assert result is not None
        assert sorted(standing.seat for standing in result.standings) == list(range(variant.seats))
        for standing in result.standings:
            assert standing.total == sum(line.points for line in standing.lines)
        assert title.result(last.before) is None
        assert refusal(title, last.after, last.seat, last.action) is not None


def test_the_draws_of_a_commit_are_those_its_events_state(title: AnyTitle) -> None:
    """Each recorded draw follows from the seed, and the events state exactly the recorded draws in their order."""
    for variant, game in variants(title):
        counter = 0
        for step in play(title, variant, game):
            state, claimed = step.before, list[Any]()
            for event in step.events:
                claimed += title.draws(state, event)
                state = title.evolve(state, event)
            assert [(d.label, d.bound, d.result) for d in claimed] == [(d.label, d.bound, d.result) for d in step.draws]
            for record in step.draws:
                assert record.counter == counter
                assert record.result == draw_below(seed_of(title, variant, game), counter, record.label, record.bound)
                counter += 1


def test_the_wire_carries_everything(title: AnyTitle) -> None:
    """Every action, event (redacted too) and view survives the way to bytes and back."""
    wire = WIRES[title.id]
    for _, step in steps(title, every=3):
        if step.action is not None:
            assert wire.actions.decode(wire.actions.to_message(step.action).SerializeToString()) == step.action
        for event in step.events:
            assert wire.events.decode(wire.events.to_message(event).SerializeToString()) == event
            for viewer in viewers(step):
                seen = title.redact(event, viewer)
                if seen is not None:
                    assert wire.events.decode(wire.events.to_message(seen).SerializeToString()) == seen
        view = title.view(step.after, 0)
        assert wire.views.decode(wire.views.to_message(view).SerializeToString()) == view


def test_redacting_twice_is_redacting_once_and_spectators_see_least(title: AnyTitle) -> None:
    """Redacting again changes nothing, and what a spectator sees follows from what any seat sees."""
    for _, step in steps(title, every=3):
        for event in step.events:
            public = title.redact(event, None)
            for seat in range(step.variant.seats):
                seen = title.redact(event, seat)
                if seen is None:
                    assert public is None
                    continue
                assert title.redact(seen, seat) == seen
                assert title.redact(seen, None) == public


def test_a_plausible_state_looks_the_same(title: AnyTitle) -> None:
    """view(determinize(v)) == v for every viewer in every position."""
    for count, step in steps(title, every=5):
        for viewer in viewers(step):
            view = title.view(step.after, viewer)
            for sample in range(3):
                other = title.determinize(view, KeyedDraw(b"%d/%d" % (count, sample)))
                assert title.view(other, viewer) == view


def test_a_thousand_plausible_states_vary(title: AnyTitle) -> None:
    """Where something is hidden, a thousand samples all look the same to the viewer, and are not all the same."""
    varied = 0
    for variant in VARIANTS[title.id][:: max(1, len(VARIANTS[title.id]) // 4)]:
        positions = list(play(title, variant, 0))
        for step in (positions[len(positions) // 6], positions[len(positions) // 2]):
            view = title.view(step.after, 0)
            samples = set()
            for sample in range(1_000):
                other = title.determinize(view, KeyedDraw(b"%d" % sample))
                samples.add(msgspec.msgpack.encode(other))
                assert sample % 20 or title.view(other, 0) == view
            varied += len(samples) > 1
    assert varied > 0


@pytest.mark.rule("INV-39", "SW-15.11")
def test_what_a_seat_cannot_know_changes_nothing_it_receives(title: AnyTitle) -> None:
    """Non-interference: put another state in the place that looks the same to a viewer.

    Legal actions, refusals, decisions, and every redacted event that does not disclose anything to the viewer must
    come out the same (to a spectator only an event that is wholly public may disclose anything). Where another seat
    acts on cards the viewer cannot see, it takes any of its own legal actions.
    """
    others = pool(title)[::10]
    for count, step in steps(title, every=5):
        decision = title.decision(step.after)
        for viewer in viewers(step):
            other = title.determinize(title.view(step.after, viewer), KeyedDraw(b"secrecy %d" % count))
            assert title.decision(other) == decision
            if viewer is not None:
                assert title.legal_actions(step.after, viewer) == title.legal_actions(other, viewer)
                for action in others:
                    assert refusal(title, step.after, viewer, action) == refusal(title, other, viewer, action)
            for seat in decision.seats if decision else ():
                _compare(title, step.after, other, seat, viewer)


def _compare(title: AnyTitle, state: Any, other: Any, seat: int, viewer: int | None) -> None:
    """Let a seat act in both states as alike as it can, and compare what the viewer receives."""
    legal, legal_there = title.legal_actions(state, seat), title.legal_actions(other, seat)
    action = legal[len(legal) // 2]
    action_there = action if action in legal_there else legal_there[len(legal_there) // 2]
    here = title.decide(state, seat, action, KeyedDraw(b"same"))
    there = title.decide(other, seat, action_there, KeyedDraw(b"same"))
    for event, event_there in zip(here, there, strict=False):
        seen, seen_there = title.redact(event, viewer), title.redact(event_there, viewer)
        if viewer in title.disclosed(state, event) or (viewer is None and seen == event and seen != seen_there):
            break
        assert seen == seen_there
        state, other = title.evolve(state, event), title.evolve(other, event_there)


@pytest.mark.rule("INV-38", "SW-4.9")
def test_the_order_of_sealed_answers_changes_nothing(title: AnyTitle) -> None:
    """Where several seats choose at the same time, first-to-last and last-to-first lead to the same state."""
    tried = 0
    for _, step in steps(title):
        decision = title.decision(step.after)
        if decision is None or len(decision.seats) < 2:
            continue
        tried += 1
        ends = []
        for order in (decision.seats, decision.seats[::-1]):
            state = step.after
            for seat in order:
                action = title.legal_actions(step.after, seat)[-1]
                state = fold(title, state, title.decide(state, seat, action, KeyedDraw(b"order")))
            ends.append(state)
        assert ends[0] == ends[1]
    assert tried > 0 or title.seats == (1,)


def digest(title: AnyTitle) -> str:
    """Return the digest of all events and options of one game of each variant."""
    hasher = hashlib.sha256()
    for variant in VARIANTS[title.id]:
        for step in play(title, variant, 0):
            for event in step.events:
                hasher.update(type(event).__name__.encode() + msgspec.json.encode(event))
            for seat in range(variant.seats):
                hasher.update(msgspec.json.encode(title.legal_actions(step.after, seat)))
    return hasher.hexdigest()


@pytest.mark.rule("INV-37")
def test_the_same_seed_gives_the_same_game_under_another_hash_seed(title: AnyTitle) -> None:
    """Nothing depends on the order of sets: another PYTHONHASHSEED gives the same events and lists."""
    code = (
        "from tests.titles import WIRES; from tests.laws.test_titles import digest; "
        f"print(digest(WIRES[{title.id!r}].title))"
    )
    path = os.pathsep.join((str(ROOT), str(ROOT / "shared" / "gen")))
    found = set()
    for hash_seed in ("1", "2"):
        environ = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path}
        done = subprocess.run(
            (sys.executable, "-c", code), env=environ, cwd=ROOT, capture_output=True, text=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1
