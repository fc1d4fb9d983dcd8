"""What a failed call tells its caller."""

from __future__ import annotations

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from shared.errors import Fault, Problem
from shared.eventlog.log import Unavailable
from shared.interceptor import as_problem
from shared.kernel import Reason, Refusal


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (Problem(Fault.UNKNOWN_GAME, "no"), grpc.StatusCode.NOT_FOUND, "UNKNOWN_GAME"),
        (Problem(Fault.STALE_VERSION, "no"), grpc.StatusCode.ABORTED, "STALE_VERSION"),
        (Refusal(Reason.NOT_AN_OPTION, "no"), grpc.StatusCode.FAILED_PRECONDITION, "NOT_AN_OPTION"),
        (Refusal(Reason.BAD_OPTION, "no"), grpc.StatusCode.INVALID_ARGUMENT, "BAD_OPTION"),
        (Unavailable("redis://:pw@h is gone"), grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE"),
    ],
)
def test_each_failure_has_a_code_and_a_reason(error: Exception, code: grpc.StatusCode, reason: str) -> None:
    """ARCHITECTURE §4: the mapping from what went wrong to what travels."""
    problem = as_problem(error)
    assert problem is not None
    assert (problem.code, problem.reason) == (code, reason)
    assert "pw" not in problem.sentence


def test_the_unforeseen_is_not_a_problem() -> None:
    """A bug's text never reaches a client."""
    assert as_problem(ZeroDivisionError("secret")) is None


def test_trailers_hold_the_reason() -> None:
    """The details are a google.rpc.Status with an ErrorInfo of domain `strata`."""
    ((key, value),) = Problem(Fault.TABLE_FULL, "all 4 seats are taken").trailers()
    status = status_pb2.Status.FromString(value)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (key, status.code, info.reason, info.domain) == ("grpc-status-details-bin", 9, "TABLE_FULL", "strata")
