"""Every title speaks the same five calls with the same fields; only Action, Event and View are its own."""

from __future__ import annotations

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tests.titles import WIRES

_OWN = {"Action", "Event", "View"}
CALLS = {
    "SubmitAction": False,
    "GetView": False,
    "ListLegalActions": False,
    "WatchGame": True,
    "GetHistory": False,
}
FIELDS = {
    "SubmitActionRequest": ["game_id", "seat", "action", "request_id", "expected_version"],
    "SubmitActionResponse": ["commit", "decision"],
    "GetViewRequest": ["game_id", "seat", "version"],
    "GetViewResponse": ["version", "view", "status", "decision", "result", "seats"],
    "ListLegalActionsRequest": ["game_id", "seat"],
    "ListLegalActionsResponse": ["version", "decision", "actions"],
    "WatchGameRequest": ["game_id", "seat", "after_version", "include_view"],
    "WatchGameResponse": ["commits", "status", "decision", "view", "result"],
    "GetHistoryRequest": ["game_id", "seat", "after_version", "page_size"],
    "GetHistoryResponse": ["commits", "head_version"],
    "Commit": ["version", "at", "seat", "events", "platform_events", "action", "draws"],
}


def shape(descriptor: Descriptor, package: str) -> list[tuple[str, int, str]]:
    """Return the fields of a message: name, number and type, with the package of its own types left out."""

    def type_name(field: FieldDescriptor) -> str:
        if field.message_type is not None:
            return field.message_type.full_name.removeprefix(f"{package}.")
        return str(field.type)

    return [(field.name, field.number, type_name(field)) for field in descriptor.fields]


def test_every_title_has_the_same_calls() -> None:
    """Names and streaming of the five calls are fixed, and there is no sixth."""
    for wire in WIRES.values():
        assert {method.name: method.server_streaming for method in wire.service.methods} == CALLS


def test_every_title_has_the_same_messages() -> None:
    """Field names, numbers and types agree between all titles, but for what is a title's own."""
    shapes = {}
    for title, wire in WIRES.items():
        package = f"strata.{title}.v1"
        found = {name: shape(wire.message(name).DESCRIPTOR, package) for name in FIELDS}  # type: ignore[arg-type] # upb's own class
        assert {name: [field[0] for field in fields] for name, fields in found.items()} == FIELDS
        own = {type_ for fields in found.values() for _, _, type_ in fields if type_ in _OWN}
        assert own == _OWN
        shapes[title] = found
    first = next(iter(shapes.values()))
    assert all(found == first for found in shapes.values())
