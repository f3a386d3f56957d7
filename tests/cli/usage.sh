# Command lines that are wrong: each says what and how it would be right, with exit code 2.
. "$(dirname "$0")/lib.sh"
write_scene scene.yaml 0.1
"$tenon" run scene.yaml -q || report 1 "cannot record the test scene"
echo 'no hdf5' >text.h5
: >empty.h5
mkdir folder.h5
echo 'no video' >text.webm
echo 'no video' >text.mp4

expect 2 'Usage: tenon COMMAND'
expect 2 "unknown command 'rum'; did you mean 'run'\?" rum
expect 2 "unknown command 'simulate'; see .tenon --help." simulate
expect 2 "unknown command '--run'" --run
expect 2 'missing argument; usage: tenon run SCENE' run
expect 2 "unexpected argument 'b.yaml'" run scene.yaml b.yaml
expect 2 "unknown option '--setp'; did you mean '--(step|set)'\?" run scene.yaml --setp 1
expect 2 "unknown option '--frobnicate'; see .tenon run --help." run scene.yaml --frobnicate
expect 2 "unknown option '-Z'" run scene.yaml -Z
expect 2 "option '--steps' needs N" run scene.yaml --steps
expect 2 "steps needs a whole number above 0, not '-3'" run scene.yaml --steps -3
expect 2 "steps needs a whole number above 0, not '1.5'" run scene.yaml --steps 1.5
expect 2 "steps needs a whole number above 0, not '99999999999999999999'" run scene.yaml --steps 99999999999999999999
expect 2 "time needs a number above 0, not 'nan'" run scene.yaml --time nan
expect 2 "time needs a number above 0, not '0'" run scene.yaml --time 0
expect 2 "step needs a number above 0, not '1s'" run scene.yaml --step 1s
expect 2 "give --time or --steps, not both" run scene.yaml --time 1 --steps 3
expect 2 "save-every goes with --save" run scene.yaml --save-every 5
expect 2 "save and --out both name a.h5" run scene.yaml --out a.h5 --save a.h5
expect 2 "give --out or --no-record, not both" run scene.yaml --out a.h5 --no-record
expect 2 "option '--json' takes no value" run scene.yaml --json=yes
expect 2 "tolerance: unknown key 'naturl'; keys: momentum" run scene.yaml --tolerance naturl=1
expect 2 "tolerance needs KEY=VALUE" run scene.yaml --tolerance 1e-8
expect 2 "tolerance natural needs a number >= 0" run scene.yaml --tolerance natural=-1
expect 2 "tolerance natural needs a number >= 0" run scene.yaml --tolerance natural=1e-8x
expect 2 "--set needs PATH=VALUE, not 'step'" run scene.yaml --set step
expect 2 "solver|auto" run scene.yaml --solver psg
expect 2 "law|coulomb" run scene.yaml --law colomb
expect 2 "scheme|euler" run scene.yaml --scheme eular
expect 2 "seed" run scene.yaml --seed minus
expect 2 "bodies|boks" run scene.yaml --set bodies.boks.mass=1
expect 2 "threads needs a whole number" run scene.yaml --threads 0
expect 2 "^--threads: error: 'threads' must be between" run scene.yaml --threads 9999
expect 2 "^--set:1:16: error: 'threads' must be between" run scene.yaml --set solver.threads=9999 --tolerance natural=1e-3
expect 2 "scene.h5:1:1: error: not a text: byte 89.*HDF5 file, a recording" run scene.h5
printf '<<: {step: 1 ms}\n' >merge.yaml
expect 2 "merge.yaml:1:1: error: merge keys" check merge.yaml
expect 2 "No such file" run missing.yaml
expect 2 "missing.yaml" check missing.yaml
expect 2 "." check folder.h5
expect 2 "cannot write folder.h5: it is a folder" run scene.yaml --out folder.h5
expect 2 "cannot write text.h5: it exists and is no recording" run scene.yaml --out text.h5
expect 2 "cannot (write|create) nowhere/a.h5: No such file or directory" run scene.yaml --out nowhere/a.h5
expect 2 "checkpoint missing.ckpt: No such file" run scene.yaml --resume missing.ckpt
expect 2 "text.h5" run scene.yaml --resume text.h5
"$tenon" run scene.yaml -q -n 3 --save part.ckpt && cp scene.h5 first.h5
expect 2 "scene.h5 is there and would be replaced.*--out" run scene.yaml --resume part.ckpt
cmp -s scene.h5 first.h5
report $? "a resumed run does not replace its first part's recording unasked"
expect 0 "steps of" run scene.yaml --resume part.ckpt -o second.h5
expect 2 "cannot read the checkpoint folder.h5" run scene.yaml --resume folder.h5
expect 2 "say what to export" export scene.h5
expect 2 "cannot read missing.h5: No such file" export missing.h5 --csv a.csv
expect 2 "text.h5 is no HDF5 file" export text.h5 --csv a.csv
expect 2 "empty.h5 is no HDF5 file" export empty.h5 --csv a.csv
expect 2 "folder.h5" export folder.h5 --csv a.csv
expect 2 "nowhere/a.csv cannot be written" export scene.h5 --csv nowhere/a.csv
expect 2 "cannot write nowhere/vtk" export scene.h5 --vtk nowhere/vtk
expect 2 "cannot make the folder nowhere/f" export scene.h5 --fclib nowhere/f
expect 2 "every needs a whole number above 0" export scene.h5 --csv a.csv --every 0
expect 2 "say where the picture goes" plot scene.h5 energy
expect 2 "say where it goes: -o FILE.mp4, FILE.webm or FILE.png" render scene.h5 -o a.gif
expect 2 "'1280' is no size; write 1280x720" render scene.h5 -o a.png --size 1280
expect 2 "there is no view" render scene.h5 -o a.png --view "a'b"
expect 2 "has no body 'bax'" render scene.h5 -o a.png --follow bax
expect 2 "no video" render scene.h5 -o text.webm
expect 2 "no video" render scene.h5 -o text.mp4
CHROMIUM=none-such expect 2 "install the package chromium" render scene.h5 -o a.png
expect 2 "missing argument" plot scene.h5 -o a.svg
expect 2 "cannot plot 'enrgy'; did you mean 'energy'\?" plot scene.h5 enrgy -o a.svg
expect 2 "has no body 'bax'; did you mean 'box'\?" plot scene.h5 body:bax:z -o a.svg
expect 2 "a body has no component 'up'" plot scene.h5 body:box:up -o a.svg
expect 2 "write body:NAME:COMPONENT" plot scene.h5 body:box -o a.svg
expect 2 "pictures end in .svg or .png" plot scene.h5 energy -o a.pdf
expect 2 "nowhere/a.svg cannot be written" plot scene.h5 energy -o nowhere/a.svg
expect 2 "missing argument; usage: tenon solve" solve
expect 2 "missing.hdf5" solve missing.hdf5
expect 2 "text.h5" solve text.h5
expect 2 "scene.h5" solve scene.h5
expect 2 "unknown solver 'psg'; solvers: auto" solve scene.h5 --solver psg
expect 2 "unknown law 'convx'; did you mean 'convex'\?" solve scene.h5 --law convx
expect 2 "a problem file has no geometry" solve scene.h5 --tolerance penetration=1e-3
expect 2 "unexpected argument 'x'" info x

# Help and version are answers, not errors.
expect 0 '^Usage: tenon COMMAND' --help
expect 0 '^Usage: tenon check' help check
expect 2 "unknown command 'chekc'" help chekc
expect 0 '^tenon [0-9]+\.[0-9]+\.[0-9]+$' --version
expect 0 '^[A-Za-z]+ build by [A-Za-z]+ [0-9.]+, Apache License 2\.0$' --version
for command in run check solve export plot render info; do
    expect 0 "^Usage: tenon $command" "$command" --help
done
expect 0 'solvers' info
expect 0 '^# Scene' info --scene-reference
expect 0 'schema' info --schema
[ "$(cat text.h5)" = 'no hdf5' ]
report $? "a file that is no recording is left alone"
finish
