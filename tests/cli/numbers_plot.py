"""Compares what gnuplot was told, plot_WHAT, with the recording: numbers_plot.py F.h5 WHAT..."""
import re, sys

import h5py
import numpy as np

f = h5py.File(sys.argv[1])
n = len(f["time"])
names = [b.decode() for b in f["bodies/name"]]
joints = [b.decode() for b in f["joints/name"]]
MS = 1e3


def joint_column(joint, component):
    j = joints.index(joint)
    if component[0] in "ft" and component[1:] in ("x", "y", "z"):
        return f["joints/force" if component[0] == "f" else "joints/torque"][:, j, "xyz".index(component[1])]
    name, _, what = component.partition(".")
    first, end = f["joints/first_coordinate"][j : j + 2]
    c = first + [b.decode() for b in f["joints/coordinate_name"][first:end]].index(name)
    return f["joints/" + (what or "coordinate")][:, c]


def wanted(what):
    """Curves by title (None: the only one), and a part of the axis' label."""
    if what == "energy":
        return {k: f["energy/" + k][:] for k in ("kinetic", "gravity", "elastic", "dissipated", "injected")}, "[J]"
    if what == "certificate":
        return {k: f["certificate/" + k.replace(" ", "_")][:] for k in ("momentum", "natural", "fclib", "strict natural", "cone")}, "error"
    if what == "timings":
        return {k: MS * f["timings/" + k][:] for k in ("collide", "discretize", "solve", "certify", "total")}, "[ms]"
    if what == "contacts":
        return {None: np.diff(f["contacts/offset"][:]).astype(float)}, "contacts"
    if what == "iterations":
        return {None: f["iterations"][:].astype(float)}, "iterations"
    if what in ("penetration", "drift"):
        return {None: f["certificate/" + what][:]}, "[m"
    if what == "balance":
        return {None: f["energy/balance"][:]}, "[J]"
    kind, name, component = what.split(":")
    if kind == "joint":
        return {None: joint_column(name, component)}, "N" if component[0] in "ft" else "rad" if component[:4] == "turn" else "m/s"
    b = names.index(name)
    if component == "strain_energy":
        return {None: f["soft/energy"][:, b - (len(names) - len(f["soft/body"]))]}, "[J]"
    if component == "height":
        return {None: f["poses"][:, b, 2]}, "[m]"
    pose = ("x", "y", "z", "qw", "qx", "qy", "qz")
    if component in pose:
        return {None: f["poses"][:, b, pose.index(component)]}, "quaternion" if component[0] == "q" else "[m]"
    velocity = ("vx", "vy", "vz", "wx", "wy", "wz")
    return {None: f["velocities"][:, b, velocity.index(component)]}, "[m/s]" if component[0] == "v" else "[rad/s]"


for what in sys.argv[2:]:
    script = open("plot_" + what).read()
    data = np.array([[float(x) for x in line.split()] for line in re.search(r"<< END_OF_DATA\n(.*?)END_OF_DATA", script, re.S).group(1).splitlines()])
    titles = re.findall(r"using 1:(\d+) with lines linewidth 2 title '([^']*)'", script)
    label = re.search(r"set ylabel '([^']*)'", script).group(1)
    curves, unit = wanted(what)
    logarithmic = "set logscale y" in script
    assert unit in label, (what, label)
    assert len(data) == n and np.allclose(data[:, 0], f["time"][:], rtol=1e-8, atol=0)
    assert [int(k) for k, _ in titles] == list(range(2, data.shape[1] + 1)) and titles, titles
    for k, title in titles:
        y = curves.pop(title if title in curves else None)
        y = np.where(np.isfinite(y) & ((y > 0) | (not logarithmic)), y, np.nan)
        assert np.isfinite(y).any(), (what, title)
        got = data[:, int(k) - 1]
        assert (np.isnan(got) == np.isnan(y)).all() and np.allclose(got, y, rtol=1e-8, atol=1e-300, equal_nan=True), (what, title)
    for title, y in curves.items():  # left out: nothing to draw, or drawn already
        y = np.where(np.isfinite(y) & ((y > 0) | (not logarithmic)), y, np.nan)
        drawn = [d for d in data.T[1:] if np.allclose(d, y, rtol=1e-8, atol=0, equal_nan=True)]
        assert drawn or not np.nan_to_num(y).any(), (what, title)
print(len(sys.argv) - 2, "figures")
