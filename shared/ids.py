"""Identifiers: how they are made and what is accepted from outside."""

from __future__ import annotations

import re
import secrets
import unicodedata

from shared.errors import Fault, Problem

_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_REQUEST = re.compile(r"[\x21-\x7e]{1,64}")
NAME_LIMIT = 40


def new_id(length: int = 20) -> str:
    """Return a fresh random id of `length` characters (5 bits each) that can be read aloud."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def check_id(value: str, what: str) -> str:
    """Return `value` if it can be an id of something; raises `Problem(BAD_ID)` otherwise, without echoing it."""
    if not _ID.fullmatch(value):
        raise Problem(Fault.BAD_ID, f"{what} must be 1 to 64 characters out of a-z, 0-9, '-' and '_'")
    return value


def check_request_id(value: str) -> str:
    """Return `value` if it can be a request id; raises `Problem(BAD_ID)` otherwise."""
    if not _REQUEST.fullmatch(value):
        raise Problem(Fault.BAD_ID, "request_id must be 1 to 64 printable ASCII characters without blanks")
    return value


def check_name(value: str) -> str:
    """Return a display name with its outer blanks cut off; raises `Problem(BAD_NAME)` if nobody could read it."""
    name = unicodedata.normalize("NFC", value[: 4 * NAME_LIMIT + 1].strip())
    if not 1 <= len(name) <= NAME_LIMIT or len(value) > 4 * NAME_LIMIT:
        raise Problem(Fault.BAD_NAME, f"a display name has 1 to {NAME_LIMIT} characters")
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in name):
        raise Problem(Fault.BAD_NAME, "a display name cannot hold control or invisible characters")
    return name
