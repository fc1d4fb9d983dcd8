"""Laws of the title contract, in every state that random legal play reaches, for every title."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import Any

import msgspec
import pytest

from shared.engine.title_wire import AnyTitle
from shared.rng import KeyedDraw, draw_below
from tests.conftest import ROOT
from tests.laws.changing import changes
from tests.laws.playing import fold, play, pool, refusal, seed_of, steps, variants, viewers
from tests.titles import TITLES, VARIANTS, WIRES

pytestmark = pytest.mark.parametrize("title", TITLES, ids=lambda title: str(title.id))


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


@pytest.mark.rule("INV-31", "SW-16.2")
def test_a_listed_action_with_anything_changed_is_refused(title: AnyTitle) -> None:
    """Another number, text, order, length or member of a word list: refused unless that is listed as well."""
    tried = 0
    for _, step in steps(title, every=11):
        for seat in range(step.variant.seats):
            legal = title.legal_actions(step.after, seat)
            for action in legal[:: max(1, len(legal) // 6)]:
                for other in changes(action):
                    tried += 1
                    assert (refusal(title, step.after, seat, other) is None) == (other in legal), other
    assert tried > 1_000


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
