#!/usr/bin/env bash
# progress.sh SCRATCH_FOLDER   a phase that counts its steps says how far it is, on a terminal and in a file
set -euo pipefail
scratch=$1
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME=$scratch
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=packaging/common.sh
source "$here/../../packaging/common.sh"

expect() {  # expect WHAT PATTERN TEXT
    grep -qP "$2" <<<"$3" || fail "$1: $(cat -A <<<"$3")"
}

steps() {
    echo '[0/2] Re-checking globbed directories...' # as ninja begins
    for i in $(seq 1 203); do
        printf '[%d/203] Building %d.o\n' "$i" "$i"
    done
    [[ $1 == good ]] || { echo "no such header" >&2; return 7; }
}
# What a clock would say: 30 steps in two minutes.
output=$(show_step 30 203 120 3>&1)
expect "minutes" '30 of 203, 12 min left' "$output"
output=$(show_step 200 203 120 3>&1)
expect "seconds" '200 of 203, 1 s left' "$output"
output=$(show_step 21 203 1 3>&1)
expect "too early to say" '21 of 203 *$' "$output"

output=$(phase "build" counted steps good)
lines=$(wc -l <<<"$output")
[[ $lines -eq 11 ]] || fail "a title and ten lines, not $lines: $output"
expect "title" '^build' "$(head -n 1 <<<"$output")"
expect "last line" '^ +203 of 203 +\d+ s$' "$(tail -n 1 <<<"$output")"
[[ $(grep -c Building "$XDG_CACHE_HOME/kurve/logs/build.log") -eq 203 ]] || fail "the log has every line"

output=$(phase "plain" echo hello)
expect "a phase that counts nothing" '^plain +\d+ s$' "$output"

code=0
output=$( (phase "broken" counted steps bad) 2>&1) || code=$?
[[ $code -eq 1 ]] || fail "a failure ends the script: $code"
expect "failure" 'FAILED after \d+ s' "$output"
expect "the reason" 'no such header' "$output"

# On a terminal one line is written again and again. `script` writes what ends its own input into the terminal.
on_terminal() {
    python3 - "$1" <<'PYTHON'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execlp("bash", "bash", "-c", sys.argv[1])
try:
    while part := os.read(terminal, 4096):
        sys.stdout.buffer.write(part)
except OSError:  # so Linux says that the other end is closed
    pass
PYTHON
}
export -f steps
output=$(on_terminal "source '$here/../../packaging/common.sh'; phase build counted steps good")
[[ $(wc -l <<<"$output") -eq 1 ]] || fail "one line on a terminal: $(cat -A <<<"$output")"
expect "on a terminal" '^build.*\r.*150 of 203.*\r.*\d+ s' "$output"
echo "phases say how far they are"
