# Robots' files from end to end: check, run, convert to another folder, overrides of what they become, remarks.
. "$(dirname "$0")/lib.sh"
models=$source_dir/scenes/robots/models
expect 0 "2 degrees of freedom left" check "$models/double_pendulum.urdf"
expect 0 "27 degrees of freedom left" check "$models/humanoid.xml"
expect 0 "2 degrees of freedom left" check "$models/arm.urdf"
grep -q "arm.urdf:[0-9]*: mesh 'meshes/bracket.stl' fills 64 % of its convex hull" stderr.txt
report $? "check says what has become another thing, and where"

# What is converted leads to the meshes of the old place, and runs alike.
mkdir -p a/b
expect 0 "arm.yaml: 3 bodies, 2 joints" convert "$models/arm.urdf" a/b/arm.yaml
head -1 a/b/arm.yaml | grep -q "^# Made by tenon from arm.urdf" && grep -q "^# .*bracket.stl.* fills 64 %" a/b/arm.yaml
report $? "a converted file says what it is from, and what was remarked"
"$tenon" run "$models/arm.urdf" --time 0.2 --json --no-record 2>/dev/null | sed -n '/"energy": {/,/}/p' >one.txt
"$tenon" run a/b/arm.yaml --time 0.2 --json --no-record 2>/dev/null | sed -n '/"energy": {/,/}/p' >two.txt
[ -s one.txt ] && cmp -s one.txt two.txt
report $? "a converted file runs to the same energies: $(head -c 200 one.txt)"
expect 0 "arm.yaml: 3 bodies, 2 joints" convert "$models/arm.urdf" a/b/arm.yaml --set duration=7
grep -q "^duration: 7" a/b/arm.yaml
report $? "convert takes overrides, and replaces what it wrote"
echo "title: mine" >mine.yaml
expect 2 "exists and is no scene that tenon wrote" convert "$models/arm.urdf" mine.yaml
expect 2 "nowhere/arm.yaml" convert "$models/arm.urdf" nowhere/arm.yaml
expect 2 "missing|argument" convert "$models/arm.urdf"

# A motor in a joint of the file.
expect 0 "50 steps" run "$models/double_pendulum.urdf" --time 0.5 -o three.h5 \
    --set "joints.elbow.turn.motor={velocity: 1}" --set "gravity=[0,0,0]"
"$tenon" plot three.h5 joint:elbow:turn.rate -o rate.svg >/dev/null
report $? "the motor's rate is there"
printf 'robots: [mine.yaml]\n' >robot.yaml
expect 2 "robot.yaml:1:10: error: 'mine.yaml' is no URDF or MJCF file" check robot.yaml
finish
