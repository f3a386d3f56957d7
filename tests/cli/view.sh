# tenon view and tenon export --html: what they show is the recording, and no client can hurt them.
. "$(dirname "$0")/lib.sh"
need_python

expect 0 'recording' run "$tests/mat_and_box.yaml" --out mat.h5
expect 0 'open it in a browser' export mat.h5 --html mat.html
"$python" "$tests/view_page.py" mat.html mat.h5
report $? "the page holds the recording"
cat >foundation.yaml <<'YAML'
step: 5 ms
duration: 0.1 s
materials: {layer: {}, cube: {density: 500}}
pairs: [{materials: [layer, cube], damping: 1, foundation: {modulus: 1e6, depth: 1 m, elements: 4}}]
bodies:
  ground: {fixed: true, material: layer, shape: {plane: {}}}
  cube: {material: cube, position: [0, 0, 0.1], angular_velocity: [0, 0, 2], shape: {box: [0.3, 0.2, 0.2]}}
  ball: {position: [1, 0, 0.1], shape: {sphere: 0.1}}
YAML
expect 0 'recording' run foundation.yaml --out foundation.h5
expect 0 'open it in a browser' export foundation.h5 --html foundation.html
"$python" "$tests/view_page.py" foundation.html foundation.h5
report $? "the same of elements of a foundation, beside a contact that is none"
for files in 5 6 7; do # the server wants some of its own: it says so, or is there
    (ulimit -n $files && timeout -s INT 0.3 "$tenon" view mat.h5 --no-browser) 2>>few.txt
done
grep -q 'no file descriptor is left' few.txt && ! grep -q ':0/' few.txt
report $? "few file descriptors: $(cut -c1-70 few.txt | tr '\n' ' ')"
expect 0 'recording' run "$source_dir/scenes/joints/four_bar.yaml" --time 0.2 --out bars.h5
expect 0 'open it in a browser' export bars.h5 --html bars.html
"$python" "$tests/view_page.py" bars.html bars.h5
report $? "the page holds what joints bear, and shapes that only give mass"
expect 0 'recording' run "$source_dir/scenes/joints/turntable.yaml" --time 0.2 --out rolls.h5
expect 0 'open it in a browser' export rolls.h5 --html rolls.html
"$python" "$tests/view_page.py" rolls.html rolls.h5
report $? "a joint that rolls is drawn at the ball"
expect 0 'recorded' mpc "$source_dir/scenes/mpc/planar_push.yaml" --time 0.3 --out push.h5
expect 0 'open it in a browser' export push.h5 --html push.html
"$python" "$tests/view_page.py" push.html push.h5
report $? "where a controller's plan has the bodies"
cat >hung.yaml <<YAML
step: 5 ms
duration: 0.1 s
bodies:
  stone: {position: [0, 0, 1], rotation: {axis: [0, 0, 1], angle: 30 deg}, shape: {sphere: 0.05, collides: false}}
soft:
  bar: {grid: {size: [0.2, 0.1, 0.1], divisions: [4, 2, 2]}, position: [0, 0, 0.8], young: 1 MPa, density: 1000}
joints:
  hook: {type: spherical, a: bar, b: stone, where_a: {surface: true}, anchor: [0.1, 0, 0.9]}
YAML
expect 0 'recording' run hung.yaml --out hung.h5
expect 0 'open it in a browser' export hung.h5 --html hung.html
"$python" "$tests/view_page.py" hung.html hung.h5
report $? "a joint of nodes is drawn at its other side"
expect 0 'open it in a browser' export mat.h5 --html thin.html --every 7
expect 2 'cannot be written' export mat.h5 --html /nowhere/mat.html
expect 0 'glTF' export mat.h5 --gltf mat.glb
"$python" "$tests/gltf_file.py" mat.glb mat.h5
report $? "the glTF file moves as the recording does"
cat >looks.yaml <<'YAML'
duration: 20 ms
materials: {iron: {color: [0.3, 0.4, 0.5]}}
bodies:
  red: {position: [0, 0, 1], color: [0.8, 0.1, 0.1], texture: checker, shape: {box: [0.1, 0.1, 0.1]}}
  plain: {position: [1, 0, 1], shape: {box: [0.1, 0.1, 0.1]}}
  steel: {position: [2, 0, 1], shape: {sphere: 0.1, material: iron}}
  dressed: {position: [3, 0, 1], shape: {sphere: 0.1}, visual: [{box: [0.1, 0.1, 0.2], color: [0, 0.5, 1]}], color: [1, 0, 0]}
soft:
  jelly: {grid: {size: [0.1, 0.1, 0.1], divisions: [1, 1, 1]}, position: [4, 0, 1], young: 1 MPa, color: [0.1, 0.7, 0.2]}
YAML
"$tenon" run looks.yaml -q -o looks.h5
expect 0 'glTF' export looks.h5 --gltf looks.glb
"$python" "$tests/gltf_looks.py" looks.glb
report $? "colours, checker and materials arrive in the glTF file"
expect 2 'cannot be written' export mat.h5 --gltf /nowhere/mat.glb
[ ! -e /nowhere ]
report $? "nothing is left of a page that cannot be written"
expect 2 'no such file|cannot open|No such file' view nothing.h5
expect 2 'is no port' view mat.h5 --port 70000

# A small quarantine, or what a sanitizer keeps of freed memory would look like a leak.
ASAN_OPTIONS=quarantine_size_mb=1${ASAN_OPTIONS:+:$ASAN_OPTIONS} "$tenon" view mat.h5 --no-browser >address.txt 2>stderr.txt &
server=$!
for _ in $(seq 300); do
    grep -q http address.txt && break
    sleep 0.1
done
port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' address.txt)
"$python" "$tests/view_server.py" "$port" "$server" mat.h5
report $? "the server answers its own page and nobody else"
expect 2 'is it taken' view mat.h5 --port "$port" --no-browser
kill -INT "$server"
wait "$server"
report $? "Ctrl-C ends the server with exit code 0"
[ ! -s stderr.txt ] || ! grep -Eq 'Sanitizer|runtime error' stderr.txt
report $? "no sanitizer spoke"
finish
