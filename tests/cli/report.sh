# tenon report: the page's numbers are the recording's, several recordings stand side by side, nothing is left of a failure.
. "$(dirname "$0")/lib.sh"
need_python
write_scene slide.yaml
"$tenon" run slide.yaml -q --tolerance natural=1e-10 -o slide.h5 && "$tenon" run slide.yaml -q --law convex -o convex.h5
report $? "two recordings to report on"
cat >soft.yaml <<'END_SCENE'
title: "</script><b>soft & \"quoted\"</b>"
step: 10 ms
duration: 0.3 s
soft:
  cube: {grid: {size: [0.1, 0.1, 0.1], divisions: [2, 2, 2]}, position: [0, 0, 0.06], young: 50 kPa, poisson: 0.3}
bodies:
  floor: {fixed: true, shape: {plane: {}}}
END_SCENE
"$tenon" run soft.yaml -q -o soft.h5 || report 1 "cannot record the soft scene"

cat >joints.yaml <<'END_SCENE'
step: 5 ms
duration: 0.5 s
bodies:
  arm: {position: [0.5, 0, 1], shape: {box: [1, 0.1, 0.1]}}
  slider: {position: [0, 1, 1], velocity: [0, 0, 1], shape: {sphere: 0.1}}
joints:
  hinge: {type: revolute, a: world, b: arm, anchor: [0, 0, 1], axis: [0, 1, 0]}
  rail: {type: prismatic, a: world, b: slider, axis: [0, 0, 1]}
END_SCENE
"$tenon" run joints.yaml -q -o joints.h5 || report 1 "cannot record the scene with joints"

expect 0 'slide_report.html: [0-9.]+ MB; open it in a browser' report slide.h5
expect 0 'report.html: .*browser' report slide.h5 convex.h5 soft.h5 slide.h5
expect 0 'soft.html' report soft.h5 -o soft.html
expect 0 'joints_report' report joints.h5
for page in slide_report.html:slide.h5 report.html:slide.h5:convex.h5:soft.h5:slide.h5 soft.html:soft.h5 joints_report.html:joints.h5; do
    "$python" "$tests/report_page.py" "${page%%:*}" $(echo "${page#*:}" | tr ':' ' ')
    report $? "$page: every statistic and curve is the recording's"
done

# The same recording makes the same page; of one without shapes there is no picture.
"$tenon" report slide.h5 -o again.html >/dev/null && cmp -s slide_report.html again.html
report $? "a second report has the same bytes"
printf 'bodies:\n  point: {mass: 1, inertia: [1, 1, 1]}\n' >bare.yaml
"$tenon" run bare.yaml -q -o bare.h5 --set duration=0.1
expect 0 'bare_report' report bare.h5
grep -q '"pictures": \[ *\]' bare_report.html
report $? "no picture of a body without a shape"

# A long recording: curves are thinned, statistics are not.
"$tenon" run slide.yaml -q --step 0.0001 -o long.h5 --set record.contacts=false
expect 0 'long_report' report long.h5
"$python" "$tests/report_page.py" long_report.html long.h5 && [ "$(wc -c <long_report.html)" -lt 2000000 ]
report $? "5000 steps: $(wc -c <long_report.html) bytes (limit 2 MB), statistics of all steps"

# An interrupted run is reported as far as it goes, and the page knows.
write_scene endless.yaml "100000 s"
"$tenon" run endless.yaml -q -o stopped.h5 2>/dev/null &
pid=$!
await_size stopped.h5 100000
kill -TERM $pid
wait $pid
"$tenon" run endless.yaml -q -o killed.h5 &
pid=$!
for _ in $(seq 600); do # until there are frames in it
    "$tenon" report killed.h5 -o early.html >/dev/null 2>&1 && break
    sleep 0.1
done
kill -KILL $pid
wait $pid 2>/dev/null
expect 0 'stopped_report' report stopped.h5
expect 0 'killed_report' report killed.h5
for name in stopped killed; do
    "$python" "$tests/report_page.py" $name"_report.html" $name.h5 $name
    report $? "$name: reported up to its last frame"
done

# Wrong input: exit code 2, no page, an older one untouched.
echo 'no hdf5' >text.h5
head -c 3000 slide.h5 >cut.h5
cp slide.h5 falling.h5
"$python" -c 'import h5py; f = h5py.File("falling.h5", "r+"); f["contacts/offset"][40] = 10**6'
cp slide.h5 lacking.h5
"$python" -c 'import h5py; f = h5py.File("lacking.h5", "r+"); del f["certificate/natural"]'
rm -f bad.html
expect 2 'missing argument; usage: tenon report' report
expect 2 'No such file' report missing.h5 -o bad.html
expect 2 'no HDF5 file' report slide.h5 text.h5 -o bad.html
expect 2 'damaged HDF5 file' report cut.h5 -o bad.html
expect 2 "'contacts/offset' falls" report falling.h5 -o bad.html
expect 2 "'certificate/natural' is missing" report slide.h5 lacking.h5 -o bad.html
expect 2 'cannot be written' report slide.h5 -o /nowhere/bad.html
expect 2 "did you mean '--out'" report slide.h5 --outt bad.html
cp slide.h5 before.h5
expect 2 'exists and is no HTML page' report slide.h5 -o slide.h5
cmp -s slide.h5 before.h5
report $? "a recording is not overwritten by its report"
[ ! -e bad.html ] && [ -z "$(ls ./*.part 2>/dev/null)" ]
report $? "nothing is left of a report that could not be made"
cp report.html old.html
expect 2 "'contacts/offset' falls" report falling.h5 -o old.html
cmp -s report.html old.html
report $? "an older report survives a failure"
finish
