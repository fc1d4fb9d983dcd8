"""Actions that are almost the given one: everything a struct holds, changed a little, whatever the title."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace


def changes(value: Any) -> Iterator[Any]:
    """Return values of the same type that differ from this one in one place."""
    if isinstance(value, Struct):
        for field in value.__struct_fields__:
            for other in changes(getattr(value, field)):
                yield replace(value, **{field: other})
    elif isinstance(value, Enum):
        yield from (member for member in type(value) if member is not value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value - 1, value + 1, -value - 1, value + 8, value + 1_000, -(10**9))
    elif isinstance(value, str):
        yield from ("", value.upper(), f"{value}0", f" {value}", "nothing")
    elif isinstance(value, tuple):
        yield from (other for other in (value[::-1], value + value, value[:-1], (), value * 1_000) if other != value)
        for number, item in enumerate(value):
            yield from ((*value[:number], other, *value[number + 1 :]) for other in changes(item))
