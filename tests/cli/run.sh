# `tenon run` from end to end: JSON, names of files, overrides, checkpoints, threads, silence where nobody looks.
. "$(dirname "$0")/lib.sh"
need_python
write_scene slide.yaml

expect 0 'recording +slide.h5' run slide.yaml
[ ! -s stderr.txt ]
report $? "no progress bar where standard error is no terminal: '$(head -c 100 stderr.txt)'"
expect 0 'recording +slide.h5' run slide.yaml # over the same file
expect 0 'scene is valid' check slide.yaml
expect 0 'accuracy draft, solver' check slide.yaml --accuracy draft
# What was reached, and what a tenth of it costs: of sweeps that stop early, more of them.
expect 0 'accuracy +reached in 0 of 5 steps, natural .* in the median; a tenth of the last step.s takes [1-9][0-9]* more iterations' \
    run slide.yaml --steps 5 --solver pgs --max-iterations 1 --accuracy tight --no-record
"$tenon" run slide.yaml --quiet >stdout.txt 2>stderr.txt
[ $? = 0 ] && [ ! -s stdout.txt ] && [ ! -s stderr.txt ]
report $? "--quiet prints nothing"

script -qec "$tenon run slide.yaml --out tty.h5" /dev/null >tty.txt 2>&1 </dev/null
grep -q 'steps/s' tty.txt
report $? "progress bar on a terminal"
script -qec "$tenon export tty.h5 --csv tty.csv; $tenon report tty.h5" /dev/null >tty.txt 2>&1 </dev/null
[ "$(tr '\r' '\n' <tty.txt | grep -c 'rows/s')" -ge 2 ]
report $? "exports and reports show theirs"

"$tenon" run slide.yaml --json --out json.h5 >out.json 2>stderr.txt
"$python" - <<'PY'
import json, sys
d = json.load(open("out.json"))
missing = {"steps", "time_s", "wall_s", "bodies", "dof", "contacts", "iterations", "ms_per_step", "certificate", "energy",
           "realtime_factor", "version", "threads", "solver", "law"} - d.keys()
assert not missing, missing
assert {"mean", "max"} <= d["contacts"].keys() and {"mean", "max"} <= d["iterations"].keys()
assert {"collide", "discretize", "solve", "total"} <= d["ms_per_step"].keys()
assert {"initial", "final", "max_gain"} <= d["energy"].keys()
figures = {"momentum", "signorini_primal", "signorini_dual", "complementarity", "cone", "dissipation", "natural", "fclib",
           "strict_natural", "strict_complementarity", "penetration", "joint", "drift"}
assert d["certificate"].keys() == figures
assert all({"max", "median"} == f.keys() for f in d["certificate"].values())
assert d["steps"] == 100 and abs(d["time_s"] - 0.5) < 1e-12 and d["bodies"] == 3 and d["dof"] == 12, d
# m g z + m v^2 / 2 of the box (8 kg at 0.1 m, 1 m/s) and the ball: sizes from the scene, densities 1000 kg/m^3.
box = 8 * (9.81 * 0.1 + 0.5)
ball = 1000 * 4 / 3 * 3.141592653589793 * 1e-3 * 9.81 * 0.3
assert abs(d["energy"]["initial"] - box - ball) < 1e-9, (d["energy"], box + ball)
assert d["outcome"] == "done" and d["out"] == "json.h5"
assert d["steps_short"] == 0, d["steps_short"]
PY
report $? "--json: one valid object with all keys, energies as by hand"
for command in "check slide.yaml" "info"; do
    # shellcheck disable=SC2086
    "$tenon" $command --json | "$python" -c 'import json,sys; json.load(sys.stdin)'
    report $? "$command --json is valid"
done

expect 0 '^7 steps' run slide.yaml --steps 7 --out a.h5
expect 0 '^20 steps of 0.01 s' run slide.yaml --time 0.2 --step 0.01 --out a.h5
expect 0 'law convex, scheme midpoint, accuracy standard, 2 threads, solver pgs' run slide.yaml --law convex --scheme midpoint --threads 2 \
    --solver pgs --out a.h5
expect 0 '^2 steps' run slide.yaml --steps=2 --set 'bodies.box.position=[0, 0, 1]' --set title=Moved -o a.h5
"$python" - <<'PY'
import h5py
f = h5py.File("a.h5")
assert list(f["overrides"][:]) == [b"bodies.box.position=[0, 0, 1]", b"title=Moved"], f["overrides"][:]
assert f["poses"][0, list(f["bodies/name"][:]).index(b"box"), 2] == 1.0
assert f.attrs["title"] == b"Moved" or f.attrs["title"] == "Moved"
PY
report $? "--set changes the scene and is noted in the recording"

# A tolerance that cannot be reached: the run goes on, says so, exit code 1.
expect 1 '[0-9]+ of 5 steps did not reach a demanded tolerance; the first one is step 1' run slide.yaml --steps 5 \
    --solver pgs --tolerance natural=1e-16 --max-iterations 1 --out b.h5
