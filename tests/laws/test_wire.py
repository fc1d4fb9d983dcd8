"""Laws of the codec and of stream entries, for whatever values their types allow."""

from __future__ import annotations

import enum
import types
import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.engine.platform import PlatformEvent
from shared.eventlog.log import FIELDS, Entry
from shared.wire import Codec
from strata.engine.v1 import platform_pb2
from tests.titles import WIRES

_TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**31), 2**31 - 1),
    str: _TEXT,
    bytes: st.binary(max_size=12),
    bool: st.booleans(),
}


def values_of(type_: Any) -> st.SearchStrategy[Any]:
    """Return every value a struct's annotation allows (integers as wide as the narrowest field)."""
    origin, arguments = typing.get_origin(type_), typing.get_args(type_)
    if type_ in _SCALARS:
        return _SCALARS[type_]
    if type_ is type(None):
        return st.none()
    if origin is tuple:
        return st.lists(values_of(arguments[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(_TEXT, _TEXT, max_size=3)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(values_of, arguments))
    if issubclass(type_, enum.Enum):
        return st.sampled_from(list(type_))
    hints = typing.get_type_hints(type_)
    return st.builds(type_, **{name: values_of(hints[name]) for name in type_.__struct_fields__})


CODECS: list[tuple[str, Any, Codec[Any, Any]]] = [
    ("platform event", PlatformEvent, Codec(PlatformEvent, platform_pb2.PlatformEvent))
]
for _title, _wire in WIRES.items():
    CODECS += [(f"{_title} action", _wire.title.actions, _wire.actions)]
    CODECS += [(f"{_title} event", _wire.title.events, _wire.events)]
    CODECS += [(f"{_title} view", _wire.title.view_type, _wire.views)]


@pytest.mark.parametrize(("type_", "codec"), [case[1:] for case in CODECS], ids=[case[0] for case in CODECS])
def test_whatever_a_type_allows_survives_the_wire(type_: Any, codec: Codec[Any, Any]) -> None:
    """Any value of a union or struct comes back from its bytes as it was."""

    @settings(max_examples=150, deadline=None)
    @given(values_of(type_))
    def holds(value: Any) -> None:
        assert codec.decode(codec.to_message(value).SerializeToString()) == value

    holds()


ENTRIES = st.builds(
    Entry,
    version=st.integers(1, 2**53),
    at=st.integers(0, 2**53),
    action=_TEXT,
    seat=st.none() | st.integers(0, 99),
    caller=_TEXT,
    request=_TEXT,
    body=st.binary(max_size=16),
    schema=_TEXT,
    status=_TEXT,
    waiting=st.lists(st.integers(0, 99), max_size=4).map(tuple),
    deadline=st.none() | st.integers(0, 2**53),
    before=st.binary(max_size=16),
    data=st.binary(max_size=64),
)


@given(ENTRIES)
def test_an_entry_survives_its_stream_fields(entry: Entry) -> None:
    """What is written as fields is read as the same entry, with the same digest."""
    again = Entry.from_fields(entry.version, entry.fields())
    assert again == entry
    assert again.digest() == entry.digest()


@given(ENTRIES, ENTRIES)
def test_entries_that_differ_have_different_digests(one: Entry, other: Entry) -> None:
    """Whichever field is changed, the digest changes: moving bytes from one field to the next does not hide it."""
    for name in ("version", *(field.decode() for field in FIELDS)):
        changed = msgspec.structs.replace(one, **{name: getattr(other, name)})
        assert (changed.digest() == one.digest()) == (changed == one)
