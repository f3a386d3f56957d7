#!/usr/bin/env python3
"""What the library exports is what include/tenon declares, and the abuse test has a case for all of it:
symbols.py LIBRARY."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
declared = set()
for path in sorted((root / "include").rglob("*.h")):
    text = re.sub(r"//.*", "", path.read_text())
    declared |= set(re.findall(r"\b(tn_\w+)\s*\(", text))
exported = set()
for line in subprocess.run(["readelf", "--syms", "--wide", sys.argv[1]], capture_output=True, text=True, check=True).stdout.splitlines():
    cells = line.split()  # number value size type binding visibility section name
    if len(cells) == 8 and cells[3] in ("FUNC", "OBJECT") and cells[4] == "GLOBAL" and cells[5] == "DEFAULT" and cells[6] != "UND":
        exported.add(cells[7])
abuse = set(re.findall(r"CASE\((tn_\w+)", (root / "tests/physics/api_abuse_test.c").read_text()))
errors = [f"{name}: exported, but no header in include/tenon declares it" for name in sorted(exported - declared)]
errors += [f"{name}: declared in include/tenon, but not exported" for name in sorted(declared - exported)]
errors += [f"{name}: tests/physics/api_abuse_test.c has no case for it" for name in sorted(declared - abuse)]
print("\n".join(errors) or f"{len(exported)} functions exported, each declared and abused")
sys.exit(1 if errors or len(exported) < 80 else 0)
