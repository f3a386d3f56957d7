# Every command that reads a recording refuses a damaged one: exit code 2 and a message that names the file, no waiting.
. "$(dirname "$0")/lib.sh"
need_python
write_scene slide.yaml
expect 0 'recording' run slide.yaml --out sound.h5

# damaged NAME PYTHON: `data` of the sound file changed, as NAME. Reading one that is marked as being written, HDF5
# tries again what does not match its sum, in the end for years.
damaged() {
    changes+=("$1" "$2")
}
refused() { # refused NAME
    expect 2 "$1: .*damaged|$1 .*(damaged|no HDF5)" plot "$1" energy -o out.svg
    expect 2 "$1" plot "$1" body:box.z -o out.svg
    expect 2 "$1" report "$1" -o out.html
    expect 2 "$1" report sound.h5 "$1" -o out.html
    expect 2 "$1" view "$1" --no-browser
    expect 2 "$1" export "$1" --csv out.csv
    expect 2 "$1" export "$1" --vtk out_vtk
    expect 2 "$1" export "$1" --html out.html
    expect 2 "$1" export "$1" --gltf out.glb
    [ ! -e out.svg ] && [ ! -e out.html ] && [ ! -e out.csv ] && [ ! -e out.glb ]
    report $? "$1: nothing is left behind"
}
changes=()
damaged signature.h5 'data[3] ^= 1'
damaged sum.h5 'data[46] ^= 0x60'
damaged root.h5 'data[60] ^= 0x10'
damaged short.h5 'data = data[:-1]'
damaged half.h5 'data = data[:len(data) // 2]'
damaged marked_sum.h5 'data = marked; data[46] ^= 0x60'
damaged marked_root.h5 'data = marked; data[60] ^= 0x10'
damaged marked_short.h5 'data = marked[:-4000]'
damaged times.h5 'data[times + 9] ^= 1'
"$python" - "${changes[@]}" <<'PY'
import h5py, shutil, sys
shutil.copy("sound.h5", "open.h5")
f = h5py.File("open.h5", "r+", libver="latest")
times = f["time"].id.get_chunk_info(0).byte_offset
f.swmr_mode = True
marked_as_written = open("open.h5", "rb").read()
f.close()
for path, change in zip(sys.argv[1::2], sys.argv[2::2]):
    marked, data = bytearray(marked_as_written), bytearray(open("sound.h5", "rb").read())
    exec(change)
    open(path, "wb").write(data)
PY
for ((i = 0; i < ${#changes[@]}; i += 2)); do
    refused "${changes[i]}"
done
finish
