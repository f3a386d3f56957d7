# What a command writes never takes the place of something else, and what cannot be written is said before the work.
. "$(dirname "$0")/lib.sh"
write_scene scene.yaml 0.1
"$tenon" run scene.yaml -q -o slide.h5 --save last.ckpt || report 1 "cannot record the test scene"
"$tenon" export slide.h5 --fclib problems --every 5 >/dev/null || report 1 "cannot export problems"
problem=$(ls problems/*.hdf5 | head -1)
cp scene.yaml scene.copy
cp slide.h5 slide.copy

refused() { # refused FILE COPY KIND ARGUMENT...: exit code 2, and FILE is what it was
    local file=$1 copy=$2 kind=$3
    shift 3
    expect 2 "exists and is no $kind" "$@"
    cmp -s "$file" "$copy"
    report $? "tenon $* leaves $file as it was"
}
for file in scene.yaml slide.h5; do
    copy=${file%.*}.copy
    refused $file $copy "table of a recording" export slide.h5 --csv $file
    refused $file $copy "HTML page" export slide.h5 --html $file
    refused $file $copy "binary glTF file" export slide.h5 --gltf $file
    refused $file $copy "HTML page" report slide.h5 -o $file
    refused $file $copy "checkpoint" run scene.yaml -q --no-record --save $file
    refused $file $copy "FCLIB problem" solve "$problem" -o $file
done
refused scene.yaml scene.copy "recording of ours" run scene.yaml -q -o scene.yaml
refused "$problem" "$problem" "recording of ours" run scene.yaml -q -o "$problem"
ls ./*.part >/dev/null 2>&1
[ $? -ne 0 ]
report $? "no drafts are left"

# Their own kind is replaced.
for again in 1 2; do
    expect 0 "rows" export slide.h5 --csv table.csv
    expect 0 "open it" export slide.h5 --gltf slide.glb
    expect 0 "solution" solve "$problem" -o solved.hdf5
    expect 0 "certificate" run scene.yaml --no-record --save last.ckpt
done
expect 0 "solution" solve "$problem" -o "$problem"
expect 0 "natural" solve "$problem"

# Said before the work: nothing is recorded, no problem is solved.
expect 2 "nowhere/last.ckpt cannot be written: No such file" run scene.yaml -o unborn.h5 --save nowhere/last.ckpt
[ ! -e unborn.h5 ]
report $? "a run whose checkpoint finds no place is not begun"
expect 2 "nowhere/s.hdf5 cannot be written: No such file" solve "$problem" -o nowhere/s.hdf5
expect 2 "problems cannot be written: Is a directory" export slide.h5 --csv problems

# Pipes and what links point to are written to, never replaced; a full disk is named.
mkfifo pipe
cat pipe >read.txt &
expect 0 "rows" export slide.h5 --csv pipe
wait
grep -q time,contacts read.txt && [ -p pipe ]
report $? "a pipe is written to"
ln -s far.csv near.csv
expect 0 "rows" export slide.h5 --csv near.csv
[ -L near.csv ] && grep -q time,contacts far.csv
report $? "a link is written through"
ln -s slide.h5 link.csv
refused slide.h5 slide.copy "table of a recording" export slide.h5 --csv link.csv
ln -s "$problem" linked.hdf5
expect 0 "solution" solve "$problem" -o linked.hdf5
[ -L linked.hdf5 ] && grep -q solution "$problem"
report $? "a link to a problem stays, what it points to has the solution"
expect 2 "cannot read pipe: not a regular file" export pipe --csv a.csv
expect 2 "cannot read the checkpoint pipe" run scene.yaml -q --no-record --resume pipe
cat pipe >piped.hdf5 &
expect 0 "law" solve "$problem" -o pipe
wait
grep -q solution piped.hdf5
report $? "a problem goes into a pipe"
if [ -c /dev/full ]; then
    ln -s /dev/full full # should the device be replaced, then only this link is
    expect 2 "full cannot be written: No space left" export slide.h5 --csv full
    expect 2 "full cannot be written: No space left" export slide.h5 --html full
    expect 2 "full cannot be written: No space left" report slide.h5 -o full
    expect 2 "full cannot be written: No space left" run scene.yaml -q --no-record --save full
    [ -L full ]
    report $? "the link to a full disk is still there"
fi

# A write-protected file stays, though its folder would let another take its place. Root writes to anything.
user=
[ "$(id -u)" != 0 ] || user="setpriv --reuid 65534 --clear-groups"
mkdir mine
cp slide.h5 "$problem" mine
chmod 755 . && [ -z "$user" ] || chown -R 65534 mine
if $user "$tenon" export mine/slide.h5 --html mine/page.html >/dev/null 2>&1; then
    chmod 444 mine/*
    cp -r mine before
    for command in "export mine/slide.h5 --html mine/page.html" "solve $problem -o mine/${problem##*/}"; do
        $user "$tenon" $command >/dev/null 2>stderr.txt
        code=$?
        [ $code = 2 ] && grep -q 'cannot be written: Permission denied' stderr.txt && diff -r mine before
        report $? "write-protected: $command: exit code $code, $(cat stderr.txt)"
    done
fi

# Results that do not get out, and files beyond the limit of the shell.
if [ -c /dev/full ]; then
    "$tenon" info --schema >/dev/full 2>stderr.txt
    code=$?
    [ $code = 2 ] && grep -q 'cannot write to standard output: No space left' stderr.txt
    report $? "results onto a full disk: exit code $code, $(cat stderr.txt)"
fi
(ulimit -f 1 && "$tenon" export slide.h5 --html limited.html) >/dev/null 2>stderr.txt
code=$?
[ $code = 2 ] && grep -q 'limited.html cannot be written' stderr.txt && [ ! -e limited.html ] && [ ! -e limited.html.part ]
report $? "a file beyond the shell's limit: exit code $code, $(cat stderr.txt)"
"$tenon" run scene.yaml -o closed.h5 >&- 2>&- && "$tenon" export closed.h5 --csv closed.csv >/dev/null
report $? "closed streams leave the recording alone"
(ulimit -f 1 && "$tenon" run scene.yaml -q -o limited.h5) >/dev/null 2>stderr.txt
code=$?
[ $code = 2 ] && [ ! -e limited.h5 ]
report $? "a recording without room for its beginning is not left behind: exit code $code, $(cat stderr.txt)"
if command -v gnuplot >/dev/null; then
    "$tenon" plot slide.h5 energy -o kept.svg >/dev/null && cp kept.svg kept.copy
    (ulimit -f 1 && "$tenon" plot slide.h5 energy -o kept.svg) >/dev/null 2>stderr.txt
    code=$?
    [ $code = 2 ] && cmp -s kept.svg kept.copy && [ ! -e kept.svg.part ]
    report $? "a picture that does not fit leaves the old one: exit code $code, $(cat stderr.txt)"
fi
finish
