"""What a script reads: one JSON object on a line, made of messages as the API defines them.

Unlike protobuf's own JSON, whole numbers stay numbers, bytes are hexadecimal, and field names are those of the protos.
"""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.message import Message


def plain(message: Message) -> dict[str, Any]:
    """Return a message as dicts, lists, texts, numbers and truth values; what is absent is left out."""
    return {
        field.name: _field(field, getattr(message, field.name))
        for field in message.DESCRIPTOR.fields
        if not field.has_presence or message.HasField(field.name)
    }


def emit(value: dict[str, Any]) -> None:
    """Print one object on one line of stdout."""
    print(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")), flush=True)


def _field(field: Any, value: Any) -> Any:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return dict(sorted(value.items()))
    if field.is_repeated:
        return [_single(field, item) for item in value]
    return _single(field, value)


def _single(field: Any, value: Any) -> Any:
    if isinstance(value, Message):
        return plain(value)
    if field.enum_type is not None:
        return _member(field, value)
    return value.hex() if isinstance(value, bytes) else value


def _member(field: Any, number: int) -> str | int:
    """Return an enum's value without the prefix that protos put before it: `DIRECTION_LEFT` as `left`."""
    enum = field.enum_type
    if number not in enum.values_by_number:
        return number
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return str(enum.values_by_number[number].name.removeprefix(prefix).lower())
