"""One entry of a feed as append.lua writes it: which stream moved, and the id of the feed entry before.

An entry that is not of this form was written by somebody else. Feeds are hints, so it stops nobody: a reader with a
cursor is sent to reread the heads, a group has it acknowledged and forgotten.
"""

from __future__ import annotations

from typing import Any, Final

from shared.eventlog.keys import BEGINNING, key_of
from shared.eventlog.log import Moved

Item = list[Any]
"""What the store gives for an entry: its id, and names and values in turn."""

NAMES: Final = [b"k", b"t", b"v", b"s", b"w", b"p"]


def moved_of(item: Item) -> Moved | None:
    """Return what an entry says; None when it is not ours."""
    fields = item[1]
    if fields[::2] != NAMES:
        return None
    name, title, version, status, waiting, _ = fields[1::2]
    try:
        seats = tuple(map(int, waiting.split(b","))) if waiting else ()
        return Moved(key_of(name), title.decode(), int(version), status.decode(), seats)
    except ValueError:
        return None


def before_of(item: Item) -> str:
    """Return the id of the entry before this one, `0-0` when there was none or the entry is not ours."""
    fields = item[1]
    return str(fields[-1], "ascii", "replace") if fields[::2] == NAMES else BEGINNING


def order(identity: str) -> tuple[int, int]:
    """Return what an id sorts by."""
    milliseconds, _, sequence = identity.partition("-")
    return int(milliseconds), int(sequence)
