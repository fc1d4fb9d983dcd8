"""The weights of the signs by which a World is judged (`outlook.py`)."""

from __future__ import annotations

WEIGHTS: dict[str, tuple[float, float]] = {
    "mountain": (1.0, 0.0),
    "mountain_room": (0.05, 0.03),
    "mountain_apart": (0.1, 0.02),
    "water": (1.0, 0.0),
    "water_room": (0.8, 0.0),
    "water_places": (0.0, 0.03),
    "plant": (1.0, 0.0),
    "plant_rows": (0.0, 0.12),
    "forest": (1.0, 0.0),
    "moon": (1.0, 0.0),
    "moon_undecided": (2.0, 0.2),
    "moon_room": (0.8, 0.0),
    "moon_open_sky": (-0.5, 0.0),
    "moon_places": (0.0, 0.06),
    "moon_best_place": (0.0, 0.02),
    "city": (1.0, 0.0),
    "city_beginnings": (0.0, 0.05),
    "traveller": (1.0, 0.0),
    "traveller_bonus": (1.0, 0.0),
    "portal_beginnings": (0.0, 0.25),
    "portal_hindrance": (-0.1, -0.05),
    "tzimimes": (-0.5, 0.0),
    "fumaroles": (0.0, 0.0),
    "frozen": (0.0, -0.1),
}
