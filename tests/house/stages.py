#!/usr/bin/env python3
"""No stage of a step takes the whole simulation to write into: a mutable tn_sim is for what makes one, steps it, sets
it and ends it. The setup that stages read is const everywhere."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = {
    "tn_sim_destroy",
    "tn_sim_step",
    "tn_sim_replay",  # the step again, for derivatives
    "tn_sim_forces",  # instead of a step
    "step_whole", "step_awake", "step",  # of tn_sim_step, before and after its stages
    "tn_sim_set", "tn_sim_set_log", "tn_sim_set_solver",
}
HOLDERS = {"src/sim/linearize.c"}  # in src/sim: has simulations of its own

errors, seen, functions = [], set(), 0
for path in sorted((root / "src").rglob("*.[ch]")):
    name = str(path.relative_to(root))
    text = re.sub(r"//[^\n]*", "", path.read_text())
    for match in re.finditer(r"(\w+)\)?\s*\(([^(){};]*)\)", text):
        function, parameters = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        functions += "tn_step_setup *" in parameters
        if re.search(r"(?<!const )\btn_sim \*", parameters):
            seen.add(function)
            if function not in ALLOWED:
                errors.append(f"{name}:{line}: '{function}' takes a mutable tn_sim: give it the parts that it writes (sim/sim.h)")
        if re.search(r"(?<!const )\btn_step_setup \*", parameters):
            errors.append(f"{name}:{line}: '{function}' takes a mutable tn_step_setup")
    if name.startswith("src/sim/") and name not in HOLDERS and re.search(r"^    tn_sim \*+\w+(, \*+\w+)*;", text, re.M):
        errors.append(f"{name}: keeps a mutable tn_sim in a struct or a variable")
errors += [f"'{function}' takes no mutable tn_sim any more: take it from the list" for function in sorted(ALLOWED - seen)]
print("\n".join(errors) or f"{functions} signatures of stages say what they write; {len(seen)} functions take a mutable tn_sim")
sys.exit(1 if errors or functions < 100 else 0)
