"""Compares what run and check print with the recording: numbers_summary.py F.h5 RUN.json RUN.txt CHECK.json."""
import json, re, sys

import h5py
import numpy as np

f = h5py.File(sys.argv[1])
said, text, census = json.load(open(sys.argv[2])), open(sys.argv[3]).read(), json.load(open(sys.argv[4]))
n = len(f["time"])
failed = 0


def near(what, got, wanted, relative=1e-12):
    global failed
    none = wanted is None or np.isnan(wanted)
    ok = got is None if none else got is not None and abs(got - wanted) <= relative * max(abs(wanted), 1e-300)
    failed += not ok
    if not ok:
        print(f"FAILED: {what}: {got}, wanted {wanted}")


def known(values):
    values = np.asarray(values, float)
    return values[~np.isnan(values)]


def statistic(values, name):
    values = known(values)
    return getattr(np, name)(values) if len(values) else np.nan


# ---- run --json
contacts = np.diff(f["contacts/offset"][:])[1:]
for name, values in (("contacts", contacts), ("iterations", f["iterations"][1:])):
    near(name + " mean", said[name]["mean"], np.mean(values))
    near(name + " max", said[name]["max"], np.max(values))
times = {k: 1e3 * f["timings/" + k][1:] for k in ("collide", "discretize", "solve", "certify", "total")}
for key, name in (("ms_per_step", "median"), ("ms_per_step_mean", "mean"), ("ms_per_step_max", "max")):
    for stage, values in times.items():
        near(f"{key} {stage}", said[key][stage], statistic(values, name), 1e-9)
for name, figure in said["certificate"].items():
    values = f["certificate/" + name][1:]
    near(name + " max", figure["max"], statistic(values, "max"))
    near(name + " median", figure["median"], statistic(values, "median"))
whole = sum(f["energy/" + k][:] for k in ("kinetic", "gravity", "elastic"))
near("energy at first", said["energy"]["initial"], whole[0])
near("energy at last", said["energy"]["final"], whole[-1])
near("energy gained", said["energy"]["max_gain"], max(0.0, np.max((whole - f["energy/injected"][:])[1:] - whole[0])), 1e-9)
near("steps", said["steps"], n - 1)
near("time", said["time_s"], f["time"][n - 1])
near("missed", said["steps_missed"], np.sum(f["tolerances_held"][:] == 0))
near("dof", said["dof"], f.attrs["dof"])
assert said["steps_missed"] > 0 and len(set(contacts)) > 2

# ---- the text: three digits of the same
three = 6e-3
mean, most = re.search(r"contacts +(\S+) mean, (\S+) max", text).groups()
near("text: contacts", float(mean), np.mean(contacts), 1e-3)
near("text: most contacts", float(most), np.max(contacts))
first, last, gained = re.search(r"energy \[J\] +(\S+) at first, (\S+) at last, gained at most (\S+)", text).groups()
near("text: energy at first", float(first), whole[0], 1e-5)
near("text: energy at last", float(last), whole[-1], 1e-5)
lines = re.findall(r"^ +([a-z_]+) +(\d\.\d\de[+-]\d\d) +(\d\.\d\de[+-]\d\d)  ", text, re.M)
assert {name for name, _, _ in lines} == {k for k, v in said["certificate"].items() if v["max"] is not None}
for name, most, median in lines:
    near("text: " + name, float(most), statistic(f["certificate/" + name][1:], "max"), three)
    near("text: median of " + name, float(median), statistic(f["certificate/" + name][1:], "median"), three)

# ---- check --json
kinds, mass = f["bodies/kind"][1:], f["bodies/mass"][1:]
near("free bodies", census["bodies"]["free"], np.sum(kinds == 0))
near("fixed bodies", census["bodies"]["fixed"], np.sum(kinds == 1))
near("kinematic bodies", census["bodies"]["kinematic"], np.sum(kinds == 2))
near("mass", census["mass_kg"], np.sum(mass[(kinds == 0) | (kinds == 3)]), 1e-12)
near("boxes", census["shapes"]["box"], 4)
near("joints", census["joints"], 2)
near("joint rows", census["joint_rows"], 10)
near("dof", census["dof"], f.attrs["dof"])
near("mobility", census["mobility"], f.attrs["dof"] - 10)
block = census["soft"][0]
for key, wanted in (("nodes", 12), ("tetrahedra", 12), ("volume_m3", 0.006), ("mass_kg", 6.0), ("shortest_edge_m", 0.1),
                    ("longest_edge_m", (0.2**2 + 0.15**2 + 0.1**2) ** 0.5), ("surface_triangles", 20), ("attached_nodes", 0)):
    near("block's " + key, block[key], wanted, 1e-12)
print(len(lines), "figures,", n - 1, "steps")
sys.exit(failed > 0)
