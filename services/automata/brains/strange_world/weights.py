"""The weights of the signs by which a World is judged (`outlook.py`), in Stars.

The first of each pair always counts, the second once for each play left. They were fitted by least squares to the final
totals of games that the brain played against itself, and then improved by trial.
"""

from __future__ import annotations

WEIGHTS: dict[str, tuple[float, float]] = {
    "mountain": (0.892, -0.0074),
    "mountain_room": (0.33, 0.0031),
    "mountain_apart": (-0.049, 0.0596),
    "water": (0.971, 0.0042),
    "water_room": (0.346, 0.1336),
    "water_places": (0.747, 0.0486),
    "plant": (0.88, 0.0715),
    "plant_rows": (1.265, 0.1949),
    "forest": (0.808, -0.0054),
    "moon": (0.958, 0.0003),
    "moon_undecided": (4.134, 0.0992),
    "moon_room": (0.489, 0.0217),
    "moon_open_sky": (1.312, -0.1438),
    "moon_places": (0.147, 0.1047),
    "moon_best_place": (0.323, -0.0058),
    "city": (0.663, -0.0148),
    "city_beginnings": (-0.02, 0.0153),
    "traveller": (0.969, 0.0208),
    "traveller_bonus": (1.009, -0.0376),
    "portal_beginnings": (1.615, -0.0551),
    "portal_hindrance": (-0.841, 0.1029),
    "tzimimes": (0.065, 0.0466),
    "fumaroles": (0.958, 0.0731),
    "frozen": (-0.134, -0.3012),
    "full_height": (0.241, -0.0649),
    "full_width": (0.98, -0.0994),
}
