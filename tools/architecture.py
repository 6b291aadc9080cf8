#!/usr/bin/env python3
"""Generates the documents' description of the layering from the include checker's table (RULES in check_includes.py).

architecture.py          Lists which of the files below are not up to date; exit status 1 if any is.
architecture.py --write  Writes them.

src/README.md: the third column of the table of folders. docs/architecture.svg: a box for each folder, above all that it may include,
with arrows to those; arrows that follow from others are left out.
"""
import pathlib
import re
import sys

from check_includes import PLUGIN_HEADERS, RULES

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE_ROW = re.compile(r"^(\| `(\w+)/` \|.*\|)[^|]*\|$", re.MULTILINE)
# The positions of the boxes from left to right; those from bottom to top follow from the rules.
COLUMNS = {"graph": 0, "ops": 0, "exec": 0, "core": 1, "ledger": 1, "device": 1, "distribution": 1, "nn": 1, "recipe": 1, "io": 2, "data": 2,
           "report": 3, "backends": 4, "observe": 4}
WIDTH, HEIGHT, COLUMN, ROW, MARGIN = 150, 34, 190, 74, 20


def layers():
    """{folder: the folders that it may include}, of src/ and the backends."""
    return {folder.removeprefix("src/"): {name.removeprefix("src/") for name in may - PLUGIN_HEADERS}
            for folder, may in RULES.items() if folder.startswith("src/") or folder == "backends"}


def level(folder, may):
    return 1 + max((level(below, may) for below in may[folder]), default=-1)


def direct(folder, may):
    """Without the folders that one of the others may include as well."""
    return sorted(below for below in may[folder] if not any(below in may[other] for other in may[folder]))


def readme(text):
    may = layers()

    def row(match):
        folders = ", ".join(sorted(may[match[2]]))
        return f"{match[1]} {folders} |" if folders else f"{match[1]} |"
    return TABLE_ROW.sub(row, text)


def picture():
    may = layers()
    top = max(level(folder, may) for folder in may)
    place = {folder: (MARGIN + COLUMNS[folder] * COLUMN, MARGIN + (top - level(folder, may)) * ROW) for folder in may}
    width, height = 2 * MARGIN + 4 * COLUMN + WIDTH, 2 * MARGIN + top * ROW + HEIGHT
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
             'font-family="Helvetica, Arial, sans-serif" font-size="14">',
             "  <!-- made by tools/architecture.py from RULES in tools/check_includes.py -->",
             '  <defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
             '<path d="M0 0 L10 5 L0 10 z" fill="#334"/></marker></defs>',
             f'  <rect width="{width}" height="{height}" fill="#ffffff"/>',
             '  <g stroke="#334" stroke-width="1.2" marker-end="url(#arrow)">']
    for folder, (x, y) in place.items():
        for below in direct(folder, may):
            end_x, end_y = place[below]
            lines.append(f'    <line x1="{x + WIDTH // 2}" y1="{y + HEIGHT}" x2="{end_x + WIDTH // 2}" y2="{end_y}"/>')
    lines += ["  </g>", '  <g stroke="#334" stroke-width="1.2">']
    for folder, (x, y) in place.items():
        fill = "#e9f6ea" if folder == "backends" else "#e8f1fb"
        lines.append(f'    <rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{fill}"/>')
    lines += ["  </g>", '  <g text-anchor="middle" fill="#223">']
    for folder, (x, y) in place.items():
        lines.append(f'    <text x="{x + WIDTH // 2}" y="{y + 22}">{folder}</text>')
    return "\n".join([*lines, "  </g>", "</svg>", ""])


def files():
    """{path: what it should hold}"""
    table = ROOT / "src" / "README.md"
    return {table: readme(table.read_text()), ROOT / "docs" / "architecture.svg": picture()}


def main():
    stale = [(path, text) for path, text in files().items() if not path.exists() or path.read_text() != text]
    for path, text in stale:
        if "--write" in sys.argv[1:]:
            path.write_text(text)
        else:
            print(f"{path.relative_to(ROOT)} is not what tools/check_includes.py says. Hint: tools/architecture.py --write")
    return 1 if stale and "--write" not in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
