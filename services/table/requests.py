"""What a request to the table service must look like before anything is asked of a table, and how it is told apart.

Limits: 32 options of 64 characters, 64 bytes of entropy, pages of 1 to 100 tables. An enum value that is not known
here is refused, never taken for another one.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from services.table.events import Access
from services.table.state import TableStatus
from shared.auth import Caller
from shared.engine.internal import ENTROPY_LIMIT
from shared.engine.playing import Request, body_digest, caller_name
from shared.errors import Fault, Problem
from shared.ids import check_request_id
from strata.table.v1 import table_pb2

STATUSES: dict[TableStatus, Any] = {
    status: table_pb2.TableStatus.Value(f"TABLE_STATUS_{status.name}") for status in TableStatus
}
ACCESSES: dict[Access, Any] = {access: table_pb2.Access.Value(f"ACCESS_{access.name}") for access in Access}
_PAGE, _LONGEST_PAGE = 50, 100
_MOST_OPTIONS, _LONGEST_OPTION = 32, 64


def identify(who: Caller, request: Any) -> Request:
    """Return who asks under which request id; the body is the whole message without that id."""
    check_request_id(request.request_id)
    body = type(request)()
    body.CopyFrom(request)
    body.ClearField("request_id")
    kind = type(request).DESCRIPTOR.name.encode()
    return Request(caller_name(who), request.request_id, body_digest(kind, body.SerializeToString(deterministic=True)))


def read_options(request: table_pb2.CreateTableRequest) -> dict[str, str]:
    """Return the options a table is opened with, in order; the title checks what they mean."""
    options = dict(sorted(request.options.items()))
    if len(options) > _MOST_OPTIONS or any(len(text) > _LONGEST_OPTION for pair in options.items() for text in pair):
        raise Problem(
            Fault.BAD_REQUEST, f"at most {_MOST_OPTIONS} options with names and values of {_LONGEST_OPTION} characters"
        )
    return options


def read_access(request: table_pb2.CreateTableRequest) -> Access:
    """Return who may join; unspecified is everybody."""
    if request.access == table_pb2.ACCESS_UNSPECIFIED:
        return Access.PUBLIC
    for access, value in ACCESSES.items():
        if value == request.access:
            return access
    raise Problem(Fault.BAD_REQUEST, "access must be public or private")


def check_entropy(entropy: bytes) -> None:
    """Refuse a share of the game's chance that is empty or too long."""
    if not 1 <= len(entropy) <= ENTROPY_LIMIT:
        raise Problem(Fault.BAD_REQUEST, f"entropy has {len(entropy)} bytes, it must have 1 to {ENTROPY_LIMIT}")


def check_status(request: table_pb2.ListTablesRequest) -> None:
    """Refuse to list tables of a status that is not known here."""
    if request.status and request.status not in STATUSES.values():
        known = ", ".join(status.value for status in TableStatus)
        raise Problem(Fault.BAD_REQUEST, f"status must be one of {known}, or unspecified for all")


def page_size(request: table_pb2.ListTablesRequest) -> int:
    """Return how many tables a page holds."""
    size = request.page_size or _PAGE
    if not 1 <= size <= _LONGEST_PAGE:
        raise Problem(Fault.BAD_REQUEST, f"page_size must be from 1 to {_LONGEST_PAGE}, or 0 for {_PAGE}")
    return size


def page_token(created_at: int, table_id: str) -> str:
    """Return the token of the page that begins after a table."""
    return base64.urlsafe_b64encode(f"{created_at}:{table_id}".encode()).decode()


def read_page_token(token: str) -> tuple[int, str] | None:
    """Return the table after which a page begins, None for the first page."""
    if not token:
        return None
    try:
        created_at, _, table_id = base64.urlsafe_b64decode(token.encode()).decode().partition(":")
        return int(created_at), table_id
    except (binascii.Error, ValueError) as error:
        raise Problem(Fault.BAD_REQUEST, "page_token must be the one that the previous page gave") from error
