# Titles, names and paths of others cannot steer the terminal: no control character is printed.
. "$(dirname "$0")/lib.sh"

# quiet WHAT ARGUMENT...: neither output holds a control character.
quiet() {
    local what=$1
    shift
    "$tenon" "$@" >stdout.txt 2>stderr.txt
    ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' stdout.txt stderr.txt && grep -q "$what" stdout.txt stderr.txt
    report $? "$*: $(cat stdout.txt stderr.txt | tr '\n' ' ' | head -c 120 | LC_ALL=C tr -c '[:print:]' '!')"
}
cat >wild.yaml <<'YAML'
title: "Wild\e]0;owned\a \u009b2J"
step: 10 ms
duration: 0.05 s
bodies:
  one: {position: [0, 0, 1], shape: {sphere: 0.1}}
YAML
quiet 'Wild' check wild.yaml
quiet 'Wild' check wild.yaml --json
quiet 'steps' run wild.yaml -o wild.h5
cp wild.yaml $'wi\033[2Jld.yaml'
quiet 'steps' run $'wi\033[2Jld.yaml'
quiet 'look at it' run wild.yaml -o $'wi\033[2Jld.h5'
quiet 'names no curve' plot wild.h5 $'body:\033[2J.z' -o out.svg
quiet 'rows' export wild.h5 --csv $'wi\033[2Jld.csv'
quiet 'open' export wild.h5 --html $'wi\033[2Jld.html'
quiet 'open' report wild.h5 -o $'report\033[2J.html'
quiet 'yaml' run $'no\033[2J.yaml'
quiet 'h5' view $'no\033[2J.h5'
quiet 'unknown' $'ru\033[2Jn'
quiet 'no ' run wild.yaml --set $'bodies.\033[2J.mass=1'
sed 's/  one:/  "one\\e[2J":/' wild.yaml >wrong.yaml
quiet 'no name' check wrong.yaml
sed 's/sphere: 0.1/"spheer\\e[2J": 0.1/' wild.yaml >wrong.yaml
quiet 'error' check wrong.yaml
sed 's/step: 10 ms/step: "\\e[2J"/' wild.yaml >wrong.yaml
quiet 'step' check wrong.yaml
finish
