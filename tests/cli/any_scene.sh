# Scenes at random run to their end and report numbers (any_scene.py).
. "$(dirname "$0")/lib.sh"
need_python
"$python" "$tests/any_scene.py" "$tenon" "$source_dir/scenes" 1 24
report $? "scenes at random run to their end, and what they report are numbers that balance"

finish
