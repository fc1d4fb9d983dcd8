"""Brains written for Strange World Above the Clouds."""

from services.automata.brains.strange_world.greedy import Greedy

BRAINS = {"greedy": Greedy()}
