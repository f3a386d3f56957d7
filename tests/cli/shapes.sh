# Shapes from files from end to end: check, run, the recording's surfaces, VTK, friction problems of a scene whose parts
# lie in other folders.
. "$(dirname "$0")/lib.sh"
need_python

mkdir parts
cat >make.py <<'PY'
# A table as a closed mesh, two cubes as the objects of a dumbbell (STL has no objects, so OBJ), a wedge as binary STL.
import struct
cube = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
def obj(f, name, size, shift, first):
    f.write(f"o {name}\n")
    for p in cube:
        f.write("v " + " ".join(str(s * c / 2 + d) for s, c, d in zip(size, p, shift)) + "\n")
    for q in quads:
        f.write("f " + " ".join(str(first + i) for i in q) + "\n")
with open("parts/table.obj", "w") as f:
    obj(f, "table", (4000, 4000, 200), (0, 0, -100), 1)
with open("parts/dumbbell.obj", "w") as f:
    obj(f, "left", (100, 100, 100), (-100, 0, 0), 1)
    obj(f, "right", (100, 100, 100), (100, 0, 0), 9)
wedge = [(0, 0, 0), (200, 0, 0), (0, 100, 0), (0, 0, 100)]
faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
with open("parts/wedge.stl", "wb") as f:
    f.write(b"wedge".ljust(80, b"\0") + struct.pack("<I", 4))
    for face in faces:
        f.write(struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *wedge[i]) for i in face) + b"\0\0")
with open("parts/hill.txt", "w") as f:
    f.write("0 0 0\n0 5 0\n0 0 0\n")
PY
"$python" make.py

cat >parts/ground.yaml <<YAML
bodies:
  table: {fixed: true, shape: {mesh: {file: table.obj, scale: 0.001}}}
YAML
cat >shapes.yaml <<YAML
include: parts/ground.yaml
title: Parts on a table
step: 5 ms
duration: 0.5 s
bodies:
  hill: {fixed: true, position: [1, 1, 0], shape: {heights: {size: [0.8, 0.8], file: parts/hill.txt, scale: 1 cm}}}
  dumbbell: {position: [0, 0, 0.06], shape: {hulls: {file: parts/dumbbell.obj, scale: 0.001}}}
  wedge: {position: [0.5, 0, 0.01], shape: {hull: {file: parts/wedge.stl, scale: 0.001}}, array: {count: [3, 1, 1], spacing: [0.3, 0, 0]}}
  ball: {position: [0.9, 0.95, 0.12], shape: {sphere: 0.05}}
YAML

expect 0 'shapes +1 sphere 5 hull 1 mesh 1 heights' check shapes.yaml
expect 0 'step[s ]' run shapes.yaml

cat >recording.py <<'PY'
import h5py, numpy as np
f = h5py.File("shapes.h5")
kind = [b.decode() for b in f["shapes/kind"]]
assert sorted(set(kind)) == ["heights", "hull", "mesh", "sphere"], kind
points, triangles = f["shapes/points"][:], f["shapes/triangles"][:]
po, to, same = f["shapes/points_offset"][:], f["shapes/triangles_offset"][:], f["shapes/same_as"][:]
def volume(k):
    k = same[k]
    x = points[po[k]:po[k + 1]][triangles[to[k]:to[k + 1]]]
    return np.einsum("ti,ti->", x[:, 0], np.cross(x[:, 1], x[:, 2])) / 6
sizes = sorted(volume(k) for k in range(len(kind)) if kind[k] in ("hull", "mesh"))
assert np.allclose(sizes, 3 * [0.2 * 0.1 * 0.1 / 6] + 2 * [1e-3] + [4 * 4 * 0.2], rtol=1e-6), sizes
assert (same != np.arange(len(same))).sum() == 2  # two of the three wedges are copies
names = [b.decode() for b in f["bodies/name"]]
z = f["poses"][-1, :, 2]
assert abs(f["bodies/mass"][names.index("dumbbell")] - 2.0) < 1e-9
assert abs(z[names.index("dumbbell")] - 0.05) < 1e-6, z
assert abs(f["velocities"][-1, names.index("dumbbell")]).max() < 1e-6
PY
"$python" recording.py
report $? "the recording has the surfaces, mass of both cubes, the dumbbell at rest on the table"

expect 0 '.' export shapes.h5 --vtk vtk
ls vtk/*.pvd >/dev/null 2>&1
report $? "surfaces for ParaView"
expect 0 '.' export shapes.h5 --fclib problems --every 50
ls problems/* >/dev/null 2>&1
report $? "friction problems: the scene in the recording finds the files again"

# What a person mistypes.
expect 2 "cannot read 'parts/none.obj'" check shapes.yaml --set 'bodies.dumbbell.shape.hulls.file=parts/none.obj'
expect 2 'a mesh collides only' check shapes.yaml --set 'bodies.ball.shape={mesh: parts/table.obj}'
finish
