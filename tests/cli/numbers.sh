# Numbers of every output read back and compared with the recording: tables, figures' data, VTK, live frames; and which
# steps are recorded, which are missed, what overlaps.
. "$(dirname "$0")/lib.sh"
need_python

# Nothing symmetric: a tilted belt under a tethered box that slides for ever, bodies that spin, an arm on its limit, a
# motor, a soft block, a plate that slides and tilts on a foundation.
cat >all.yaml <<'YAML'
title: All columns
step: 5 ms
duration: 0.3 s
record: {stress: true, precision: double}
materials: {default: {friction: 0.3}, plate: {density: 500}, layer: {}}
pairs: [{materials: [layer, plate], friction: 0.2, damping: 20, foundation: {modulus: 1e6, depth: 1 m, elements: 3}}]
bodies:
  belt: {fixed: true, rotation: {axis: [1, 2, 0], angle: 0.1}, shape: {box: [4, 4, 0.2], surface_velocity: [0.7, 0.2, 0]}}
  ground: {fixed: true, position: [0, 0, -1], material: layer, shape: {plane: {}}}
  box: {position: [0.2, 0.1, 0.25], velocity: [0.1, -0.4, 0], angular_velocity: [0, 0, 3], shape: {box: [0.2, 0.1, 0.2]}}
  ball: {position: [-0.6, 0.3, 0.35], angular_velocity: [1, 2, 3], shape: {sphere: 0.1}}
  arm: {position: [0.5, 3, 3], mass: 2, shape: {box: [1, 0.1, 0.1]}}
  cart: {position: [0, -3, 3], mass: 3, shape: {sphere: 0.1}}
  plate:
    material: plate
    position: [-0.5, 0.4, -0.97]
    rotation: {axis: [0, 0, 1], angle: 0.4}
    velocity: [0.3, -0.2, 0]
    angular_velocity: [0, 0, 1]
    torque: [1, 2, 0]
    shape: {box: [0.3, 0.2, 0.06]}
springs:
  tether: {a: box, point_b: [0.2, 0.1, 0.2], stiffness: 60}
joints:
  hinge: {type: revolute, b: arm, anchor: [0, 3, 3], axis: [0, 1, 0], turn: {limits: [-1, 0.1]}}
  rail: {type: prismatic, b: cart, axis: [1, 1, 0], slide: {motor: {velocity: 0.5, strength: 4}, friction: 1}}
soft:
  block: {grid: {size: [0.2, 0.3, 0.1], divisions: [1, 2, 1]}, young: 50 kPa, position: [0.9, 0.8, 0.3], angular_velocity: [2, 1, 0]}
YAML
"$tenon" run all.yaml -q || report 1 "cannot record the test scene"
expect 0 '61 frames' export all.h5 --vtk vtk
expect 0 '61 rows' export all.h5 --csv all.csv
"$python" "$tests/numbers_files.py" all.h5 vtk all.csv
report $? "VTK and CSV hold the recording's numbers"

# The same with few sweeps, so that some steps miss what is demanded: what is printed, and what is noted.
few="--solver pgs --max-iterations 4 --tolerance natural=1e-9 --threads 2 --step 0.00512345678"
# shellcheck disable=SC2086
"$tenon" run all.yaml $few --json -o few.h5 >few.json 2>/dev/null
# shellcheck disable=SC2086
"$tenon" run all.yaml $few -o again.h5 >few.txt 2>/dev/null
"$tenon" check all.yaml --json >check.json
"$python" "$tests/numbers_summary.py" few.h5 few.json few.txt check.json
report $? "what run and check print is what the recording holds"
"$python" - <<'PY'
import h5py
f = h5py.File("few.h5")
a = f.attrs
assert a["step"] == 0.00512345678 and a["tolerance_natural"] == 1e-9 and a["threads"] == 2, dict(a)
assert b"solver.max_iterations=4" in list(f["overrides"][:])
PY
report $? "options have their effect, to the last digit"
"$tenon" run all.yaml --steps 1 --tolerance natural=1e-3,natural=1e-7 -o few.h5 >/dev/null
[ "$("$python" -c 'import h5py; print(h5py.File("few.h5").attrs["tolerance_natural"])')" = 1e-07 ]
report $? "of a tolerance given twice the last one counts"

# A gnuplot that keeps what it is told.
mkdir bin
cat >bin/gnuplot <<'SH'
#!/bin/sh
cat >"$KEPT"
printf '<svg>%80s</svg>\n' ''
SH
chmod +x bin/gnuplot
figures="energy penetration iterations certificate timings contacts drift balance body:box:vx body:ball:wz body:box:qw
    body:arm:height body:block:strain_energy joint:hinge:fz joint:hinge:ty joint:hinge:turn joint:rail:slide.rate
    joint:rail:slide.effort joint:hinge:turn.effort"
for what in $figures; do
    KEPT=$work/plot_$what PATH=$work/bin:$PATH "$tenon" plot all.h5 "$what" -o a.svg >/dev/null 2>stderr.txt ||
        report 1 "plot $what: $(cat stderr.txt)"
