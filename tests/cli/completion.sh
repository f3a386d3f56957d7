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

# Figures and suites: the help's are the completion's and the documents'.
for figure in $("$tenon" plot --help | sed -n '/^WHAT/,$s/^  \([a-z]*\)[: ] *.*/\1/p'); do
    case $(complete_words plot a.h5 "$figure") in *"$figure"*) true ;; *) false ;; esac &&
        grep -q -e "\`$figure[\`:]" "$source_dir/docs/cli.md" && grep -q -w -e "$figure" "$source_dir/docs/tenon.1"
    report $? "plot's $figure is in the completion, docs/cli.md and docs/tenon.1"
done
suites=$(sed -n 's/^    tenon bench \[\([a-z|]*\)\].*/\1/p' "$source_dir/docs/cli.md")
[ -n "$suites" ] && grep -q -F "usage: tenon bench [$suites]" "$source_dir/bench/main.c" &&
    grep -q -F ".RI [ $(echo "$suites" | sed 's/|/ | /g') ]" "$source_dir/docs/tenon.1" &&
    [ "$(complete_words bench "")" = "$(echo "$suites" | tr '|' ' ')" ]
report $? "suites of bench are the same in its help, docs/cli.md, docs/tenon.1 and the completion: $suites"

# No document speaks of an option that is gone ("--name" stands for any; what follows a tools/ script is that one's).
all=$(for command in run check convert forces mpc solve plan view export report plot render info; do "$tenon" $command --help; done | grep -o -e '--[a-z-]*' | sort -u)
all="$all $(grep -o -e '"--[a-z-]*"' "$source_dir/bench/main.c" | tr -d '"') --version --name"
for option in $(sed -e 's/\\-/-/g' -e 's,tools/[a-z-]* --[a-z-]*,,g' "$source_dir/docs/tenon.1" "$source_dir/docs/cli.md" | grep -o -e '--[a-z][a-z-]*' | sort -u); do
    case " $(echo $all) " in *" $option "*) ;; *) report 1 "the documents name $option, which no command has" ;; esac
done
for command in run check convert forces mpc solve plan view export report plot render info; do
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
