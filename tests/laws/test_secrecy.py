"""Laws of what a reader may know, in every state that random legal play reaches, for every title."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from shared.engine.title_wire import AnyTitle
from shared.rng import KeyedDraw
from tests.laws.playing import fold, play, pool, refusal, steps, viewers
from tests.titles import TITLES, VARIANTS

pytestmark = pytest.mark.parametrize("title", TITLES, ids=lambda title: str(title.id))


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
                assert title.view(other, 0) == view
            varied += len(samples) > 1
    assert varied > 0


def test_a_plausible_state_can_be_played_to_its_end(title: AnyTitle) -> None:
    """From a state invented in the middle of a game random play comes to a result, and views of all readers exist."""
    for count, step in steps(title, every=97):
        state = title.determinize(title.view(step.after, 0), KeyedDraw(b"end %d" % count))
        choice = KeyedDraw(b"end %d choices" % count)
        while (decision := title.decision(state)) is not None:
            assert title.view(title.determinize(title.view(state, None), choice), None) == title.view(state, None)
            actions = title.legal_actions(state, decision.seats[0])
            action = actions[choice.below(len(actions), "action")]
            state = fold(title, state, title.decide(state, decision.seats[0], action, choice))
        assert title.result(state) is not None


def test_what_others_may_do_is_not_known(title: AnyTitle) -> None:
    """Where a decision is not open, its options hang on hidden things: a hundred invented states offer different ones.

    A reader may happen to know them all the same, so this is held for most positions.
    """
    asked = varied = 0
    for count, step in steps(title, every=29):
        decision = title.decision(step.after)
        if decision is None or decision.open:
            continue
        reader = None if count % 2 else next((s for s in range(step.variant.seats) if s not in decision.seats), None)
        view = title.view(step.after, reader)
        invented = [title.determinize(view, KeyedDraw(b"%d/%d" % (count, sample))) for sample in range(100)]
        asked += 1
        varied += len({title.legal_actions(state, decision.seats[0]) for state in invented}) > 1
    assert varied > 0.8 * asked


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
