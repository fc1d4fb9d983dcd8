"""Every way in which a call can fail, as clients see it: a gRPC status, a stable reason and a sentence.

`Problem` is what services raise; `shared.interceptor` turns it into a status with a google.rpc.ErrorInfo detail
(domain `strata`). A title's `Refusal` becomes a Problem of the same reason. The list is documented in docs/api.md.
"""

from __future__ import annotations

from enum import Enum

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from shared.kernel import Reason, Refusal

DOMAIN = "strata"
DETAILS_KEY = "grpc-status-details-bin"

_Code = grpc.StatusCode


class Fault(Enum):
    """Reasons beside those of a title's refusal; the value is the gRPC status they travel under."""

    BAD_REQUEST = (_Code.INVALID_ARGUMENT, 1)
    BAD_ID = (_Code.INVALID_ARGUMENT, 2)
    BAD_NAME = (_Code.INVALID_ARGUMENT, 3)
    BAD_VERSION = (_Code.INVALID_ARGUMENT, 4)
    REQUEST_REUSED = (_Code.INVALID_ARGUMENT, 5)
    MESSAGE_TOO_LARGE = (_Code.INVALID_ARGUMENT, 6)
    UNKNOWN_GAME = (_Code.NOT_FOUND, 1)
    UNKNOWN_TABLE = (_Code.NOT_FOUND, 2)
    UNKNOWN_TITLE = (_Code.NOT_FOUND, 3)
    UNKNOWN_SEAT = (_Code.NOT_FOUND, 4)
    UNKNOWN_BRAIN = (_Code.NOT_FOUND, 5)
    NOT_YOUR_SEAT = (_Code.PERMISSION_DENIED, 1)
    NOT_ALLOWED = (_Code.PERMISSION_DENIED, 2)
    NO_TOKEN = (_Code.UNAUTHENTICATED, 1)
    BAD_TOKEN = (_Code.UNAUTHENTICATED, 2)
    EXPIRED_TOKEN = (_Code.UNAUTHENTICATED, 3)
    STALE_VERSION = (_Code.ABORTED, 1)
    TABLE_FULL = (_Code.FAILED_PRECONDITION, 1)
    TABLE_NOT_FULL = (_Code.FAILED_PRECONDITION, 2)
    WRONG_STATUS = (_Code.FAILED_PRECONDITION, 3)
    GAME_ABORTED = (_Code.FAILED_PRECONDITION, 4)
    TOO_SLOW = (_Code.RESOURCE_EXHAUSTED, 1)
    TOO_MANY = (_Code.RESOURCE_EXHAUSTED, 2)
    STORE_UNAVAILABLE = (_Code.UNAVAILABLE, 1)
    GAME_UNREADABLE = (_Code.UNAVAILABLE, 2)
    SHUTTING_DOWN = (_Code.UNAVAILABLE, 3)
    SERVICE_UNAVAILABLE = (_Code.UNAVAILABLE, 4)
    TABLE_UNREADABLE = (_Code.UNAVAILABLE, 5)
    GAME_DAMAGED = (_Code.DATA_LOSS, 1)
    TABLE_DAMAGED = (_Code.DATA_LOSS, 2)


_REFUSED_AS = {
    Reason.BAD_OPTION: _Code.INVALID_ARGUMENT,
    Reason.BAD_SEATS: _Code.INVALID_ARGUMENT,
}


class Problem(Exception):
    """A call that fails: `reason` is a stable name, `sentence` is for people and never holds a secret."""

    def __init__(self, fault: Fault, sentence: str) -> None:
        """Fail for one of our own reasons."""
        super().__init__(sentence)
        self.code: grpc.StatusCode = fault.value[0]
        self.reason: str = fault.name
        self.sentence = sentence

    @classmethod
    def of(cls, refusal: Refusal) -> Problem:
        """Fail as a title refused: FAILED_PRECONDITION, or INVALID_ARGUMENT for table options and seat counts."""
        problem = cls.__new__(cls)
        Exception.__init__(problem, refusal.sentence)
        problem.code = _REFUSED_AS.get(refusal.reason, _Code.FAILED_PRECONDITION)
        problem.reason = refusal.reason.name
        problem.sentence = refusal.sentence
        return problem

    @classmethod
    def relayed(cls, error: grpc.aio.AioRpcError, service: str) -> Problem:
        """Pass on how a call to another service of ours failed; one that gave no reason counts as unavailable."""
        reason = reason_of(error)
        if not reason:
            return cls(Fault.SERVICE_UNAVAILABLE, f"the {service} service cannot be reached; try again in a moment")
        problem = cls.__new__(cls)
        Exception.__init__(problem, error.details())
        problem.code, problem.reason, problem.sentence = error.code(), reason, error.details() or reason
        return problem

    def trailers(self) -> tuple[tuple[str, bytes], ...]:
        """Return the trailing metadata that carries the reason: a serialised google.rpc.Status."""
        info = any_pb2.Any()
        info.Pack(error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN))
        status = status_pb2.Status(code=self.code.value[0], message=self.sentence, details=[info])
        return ((DETAILS_KEY, status.SerializeToString()),)


def reason_of(error: grpc.RpcError) -> str:
    """Return the stable reason a failed call carries, or "" when it carries none (for clients and tests)."""
    trailers = getattr(error, "trailing_metadata", lambda: None)() or ()
    for key, value in trailers:
        if key == DETAILS_KEY:
            status = status_pb2.Status.FromString(value if isinstance(value, bytes) else value.encode())
            for detail in status.details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    return str(info.reason)
    return ""
