#!/usr/bin/env python3
"""No scene without its picture and its line in docs/gallery.md, no picture without its scene; every page is in the site's menu."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
page = (root / "docs/gallery.md").read_text()
scenes = {f"{scene.parent.name}_{scene.stem}": scene for scene in (root / "scenes").glob("*/*.yaml")}
pictures = {picture.stem for picture in (root / "docs/gallery").glob("*.jpg")}
errors = [f"{scenes[name].relative_to(root)} has no picture: make gallery" for name in sorted(scenes.keys() - pictures)]
errors += [f"docs/gallery/{name}.jpg: its scene is gone" for name in sorted(pictures - scenes.keys())]
errors += [f"docs/gallery.md does not show {name}: make gallery" for name in sorted(scenes) if f'src="gallery/{name}.jpg"' not in page
           or f"](../{scenes[name].relative_to(root)})" not in page]
menu = set(re.findall(r"[\w-]+\.md", (root / "docs/mkdocs.yml").read_text().partition("\nnav:")[2]))
errors += [f"docs/mkdocs.yml: {path.name} is not in the menu" for path in sorted((root / "docs").glob("*.md")) if path.name not in menu]
print("\n".join(errors) or f"{len(scenes)} scenes are shown")
sys.exit(1 if errors or len(scenes) < 80 else 0)
