# Everything recorded is finite: over the whole gallery, none of which is far off, and where a scene's expressions of
# time leave the real numbers.
. "$(dirname "$0")/lib.sh"
need_python

cat >finite.py <<'PY'
# finite.py RECORDING...: every number is finite but for those that docs/recording.md says are none.
import h5py, numpy as np, sys
NO_STEP = ("certificate/", "timings/", "joints/force", "joints/torque", "joints/violation", "joints/effort", "sensors/")  # frame 0
NOT_APPLICABLE = {"certificate/fclib"}  # where elasticity couples the blocks of A
def look(path):
    bad, n = [], 0
    def visit(name, item):
        nonlocal n
        if not isinstance(item, h5py.Dataset) or item.dtype.kind != "f":
            return
        if name.startswith("plan/"):  # nothing before the first plan; a cost is infinite where there is none
            return
        values = item[:]
        if name.startswith(NO_STEP):
            values = values[1:]
        n += values.size
        values = values[~np.isnan(values)] if name in NOT_APPLICABLE else values
        if not np.isfinite(values).all():
            bad.append(name)
    with h5py.File(path) as f:
        f.visititems(visit)
    if bad or n == 0:
        print(path, n, "numbers, not finite in:", ", ".join(bad))
    return n, bool(bad) or n == 0
looks = [look(path) for path in sys.argv[1:]]
print(len(looks), "recordings,", sum(n for n, _ in looks), "numbers")
sys.exit(any(bad for _, bad in looks))
PY

# Scenes of the gallery with their defaults; under sanitizers 20 steps: the plain build does the very same arithmetic to
# the end. Three do overlap, and go 20 steps without being asked: links of a chain that slide across each other at 2 m/s
# (3 of 40 mm), capsules on cylinders, whose one contact moves from end to end (13 of 100 mm), grains scattered through a
# rim.
mkdir gallery
failed=
complaints=
while read -r scene; do
    asked=y
    long=(--time 0.5)
    case $scene in
    *slab.yaml) long=(--steps 20 --set 'soft.slab.grid={size: [0.3, 0.3, 0.11], divisions: [30, 30, 11]}') asked= ;;
    */chain_over_drum.yaml | */mixed1000.yaml | */repose.yaml) long=(--steps 20) asked= ;;
    */hopper.yaml | */boxes1000.yaml | */silo.yaml) long=(--steps 10) ;;
    */ccp/* | */rigid/*) long=(--time 0.3) ;;
    esac
    [ -z "${TENON_SANITIZED:-}" ] || [ -z "$asked" ] || long=(--steps 20)
    out=gallery/$(basename "$(dirname "$scene")")_$(basename "$scene" .yaml).h5
    "$tenon" run "$scene" -o "$out" "${long[@]}" >said.txt 2>stderr.txt || failed="$failed $scene: $(cat stderr.txt)"
    [ -n "$asked" ] && grep -E '^(far off|energy gained)' said.txt >complaint.txt &&
        complaints="$complaints $(basename "$scene"): $(cat complaint.txt)"
done < <(find "$source_dir/scenes" -mindepth 2 -maxdepth 2 -name '*.yaml' | sort) # deeper lie no scenes
"$python" finite.py gallery/*.h5 >finite.txt && [ -z "$failed" ] && [ "$(find gallery -name '*.h5' | wc -l)" -ge 40 ]
report $? "all datasets of the gallery's scenes are finite: $(cat finite.txt)$failed"
[ -z "$complaints" ]
report $? "no scene of the gallery is far off$complaints"

# A motion that ends in time: who, what, when; the frames before are there and finite.
expression() { # expression NAME PATTERN LAST_TIME YAML: stops with exit code 1 and PATTERN, last frame at LAST_TIME
    printf '%s\n' "duration: 1 s" "$4" >"$1.yaml"
    expect 1 "$2" run "$1.yaml" -o "$1.h5"
    "$python" finite.py "$1.h5" && "$python" -c "
import h5py; t = h5py.File('$1.h5')['time'][-1]; print('last frame at', t, 's, must be $3'); assert abs(t - $3) < 1e-9"
    report $? "$1: the state before is recorded, and all of it is finite"
}
floor='  floor: {fixed: true, shape: {plane: {}}}
  ball: {position: [0, 0, 0.1], shape: {sphere: 0.1}}'
expression angle "body 'door': motion.angle is no real number at t = 0.51 s: sqrt\(0.505-t\)" 0.5 "bodies:
$floor
  door: {shape: {box: [1, 1, 0.1]}, position: [2, 0, 0.2], motion: {angle: sqrt(0.505-t)}}"
expression rate "body 'lid': the rate of motion.position\[2\] is infinite at t = 1 s: 0.5 \+ sqrt\(1-t\)" 0.99 "bodies:
$floor
  lid: {shape: {box: [1, 1, 0.1]}, motion: {position: [0, 0, 0.5 + sqrt(1-t)]}}"
expression pole "body 'mill': motion.position\[0\] is infinite at t = 0.25 s" 0.24 "bodies:
$floor
  mill: {shape: {sphere: 0.1}, motion: {position: ['if(t - 0.25, 1/(t - 0.25), 0)', 5, 5]}}"
# Of ten steps one is recorded: the last good state is there all the same.
expression huge "body 'rocket': motion.position\[1\] is 2.52e\+30, beyond 1e\+30 at t = 0.07 s" 0.06 "record: {every: 10}
bodies:
$floor
  rocket: {shape: {sphere: 0.1}, motion: {position: [3, exp(1000*t), 0]}}"
expression force "body 'ball': force_body\[1\] is no real number at t = 0.305 s: step\(log\(0.301 - t\)\)" 0.3 "bodies:
  floor: {fixed: true, shape: {plane: {}}}
  ball: {position: [0, 0, 0.1], shape: {sphere: 0.1}, force_body: [0, step(log(0.301 - t)), 0]}"
expression motor "joint 'shaft': turn.motor.velocity is no real number at t = 0.51 s: sqrt\(0.505 - t\)" 0.5 "bodies: {wheel: {shape: {sphere: 0.1}}}
joints: {shaft: {type: revolute, b: wheel, axis: [0, 0, 1], turn: {motor: {velocity: sqrt(0.505 - t), strength: 1}}}}"
expression pull "soft body 'pad': pull.force\[0\] is no real number at t = 0.06 s: sqrt\(0.055 - t\)" 0.05 "soft:
  pad: {grid: {size: [0.1, 0.1, 0.1], divisions: [1, 1, 1]}, young: 50 kPa, pull: [{force: [sqrt(0.055 - t), 0, 0], where: {all: true}}]}"

# What can be judged ahead is bad input, with its place.
printf '%s\n' 'bodies:' '  lid: {shape: {sphere: 1}, motion: {position: [0, 0, sqrt(t)]}}' >ahead.yaml
expect 2 "ahead.yaml:2:3: error: body 'lid': the rate of motion.position\[2\] is infinite at t = 0 s: sqrt\(t\)" check ahead.yaml
expect 2 "'angle' is not finite at t = 0: 1/t" run ahead.yaml --no-record --set 'bodies.lid.motion={angle: 1/t}'

finish
