"""The page's own pseudo-code (SW-5, SW-6, SW-9, SW-13) over plain cells, for comparison with the engine.

It is written to be held beside docs/rules/strange-world.md line by line, slow and without anything of the engine but
the cards of a pack. `Play` is the procedure `play` of SW-6: it stops where its owner is asked.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from services.strange_world.content import Land, Pack
from services.strange_world.rules.actions import (
    Cell,
    ChooseCityPartner,
    CoverCard,
    DeclineTraveller,
    Side,
    WelcomeTraveller,
)
from services.strange_world.rules.events import (
    Cause,
    DarkCityBuilt,
    Flip,
    FumarolePlaced,
    LandPlaced,
    LandsDesolated,
    PortalAssembled,
    TravellerDeclined,
    TravellerWelcomed,
)

TRAVELLERS = ("splash", "burk", "kark", "floulou", "pshit", "boung", "roro", "rumph")
BONUS = {"splash": 5, "burk": 4, "kark": 6, "floulou": 8, "pshit": 5, "boung": 8, "roro": 4, "rumph": 6}

Play = Generator[list[Any], Any, None]


def beside(cell: Cell) -> list[Cell]:
    """Return the four neighbours, by row and column."""
    x, y = cell.x, cell.y
    return [Cell(x, y - 1), Cell(x - 1, y), Cell(x + 1, y), Cell(x, y + 1)]


def by_row(cells: Iterable[Cell]) -> list[Cell]:
    """Return cells by row, then by column (SW-16.5)."""
    return sorted(cells, key=lambda cell: (cell.y, cell.x))


class Supplies:
    """What all seats share: the City stack from the top and the display."""

    def __init__(self, cities: Iterable[int], display: Iterable[str]) -> None:
        self.cities = list(cities)
        self.display = set(display)


class PageWorld:
    """One World: each occupied cell is `up`, `tzimime` or `fumarole` (SW-5.2)."""

    def __init__(self, pack: Pack, start: str) -> None:
        self.pack = pack
        self.land = {Cell(0, 0): start}
        self.face = {Cell(0, 0): "up"}
        self.portals: list[tuple[Cell, Cell]] = []
        self.used: set[Cell] = set()
        self.travellers: list[tuple[str, int]] = []
        self.cities: list[int] = []
        self.side: Side | None = None
        self.edge = 0

    def up(self) -> dict[Cell, Land]:
        """Return the face-up Lands."""
        return {cell: self.pack.lands[self.land[cell]] for cell, face in self.face.items() if face == "up"}

    def shows(self, cell: Cell, icon: str) -> bool:
        """Say whether a cell holds a face-up Land with this icon."""
        return cell in self.up() and icon in letters(self.up()[cell])

    def gate(self, cell: Cell) -> bool:
        """Say whether a cell holds a face-up gate."""
        return cell in self.up() and self.up()[cell].gate

    def box(self) -> tuple[int, int, int, int]:
        """Return xmin, xmax, ymin, ymax."""
        xs, ys = [cell.x for cell in self.face], [cell.y for cell in self.face]
        return min(xs), max(xs), min(ys), max(ys)

    def legal_cells(self, land: Land, *, strict: bool) -> list[Cell]:
        """SW-5, `legal_cells`; SW-19.2."""
        xmin, xmax, ymin, ymax = self.box()
        legal = [
            cell
            for cell in by_row({other for cell in self.face for other in beside(cell)} - set(self.face))
            if max(xmax, cell.x) - min(xmin, cell.x) <= 3
            and max(ymax, cell.y) - min(ymin, cell.y) <= 3
            and not (self.side is Side.LEFT and cell.x < self.edge)
            and not (self.side is Side.RIGHT and cell.x > self.edge)
        ]
        if strict and "V" in letters(land):
            return [cell for cell in legal if self.targets(cell)] or legal
        return legal

    def targets(self, cell: Cell) -> list[Cell]:
        """SW-10.2."""
        return [other for other in beside(cell) if self.face.get(other, "fumarole") != "fumarole"]

    def causes(self, cell: Cell) -> dict[Cell, list[Cause]]:
        """SW-6, S2 of `play`: the card is placed already; causes in the order of SW-7.11."""
        land = self.up()[cell]
        gates = self.candidates(cell)
        linked = {half for portal in self.portals for half in portal}
        own = [
            (Cause.GATE, land.gate and (len(gates) == 2 or any(gate in linked for gate in gates))),
            (Cause.MOON_LOW, land.moon and cell.y > self.box()[2]),
            (Cause.PLANT, self.shows(cell, "P") and any(q != cell and q.y == cell.y for q in self.showing("P"))),
            (Cause.VOLCANO, self.shows(cell, "V") and not self.targets(cell)),
            (Cause.WATER, self.shows(cell, "W") and any(self.shows(q, "W") for q in beside(cell))),
        ]
        found = {cell: [cause for cause, holds in own if holds]}
        for other in by_row(self.up()):
            if self.up()[other].moon and other.y > cell.y:
                found[other] = [Cause.MOON_BURIED]
        return {flipped: causes for flipped, causes in found.items() if causes}

    def showing(self, icon: str) -> list[Cell]:
        """Return the cells of the face-up Lands with an icon."""
        return [cell for cell in self.face if self.shows(cell, icon)]

    def candidates(self, cell: Cell) -> list[Cell]:
        """SW-8.1."""
        return [q for q in (Cell(cell.x - 1, cell.y), Cell(cell.x + 1, cell.y)) if self.gate(q)]

    def slots(self, row: int) -> list[int]:
        """SW-9, `slots`."""
        _, _, ymin, ymax = self.box()
        legal = [u for u in (row - 1, row) if max(ymax, u + 1) - min(ymin, u) <= 3]
        return [u for u in legal if u not in [slot for _, slot in self.travellers]] or legal

    def play(self, seat: int, land: str, cell: Cell, shared: Supplies, told: list[Any]) -> Play:
        """SW-6, `play`: put down every event in `told`, yield the options of each question, be sent the answer."""
        self.land[cell], self.face[cell] = land, "up"
        volcano, gates = "V" in letters(self.up()[cell]), self.candidates(cell)
        gate = self.up()[cell].gate
        flips = self.causes(cell)
        told.append(LandPlaced(seat, land, cell, erupts=volcano and cell not in flips))
        if flips:
            told.append(LandsDesolated(seat, tuple(Flip(q, tuple(causes)) for q, causes in flips.items())))
        self.face |= dict.fromkeys(flips, "tzimime")
        if cell in flips:
            return
        if gate and len(gates) == 1:
            yield from self._link(seat, cell, gates[0], shared, told)
        if volcano:
            yield from self._erupt(seat, cell, shared, told)

    def _link(self, seat: int, cell: Cell, other: Cell, shared: Supplies, told: list[Any]) -> Play:
        """S4 and S5."""
        left, right = sorted((cell, other))
        told.append(PortalAssembled(seat, left, right, welcomes=bool(shared.display)))
        self.portals.append((left, right))
        if not shared.display:
            return
        sides = [self.side] if self.side else [Side.LEFT, Side.RIGHT]
        shown = [traveller for traveller in TRAVELLERS if traveller in shared.display]
        slots = self.slots(cell.y)
        answer = yield [DeclineTraveller(), *(WelcomeTraveller(t, s, u) for t in shown for s in sides for u in slots)]
        if isinstance(answer, DeclineTraveller):
            told.append(TravellerDeclined(seat, left, right))
            return
        if self.side is None:
            self.side, self.edge = answer.side, self.box()[0 if answer.side is Side.LEFT else 1]
        position = 1 + sum(slot == answer.slot for _, slot in self.travellers)
        self.travellers.append((answer.traveller, answer.slot))
        shared.display.remove(answer.traveller)
        told.append(TravellerWelcomed(seat, answer.traveller, answer.side, answer.slot, position, left, right))

    def _erupt(self, seat: int, cell: Cell, shared: Supplies, told: list[Any]) -> Play:
        """S6 and S7."""
        targets = by_row(self.targets(cell))
        target = targets[0] if len(targets) == 1 else (yield [CoverCard(q) for q in targets]).cell
        free = [q for q in by_row(beside(target)) if self.face.get(q) == "fumarole" and q not in self.used]
        builds = bool(free and shared.cities)
        face_down = self.face[target] == "tzimime"
        told.append(FumarolePlaced(seat, cell, target, self.land[target], face_down, len(targets) == 1, builds))
        self.face[target] = "fumarole"
        if builds:
            partner = free[0] if len(free) == 1 else (yield [ChooseCityPartner(q) for q in free]).cell
            self.cities.append(shared.cities.pop(0))
            self.used |= {target, partner}
            told.append(DarkCityBuilt(seat, self.cities[-1], target, partner, forced=len(free) == 1))

    def score(self) -> dict[str, int]:
        """SW-13, `score`."""
        up = self.up()
        counting = {cell for cell, face in self.face.items() if face != "tzimime"}
        lines = {
            "mountain": self._mountain(),
            "water": sum(q in counting for cell in self.showing("W") for q in beside(cell)),
            "plant": 3 * sum(letters(land).count("P") for land in up.values()),
            "forest": 2 * len({animal for land in up.values() for animal in land.animals}),
            "moon": sum(self._moon(cell) for cell, land in up.items() if land.moon),
            "city": sum(self.cities),
            "traveller": sum(5 + (BONUS[who] if self.met(who, slot) else 0) for who, slot in self.travellers),
        }
        return {**lines, "total": sum(lines.values())}

    def _mountain(self) -> int:
        left, best = set(self.showing("M")), 0
        while left:
            group, border = 0, [left.pop()]
            while border:
                cell = border.pop()
                group += letters(self.up()[cell]).count("M")
                border += [q for q in beside(cell) if q in left]
                left -= set(border)
            best = max(best, group)
        return best

    def _moon(self, moon: Cell) -> int:
        up = self.up()
        below = up.get(Cell(moon.x, moon.y + 1))
        if below is None:
            return 0
        wanted = set(letters(below))
        column = [icon for q, land in up.items() if q.x == moon.x and q.y > moon.y for icon in letters(land)]
        return 2 * sum(icon in wanted for icon in column)

    def met(self, traveller: str, slot: int) -> bool:
        """Table 4.5."""
        up = {cell: land for cell, land in self.up().items() if cell.y in (slot, slot + 1)}
        icons = [icon for land in up.values() for icon in letters(land)]
        return {
            "splash": icons.count("W") >= 3,
            "burk": {slot, slot + 1} == {cell.y for cell in self.showing("P") if cell in up},
            "kark": icons.count("M") >= 5,
            "floulou": all(icons.count(icon) >= 2 for icon in "FWMP"),
            "pshit": sum(face == "fumarole" and q.y in (slot, slot + 1) for q, face in self.face.items()) >= 3,
            "boung": sum(left in up and right in up for left, right in self.portals) >= 2,
            "roro": len({animal for land in up.values() for animal in land.animals}) >= 4,
            "rumph": icons.count("V") >= 3,
        }[traveller]


def letters(land: Land) -> list[str]:
    """Return the icons of a Land as the page writes them."""
    return [icon.value for icon in land.icons]
