"""Strange World Above the Clouds as a service: its rules joined to its messages."""

from __future__ import annotations

from services.strange_world.rules import TITLE
from shared.engine.title_wire import TitleWire
from strata.strange_world.v1 import service_pb2


def wire() -> TitleWire:
    """Return the title with its codecs; raises `shared.wire.Mismatch` when rules and protos disagree."""
    return TitleWire(TITLE, service_pb2.DESCRIPTOR)
