"""The rules of Strange World Above the Clouds, as one `Title` (docs/rules/strange-world.md)."""

from __future__ import annotations

from services.strange_world.rules.actions import Action
from services.strange_world.rules.decide import decide
from services.strange_world.rules.decisions import decision
from services.strange_world.rules.determinize import determinize
from services.strange_world.rules.events import Event
from services.strange_world.rules.evolve import evolve
from services.strange_world.rules.fairness import draws
from services.strange_world.rules.legal import legal_actions
from services.strange_world.rules.redact import disclosed, redact
from services.strange_world.rules.scoring import result
from services.strange_world.rules.setup import OPTIONS, SEATS, Settings, pack_ref, setup
from services.strange_world.rules.state import State
from services.strange_world.rules.view import view
from services.strange_world.rules.views import View
from shared.kernel import Title

__all__ = ["TITLE", "Action", "Event", "Settings", "State", "View"]

TITLE: Title[Settings, State, Action, Event, View] = Title(
    id="strange_world",
    name="Strange World Above the Clouds",
    rules_version=1,
    seats=SEATS,
    settings=Settings,
    options=OPTIONS,
    state=State,
    actions=Action,
    events=Event,
    view_type=View,
    pack=pack_ref,
    setup=setup,
    decide=decide,
    evolve=evolve,
    decision=decision,
    legal_actions=legal_actions,
    view=view,
    redact=redact,
    determinize=determinize,
    disclosed=disclosed,
    draws=draws,
    result=result,
)
