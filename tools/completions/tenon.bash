# Bash completion of tenon: source this file, or put it into /usr/share/bash-completion/completions as "tenon".
# Options come from the help of the command itself, so they are never out of date.

_tenon() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local program=${COMP_WORDS[0]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "run check convert forces mpc solve plan view export report plot render sweep bench info --help --version" -- "$word")
        return
    fi
    local words=
    case $previous in
        -s | --solver) words=$("$program" info 2>/dev/null | sed -n '/^solvers/,/^$/s/^  \([a-z]*\) .*/\1/p') ;;
        -a | --accuracy) words="draft standard tight" ;;
        -l | --law) words=$("$program" info 2>/dev/null | sed -n 's/^laws *//p') ;;
        --scheme) words=$("$program" info 2>/dev/null | sed -n 's/^schemes *//p') ;;
        --tolerance) words="momentum= natural= fclib= penetration= theta=" ;;
        --vtk | --fclib)
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            return
            ;;
    esac
    if [ -z "$words" ]; then
        case $word in
            -*) words=$("$program" "$command" --help 2>/dev/null | grep -o -e '--[a-z-]*') ;;
            *)
                case $command in
                    plot) [ "$COMP_CWORD" -eq 3 ] && words="energy penetration iterations certificate timings drift contacts balance body: joint: sensor:" ;;
                    bench) words="papers soft rigid robots plan siconos kernels gallery" ;;
                esac
                ;;
        esac
    fi
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _tenon tenon
