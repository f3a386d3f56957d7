# The completion offers what the command knows, and manual page and guide name every option.
. "$(dirname "$0")/lib.sh"
bash -n "$source_dir/tools/completions/tenon.bash"
report $? "completion: syntax"
. "$source_dir/tools/completions/tenon.bash"
complete_words() { # complete_words WORD...: what is offered for the last one
    COMP_WORDS=("$tenon" "$@")
    COMP_CWORD=$#
    _tenon
    echo "${COMPREPLY[*]}"
}
offers() { # offers WORDS PATTERN
    local got
    # shellcheck disable=SC2086
    got=$(complete_words $1)
    [[ " $got " == *" $2 "* ]]
    report $? "completion of '$1' offers $2: $got"
}
offers "ex" "export"
offers "run --solv" "--solver"
offers "run --solver ap" "apgd"
offers "run --law co" "convex"
offers "run --scheme mid" "midpoint"
offers "plot a.h5 ener" "energy"
touch here.yaml
offers "run her" "here.yaml"

for command in run check solve view export report plot info; do
    for option in $("$tenon" $command --help | grep -o -e '--[a-z-]*' | sort -u | grep -v -x -e --help); do
        grep -q -e "$option" "$source_dir/docs/cli.md" && sed 's/\\-/-/g' "$source_dir/docs/tenon.1" | grep -q -e "$option"
        report $? "$command $option is in docs/cli.md and docs/tenon.1"
    done
done
if command -v man >/dev/null; then
    man --warnings -l "$source_dir/docs/tenon.1" >/dev/null 2>warnings.txt
    [ ! -s warnings.txt ]
    report $? "manual page: no warnings $(head -c 200 warnings.txt)"
fi
finish
