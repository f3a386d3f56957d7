# A prescribed jump is said with body, distance and time, and the recording holds the velocity that contacts saw.
. "$(dirname "$0")/lib.sh"
need_python
cat >jump.yaml <<'YAML'
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  shuttle: {shape: {box: [0.5, 0.5, 0.5]}, motion: {position: [5*step(t-0.5)-2, 0, 0.25]}}
  crate: {position: [1, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}
YAML
expect 0 "^jumps +1 of 100 steps: .* body 'shuttle' by 5 m at t = 0.5 s;" run jump.yaml -o jump.h5
"$tenon" run jump.yaml --no-record --json >jump.json
"$tenon" run jump.yaml -o teleport.h5 --set bodies.shuttle.motion.teleport=true >teleport.txt
! grep -q '^jumps' teleport.txt
report $? "a teleport is meant: not a word"
"$python" - <<'PY'
import h5py, json
j = json.load(open("jump.json"))["jumps"]
assert j["steps"] == 1 and j["owner"] == "body" and j["name"] == "shuttle" and abs(j["distance_m"] - 5) < 1e-9, j
assert abs(j["time_s"] - 0.5) < 1e-6, j
for name, fastest in (("jump.h5", 500.0), ("teleport.h5", 0.0)):
    f = h5py.File(name)
    names = [b.decode() for b in f["bodies/name"]]
    v, crate = f["velocities"][:, names.index("shuttle"), 0], f["velocities"][:, names.index("crate")]
    x = f["poses"][:, names.index("shuttle"), 0]
    print(name, "shuttle", v[50], "m/s, must be", fastest, "crate at most", abs(crate[:, :3]).max())
    assert x[49] == -2 and x[50] == 3 and abs(v[50] - fastest) < 1e-6 and abs(v[49]) + abs(v[51]) < 1e-6
    # Nothing lies between: what is touched in a sweep is thrown, what is passed over is left alone.
    assert (abs(crate[:, :3]).max() > 50) == (fastest > 0)
PY
report $? "recorded velocities are what contacts saw; --json names the jump"
finish
