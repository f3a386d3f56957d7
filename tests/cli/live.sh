# tenon run --live: a page sees the run and steers it, no client can hurt it, and the recording says what was done.
. "$(dirname "$0")/lib.sh"
need_python

# shellcheck disable=SC2086
scene="$tests/mat_and_box.yaml --step 0.005 --set record.every=100"
expect 2 'go with --live' run $scene --port 8080
expect 2 'go with --live' run $scene --linger 1
expect 2 'is no port' run $scene --live --port 70000

# Nobody looks: the run is as any other, to the last bit, and ends by itself.
expect 0 'steps' run $scene --steps 100 --out plain.h5
expect 0 'steps' run $scene --steps 100 --out live.h5 --live --no-browser
"$python" - <<'EOF'
import h5py, numpy, sys
a, b = h5py.File("plain.h5"), h5py.File("live.h5")
same = all(numpy.array_equal(a[k], b[k]) for k in ("poses", "soft/positions", "time"))
sys.exit(not (same and "interfered" not in b.attrs))
EOF
report $? "a live run without viewers is the plain run"

# A small quarantine, or what a sanitizer keeps of freed memory would look like a leak.
ASAN_OPTIONS=quarantine_size_mb=1${ASAN_OPTIONS:+:$ASAN_OPTIONS} "$tenon" run $scene --time 100000 --out box.h5 --live --no-browser --json >summary.json 2>stderr.txt &
run=$!
for _ in $(seq 300); do
    grep -q http stderr.txt && break
    sleep 0.1
done
port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' stderr.txt)
"$python" "$tests/live_server.py" "$port" "$run"
report $? "the live view shows, obeys and survives"
"$tenon" run $scene -q -n 2 -o before.h5 && cp before.h5 copy.h5
expect 2 'is it taken' run $scene -o before.h5 --live --port "$port" --no-browser
cmp -s before.h5 copy.h5
report $? "a live run that cannot begin leaves the recording before it"
kill -INT "$run"
wait "$run"
[ $? = 130 ]
report $? "Ctrl-C ends the live run with exit code 130"
! grep -Eq 'Sanitizer|runtime error' stderr.txt
report $? "no sanitizer spoke"
"$python" - <<'EOF'
import h5py, json, sys
said = json.load(open("summary.json"))["interfered"]
noted = h5py.File("box.h5").attrs["interfered"]
noted = noted.decode() if isinstance(noted, bytes) else noted
print(noted)
sys.exit(not (said == noted and "solver nodal" in noted and "law convex" in noted and noted.startswith("pulled")))
EOF
report $? "the recording and the summary say what was changed"
"$python" "$tests/live_end.py" "$tenon" $scene
report $? "the end of a live run"
finish
