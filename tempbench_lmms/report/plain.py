"""A table as text for a terminal, in parts side by side that fit it."""

import textwrap

from tempbench_lmms.report.grid import Cell, Grid, Heading

_GAP = "  "
_HEAD = 12  # characters to which a column's heading is wrapped
_ROW = 40  # the same of a row's heading


def table(grid: Grid, width: int) -> str:
    """Returns the table.

    Args:
        grid: The table.
        width: Characters of a line; a single column may need more.
    """
    heads = [_row_head(grid, number) for number in range(len(grid.rows))]
    left = max([len(line) for head in heads for line in head] + [len(grid.corner)])
    columns = [_column(grid, place) for place in range(len(grid.columns))]
    title = f"{grid.name}. {grid.caption}" if grid.caption else grid.name
    blocks = [textwrap.fill(title, width)] if title else []
    for part in _parts(grid, columns, width - left):
        blocks.append(_block(grid, heads, left, columns, part))
    notes = [*grid.remarks, *(f"{mark}) {note}" for note, mark in grid.marks.items())]
    if notes:
        blocks.append("\n".join(textwrap.fill(note, width, subsequent_indent="   ") for note in notes))
    return "\n\n".join(blocks)


def _row_head(grid: Grid, number: int) -> list[str]:
    row = grid.rows[number]
    name = row.name + _mark(grid, row)
    if row.group:
        wrapped = textwrap.wrap(name, _ROW) or [""]
        group = [row.group] if grid.shows_group(number) else []
        return [*group, *(f"  {line}" for line in wrapped)]
    return textwrap.wrap(name, _ROW, subsequent_indent="  ") or [""]


def _column(grid: Grid, place: int) -> tuple[list[str], list[list[str]]]:
    """Returns a column's heading and its cells, as lines."""
    one = grid.columns[place]
    head = textwrap.wrap(one.name + _mark(grid, one), _HEAD, break_long_words=False) or [""]
    return head, [_cell(grid, cells[place]) for cells in grid.cells]


def _cell(grid: Grid, cell: Cell) -> list[str]:
    # A terminal's bold would be lost in a pipe.
    text = f"*{cell.text}*" if cell.is_best else cell.text
    wrapped = textwrap.wrap(text + _mark(grid, cell), _ROW) or [""]
    return [*wrapped, cell.bounds] if cell.bounds else wrapped


def _mark(grid: Grid, one: Cell | Heading) -> str:
    mark = grid.mark(one)
    return f"({mark})" if mark else ""


def _width(column: tuple[list[str], list[list[str]]]) -> int:
    head, cells = column
    return max(len(line) for lines in (head, *cells) for line in lines)


def _parts(grid: Grid, columns: list[tuple[list[str], list[list[str]]]], width: int) -> list[list[int]]:
    """Returns the columns in parts of at most so many characters; a group stays together where it fits."""
    parts: list[list[int]] = [[]]
    place = 0

    def size(places: list[int]) -> int:
        return sum(len(_GAP) + _width(columns[one]) for one in places)

    for group, n in grid.column_groups:
        members = list(range(place, place + n))
        place += n
        if group and parts[-1] and size([*parts[-1], *members]) > width >= size(members):
            parts.append([])
        for one in members:
            if parts[-1] and size([*parts[-1], one]) > width:
                parts.append([])
            parts[-1].append(one)
    return [part for part in parts if part]


def _block(
    grid: Grid,
    heads: list[list[str]],
    left: int,
    columns: list[tuple[list[str], list[list[str]]]],
    part: list[int],
) -> str:
    widths = [_width(columns[place]) for place in part]
    high = max(len(columns[place][0]) for place in part)
    lines = [" " * left + line for line in _groups(grid, part, widths)]
    for at in range(high):
        words = [([""] * (high - len(columns[p][0])) + columns[p][0])[at] for p in part]
        lines.append(_line(grid.corner if at == high - 1 else "", words, left, widths))
    rule = "-" * len(lines[-1])
    lines.append(rule)
    for number, head in enumerate(heads):
        if grid.starts_group(number) and grid.rows[number].kind != grid.rows[number - 1].kind:
            lines.append(rule)
        # The group's name has a line of its own, above the values.
        above = 1 if grid.rows[number].group and grid.shows_group(number) else 0
        cells = [[""] * above + columns[place][1][number] for place in part]
        for at in range(max(len(one) for one in (head, *cells))):
            words = [one[at] if at < len(one) else "" for one in cells]
            lines.append(_line(head[at] if at < len(head) else "", words, left, widths))
    return "\n".join(line.rstrip() for line in lines)


def _groups(grid: Grid, part: list[int], widths: list[int]) -> list[str]:
    """Returns the lines of the groups' names above their columns; none where no column has a group."""
    spans: list[tuple[str, int]] = []
    for place, width in zip(part, widths, strict=True):
        group, room = grid.columns[place].group, len(_GAP) + width
        if spans and spans[-1][0] == group:
            spans[-1] = (group, spans[-1][1] + room)
        else:
            spans.append((group, room))
    if not any(group for group, _ in spans):
        return []
    wrapped = [textwrap.wrap(group, max(room - len(_GAP), 1)) for group, room in spans]
    high = max(map(len, wrapped))
    return [
        "".join(
            (_GAP + (words[at] if at < len(words) else "")).ljust(room)
            for words, (_, room) in zip(wrapped, spans, strict=True)
        )
        for at in range(high)
    ]


def _line(head: str, words: list[str], left: int, widths: list[int]) -> str:
    cells = (word.rjust(width) for word, width in zip(words, widths, strict=True))
    return _GAP.join([head.ljust(left), *cells])
