"""docs/fairness.md, read as a stranger would read it: its own program, its vectors, and our algorithm must agree."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from shared import rng
from shared.kernel import Draw
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "fairness.md").read_text()
KEY = bytes(range(32))
ENTROPIES = (b"heads", b"", bytes(64))


def fenced(language: str) -> str:
    """Return the one block of the page in this language."""
    [block] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return str(block)


VECTORS = fenced("text").splitlines()


def vector(name: str) -> str:
    """Return what follows a name at the beginning of a printed line."""
    [line] = [line for line in VECTORS if line.startswith(f"{name} ")]
    return line.removeprefix(f"{name} ")


def printed_draws() -> Iterator[tuple[int, str, int, int]]:
    """Yield number, label, bound and result of every draw printed."""
    for line in VECTORS:
        if found := re.fullmatch(r"draw (\d+) '(.*)' (\d+) (\d+)", line):
            yield int(found[1]), found[2], int(found[3]), int(found[4])


class Numbered(Draw):
    """Draws with our algorithm, from number 10 on."""

    def __init__(self, seed: bytes) -> None:
        """Draw from a game seed."""
        self.seed, self.number = seed, 10

    def below(self, bound: int, label: str) -> int:
        """Return the next draw."""
        self.number += 1
        return rng.draw_below(self.seed, self.number - 1, label, bound)


def test_the_pages_program_prints_the_pages_vectors() -> None:
    """The program shares no code with ours and prints exactly what the page says."""
    program = fenced("python")
    assert set(re.findall(r"^(?:import|from) (\w+)", program, re.MULTILINE)) == {"hashlib", "hmac"}
    done = subprocess.run([sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True, timeout=30)
    assert done.stdout.splitlines() == VECTORS


def test_our_seeds_are_those_of_the_page() -> None:
    """Server seed, commitment and game seed come out as the independent program computes them."""
    server = rng.server_seed(KEY, "game-1")
    assert server.hex() == vector("server seed")
    assert rng.commitment(server).hex() == vector("commitment")
    assert rng.game_seed(server, ENTROPIES).hex() == vector("game seed")
    assert rng.game_seed(server, ()).hex() == vector("game seed, no entropies")


@pytest.mark.parametrize(("number", "label", "bound", "result"), list(printed_draws()))
def test_our_draws_are_those_of_the_page(number: int, label: str, bound: int, result: int) -> None:
    """Every printed draw comes out the same, large numbers, empty and accented labels included."""
    assert rng.draw_below(bytes.fromhex(vector("game seed")), number, label, bound) == result


def test_the_page_shows_enough_draws() -> None:
    """Eight draws are printed, so that a page that lost its vectors is noticed."""
    assert len(list(printed_draws())) == 8


def test_our_shuffle_is_that_of_the_page() -> None:
    """A shuffle of eight letters comes out the same."""
    shuffled = Numbered(bytes.fromhex(vector("game seed"))).shuffle("abcdefgh", "letters")
    assert " ".join(shuffled) == vector("shuffle")
