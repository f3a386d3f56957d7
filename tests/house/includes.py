#!/usr/bin/env python3
"""Include direction between the rooms of src/, checked against the table in docs/architecture.md."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
table = {}
for line in (root / "docs/architecture.md").read_text().splitlines():
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) == 5 and re.fullmatch(r"[a-z]+", cells[1]) and cells[1] != "room":
        table[cells[1]] = set(cells[3].split()) | {cells[1], "tenon"}

rooms = {folder.name for folder in (root / "src").iterdir() if folder.is_dir()}
errors = [f"src/{room}: not in the table of docs/architecture.md" for room in sorted(rooms - table.keys())]
checked = 0
for path in sorted((root / "src").rglob("*.[ch]")):
    room = path.relative_to(root / "src").parts[0]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if not match:
            continue
        checked += 1
        target = match.group(1).split("/")[0] if "/" in match.group(1) else room
        if target not in table.get(room, set()):
            errors.append(f"{path.relative_to(root)}:{number}: room '{room}' may not include '{match.group(1)}'")
for path in sorted((root / "include").rglob("*.h")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        checked += bool(match)
        if match and not match.group(1).startswith("tenon/"):
            errors.append(f"{path.relative_to(root)}:{number}: a public header may include tenon/ only")
print("\n".join(errors) or f"{checked} includes follow the picture")
sys.exit(1 if errors or checked < 100 else 0)
