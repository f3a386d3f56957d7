# What comes out of a recording: VTK, CSV, friction problems that solve to the recorded forces, pictures.
. "$(dirname "$0")/lib.sh"
need_python
write_scene slide.yaml
"$tenon" run slide.yaml -q --tolerance natural=1e-10 --set record.precision=double || report 1 "cannot record the test scene"

expect 0 '11 frames: open vtk/slide.pvd' export slide.h5 --vtk vtk --every 10
"$python" - <<'PY'
import base64, glob, struct, xml.etree.ElementTree as ET
import h5py, numpy as np
f = h5py.File("slide.h5")
sets = ET.parse("vtk/slide.pvd").getroot().findall(".//DataSet")
assert len(sets) == 11
def array(piece, name):
    a = piece.find(f".//DataArray[@Name='{name}']")
    raw = base64.b64decode("".join(a.text.split()))
    (size,) = struct.unpack_from("<I", raw)
    assert size == len(raw) - 4, name
    return np.frombuffer(raw[4:], {"Float32": "<f4", "Int32": "<i4", "UInt8": "u1"}[a.get("type")])
names = list(f["bodies/name"][:])
for s in sets:
    frame = int(np.argmin(abs(f["time"][:] - float(s.get("timestep")))))
    piece = ET.parse("vtk/" + s.get("file")).getroot().find(".//Piece")
    n, cells = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfCells"))
    x, body, offsets = array(piece, "points").reshape(n, 3), array(piece, "body"), array(piece, "offsets")
    index = array(piece, "connectivity")
    assert len(body) == len(offsets) == cells and offsets[-1] == len(index) and index.max() == n - 1
    starts = np.concatenate([[0], offsets[:-1]])
    for name, radius in [(b"ball", 0.1), (b"box", 0.1 * 3 ** 0.5)]:  # all of a body's points lie on its sphere
        k = names.index(name)
        points = np.unique(np.concatenate([index[a:b] for a, b, c in zip(starts, offsets, body) if c == k]))
        d = np.linalg.norm(x[points] - f["poses"][frame, k, :3], axis=1)
        assert abs(d - radius).max() < 1e-6, (name, d)
        # and each polygon's normal points outwards
        for a, b, c in zip(starts, offsets, body):
            if c == k:
                p = x[index[a:b]].astype(float)
                assert np.dot(np.cross(p[1] - p[0], p[2] - p[0]), p.mean(0) - f["poses"][frame, k, :3]) > 0
    contacts = ET.parse("vtk/slide_contacts_%06d.vtu" % frame).getroot().find(".//Piece")
    a, b = f["contacts/offset"][frame:frame + 2]
    assert int(contacts.get("NumberOfPoints")) == b - a
    assert np.allclose(array(contacts, "force").reshape(-1, 3), f["contacts/force"][a:b], rtol=1e-6)
PY
report $? "VTK files: valid XML, surfaces where the bodies are, contact forces"

expect 2 '--csv and --html both name both.html' export slide.h5 --csv both.html --html both.html
[ ! -e both.html ]
report $? "two exports to one file: nothing is written"
expect 0 'slide.csv: 101 rows' export slide.h5 --csv slide.csv
"$python" - <<'PY'
import csv, h5py
rows = list(csv.DictReader(open("slide.csv")))
f = h5py.File("slide.h5")
k = list(f["bodies/name"][:]).index(b"box")
assert len(rows) == 101
for frame, row in enumerate(rows):
    assert float(row["time"]) == f["time"][frame] and float(row["box.x"]) == f["poses"][frame, k, 0]
    assert float(row["box.vx"]) == f["velocities"][frame, k, 0]
    assert int(row["contacts"]) == f["contacts/offset"][frame + 1] - f["contacts/offset"][frame]
    assert float(row["energy.kinetic"]) == f["energy/kinetic"][frame]
assert rows[0]["certificate.natural"] == "" and float(rows[5]["certificate.natural"]) == f["certificate/natural"][5]
PY
report $? "CSV: every number to the last bit"