"$tenon" run slide.yaml --steps 5 --solver pgs --tolerance natural=1e-16 --max-iterations 1 --out b.h5 --json \
    2>/dev/null | "$python" -c 'import json,sys; d = json.load(sys.stdin); assert d["outcome"] == "tolerance not reached" and d["steps_missed"] >= 1'
report $? "--json also after a missed tolerance"

# 100 steps against 50, checkpoint, 50 more; one thread against two.
"$tenon" run slide.yaml -q --steps 100 -o whole.h5 &&
    "$tenon" run slide.yaml -q --steps 50 -o first.h5 --save half.ckpt &&
    "$tenon" run slide.yaml -q --steps 50 -o second.h5 --resume half.ckpt &&
    "$tenon" run slide.yaml -q --steps 100 -o threads.h5 --threads 2
report $? "runs with checkpoint and threads"
"$python" - <<'PY'
import h5py, numpy as np
whole, second, threads = h5py.File("whole.h5"), h5py.File("second.h5"), h5py.File("threads.h5")
def same(a, b):
    return a.shape == b.shape and a.tobytes() == b.tobytes()
assert whole["step"][0] == 0 and second["step"][0] == 50 and second["step"][-1] == 100
for name in ["time", "poses", "velocities"]:
    assert same(whole[name][50:], second[name][:]), name
    assert same(whole[name][:], threads[name][:]), name
for name in ["force", "point", "normal", "gap", "velocity", "bodies"]:
    a = whole["contacts"][name][whole["contacts/offset"][51]:]
    assert same(a, second["contacts"][name][:]), name
    assert same(whole["contacts"][name][:], threads["contacts"][name][:]), name
for name in whole["certificate"]:
    assert same(whole["certificate"][name][51:], second["certificate"][name][1:]), name
    assert same(whole["certificate"][name][1:], threads["certificate"][name][1:]), name
PY
report $? "the same to the last bit after save and resume, and with two threads"
"$tenon" run "$source_dir/scenes/compliant/foundation.yaml" -q --steps 20 -o whole.h5 &&
    "$tenon" run "$source_dir/scenes/compliant/foundation.yaml" -q --steps 10 -o first.h5 --save patch.ckpt &&
    "$tenon" run "$source_dir/scenes/compliant/foundation.yaml" -q --steps 10 -o second.h5 --resume patch.ckpt
"$python" - <<'PY'
import h5py
whole, second = h5py.File("whole.h5"), h5py.File("second.h5")
for name in ["patch", "force", "point"]:
    a, b = whole["contacts"][name][1000:], second["contacts"][name][:]
    assert a.shape == b.shape and len(b) == 1000 and a.tobytes() == b.tobytes(), name
PY
report $? "patches of a foundation too"
write_scene other.yaml
sed -i 's/0.2, 0.2, 0.2/0.2, 0.2, 0.3/' other.yaml
expect 2 'half.ckpt' run other.yaml --resume half.ckpt -o c.h5
expect 2 'half.ckpt.*not before the end of the run.*--steps' run slide.yaml --time 0.01 --resume half.ckpt -o c.h5
[ ! -e c.h5 ]
report $? "a checkpoint beyond the run's end: nothing is written"
expect 2 'cannot|No such' run slide.yaml -q --steps 2 -o c.h5 --save nowhere/a.ckpt
# What joints prescribe ends at 0.5 s; figures of joints can be demanded.
cat >motor.yaml <<'YAML'
bodies: {wheel: {shape: {sphere: 0.1}}}
joints: {shaft: {type: revolute, a: world, b: wheel, axis: [0, 0, 1], turn: {motor: {velocity: sqrt(0.505 - t)}}}}
YAML
expect 1 "step 51 .*joint 'shaft': turn.motor.velocity is no real number at t = 0.51 s" run motor.yaml --no-record
expect 0 'joint' run motor.yaml --no-record --tolerance joint=1e-8 --time 0.4
cat >against.yaml <<'YAML'
bodies: {wheel: {shape: {sphere: 0.1}}}
joints:
  one: {type: revolute, a: world, b: wheel, axis: [0, 0, 1], turn: {motor: {velocity: 1}}}
  other: {type: revolute, a: world, b: wheel, axis: [0, 0, 1], turn: {motor: {velocity: 2}}}
YAML
expect 1 'not reach' run against.yaml --no-record --tolerance joint=1e-8 --time 0.4

# A ball to and fro in a bowl: midpoint gains, euler does not.
cat >bowl.yaml <<'YAML'
duration: 5 s
materials: {default: {friction: 0}}
bodies:
  bowl: {fixed: true, shape: {heights: {size: [1, 0.4], points: [41, 3], z: x^2/2}}}
  ball: {position: [0.2, 0, 0.0405], shape: {sphere: 0.02}}
YAML
expect 0 'gains on curved surfaces' run bowl.yaml --no-record --scheme midpoint
"$tenon" run bowl.yaml --no-record | grep -q 'curved'
[ $? = 1 ]
report $? "euler gains nothing worth a word in the bowl"

finish
