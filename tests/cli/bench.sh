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
tables "G05" papers --only g05
tables "compliant, Fig. 9" papers --only compliant_document
tables "compliant, " papers --only oscillator,swing,limit,incline,figures
tables "soft: stages" soft --only speed
tables "soft: mat at 10 MPa" soft --only stiff
tables "soft: auto against" soft --only accuracy --svg chart.svg
grep -q '<svg' chart.svg && grep -q '</svg>' chart.svg
report $? "bench soft --svg: a picture"
tables "soft: lifted sheet" soft --only lifted
tables "rigid: column of 100" rigid --only stack
tables "rigid: friction problems" rigid --only fclib
tables "rigid: size" rigid --only scaling
tables 'rigid: interior point iteration' rigid --only interior
tables "rigid: joints against the size" rigid --only graphs

"$tenon" bench rigid --only fclib --quick --json a.json >text.txt 2>stderr.txt
code=$?
[ $code = 0 ] && grep -q 'rigid: friction problems' text.txt && python3 - <<'PYTHON'
import json
old = json.load(open("a.json"))
assert old["tenon"] and old["machine"]
new = {"tables": [{"title": "t", "rows": [{"name": "x", "step ms": 1.2, "error": 3}, {"name": "y", "step ms": 2, "error": 4}]}]}
json.dump(new, open("new.json", "w"))
for row, factor in zip(new["tables"][0]["rows"], (2, 1.01)):
    row["step ms"] /= factor
    row["error"] *= 7
json.dump(new, open("old.json", "w"))
PYTHON
report $? "bench --json FILE.json: the text as always, the tables in the file (exit code $code)"
compare=$source_dir/tools/bench-compare
"$compare" --old a.json --new a.json --all >same.txt && ! grep -q -e '<--' same.txt
report $? "bench-compare: a file equals itself"
"$compare" --old old.json --new new.json >slower.txt
[ $? = 1 ] && grep -q '^ 1.505  t: step ms, 2 rows   <-- slower' slower.txt && grep -q ' 2.000  0.6 -> 1.2  x' slower.txt && ! grep -q error slower.txt
report $? "bench-compare: the median of 2 and 1.01 is slower, the row is named, figures are no times"
"$compare" --old new.json old.json old.json --new old.json --all >same.txt && ! grep -q -e '<--' same.txt
report $? "bench-compare: of several files the median counts"
"$compare" --old a.json --new new.json >none.txt 2>&1
[ $? = 1 ] && grep -q 'nothing to compare' none.txt
report $? "bench-compare: files without a row in common"
expect 2 'cannot write' bench rigid --only fclib --quick --json /nowhere/tables.json

"$tenon" bench rigid --only fclib --quick --html tables.html >out.txt 2>stderr.txt
code=$?
[ $code = 0 ] && python3 - <<'PYTHON'
import json, re
text, html = open("out.txt").read(), open("tables.html", encoding="utf-8").read()
block = json.loads(re.search(r'<script id="tenon-report" type="application/json">(.*?)</script>', html, re.S).group(1))
assert block["format"] == "tenon tables" and block["machine"] and block["title"] == "tenon bench rigid --only fclib --quick"
cells = [cell for table in block["tables"] for row in table["rows"] for cell in row["cells"]]
assert len(block["tables"]) == 1 and len(cells) > 15 and all(cell in text for cell in cells)
assert all(len(row["cells"]) == len(row["number"]) == len(table["heads"]) for table in block["tables"] for row in table["rows"])
assert all(note in text for table in block["tables"] for note in table["notes"]) and block["tables"][0]["notes"]
assert sum(sum(row["number"]) for table in block["tables"] for row in table["rows"]) > 10
PYTHON
report $? "bench --html: the page holds the tables that were printed (exit code $code)"
grep -q 'tables.html: open it in a browser' out.txt
report $? "bench --html says where the page is"
expect 2 'cannot be written' bench rigid --only fclib --quick --html /nowhere/tables.html
expect 2 'soft has speed' bench soft --only nothing
expect 2 'rigid has speed' bench rigid --only nothing
expect 2 "not 'nothing'" bench papers --only sliding,nothing
expect 2 'goes with one of the suites' bench --only speed
expect 2 'unknown suite' bench nonsense
finish
