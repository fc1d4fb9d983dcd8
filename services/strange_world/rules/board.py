"""Where cells lie, as numbers: the one module that knows how a World is laid out in memory.

A World never leaves the square -3 ... 3 around its starting Land, because its box is at most 4 wide and 4 high
(SW-5.1, SW-5.5). Every cell of that square has a *place*, 8 * (y + 3) + (x + 3), and a set of cells is an integer
with bit `place` set for each of them. Laws that everything else relies on:

- places ascend by row, then by column, so the bits of a set from low to high are in the order of SW-16.5;
- the last of the eight columns is never used, so `place - 1` and `place + 1` are never a cell of another row, and a
  set shifted by one or eight is the set of its neighbours once it is cut to `BOARD`.
"""

from __future__ import annotations

from services.strange_world.rules.actions import Cell

REACH = 3
STRIDE = 8
SPAN = 2 * REACH + 1
PLACES = STRIDE * SPAN
OFF_BOARD = -1
LONGEST_SIDE = 4

CELLS = tuple(Cell(place % STRIDE - REACH, place // STRIDE - REACH) for place in range(PLACES))
_LINE = (1 << SPAN) - 1
ROWS = tuple(_LINE << (STRIDE * row) for row in range(SPAN))
BOARD = sum(ROWS)


def place_of(cell: Cell) -> int:
    """Return the place of a cell, or OFF_BOARD for a cell that no World can reach."""
    x, y = cell.x, cell.y
    if -REACH <= x <= REACH and -REACH <= y <= REACH:
        return (y + REACH) * STRIDE + x + REACH
    return OFF_BOARD


def places(cells: int) -> list[int]:
    """Return the places of a set, by row, then by column."""
    found = []
    while cells:
        lowest = cells & -cells
        found.append(lowest.bit_length() - 1)
        cells ^= lowest
    return found


def around(cells: int) -> int:
    """Return every cell that is a neighbour of a cell of the set; diagonal cells are no neighbours."""
    return (cells << 1 | cells >> 1 | cells << STRIDE | cells >> STRIDE) & BOARD


NEIGHBOURS = tuple(around(1 << place) for place in range(PLACES))
BELOW = tuple(sum(ROWS[row + 1 :]) for row in range(SPAN))


def row_of(place: int) -> int:
    """Return the number of a place's row: 0 for y = -3, 6 for y = 3."""
    return place // STRIDE


def row_cells(y: int) -> int:
    """Return all cells of the row y, none for a row that no World can reach (SW-9.14)."""
    return ROWS[y + REACH] if -REACH <= y <= REACH else 0


def top_and_bottom(cells: int) -> tuple[int, int]:
    """Return the smallest and the largest y of a set that is not empty."""
    return (cells & -cells).bit_length() // STRIDE - REACH, cells.bit_length() // STRIDE - REACH


def left_and_right(cells: int) -> tuple[int, int]:
    """Return the smallest and the largest x of a set that is not empty."""
    columns = _columns(cells)
    return (columns & -columns).bit_length() - 1 - REACH, columns.bit_length() - 1 - REACH


def open_cells(occupied: int, *, closed_left: bool, closed_right: bool) -> int:
    """Return the empty cells where a card may lie (SW-5.3 to SW-5.9).

    A closed side is one that Travellers stand on: the box may not grow there, and as it cannot shrink, its edge is
    the frozen one (SW-5.6, SW-9.7).
    """
    columns = _columns(occupied)
    fitting = _CLOSED_LEFT if closed_left else _CLOSED_RIGHT if closed_right else _OPEN
    top = (occupied & -occupied).bit_length() // STRIDE
    bottom = occupied.bit_length() // STRIDE
    return around(occupied) & ~occupied & fitting[columns] & _FITTING_ROWS[top][bottom]


def _columns(cells: int) -> int:
    """Return the used columns as a number of seven bits."""
    cells |= cells >> 32
    cells |= cells >> 16
    return (cells | cells >> 8) & _LINE


def _fitting(first: int, last: int) -> range:
    """Return the numbers of the lines that may be added to lines first ... last without getting too long."""
    return range(max(0, last - LONGEST_SIDE + 1), min(SPAN, first + LONGEST_SIDE))


def _fitting_columns(*, closed_left: bool, closed_right: bool) -> tuple[int, ...]:
    """Return, for every set of used columns, the cells of all columns that may be used."""
    table = [0]
    for columns in range(1, 1 << SPAN):
        first, last = (columns & -columns).bit_length() - 1, columns.bit_length() - 1
        low = first if closed_left else 0
        high = last if closed_right else SPAN - 1
        used = [column for column in _fitting(first, last) if low <= column <= high]
        table.append(sum(1 << (STRIDE * row + column) for row in range(SPAN) for column in used))
    return tuple(table)


_OPEN = _fitting_columns(closed_left=False, closed_right=False)
_CLOSED_LEFT = _fitting_columns(closed_left=True, closed_right=False)
_CLOSED_RIGHT = _fitting_columns(closed_left=False, closed_right=True)
_FITTING_ROWS = tuple(
    tuple(sum(ROWS[row] for row in _fitting(top, bottom)) for bottom in range(SPAN)) for top in range(SPAN)
)
