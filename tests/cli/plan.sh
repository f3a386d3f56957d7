# tenon plan: the example's optimum, budgets, formats, errors and exit codes.
. "$(dirname "$0")/lib.sh"
example=$source_dir/scenes/mpc/problems/three_coordinates.yaml
"$tenon" plan "$example" --json >out.json
report $? "plan: the example"
python3 - out.json <<'PY'
import json, sys
p = json.load(open(sys.argv[1]))
assert p["status"] == "optimal" and p["gap"] <= 1e-9 and p["residual"] < 1e-9, p
assert abs(p["cost"] - 9.028171058) < 1e-8 and len(p["x"]) == 16 and len(p["mode"]) == 15
c, w = sum(p["c"], []), sum(p["w"], [])
assert all(min(a, b) < 1e-9 for a, b in zip(c, w)) and max(c) > 0.1
PY
report $? "plan: the JSON object"
"$tenon" plan "$example" --nodes 5 --json | grep -q '"nodes": 5,'
report $? "plan: a budget of nodes"
[ "$("$tenon" plan "$example" -m admm --csv | wc -l)" = 17 ]
report $? "plan: a line a state"
sed 's/horizon: 15/horizon: 60/' "$example" >long.yaml # takes more than 3 s
env --default-signal=INT "$tenon" plan long.yaml >said &
pid=$!
sleep 0.2
kill -INT $pid
wait $pid
[ $? = 130 ] && grep -q '^work  ' said
report $? "plan: Ctrl-C ends the search, which says how far it came"
sed 's/start: .*/start: [1.9, -1.9, 1.9, 5, 5, 5]/' "$example" >none.yaml
"$tenon" plan none.yaml >said
[ $? = 1 ] && grep -q "infeasible by miqp: X at step" said
report $? "plan: none, and why"
"$tenon" plan "$example" -m simplex 2>said
[ $? = 2 ] && grep -q "methods: miqp" said
report $? "plan: unknown method"
sed 's/horizon: 15/horizon: none/' "$example" >wrong.yaml
"$tenon" plan wrong.yaml 2>said
[ $? = 2 ] && grep -q "wrong.yaml:[0-9]*:10: error" said
report $? "plan: the place of an error"

# tenon mpc: failures name the step and leave the last good state recorded; Ctrl-C ends a solve, too.
walls=$source_dir/scenes/mpc/cart_pole_walls.yaml
expect 1 "step 14 \(t = 0.07 s\): body 'pole'" mpc "$walls" --set 'bodies.pole.force=[exp(1000*t),0,0]' --set record.every=100 -o wild.h5
expect 0 '2 rows' export wild.h5 --csv wild.csv
timeout --preserve-status -s INT 0.5 "$tenon" mpc "$walls" --set mpc.horizon=40 --set mpc.nodes=100000000 \
    --set record.every=100 -o cut.h5 >/dev/null 2>said
code=$?
steps=$(sed -n 's/tenon: interrupted after \([0-9]*\) steps/\1/p' said)
"$tenon" export cut.h5 --csv cut.csv >/dev/null
last=$(tail -1 cut.csv | cut -d, -f3)
[ $code = 130 ] && [ "$last" = "$steps" ]
report $? "mpc: Ctrl-C, exit code $code, $(cat said), the last state is that of step $last"
finish
