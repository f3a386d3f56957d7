# Ctrl-C ends a run after the step with a whole file; kill -9 leaves one that opens up to the last flush.
. "$(dirname "$0")/lib.sh"
need_python
write_scene long.yaml "100000 s"

for signal in INT TERM; do
    # bash starts background jobs with SIGINT ignored; env resets it.
    env --default-signal=INT "$tenon" run long.yaml --json --out stopped.h5 >out.json 2>err.txt &
    pid=$!
    sleep 1.5
    kill -$signal $pid
    wait $pid
    code=$?
    [ $code = 130 ] && grep -q 'interrupted after [0-9]* steps' err.txt
    report $? "SIG$signal: exit code $code, $(head -c 80 err.txt)"
    "$python" - <<'PY'
import h5py, json
d = json.load(open("out.json"))
f = h5py.File("stopped.h5")
assert d["outcome"] == "interrupted" and len(f["time"]) == d["steps"] + 1 == len(f["poses"]), (d["steps"], len(f["time"]))
assert f["contacts/offset"][-1] == len(f["contacts/force"])
print(d["steps"], "steps, all recorded")
PY
    report $? "SIG$signal: every step is in the file"
done

# Many kills at odd times: whatever moment they hit, our reader must read and what it reads must be right.
"$tenon" run long.yaml -q --time 20 -o reference.h5
plain=0
for k in $(seq 1 12); do
    rm -f killed.h5
    "$tenon" run long.yaml -q -o killed.h5 &
    pid=$!
    sleep "$(printf '%d.%03d' $((k % 2)) $((200 + 37 * k)))"
    kill -KILL $pid
    wait $pid 2>/dev/null
    "$tenon" export killed.h5 --csv killed.csv --every 50 >stdout.txt 2>stderr.txt
    report $? "kill -9, number $k: readable, $(tail -c +1 stdout.txt) $(head -c 200 stderr.txt)"
    "$python" - <<'PY' && plain=$((plain + 1))
import h5py, sys
try:
    f = h5py.File("killed.h5", "r")
except OSError:  # killed in the middle of a flush: single-writer mode reads it
    f = h5py.File("killed.h5", "r", swmr=True, libver="latest")
r = h5py.File("reference.h5", "r")
n = len(f["time"])
m = min(n, len(r["time"]))
assert n > 100, n
for name in ["time", "poses", "velocities", "contacts/offset"]:
    assert len(f[name]) >= n and f[name][:m].tobytes() == r[name][:m].tobytes(), name
last = f["contacts/offset"][n]
assert len(f["contacts/force"]) >= last
PY
    report $? "kill -9, number $k: what is there equals the undisturbed run"
done

# The message of a run that cannot go on names the step; what was recorded stays.
cat >wild.yaml <<'YAML'
step: 10 ms
duration: 1 s
bodies:
  ball: {shape: {sphere: 0.1}, force: ["1e300 * exp(2000 * t)", 0, 0]}
YAML
expect 1 'step [0-9]+ \(t = .*ball|step [0-9]+ \(t = ' run wild.yaml -o wild.h5
"$tenon" export wild.h5 --csv wild.csv >/dev/null && [ "$(wc -l <wild.csv)" -ge 2 ]
report $? "the frames before the failure are in the file"
finish
