# Sourced by the tests of this folder: a scratch folder, and checks that say what they saw.
set -u
export LC_ALL=C
tests=$(cd "$(dirname "$0")" && pwd)
source_dir=${TENON_SOURCE_DIR:-$(cd "$tests/../.." && pwd)}
problems=$source_dir/tests/problems/fclib
tenon=${TENON:?set TENON to the command under test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
checks=0

# The Python that has h5py (Debian's, where another one comes first on the PATH); empty: none.
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import h5py' 2>/dev/null; then
        python=$candidate
        break
    fi
done
need_python() {
    [ -n "$python" ] || { echo "skipped: no python3 with h5py"; exit 77; }
}

report() { # report OK TEXT
    checks=$((checks + 1))
    if [ "$1" != 0 ]; then
        failures=$((failures + 1))
        echo "FAILED: $2"
    else
        echo "ok: $2"
    fi
}

finish() {
    echo "$checks checks, $failures failures"
    [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
    exit $?
}

# expect CODE PATTERN ARGUMENT...: the command's exit code, and an extended regular expression that its standard error
# (for code 0: standard output) matches. Nothing may be printed by the libraries below, and no sanitizer may speak.
expect() {
    local code=$1 pattern=$2 got
    shift 2
    "$tenon" "$@" >stdout.txt 2>stderr.txt
    got=$?
    local where=stderr.txt
    [ "$code" = 0 ] && where=stdout.txt
    if [ "$got" != "$code" ]; then
        report 1 "tenon $*: exit code $got, not $code: $(head -c 300 stderr.txt)"
    elif ! grep -Eq -- "$pattern" "$where"; then
        report 1 "tenon $*: no '$pattern' in: $(head -c 300 "$where")"
    elif grep -Eq 'HDF5-DIAG|Sanitizer|assertion failed|runtime error' stderr.txt; then
        report 1 "tenon $*: $(head -c 300 stderr.txt)"
    elif [ "$code" != 0 ] && [ "$code" != 1 ] && [ -s stdout.txt ]; then
        report 1 "tenon $*: printed on standard output although it failed"
    else
        report 0 "tenon $*: $code, $(grep -E -m 1 -- "$pattern" "$where" | head -c 120)"
    fi
}

# Wait until FILE has at least BYTES, for a minute at most: however slow the machine, a run is under way then.
await_size() { # await_size FILE BYTES
    for _ in $(seq 600); do
        [ -e "$1" ] && [ "$(stat -c %s "$1")" -ge "$2" ] && return
        sleep 0.1
    done
}

# Half a second of a box that slides and a ball that falls: contacts, friction, an impact.
write_scene() { # write_scene FILE [DURATION]
    cat >"$1" <<YAML
title: A box that slides, a ball that falls
step: 5 ms
duration: ${2:-0.5 s}
bodies:
  ground: {fixed: true, shape: {plane: [0, 0, 1]}}
  box: {position: [0, 0, 0.1], velocity: [1, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}
  ball: {position: [1, 0, 0.3], shape: {sphere: 0.1}}
YAML
}
