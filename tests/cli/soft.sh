# Soft bodies from end to end: check, run, VTK, CSV, friction problems, pictures.
. "$(dirname "$0")/lib.sh"
need_python

# A pad hung from a hand that swings above the ground it touches, and a brick of the same stuff that lies there.
cat >soft.yaml <<YAML
title: A pad and a brick
step: 5 ms
duration: 0.2 s
record: {stress: true, precision: double}
bodies:
  ground: {fixed: true, shape: {plane: [0, 0, 1]}}
  hand: {motion: {position: ["0.1*t", 0, "0.1 - 0.05*t"]}}
  box: {position: [1, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}
defaults:
  soft: {young: 100 kPa, poisson: 0.3, damping: {stiffness: 1 ms}}
soft:
  pad:
    grid: {size: [0.2, 0.2, 0.1], divisions: [4, 4, 2]}
    position: [0, 0, 0.0505]
    attach: [{to: hand, where: {box: {low: [-1, -1, 0.049], high: [1, 1, 1]}}}]
  brick: {grid: {size: [0.2, 0.1, 0.1], divisions: [2, 1, 1]}, position: [-1, 0, 0.05]}
YAML

expect 0 'soft +pad: 75 nodes \(25 attached\), 192 tetrahedra, 0\.004 m\^3, 4 kg' check soft.yaml
expect 0 'edges from 0\.05 to' check soft.yaml
"$tenon" check soft.yaml --json | "$python" -c '
import json, sys
s = json.load(sys.stdin)["soft"]
assert [b["name"] for b in s] == ["pad", "brick"] and s[1]["nodes"] == 12 and s[0]["attached_nodes"] == 25, s
assert abs(s[0]["volume_m3"] - 4e-3) < 1e-15 and abs(s[1]["mass_kg"] - 2) < 1e-12 and s[0]["tetrahedra"] == 192, s
assert abs(s[0]["shortest_edge_m"] - 0.05) < 1e-15 and abs(s[0]["longest_edge_m"] - 0.05 * 3 ** 0.5) < 1e-15, s'
report $? "check --json: nodes, volume, mass and edges as by hand"

expect 0 '2 soft bodies: 87 nodes, 204 tetrahedra' run soft.yaml
"$tenon" run soft.yaml --json -o json.h5 | "$python" -c '
import json, sys
d = json.load(sys.stdin)
assert d["bodies"] == 5 and d["soft_bodies"] == 2 and d["nodes"] == 87 and d["tetrahedra"] == 204, d
assert d["dof"] == 6 + 3 * (87 - 25) and d["contacts"]["max"] > 0 and d["certificate"]["penetration"]["max"] < 1e-6, d'
report $? "run --json counts soft bodies, nodes, tetrahedra"

cat >recording.py <<'PY'
import h5py, numpy as np
f = h5py.File("soft.h5")
n = len(f["time"])
names = [b.decode() for b in f["bodies/name"]]
assert f.attrs["format_version"] == 4 and names == ["world", "ground", "hand", "box", "pad", "brick"], names
assert list(f["bodies/kind"]) == [1, 1, 2, 0, 3, 3] and abs(f["bodies/mass"][4] - 4) < 1e-12
x, v, rest = f["soft/positions"][:n], f["soft/velocities"][:n], f["soft/rest"][:]
assert x.dtype == v.dtype == np.float64 and x.shape == v.shape == (n, 87, 3) and rest.shape == (87, 3)
pad = slice(*f["soft/node_offset"][:2])
held = f["soft/attached"][:] == names.index("hand")
assert held.sum() == 25 and np.allclose(v[:, held], [0.1, 0, -0.05], atol=1e-15)
hand = f["poses"][:n, names.index("hand"), :3]
assert np.allclose(x[:, held] - hand[:, None], x[0, held] - hand[0], atol=1e-14)
# Mass goes to the corners of the tetrahedra alike, so that the center of mass follows from mesh and density.
tets = f["soft/tets"][slice(*f["soft/tet_offset"][:2])]
e = rest[tets[:, 1:]] - rest[tets[:, :1]]
volume = np.einsum("ti,ti->t", np.cross(e[:, 0], e[:, 1]), e[:, 2]) / 6
assert volume.min() > 0 and abs(volume.sum() - 4e-3) < 1e-15
mass = np.zeros(87)
np.add.at(mass, tets, f["soft/density"][0] * volume[:, None] / 4)
assert np.allclose(np.einsum("i,fix->fx", mass, x) / mass.sum(), f["poses"][:n, 4, :3], atol=1e-14)
assert np.allclose(np.einsum("i,fix->fx", mass, v) / mass.sum(), f["velocities"][:n, 4, :3], atol=1e-14)
# Strain energy from the stress: V/2 (|s|^2/(2 mu) - lambda/(2 mu (3 lambda + 2 mu)) tr(s)^2).
young, nu = f["soft/young"][0], f["soft/poisson"][0]
mu, lam = young / 2 / (1 + nu), young * nu / (1 + nu) / (1 - 2 * nu)
s = f["soft/stress"][:n, :len(tets)].astype(float)
square = (s[..., :3] ** 2).sum(-1) + 2 * (s[..., 3:] ** 2).sum(-1)
density = (square - lam / (3 * lam + 2 * mu) * s[..., :3].sum(-1) ** 2) / (4 * mu)
energy = density @ volume
assert f["soft/stress"].dtype == np.float32 and f["soft/energy"].shape == (n, 2) and energy[-1] > 1e-6
off = abs(energy[1:] / f["soft/energy"][1:, 0] - 1).max() # frame 0 is at rest
print("strain energy from recorded stresses off by %.1e, limit 1e-5 (float32)" % off)
assert off < 1e-5
assert np.allclose(f["soft/energy"][:].sum(1), f["energy/elastic"][:], rtol=1e-12)
faces = f["soft/faces"][slice(*f["soft/face_offset"][:2])]
a, b, c = rest[faces[:, 0]], rest[faces[:, 1]], rest[faces[:, 2]]
assert abs(np.einsum("fi,fi->", a, np.cross(b, c)) / 6 - 4e-3) < 1e-15 # outwards, closed
touching = f["contacts/bodies"][:]
assert (touching == names.index("pad")).any() and (touching == names.index("brick")).any() and touching.max() < 6
PY
"$python" recording.py
report $? "the recording: names, nodes, attached ones, center of mass, energies from stresses"

expect 0 '9 frames: open vtk/soft.pvd .and soft_contacts.pvd, soft_soft.pvd. in ParaView' export soft.h5 --vtk vtk --every 5
"$python" - <<'PY'
import base64, struct, xml.etree.ElementTree as ET
import h5py, numpy as np
f = h5py.File("soft.h5")
def array(piece, name):
    a = piece.find(f".//DataArray[@Name='{name}']")
    raw = base64.b64decode("".join(a.text.split()))
    (size,) = struct.unpack_from("<I", raw)
    assert size == len(raw) - 4, name
    return np.frombuffer(raw[4:], {"Float32": "<f4", "Int32": "<i4", "UInt8": "u1"}[a.get("type")])
def piece(name):
    return ET.parse("vtk/" + name).getroot().find(".//Piece")
sets = ET.parse("vtk/soft_soft.pvd").getroot().findall(".//DataSet")
assert len(sets) == 9
tets, rest = f["soft/tets"][:], f["soft/rest"][:]
for s in sets:
    frame = int(np.argmin(abs(f["time"][:] - float(s.get("timestep")))))
    p, x, v = piece(s.get("file")), f["soft/positions"][frame], f["soft/velocities"][frame]
    assert int(p.get("NumberOfPoints")) == 87 and int(p.get("NumberOfCells")) == len(tets) == 204
    assert (array(p, "connectivity").reshape(-1, 4) == tets).all() and (array(p, "types") == 10).all()
    assert (array(p, "offsets") == 4 * np.arange(1, 205)).all() and list(np.unique(array(p, "body"))) == [4, 5]
    assert np.allclose(array(p, "points").reshape(-1, 3), x, atol=1e-7)
    assert np.allclose(array(p, "displacement").reshape(-1, 3), x - rest, atol=1e-8)
    assert np.allclose(array(p, "velocity").reshape(-1, 3), v, atol=1e-7)
    t = f["soft/stress"][frame].astype(float)
    mises = np.sqrt(0.5 * ((t[:, 0] - t[:, 1]) ** 2 + (t[:, 1] - t[:, 2]) ** 2 + (t[:, 2] - t[:, 0]) ** 2)
                    + 3 * (t[:, 3:] ** 2).sum(1))
    assert np.allclose(array(p, "von_mises"), mises, rtol=1e-5, atol=1e-3) # Pa
    e = rest[tets[:, 1:]] - rest[tets[:, :1]]
    volume = np.einsum("ti,ti->t", np.cross(e[:, 0], e[:, 1]), e[:, 2]) / 6
    assert np.isclose(array(p, "energy_density") @ volume, f["energy/elastic"][frame], rtol=1e-5, atol=1e-12)
    # The surfaces: every triangle of a soft body has its nodes where they are now.
    q = piece("soft_%06d.vtu" % frame)
    n, body = int(q.get("NumberOfPoints")), array(q, "body")
    points, index, ends = array(q, "points").reshape(n, 3), array(q, "connectivity"), array(q, "offsets")
    starts = np.concatenate([[0], ends[:-1]])
    corners = np.array([index[a:b] for a, b, k in zip(starts, ends, body) if k >= 4])
    assert np.allclose(points[corners], x[f["soft/faces"][:]], atol=1e-7)
    assert np.allclose(array(q, "velocity").reshape(n, 3)[corners], v[f["soft/faces"][:]], atol=1e-7)
PY
report $? "VTK: volumes with stress, energy, displacement; surfaces that move with the nodes"

expect 0 'soft.csv: 41 rows' export soft.h5 --csv soft.csv
"$python" - <<'PY'
import csv, h5py
f, rows = h5py.File("soft.h5"), list(csv.DictReader(open("soft.csv")))
for frame, row in enumerate(rows):
    assert float(row["pad.x"]) == f["poses"][frame, 4, 0] and float(row["brick.vz"]) == f["velocities"][frame, 5, 2]
    assert float(row["pad.strain_energy"]) == f["soft/energy"][frame, 0]
    assert float(row["brick.strain_energy"]) == f["soft/energy"][frame, 1]
PY
report $? "CSV: centers of mass and strain energies to the last bit"

expect 0 'problems; solve one with' export soft.h5 --fclib problems --every 20
expect 0 'natural' solve problems/step_000040.hdf5 --out solved.hdf5 --tolerance natural=1e-10,momentum=1e-10
"$python" - <<'PY'
import h5py
f, s = h5py.File("soft.h5"), h5py.File("solved.hdf5")
a, b = f["contacts/offset"][40:42]
r = s["solution/r"][:].reshape(-1, 3)
assert len(r) == b - a > 0
normal = sum(f["contacts/force"][k] @ f["contacts/normal"][k] for k in range(a, b))
ratio = r[:, 0].sum() / normal # impulses or forces, as the problem's own scaling is
off = min(abs(ratio - 1), abs(ratio / f.attrs["step"] - 1))
print("normal forces of %d contacts off by %.1e, limit 1e-5 (the run's tolerance is 1e-6)" % (len(r), off))
assert off < 1e-5
PY
report $? "a soft scene's problem solved from its file carries the recorded weight"
cp soft.h5 tampered.h5
"$python" -c 'import h5py; f = h5py.File("tampered.h5", "r+"); f["soft/positions"][30, 80, 0] += 1e-12'
expect 2 "leaves the recorded one at step 30, body 'brick'" export tampered.h5 --fclib tampered

# Save and resume, and two threads: the same to the last bit.
"$tenon" run soft.yaml -q --steps 20 -o first.h5 --save half.ckpt &&
    "$tenon" run soft.yaml -q --steps 20 -o second.h5 --resume half.ckpt &&
    "$tenon" run soft.yaml -q -o threads.h5 --threads 2
report $? "runs with checkpoint and threads"
"$python" - <<'PY'
import h5py
whole, second, threads = h5py.File("soft.h5"), h5py.File("second.h5"), h5py.File("threads.h5")
for name in ["soft/positions", "soft/velocities", "soft/energy", "soft/stress", "poses"]:
    assert whole[name][20:].tobytes() == second[name][:].tobytes(), name
    assert whole[name][:].tobytes() == threads[name][:].tobytes(), name
PY
report $? "the same to the last bit after save and resume, and with two threads"

if command -v gnuplot >/dev/null; then
    for what in body:pad:z body:brick:vx body:pad:strain_energy energy; do
        expect 0 'a.svg' plot soft.h5 $what -o a.svg
        grep -q '<path' a.svg
        report $? "plot $what: a picture with curves"
    done
    expect 2 'of soft bodies strain_energy' plot soft.h5 body:box:strain_energy -o a.svg
fi

# A bar between the wall and a weight, without damping: midpoint gains energy, and the run says what to do.
cat >swing.yaml <<YAML
duration: 2 s
bodies:
  weight: {position: [0.3, 0, 0], mass: 0.5, shape: {box: [5 cm, 5 cm, 5 cm]}}
soft:
  bar:
    grid: {size: [0.5, 0.04, 0.04], divisions: [12, 2, 2]}
    position: [0.05, 0, 0]
    young: 1 MPa
    attach: [{where: {box: {high: [-0.249, 1, 1]}}}, {to: weight, where: {box: {low: [0.249, -1, -1]}}}]
YAML
expect 0 'give them damping: .stiffness: 0.002 s' run swing.yaml --scheme midpoint --no-record
expect 0 'gained at most 0$' run swing.yaml --scheme midpoint --no-record --set soft.bar.damping.stiffness=2e-3
[ "$(grep -c 'give them' stdout.txt)" = 0 ]
report $? "no such hint where damping is given"

# A stiff rod that spins by half a radian a step, and a solver that does not get there.
cat >rod.yaml <<YAML
step: 10 ms
duration: 0.2 s
gravity: [0, 0, 0]
soft:
  rod: {grid: {size: [0.2, 0.02, 0.02], divisions: [10, 2, 2]}, young: 1 MPa, density: 1000, angular_velocity: [0, 50, 0]}
YAML
expect 0 'euler strains soft bodies that bend or turn far within a step: take a shorter step' run rod.yaml --no-record
[ "$(grep -c astray stdout.txt)" = 0 ]
report $? "a solve that got there is not called astray"
expect 0 'gained at most 0$' run rod.yaml --no-record --scheme implicit
[ "$(grep -c strains stdout.txt)" = 0 ]
report $? "no such hint with scheme implicit"
cat >stiff.yaml <<YAML
step: 20 ms
duration: 0.1 s
soft:
  ball: {ball: {radius: 0.05, divisions: 4}, young: 100 MPa, poisson: 0.45, density: 1000}
YAML
expect 0 'astray +solver cond left forces and velocities out of balance by up to 0\.[0-9]+ of the forces' \
    run stiff.yaml --no-record --solver cond
grep -q 'the motion; take solver: auto, allow more iterations' stdout.txt
report $? "and what to do about it"

expect 0 'soft    grid ball cylinder finger mesh' info
"$tenon" info --schema >schema.json
"$tenon" info --json | "$python" -c '
import json, sys
schema = open("schema.json").read()
names = json.load(sys.stdin)["soft_meshes"]
assert names and all("\"%s\"" % name in schema for name in names), names'
report $? "info names meshes that scenes have"

# Recordings that are broken in one place: the message names it.
broken() { # broken PYTHON PATTERN
    cp soft.h5 broken.h5
    "$python" -c "import h5py, numpy as np; f = h5py.File('broken.h5', 'r+'); $1"
    expect 2 "$2" export broken.h5 --vtk broken
}
broken "del f['soft/tets']" "'soft' is missing, malformed or damaged"
broken "f['soft/faces'][3, 1] = 80" "'soft' is missing, malformed or damaged"
broken "f['soft/node_offset'][1] = 70" "'soft' is missing, malformed or damaged"
broken "del f['soft/positions']" "'soft/positions' is missing, malformed or damaged"
broken "del f['soft/energy']; f['soft/energy'] = np.zeros((41, 3))" "'soft/energy' is missing, malformed or damaged"
broken "f['soft/rest'][:] = 0" 'volume 0 m\^3 is not positive'
finish
