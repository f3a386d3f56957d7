# `tenon forces`: a lever and a table in text, JSON and CSV; of a checkpoint; files that are none; no equilibrium.
. "$(dirname "$0")/lib.sh"
need_python
cat >table.yaml <<'YAML'
step: 5 ms
duration: 0.1 s
bodies:
  floor: {fixed: true, shape: {plane: {}}}
  box: {position: [0, 0, 0.1], mass: 4, shape: {box: [0.4, 0.4, 0.2]}}
  hung: {position: [2, 0, 1], mass: 2, inertia: [1, 1, 1]}
joints:
  nail: {type: revolute, axis: [0, 1, 0], b: hung, anchor: [1.5, 0, 1], turn: {motor: {velocity: 0}}}
YAML
expect 0 'equilibrium: no body' forces table.yaml
expect 0 '^nail .*force -?[0-9.e-]+ -?[0-9.e-]+ 19\.62 N.*turn 9\.81|^nail .*19\.62 N.*turn -9\.81' forces table.yaml
"$tenon" forces table.yaml --json >out.json 2>stderr.txt
"$python" - <<'PY'
import json
d = json.load(open("out.json"))
assert d["equilibrium"] and d["held"] and d["certificate"]["natural"] <= 1e-8, d
assert len(d["contacts"]) == 4
for c in d["contacts"]:
    assert abs(c["normal_n"] - 9.81) < 1e-8 and abs(c["friction_n"][0]) < 1e-8, c
    assert {c["body_a"], c["body_b"]} == {"floor", "box"} and len(c["frame"]) == 9 and len(c["point_m"]) == 3
nail, = d["joints"]
assert abs(nail["force_n"][2] - 19.62) < 1e-7 and abs(abs(nail["efforts"]["turn"]) - 9.81) < 1e-7, nail
assert {b["name"] for b in d["bodies"]} == {"box", "hung"}
assert all(b["unbalanced_part"] < 1e-9 for b in d["bodies"])
PY
report $? "--json: feet bear a quarter each, the motor m g l"
"$tenon" forces table.yaml --csv >out.csv 2>stderr.txt
"$python" - <<'PY'
import csv
rows = list(csv.DictReader(open("out.csv")))
kinds = [r["kind"] for r in rows]
assert kinds == ["contact"] * 4 + ["joint"] + ["unbalanced"] * 2, kinds
assert all(abs(float(r["normal_or_effort_1"]) - 9.81) < 1e-8 for r in rows[:4])
assert rows[4]["name"] == "nail" and rows[6]["name"] == "hung" and abs(float(rows[4]["force_z"]) - 19.62) < 1e-7
assert all(None not in r.values() and None not in r for r in rows)
PY
report $? "--csv: as many columns everywhere"

expect 0 'done|steps' run table.yaml --no-record --save rest.state
expect 0 'at rest +t = 0\.1 s: 4 contacts' forces table.yaml --state rest.state
expect 0 'equilibrium: no' forces table.yaml --state rest.state
expect 2 'not a checkpoint|checkpoint' forces table.yaml --state table.yaml
expect 2 'none.state' forces table.yaml --state none.state
expect 2 'belongs to another model' forces table.yaml --state rest.state --set bodies.box.mass=5
expect 2 'one of them' forces table.yaml --json --csv
expect 2 'SCENE|argument' forces
expect 0 'no equilibrium: forces are left on' forces table.yaml --set bodies.box.position='[0,0,1]'
grep -q '  box: force .*-39.24 N' stdout.txt
report $? "what nothing holds is named with what is left: $(grep '  box' stdout.txt)"
expect 0 'no equilibrium' forces table.yaml --set joints.nail.turn.motor.strength=5
grep -q '  hung: ' stdout.txt && ! grep -q '  box: ' stdout.txt
report $? "a motor that is too weak: its body alone is named"
expect 0 'what gives way bears' forces table.yaml --elastic
finish
