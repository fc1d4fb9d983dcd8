"""Reading and writing the drawings of docs/rules/strange-world.md (chapter 6.1 of that page).

A drawing is a table of tokens; a block is one drawing, or two side by side, with `key: value` lines below. Nothing
here knows a rule: what a token stands for is decided in `building.py`.
"""

from __future__ import annotations

import re

from msgspec import Struct

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "rules" / "strange-world.md").read_text()
EMPTY = (".", "?")

_HEADING = re.compile(r"^#{4} (EX-SW-\d+)", re.MULTILINE)
_FENCE = re.compile(r"^```sw\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\s*(\d*)\s*\|(.*)\|\s*$")
_KEY = re.compile(r"^\s*([a-z_]+): (.*)$")


class Block(Struct, frozen=True):
    """One block: the cells before and after by name (`b2`), left to right and top to bottom, and the key lines."""

    before: dict[str, str]
    after: dict[str, str]
    keys: dict[str, str]

    def parts(self, key: str) -> list[str]:
        """Return the parts of a key's value that semicolons separate, none for a missing key."""
        return [part.strip() for part in self.keys.get(key, "").split(";") if part.strip()]

    def words(self, key: str) -> list[str]:
        """Return the words of a key's value, none for a missing key or for `empty`."""
        return [word for word in self.keys.get(key, "").split() if word != "empty"]


def parse(text: str) -> Block:
    """Read one block."""
    drawings: list[dict[str, str]] = [{}, {}]
    columns: list[list[str]] = []
    keys: dict[str, str] = {}
    for line in text.strip("\n").splitlines():
        if row := _ROW.match(line):
            halves = [half.split() for half in row[2].split("|")]
            columns = columns or halves
            if row[1]:
                for drawing, names, tokens in zip(drawings, columns, halves, strict=False):
                    drawing.update({name + row[1]: token for name, token in zip(names, tokens, strict=True)})
        elif key := _KEY.match(line):
            keys[key[1]] = key[2].strip()
        elif line.strip():
            raise ValueError(f"no part of a drawing: {line!r}")
    return Block(drawings[0], drawings[1], keys)


def sections() -> dict[str, str]:
    """Return the text of every worked example of the page by its id."""
    texts = _HEADING.split(PAGE)
    return dict(zip(texts[1::2], texts[2::2], strict=True))


def blocks(text: str) -> list[Block]:
    """Return the blocks of a worked example."""
    return [parse(fenced) for fenced in _FENCE.findall(text)]