expect 0 'problems; solve one with' export slide.h5 --fclib problems --every 25
expect 0 'fclib' solve problems/step_000050.hdf5 --out solved.hdf5 --tolerance fclib=1e-10
"$python" - <<'PY'
import h5py, numpy as np
f, s = h5py.File("slide.h5"), h5py.File("solved.hdf5")
a, b = f["contacts/offset"][50:52]
r = s["solution/r"][:].reshape(-1, 3)
assert len(r) == b - a > 0 and len(s["solution/u"]) == 3 * len(r) and len(s["solution/v"]) > 0
# Impulses h lambda or forces lambda, as the problem's own scaling is; normal parts against the recorded forces. A box on
# four points is statically undetermined: the sum is what both must share.
normal = sum(f["contacts/force"][k] @ f["contacts/normal"][k] for k in range(a, b))
ratio = r[:, 0].sum() / normal
assert min(abs(ratio - 1), abs(ratio / f.attrs["step"] - 1)) < 1e-7, ratio
PY
report $? "a problem solved from its file carries the recorded weight"
"$tenon" solve problems/step_000050.hdf5 --json | "$python" -c '
import json, sys
d = json.load(sys.stdin)
assert d["form"] == "global" and d["certificate"]["fclib"] <= 1e-8 and d["law"] == "coulomb" and d["outcome"] == "done", d'
report $? "solve --json"
expect 0 'law convex' solve problems/step_000050.hdf5 --law convex
"$tenon" run slide.yaml -q --steps 5 --law convex -o convex.h5
expect 0 'problems' export convex.h5 --fclib convex --every 5
expect 0 'law convex' solve convex/step_000005.hdf5 # what a file says of its law holds unless an option says another
expect 0 'law coulomb' solve convex/step_000005.hdf5 --law coulomb
expect 1 'a demanded tolerance was not reached' solve problems/step_000050.hdf5 --solver pgs --max-iterations 1 --tolerance natural=1e-30
"$tenon" run slide.yaml -q --steps 10 --set record.every=4 --set record.contacts=false -o sparse.h5
expect 0 ': 4 rows' export sparse.h5 --csv sparse.csv # frames 0, 4, 8 and the last
expect 0 'problems' export sparse.h5 --fclib sparse --every 5
"$tenon" run slide.yaml -q --steps 5 --save a.ckpt -o a.h5 && "$tenon" run slide.yaml -q --steps 5 --resume a.ckpt -o a.h5
expect 2 'starts from a checkpoint' export a.h5 --fclib again
# A recording whose states were tampered with is not passed off as repeatable.
"$python" -c 'import h5py; f = h5py.File("slide.h5", "r+"); f["poses"][60, 2, 0] += 1e-12'
expect 2 "leaves the recorded one at step 60, body 'box'" export slide.h5 --fclib tampered

if command -v gnuplot >/dev/null; then
    for what in energy penetration iterations certificate timings contacts balance body:box:x body:ball:height; do
        expect 0 'a.svg' plot slide.h5 $what -o a.svg
        "$python" -c 'import xml.dom.minidom as m; m.parse("a.svg")' && grep -q '<path' a.svg
        report $? "plot $what: a picture with curves"
    done
    expect 0 'a.png' plot slide.h5 energy -o a.png
    [ "$(head -c 4 a.png | tail -c 3)" = PNG ]
    report $? "plot: PNG"
fi
mkdir bin
PATH=$work/bin "$tenon" plot slide.h5 energy -o none.svg >stdout.txt 2>stderr.txt
code=$?
grep -q 'install the package gnuplot-nox' stderr.txt && [ $code = 2 ] && [ ! -e none.svg ]
report $? "without gnuplot: exit code $code, $(cat stderr.txt)"
PATH=$work/bin "$tenon" bench --help >stdout.txt 2>stderr.txt
code=$?
[ $code != 2 ] || grep -q 'tenon-bench is not installed' stderr.txt
report $? "bench: runs, or says how to install it (exit code $code)"

# Recordings that are broken in one place: the message names it.
changes=() patterns=()
broken() { # broken PYTHON PATTERN
    changes+=("$1") patterns+=("$2")
}
broken "del f.attrs['format']" 'no recording of'
broken "f.attrs['format_version'] = 99" 'newer Tenon'
broken "del f['scene']" "'scene' is missing"
broken "del f['bodies/name']" "'bodies/name' is missing"
broken "del f['bodies/kind']; f['bodies/kind'] = np.zeros(1, 'u1')" "'bodies/kind' is missing, malformed or damaged"
broken "del f['shapes/body']" "'shapes' is missing"
broken "f['shapes/body'][0] = 77" "'shapes' is missing, malformed or damaged"
broken "f['shapes/points_offset'][1] = 9" "'shapes' is missing, malformed or damaged"
broken "del f['poses']; f['poses'] = np.zeros((3, 2, 7))" "'poses' is missing, malformed or damaged"
broken "del f['energy/kinetic']" "'energy/kinetic' is missing"
broken "del f['time']; f['time'] = np.zeros((3, 3))" "'time' is missing, malformed or damaged"
broken "f['time'][2] = f['time'][1] - 1e-3" "'time' falls or is no number at frame 2"
broken "f['time'][1] = np.nan" "'time' falls or is no number at frame 1"
"$python" - "${changes[@]}" <<'PY'
import h5py, numpy as np, shutil, sys
for i, change in enumerate(sys.argv[1:]):
    shutil.copy("sparse.h5", f"broken{i}.h5")
    with h5py.File(f"broken{i}.h5", "r+") as f:
        exec(change)
PY
for i in "${!changes[@]}"; do
    expect 2 "${patterns[i]}" export broken$i.h5 --csv broken.csv
done
head -c 3000 sparse.h5 >broken.h5
expect 2 'damaged HDF5 file' export broken.h5 --csv broken.csv
finish
