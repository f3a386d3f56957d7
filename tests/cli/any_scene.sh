# Scenes at random run to their end and report numbers (any_scene.py).
. "$(dirname "$0")/lib.sh"
need_python
"$python" "$tests/any_scene.py" "$tenon" "$source_dir/scenes" 1 24 >said.txt
report $? "scenes at random run, and what they report are numbers that balance: $(cat said.txt)"
grep -q ', 0 ended by energy from nowhere$' said.txt
report $? "and all these to their end"

finish
