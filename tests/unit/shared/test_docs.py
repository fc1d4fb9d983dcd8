"""docs/api.md lists every reason, with its status."""

from __future__ import annotations

import re
from pathlib import Path

import grpc

from shared.errors import Fault, Problem
from shared.kernel import Reason, Refusal

PAGE = (Path(__file__).parents[3] / "docs" / "api.md").read_text()


def test_every_reason_is_documented_with_its_status() -> None:
    """A client developer can look up each reason a call may fail for, and no reason is listed that does not exist."""
    listed: dict[str, str] = {}
    for names, code in re.findall(r"^\| (`[A-Z_`, ]+) \| ([A-Z_]+) \|", PAGE, re.MULTILINE):
        listed |= dict.fromkeys(re.findall(r"[A-Z_]+", names), code)
    problems = [Problem(fault, "x") for fault in Fault] + [Problem.of(Refusal(reason, "x")) for reason in Reason]
    assert listed == {problem.reason: problem.code.name for problem in problems}
    assert all(getattr(grpc.StatusCode, code) for code in listed.values())
