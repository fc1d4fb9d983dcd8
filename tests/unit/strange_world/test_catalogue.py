"""Nothing is left out: every rule, example and invariant has a test, and every kind and card turns up in play."""

from __future__ import annotations

import ast
import re
import typing
from functools import cache

import pytest

from services.strange_world.content import newest, shipped
from services.strange_world.rules import TITLE
from services.strange_world.rules.events import Cause, DarkCityBuilt, LandPlaced, LandsDesolated, TravellerWelcomed
from tests.conftest import ROOT
from tests.unit.strange_world.drawing import PAGE, sections
from tests.unit.strange_world.games import Game, game
from tests.unit.strange_world.test_examples import PLAYED

GAMES = 12
RULE = re.compile(r"^(?:- |\d+\. )\*\*(SW-\d+\.\d+|INV-\d+)\*\*", re.MULTILINE)


def listed() -> set[str]:
    """Return the ids of all rules, invariants and examples of the page."""
    return set(RULE.findall(PAGE)) | set(sections())


def carried() -> set[str]:
    """Return the ids that tests carry: literal ones of all test sources, and those of the drawn examples."""
    found = {mark.args[0] for param in PLAYED for mark in param.marks if isinstance(mark, pytest.Mark)}
    found |= {mark.mark.args[0] for param in PLAYED for mark in param.marks if isinstance(mark, pytest.MarkDecorator)}
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule":
                found |= {str(word.value) for word in node.args if isinstance(word, ast.Constant)}
    return found


def test_the_page_has_its_chapters() -> None:
    """Rules of 19 chapters, 40 invariants and 40 examples are found, so that no id is missed by the parser."""
    found = listed()
    numbers: dict[int, set[int]] = {}
    for chapter, rule in (map(int, name[3:].split(".")) for name in found if name.startswith("SW-")):
        numbers.setdefault(chapter, set()).add(rule)
    assert set(numbers) == set(range(1, 20))
    assert all(rules == set(range(1, len(rules) + 1)) for rules in numbers.values())
    assert {name for name in found if name.startswith("INV")} == {f"INV-{number:02}" for number in range(1, 41)}
    assert {name for name in found if name.startswith("EX")} == {f"EX-SW-{number:02}" for number in range(1, 41)}


def test_every_id_of_the_page_has_a_test() -> None:
    """A rule, invariant or example that no test carries is named here."""
    assert sorted(listed() - carried()) == []


def test_every_carried_id_is_on_the_page() -> None:
    """No test claims a rule of this title that does not exist."""
    ours = {name for name in carried() if name.startswith(("SW-", "EX-SW-"))}
    assert sorted(ours - listed()) == []


@cache
def played() -> tuple[Game, ...]:
    """Return random games of both packs and all numbers of seats."""
    packs = [pack.ref.id for pack in shipped()]
    return tuple(game(seats, number, pack=pack) for pack in packs for seats in (1, 2, 3, 4) for number in range(GAMES))


def test_every_kind_of_action_is_taken() -> None:
    """Random games answer with each member of the union of actions."""
    taken = {type(step.action) for told in played() for step in told.steps}
    assert taken == set(typing.get_args(TITLE.actions))


def test_every_kind_of_event_happens() -> None:
    """Random games write each member of the union of events."""
    happened = {type(event) for told in played() for event in told.events}
    assert happened == set(typing.get_args(TITLE.events))


def test_every_cause_flips_a_land() -> None:
    """Random games have each of the six causes."""
    causes = {
        cause for told in played() for event in told.of(LandsDesolated) for flip in event.flips for cause in flip.causes
    }
    assert causes == set(Cause)


@pytest.mark.parametrize("name", ["classic", "skyward"])
def test_every_land_is_placed(name: str) -> None:
    """Each Land of the pack is placed in some game, and each starting Land begins a World."""
    pack = newest(name)
    games = [told for told in played() if told.start.pack == pack.ref]
    assert {event.land for told in games for event in told.of(LandPlaced)} == {land.id for land in pack.deck}
    starts = {land for told in games for world in told.start.worlds for land in world.lands if land}
    assert starts == {land.id for land in pack.starting_lands}


def test_every_traveller_comes() -> None:
    """All eight Travellers are welcomed."""
    welcomed = {event.traveller for told in played() for event in told.of(TravellerWelcomed)}
    assert welcomed == {traveller.id for traveller in newest("classic").travellers}


def test_every_city_is_built() -> None:
    """All values are handed out; the fifth City, too rare for random games, is built in test_cities.py."""
    assert {event.value for told in played() for event in told.of(DarkCityBuilt)} == {9, 7, 5, 4}


def test_every_reason_is_given() -> None:
    """Each reason for which the rules refuse is expected by name in some unit test of the title or the kernel."""
    given = reasons("services/strange_world")
    assert given
    assert given <= reasons("tests/unit/strange_world") | reasons("tests/unit/kernel")


def reasons(folder: str) -> set[str]:
    """Return the members of `Reason` that the sources of a folder name."""
    return {
        node.attr
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Reason"
    }
