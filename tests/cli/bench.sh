# The benchmarks run in their quick form, answer with valid JSON and reject what they do not know.
. "$(dirname "$0")/lib.sh"
"$tenon" bench --help >help.txt 2>stderr.txt
code=$?
if grep -q 'tenon-bench is not installed' stderr.txt; then
    echo "skipped: built without tenon-bench"
    exit 77
fi
[ $code = 0 ] && grep -q soft help.txt
report $? "bench --help: exit code $code"

tables() { # tables TITLE ARGUMENT...: valid JSON with a table of this title that has rows
    local title=$1
    shift
    "$tenon" bench "$@" --quick --json >out.json 2>stderr.txt
    local code=$?
    [ $code = 0 ] && python3 - "$title" out.json <<'PYTHON'
import json, sys
tables = json.load(open(sys.argv[2]))["tables"]
rows = [len(t["rows"]) for t in tables if t["title"].startswith(sys.argv[1])]
print(len(tables), "tables, rows of", sys.argv[1], rows)
sys.exit(0 if rows and min(rows) > 0 else 1)
PYTHON
    report $? "bench $*: exit code $code $(head -c 300 stderr.txt)"
}
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
tables "cond, Table II" papers --only tables --trials 1
tables "cond, Fig. 13" papers --only invertible
tables "cond, Fig. 11" papers --only scaling
tables "soft: stages" soft --only speed
tables "soft: mat at 10 MPa" soft --only stiff
tables "soft: auto against" soft --only accuracy --svg chart.svg
grep -q '<svg' chart.svg && grep -q '</svg>' chart.svg
report $? "bench soft --svg: a picture"
tables "soft: lifted sheet" soft --only lifted
tables "rigid: column of 100" rigid --only stack
tables "rigid: friction problems" rigid --only fclib
tables "rigid: size" rigid --only scaling

expect 1 'soft has speed' bench soft --only nothing
expect 1 'rigid has speed' bench rigid --only nothing
expect 2 'unknown suite' bench nonsense
finish
