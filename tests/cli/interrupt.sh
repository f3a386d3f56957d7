# Ctrl-C ends a run after the step with a whole file; kill -9 leaves one that opens up to the last flush.
. "$(dirname "$0")/lib.sh"
need_python
write_scene long.yaml "100000 s"

for signal in INT TERM; do
    rm -f stopped.h5
    # bash starts background jobs with SIGINT ignored; env resets it.
    env --default-signal=INT "$tenon" run long.yaml --json --out stopped.h5 >out.json 2>err.txt &
    pid=$!
    await_size stopped.h5 100000
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

# As soon as there is a file, Ctrl-C leaves a whole one.
rm -f stopped.h5
env --default-signal=INT "$tenon" run long.yaml -q --out stopped.h5 2>err.txt &
pid=$!
until [ -e stopped.h5 ] || ! kill -0 $pid; do :; done
kill -INT $pid
wait $pid
code=$?
[ $code = 130 ] && "$tenon" export stopped.h5 --csv stopped.csv >/dev/null
report $? "Ctrl-C at once: exit code $code, a readable file"

# Many kills at odd times: whatever moment they hit, our reader must read and what it reads must be right.
"$tenon" run long.yaml -q --time 20 -o reference.h5
frames=0
for k in $(seq 1 12); do
    rm -f killed.h5
    "$tenon" run long.yaml -q -o killed.h5 --save killed.ckpt --save-every 0.01 &
    pid=$!
    await_size killed.h5 $((20000 + k % 2 * 80000)) # its header, or a flush under way
    sleep "0.$((100 + 17 * k))" # flushes are at least 0.1 s apart: two of them are covered
    kill -KILL $pid
    wait $pid 2>/dev/null
    "$tenon" export killed.h5 --csv killed.csv --every 50 >stdout.txt 2>stderr.txt
    report $? "kill -9, number $k: readable, $(cat stdout.txt) $(head -c 200 stderr.txt)"
    "$python" - >n.txt <<'PY'
import h5py, sys
try:
    f = h5py.File("killed.h5", "r")
except OSError:  # killed in the middle of a flush: single-writer mode reads it
    f = h5py.File("killed.h5", "r", swmr=True, libver="latest")
r = h5py.File("reference.h5", "r")
n = len(f["time"])
m = min(n, len(r["time"]))
for name in ["time", "poses", "velocities", "contacts/offset"]:
    assert len(f[name]) >= n and f[name][:m].tobytes() == r[name][:m].tobytes(), name
last = f["contacts/offset"][n]
assert len(f["contacts/force"]) >= last
print(n)
PY
    report $? "kill -9, number $k: what is there equals the undisturbed run"
    frames=$((frames + $(cat n.txt)))
done
[ $frames -gt 100 ]
report $? "kill -9: $frames frames survived"

# The checkpoint that the last one left goes on to the same bits.
"$tenon" run long.yaml -q -n 3 --resume killed.ckpt --save later.ckpt -o later.h5
steps=$("$python" -c 'import h5py; f = h5py.File("later.h5"); print(f["step"][-1])')
[ "$steps" -gt 3 ] && "$tenon" run long.yaml -q -n "$steps" --save straight.ckpt --no-record && cmp later.ckpt straight.ckpt
report $? "kill -9: its checkpoint of step $((steps - 3)) goes on to the same bits"
[ "$(echo *.part)" = "*.part" ]
report $? "kill -9: no half-written checkpoint lies about"

# No room left: the run ends with a message, and the file keeps what was there.
(
    ulimit -f 40000 # KiB: several flushes even of a fast machine
    trap '' XFSZ
    "$tenon" run long.yaml -q -o full.h5 2>err.txt
    echo $? >code.txt
)
[ "$(cat code.txt)" = 2 ] && grep -q 'full.h5: error: the recording cannot go on: the disk is full' err.txt
report $? "disk full: exit code $(cat code.txt), $(head -c 200 err.txt)"
"$python" - <<'PY'
import h5py
f, r = h5py.File("full.h5"), h5py.File("reference.h5")
n = min(len(f["time"]), len(r["time"]))
assert n > 100 and f["poses"][:n].tobytes() == r["poses"][:n].tobytes(), n
PY
report $? "disk full: the recording is valid up to the last flush"

# The message of a run that cannot go on names the step; what was recorded stays.
cat >wild.yaml <<'YAML'
step: 10 ms
duration: 1 s
bodies:
  ball: {shape: {sphere: 0.1}, force: ["exp(1000 * t)", 0, 0]}
YAML
expect 1 'step [0-9]+ \(t = 0\.[0-9]+ s\): .*ball' run wild.yaml -o wild.h5
step=$(sed -n 's/.*step \([0-9]*\) (t.*/\1/p' stderr.txt)
"$tenon" export wild.h5 --csv wild.csv >/dev/null
[ "$(wc -l <wild.csv)" -eq $((step + 1)) ] # a header, the initial state and every step before that one
report $? "diverged at step $step: all frames before it are in the file"
finish
