#!/usr/bin/env python3
"""Include direction between the rooms of src/, checked against the table in docs/architecture.md; what the benchmarks
take beside the public headers, with reasons."""
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

# What the benchmarks take beside include/tenon, and why it is not public. base is left out, as for the command: it knows
# nothing of simulations (memory, time, JSON, files that appear whole, random numbers).
INNER = {
    "bench": {
        "collide/collide.h": "measures a stage alone",
        "discretize/elastic_joints.h": "the document's own step, from the engine's terms",
        "kernels/block_product.h": "measures a kernel alone",
        "kernels/fpi.h": "measures a kernel alone",
        "kernels/sell.h": "measures a kernel alone",
        "math/blocks.h": "writes problems for other solvers",
        "math/dense.h": "the documents' own formulas",
        "math/mat3.h": "arithmetic",
        "math/quat.h": "arithmetic",
        "math/vec3.h": "arithmetic",
        "model/model.h": "puts other engines' scenes together from ours",
        "problem/bound.h": "judges other engines by the law's sets",
        "problem/certificate.h": "judges other engines within an arena",
        "problem/delassus.h": "writes local problems for Siconos",
        "problem/fclib.h": "reads many files into one arena",
        "problem/rows.h": "writes problems for other solvers",
        "sim/sim.h": "steps with another problem than the scene's",
        "shape/class.h": "measures contact of two shapes alone",
        "shape/hull.h": "measures contact of two shapes alone",
        "shape/manifold.h": "measures contact of two shapes alone",
        "shape/triangles.h": "measures contact of two shapes alone",
        "solver/cond/cond.h": "the document's tables count its inner steps",
        "law/cone.h": "the document's operators one by one, for its Lemma 3",
        "solver/dense/motion.h": "measures a factor alone",
        "solver/ipm/interior.h": "measures a factor alone",
        "solver/solver.h": "runs solvers in an arena of their own, so that memory is measured",
        "state/state.h": "puts states of other engines into ours",
        "view/page_file.h": "asks whether a page can be written before an hour of work",
    },
}
for folder, known in INNER.items():
    found = set()
    for path in sorted((root / folder).rglob("*.[ch]")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*"(([a-z]+)/[^"]+)"', line)
            if match and match.group(2) in rooms - {"base", "cli"}:
                found.add(match.group(1))
                if match.group(1) not in known:
                    errors.append(f"{path.relative_to(root)}:{number}: '{match.group(1)}' is not public: use include/tenon, or say why not in {pathlib.Path(__file__).name}")
    errors += [f"{folder}: '{header}' is not needed any more: take it from the list" for header in sorted(known.keys() - found)]
print("\n".join(errors) or f"{checked} includes follow the picture")
sys.exit(1 if errors or checked < 100 else 0)
