#!/usr/bin/env bash
# An installation under another prefix than the configured one: its pkg-config file and command must work from there.
. "$(dirname "$0")/lib.sh"
build=$(cd "$(dirname "$tenon")" && pwd)
command -v cmake >/dev/null && command -v pkg-config >/dev/null || { echo "skipped: no cmake or pkg-config"; exit 77; }
[ -f "$build/tenon.pc" ] || { echo "skipped: $tenon lies in no build folder"; exit 77; }
cmake --install "$build" --prefix "$work/elsewhere" >install.txt 2>&1 || { cat install.txt; exit 1; }
pc=$(find elsewhere -name tenon.pc)
flags=$(PKG_CONFIG_PATH=$work/$(dirname "$pc") pkg-config --cflags --libs tenon)
for flag in $flags; do
    case $flag in -I*) include=${flag#-I} ;; -L*elsewhere*) library=${flag#-L} ;; esac
done
[ -f "${include:-none}/tenon/tenon.h" ]
report $? "the pkg-config file finds the header: $flags"
[ -n "$(find "${library:-none}" -maxdepth 1 -name 'libtenon.*')" ]
report $? "the pkg-config file finds the library"
mkdir project
cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(program NONE)
find_package(tenon 0.1 REQUIRED)
get_target_property(file tenon::tenon LOCATION)
get_target_property(include tenon::tenon INTERFACE_INCLUDE_DIRECTORIES)
if(NOT EXISTS ${file} OR NOT EXISTS ${include}/tenon/tenon.h)
  message(FATAL_ERROR "no ${file} or ${include}/tenon/tenon.h")
endif()
CMAKE
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$work/elsewhere" >project.txt 2>&1
report $? "CMake finds the package: $(grep -i error project.txt)"
elsewhere/bin/tenon --version >/dev/null
report $? "the installed command runs"

if command -v make >/dev/null; then
    by_make() { # by_make TARGET: of the Makefile, without building anew
        make -C "$source_dir" -o release "$1" BUILD="$build" PREFIX="$work/by make" >"$1.txt" 2>&1 || cat "$1.txt"
    }
    by_make install
    "by make/bin/tenon" --version >/dev/null && [ -e "by make/share/tenon/scenes/rigid/box_heap.yaml" ]
    report $? "make install PREFIX=: $(find "by make" -type f | wc -l) files"
    touch "by make/bin/of_others"
    by_make uninstall
    [ "$(find "by make" ! -type d)" = "by make/bin/of_others" ] && [ -z "$(find "by make" -name '*tenon*')" ]
    report $? "make uninstall leaves what is not ours: $(find "by make" ! -type d)"
fi
finish
