"""Compares the VTK files and the table made from a recording with it: numbers_files.py F.h5 VTK_FOLDER F.csv."""
import base64, csv, os, struct, sys, xml.etree.ElementTree as ET

import h5py
import numpy as np

recording, folder, table = sys.argv[1:4]
f = h5py.File(recording)
stem = os.path.basename(recording)[:-3]
n = len(f["time"])
names = [b.decode() for b in f["bodies/name"]]


def array(piece, name):
    a = piece.find(f".//DataArray[@Name='{name}']")
    raw = base64.b64decode("".join(a.text.split()))
    (size,) = struct.unpack_from("<I", raw)
    assert size == len(raw) - 4, name
    values = np.frombuffer(raw[4:], {"Float32": "<f4", "Int32": "<i4", "UInt8": "u1"}[a.get("type")])
    width = int(a.get("NumberOfComponents") or 1)
    return values.reshape(-1, width) if width > 1 else values


def near(what, got, wanted):
    wanted = np.asarray(wanted, float)
    assert got.shape == wanted.shape, (what, got.shape, wanted.shape)
    scale = np.abs(wanted).max() if wanted.size else 0.0
    assert np.abs(got - wanted).max(initial=0.0) <= 1e-6 * scale + 1e-12, what  # 32-bit numbers


# ---- contacts: all arrays, and one vertex cell a point
seen = 0
for frame, s in enumerate(ET.parse(f"{folder}/{stem}_contacts.pvd").getroot().findall(".//DataSet")):
    assert abs(float(s.get("timestep")) - f["time"][frame]) < 1e-8
    piece = ET.parse(f"{folder}/{s.get('file')}").getroot().find(".//Piece")
    first, end = f["contacts/offset"][frame : frame + 2]
    m = end - first
    assert int(piece.get("NumberOfPoints")) == int(piece.get("NumberOfCells")) == m
    near("points", array(piece, "points").reshape(-1, 3), f["contacts/point"][first:end])
    for name in ("force", "normal", "velocity", "gap"):
        near(name, array(piece, name), f["contacts/" + name][first:end])
    assert (array(piece, "bodies").reshape(-1, 2) == f["contacts/bodies"][first:end]).all()
    assert (array(piece, "connectivity") == np.arange(m)).all()
    assert (array(piece, "offsets") == np.arange(1, m + 1)).all()
    assert (array(piece, "types") == 1).all()
    seen += m
assert seen == len(f["contacts/force"]) > 100, seen

# ---- pressures: a quad an element about its point, its area and pressure those of the patch and the force
seen = 0
for frame, s in enumerate(ET.parse(f"{folder}/{stem}_pressure.pvd").getroot().findall(".//DataSet")):
    assert abs(float(s.get("timestep")) - f["time"][frame]) < 1e-8
    piece = ET.parse(f"{folder}/{s.get('file')}").getroot().find(".//Piece")
    first, end = f["contacts/offset"][frame : frame + 2]
    patch = f["contacts/patch"][first:end]
    area = np.linalg.norm(np.cross(patch[:, 0], patch[:, 1]), axis=1)
    mine = area > 0
    m = mine.sum()
    assert int(piece.get("NumberOfPoints")) == 4 * m and int(piece.get("NumberOfCells")) == m and m in (0, 9)
    assert (array(piece, "connectivity") == np.arange(4 * m)).all() and (array(piece, "types") == 9).all()
    assert (array(piece, "offsets") == 4 * np.arange(1, m + 1)).all()
    bodies = f["contacts/bodies"][first:end][mine]
    assert (array(piece, "bodies").reshape(-1, 2) == bodies).all()
    assert all(names[a] == "ground" and names[b] == "plate" for a, b in bodies), bodies
    quad = array(piece, "points").reshape(-1, 4, 3).astype(float)
    near("middles", quad.mean(axis=1), f["contacts/point"][first:end][mine])
    around = np.cross(quad[:, 2] - quad[:, 0], quad[:, 3] - quad[:, 1]) / 2
    assert np.abs(np.linalg.norm(around, axis=1) - area[mine]).max(initial=0) < 1e-6 and (around[:, 2] < 0).all()
    pressed = (f["contacts/force"][first:end] * f["contacts/normal"][first:end]).sum(axis=1)[mine]
    near("pressures", array(piece, "pressure"), pressed / area[mine])
    seen += m
assert seen > 300 and abs(9 * area[mine][0] - 0.06) < 1e-12, seen

# ---- surfaces: each point moves with its body, v + omega x r
for frame, s in enumerate(ET.parse(f"{folder}/{stem}.pvd").getroot().findall(".//DataSet")):
    assert abs(float(s.get("timestep")) - f["time"][frame]) < 1e-8
    piece = ET.parse(f"{folder}/{s.get('file')}").getroot().find(".//Piece")
    points, velocity, body = array(piece, "points"), array(piece, "velocity"), array(piece, "body")
    index, ends = array(piece, "connectivity"), array(piece, "offsets")
    starts = np.concatenate([[0], ends[:-1]])
    for b in range(1, len(names) - 1):
        mine = np.unique(np.concatenate([index[a:e] for a, e, k in zip(starts, ends, body) if k == b]))
        pose, v = f["poses"][frame, b], f["velocities"][frame, b]
        wanted = v[:3] + np.cross(v[3:], points[mine] - pose[:3])
        assert np.abs(velocity[mine] - wanted).max() < 2e-6, (frame, names[b])

# ---- the table, to the last bit
rows = list(csv.DictReader(open(table)))
assert len(rows) == n


def same(name, wanted):
    for k in range(n):
        text = rows[k][name]
        assert (text == "" and np.isnan(wanted[k])) or float(text) == wanted[k], (name, k, text, wanted[k])


columns = {"time": f["time"][:], "contacts": np.diff(f["contacts/offset"][:]).astype(float)}
columns.update({k: f[k][:] for k in ("step", "iterations", "tolerances_held")})
for group in ("certificate", "timings", "energy"):
    columns.update({f"{group}.{k}": f[group][k][:] for k in f[group]})
for k, axis in enumerate("xyz"):
    columns.update({f"{name}.{axis}": f[name][:, k] for name in ("momentum", "angular_momentum")})
for b, name in enumerate(names[1:], 1):
    columns.update({f"{name}.{c}": f["poses"][:, b, k] for k, c in enumerate(("x", "y", "z", "qw", "qx", "qy", "qz"))})
    columns.update({f"{name}.{c}": f["velocities"][:, b, k] for k, c in enumerate(("vx", "vy", "vz", "wx", "wy", "wz"))})
columns["block.strain_energy"] = f["soft/energy"][:, 0]
for j, name in enumerate(b.decode() for b in f["joints/name"]):
    for k, axis in enumerate("xyz"):
        columns[f"{name}.f{axis}"], columns[f"{name}.t{axis}"] = f["joints/force"][:, j, k], f["joints/torque"][:, j, k]
    for c in range(*f["joints/first_coordinate"][j : j + 2]):
        coordinate = f["joints/coordinate_name"][c].decode()
        columns[f"{name}.{coordinate}"] = f["joints/coordinate"][:, c]
        columns[f"{name}.{coordinate}.rate"] = f["joints/rate"][:, c]
        columns[f"{name}.{coordinate}.effort"] = f["joints/effort"][:, c]
assert set(columns) == set(rows[0]), set(columns) ^ set(rows[0])
for name, wanted in columns.items():
    same(name, wanted)
print(f"{seen} contacts, {n} frames, {len(columns)} columns")
