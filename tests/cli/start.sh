# Velocities at the start that joints do not allow are said by check and run, in --json too, and completed where the
# scene asks for it; consistent ones, impacts and drives are not mentioned.
. "$(dirname "$0")/lib.sh"

cat >swing.yaml <<'YAML'
gravity: [0, 0, 0]
duration: 20 ms
bodies:
  one: {position: [0.5, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1], velocity: [0, 0, -2], angular_velocity: [0, 4, 0]}
  two: {position: [1.5, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  pin: {type: revolute, b: one, anchor: [0, 0, 0], axis: [0, 1, 0]}
  elbow: {type: weld, a: one, b: two, anchor: [1, 0, 0]}
YAML
said="velocities at the start contradict joints, most at 'elbow' by 4 m/s or rad/s; they have 2.8 J of kinetic energy, what joints allow 0.363 J"
expect 0 "^warning +$said \(initial: \{velocities: project\} completes them\)$" check swing.yaml
expect 0 "^start +$said" run swing.yaml --no-record
expect 0 '^start .*they had 2.8 J.*: completed to that$' run swing.yaml --no-record --set initial.velocities=project
expect 0 '"start_velocity_mismatch": ?4' check swing.yaml --json
for scene in "$TENON_SOURCE_DIR"/scenes/joints/*.yaml; do
    if "$TENON" check "$scene" | grep 'contradict joints' | grep -qv 'completed to that'; then
        echo "$scene: its velocities contradict its joints" && exit 1
    fi
done
