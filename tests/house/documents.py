#!/usr/bin/env python3
"""What the documents name is there: links and their anchors, files, make targets, rooms, solvers; the files that
comments name; that each file of src/ opens with what it does; the scene keys of the fuzzer's dictionary."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
pages = sorted(root.glob("*.md")) + sorted((root / "docs").glob("*.md"))
folders = {path.name for path in root.iterdir() if path.is_dir() and path.name not in ("build", "out")}
targets = set(" ".join(re.findall(r"^([a-z][a-z -]*):", (root / "Makefile").read_text(), re.M)).split())
errors = []
checked = 0


def anchors(page):
    """The names that GitHub gives to a page's headings."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    names = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for heading in re.findall(r"^#+ +(.*)$", text, re.M):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower()).replace(" ", "-")
        while name in names:
            name += "-1"
        names.add(name)
    return names


def complain(page, offset, text, what):
    errors.append(f"{page.relative_to(root)}:{text.count(chr(10), 0, offset) + 1}: {what}")


def check_link(page, match, text):
    where, _, anchor = match.group(1).partition("#")
    target = (page.parent / where).resolve() if where else page
    if re.match(r"[a-z]+:", match.group(1)):
        return
    if not target.exists():
        complain(page, match.start(), text, f"link to {match.group(1)}, which is not there")
    elif anchor and target.suffix == ".md" and anchor not in anchors(target):
        complain(page, match.start(), text, f"link to {match.group(1)}: no such heading")


for page in pages:
    text = page.read_text()
    for match in re.finditer(r"\]\(([^)\s]+)\)", text):
        checked += 1
        check_link(page, match, text)
    # A file of ours: a path whose first folder we have. {a,b} and * stand for several.
    for match in re.finditer(r"(?<![\w/.-])((?:%s)/[\w./{},*-]*[\w}*/])" % "|".join(folders), text):
        path = match.group(1)
        places = [path]
        braces = re.search(r"\{([^}]*)\}", path)
        if braces:
            places = [path.replace(braces.group(0), part) for part in braces.group(1).split(",")]
        for place in places:
            checked += 1
            if not any(any(base.glob(place + ending)) for base in (root, root / "src", root / "include")
                       for ending in ("", ".c", ".h", ".yaml", "_test.c", ".md")):
                complain(page, match.start(), text, f"{place} is not there")
    for match in re.finditer(r"`make ([a-z-]+)`|^ +make ([a-z-]+)", text, re.M):
        name = match.group(1) or match.group(2)
        checked += 1
        if name not in targets:
            complain(page, match.start(), text, f"the Makefile has no target {name}")

# Comments: `rows.c`, `discretize/rows.h` is the end of some file's path.
sources = [path for folder in ("src", "include", "bench", "examples", "python/src")
           for path in sorted((root / folder).rglob("*.[ch]"))]
# What a file of src/ does: its first lines, or those of its header.
for path in sorted((root / "src").rglob("*.c")):
    checked += 1
    header = path.with_suffix(".h")
    if not path.read_text().startswith("//") and not (header.exists() and header.read_text().startswith("//")):
        complain(path, 0, "", "neither it nor its header opens with what it does")
ends = set()
for path in sources + sorted((root / "tests").rglob("*.[ch]")) + sorted((root / "docs").glob("*.md")):
    parts = path.relative_to(root).parts
    ends |= {"/".join(parts[k:]) for k in range(len(parts))}
for path in sources:
    text = path.read_text()
    for match in re.finditer(r"(?:^|\s)//(.*)", text):
        for name in re.findall(r"(?<![\w./-])[a-z_0-9][a-z_0-9/-]+\.(?:c|h|md)\b", match.group(1)):
            checked += 1
            if name not in ends:
                complain(path, match.start(1), text, f"a comment names {name}, which is not there")

rooms = {folder.name for folder in (root / "src").iterdir() if folder.is_dir()}
for room in re.findall(r"^\| ([a-z]+) \|", (root / "docs/architecture.md").read_text(), re.M):
    checked += 1
    if room not in rooms and room != "room":
        errors.append(f"docs/architecture.md: room {room} is not in src/")
solvers = set(re.findall(r'\.name = "([a-z-]+)"', "".join(path.read_text() for path in (root / "src/solver").rglob("*.c"))))
for name in sorted(solvers):
    checked += 1
    if f"`{name}`" not in (root / "docs/solvers.md").read_text():
        errors.append(f"docs/solvers.md: solver `{name}` is not there")
dictionary = (root / "tests/fuzz/scene.dict").read_text()
for key in set(re.findall(r"^\| `([a-z_0-9]+)` \|", (root / "docs/scene.md").read_text(), re.M)):
    checked += 1
    if f'"{key}"' not in dictionary:
        errors.append(f"tests/fuzz/scene.dict: key {key} of docs/scene.md is not there")
print("\n".join(errors) or f"{checked} names in {len(pages)} pages are there")
sys.exit(1 if errors or checked < 100 or len(solvers) < 10 else 0)