done
# shellcheck disable=SC2086
"$python" "$tests/numbers_plot.py" all.h5 $figures
report $? "every figure's data are the recording's, in the unit of its axis"

# Which steps become frames: every N-th by the step's number, and the last.
steps_of() {
    "$python" -c 'import h5py, sys; print(*h5py.File(sys.argv[1])["step"][:])' "$1"
}
steps_are() { # steps_are FILE NUMBER...
    local file=$1 got
    shift
    got=$(steps_of "$file")
    [ "$got" = "$*" ]
    report $? "steps in $file: $got"
}
write_scene slide.yaml
"$tenon" run slide.yaml -q --set record.every=4 --steps 18 -o four.h5 --save at18.ckpt
steps_are four.h5 0 4 8 12 16 18
"$tenon" run slide.yaml -q --set record.every=4 --steps 16 -o even.h5
steps_are even.h5 0 4 8 12 16
"$tenon" run slide.yaml -q --set record.every=4 --steps 7 --resume at18.ckpt -o resumed.h5
steps_are resumed.h5 18 20 24 25
"$tenon" run slide.yaml -q --set record.every=100 --steps 3 -o last.h5
steps_are last.h5 0 3

# What is not recorded is not there, and the rest is the same.
"$tenon" run slide.yaml -q --steps 60 -o with.h5
"$tenon" run slide.yaml -q --steps 60 --set record.contacts=false -o without.h5
"$python" - <<'PY'
import h5py
a, b = h5py.File("with.h5"), h5py.File("without.h5")
assert len(a["contacts/force"]) > 50 and len(b["contacts/force"]) == 0 and not b["contacts/offset"][:].any()
assert a["poses"][:].tobytes() == b["poses"][:].tobytes() and a.attrs["contacts"] == 1 and b.attrs["contacts"] == 0
PY
report $? "record.contacts: false"

# Ctrl-C at odd times with frames far apart: the last step is in the file whatever its number.
write_scene long.yaml "100000 s"
kept=0
for k in $(seq 1 8); do
    rm -f stopped.h5
    env --default-signal=INT "$tenon" run long.yaml --set record.every=7 --json --out stopped.h5 >out.json 2>err.txt &
    pid=$!
    await_size stopped.h5 20000
    sleep "0.$((50 + 31 * k))"
    kill -INT $pid
    wait $pid
    code=$?
    "$python" - <<'PY' && [ $code = 130 ] && kept=$((kept + 1))
import h5py, json, sys
d, f = json.load(open("out.json")), h5py.File("stopped.h5")
n, steps = d["steps"], list(f["step"][:])
assert f.attrs["outcome"].decode() if isinstance(f.attrs["outcome"], bytes) else f.attrs["outcome"]
assert steps == list(range(0, n, 7)) + [n], (n, steps[-3:])
assert len(f["contacts/force"]) == f["contacts/offset"][len(steps)]
PY
done
[ $kept = 8 ]
report $? "Ctrl-C with record.every 7: $kept of 8 recordings end with the last step"

# Exactly one step misses: half of an overlap of 30 um is left after it, none after the next; 10 um are allowed.
cat >sunk.yaml <<'YAML'
gap: baumgarte
baumgarte: 0.5
gravity: [0, 0, 0]
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  ball: {position: [0, 0, 99.97 mm], shape: {sphere: 0.1}}
YAML
expect 1 '1 of 6 steps did not reach a demanded tolerance; the first one is step 1' run sunk.yaml --steps 6 \
    --tolerance penetration=10e-6 -o sunk.h5
[ "$("$python" -c 'import h5py; print(*h5py.File("sunk.h5")["tolerances_held"][:])')" = "1 0 1 1 1 1 1" ]
report $? "the recording says which step missed"
expect 0 '6 steps' run sunk.yaml --steps 6 --tolerance penetration=16e-6 -o sunk.h5

# The deepest overlap at the start and whose it is.
cat >overlap.yaml <<'YAML'
bodies:
  one: {shape: {sphere: 0.1}}
  two: {position: [0.198, 0, 0], shape: {sphere: 0.1}}
  three: {position: [0.198, 0.195, 0], shape: {sphere: 0.1}}
YAML
expect 0 'deepest overlap 0.005 m \(two, three\)' check overlap.yaml
"$tenon" check overlap.yaml --json | "$python" -c 'import json, sys; sys.exit(abs(json.load(sys.stdin)["overlap_at_start_m"] - 5e-3) > 1e-12)'
report $? "check --json says 5 mm"

# Frames of a live run against its own recording.
# shellcheck disable=SC2086
ASAN_OPTIONS=quarantine_size_mb=1${ASAN_OPTIONS:+:$ASAN_OPTIONS} "$tenon" run all.yaml --time 1000 --live --no-browser -o live.h5 >/dev/null 2>stderr.txt &
run=$!
for _ in $(seq 300); do
    grep -q http stderr.txt && break
    sleep 0.1
done
"$python" "$tests/numbers_live.py" "$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' stderr.txt)" $run live.h5
report $? "live frames hold the recording's numbers"
finish
