# Shared by setup, run and test: where things lie, and one line per phase with its seconds. Sourced by bash.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kurve
build=$root/build/release

# Read by the scripts that source this file and by the compiler launcher.
export CCACHE_DIR=$cache/ccache
export CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-5G}
# Precompiled headers carry a time stamp; without these ccache never hits a file that uses one.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# The dependencies that the compiler writes anyway, not a second run of the preprocessor: 18 % of a cold build.
export CCACHE_DEPEND=1
# How `counted` reads ninja.
export NINJA_STATUS='[%f/%t] '

fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit "${2:-1}"
}

# phase TITLE COMMAND...   runs it; one line when it starts and ends, the log's tail and an exit where it fails. What the
# command writes to descriptor 3 is shown at once, beside the title.
phase() {
    local title=$1 log=$cache/logs/${1//[^A-Za-z0-9.]/-}.log start=$SECONDS
    shift
    mkdir -p "$cache/logs"
    printf '%-34s' "$title"
    # Not `if "$@"`: there a function goes on after a failed line.
    local status
    set +e
    (set -e; "$@") 3>&1 >"$log" 2>&1
    status=$?
    set -e
    if [[ $status -eq 0 ]]; then
        printf '%5d s\n' $((SECONDS - start))
        return
    fi
    printf ' FAILED after %d s\n' $((SECONDS - start))
    tail -n 40 "$log" >&2
    fail "$title failed; the whole log is $log"
}

# counted COMMAND...   in a phase: where the command counts its steps, "[N/M] …", says how far it is and how long it takes
# yet: in one line on a terminal, else in a line for every tenth
counted() {
    local start=$SECONDS
    "$@" 2>&1 | while IFS= read -r line; do
        printf '%s\n' "$line"
        [[ ! $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]] || show_step "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $((SECONDS - start))
    done
}

# show_step DONE ALL SECONDS
show_step() {
    [[ $1 -gt 0 ]] || return 0 # ninja begins with "[0/2] Re-checking globbed directories..."
    local left=$(($3 * ($2 - $1) / $1)) text="$1 of $2" tenth=$(($1 * 10 / $2))
    # The first seconds foretell nothing.
    if [[ $1 -lt $2 && $3 -ge 5 ]]; then
        [[ $left -lt 90 ]] && text+=", $left s left" || text+=", $(((left + 30) / 60)) min left"
    fi
    if [[ -t 3 ]]; then
        printf '\r\e[34C\e[K' >&3
        [[ $1 -eq $2 ]] || printf ' %s' "$text" >&3
    elif [[ $tenth -ne ${shown_tenth:-0} ]]; then
        shown_tenth=$tenth
        printf '\n  %-32s' "$text" >&3
    fi
}

# For the tests that are run after it in this shell: where there is a screen they stay off it; what a killed one leaves behind
# goes with their folder, which those that give up root's rights pass through.
test_environment() {
    export QT_QPA_PLATFORM=offscreen
    TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/kt-XXXXXX")
    chmod 755 "$TMPDIR"
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
}

# Where apt of this machine gets Debian from; a mirror has every release.
debian_mirror() {
    local site
    site=$(apt-get indextargets --format "\$(SITE)" 'Origin: Debian' 'Label: Debian' 'Component: main' | head -n 1)
    [[ -n $site ]] || fail "apt of this machine has no Debian; name a mirror with --mirror"
    printf '%s\n' "$site"
}

configure() {
    cmake -S "$root" --preset release "$@"
}

# A package's upgrade brings headers whose time stamps are older than what was compiled from the old ones: ninja sees
# nothing to do, and the compiler refuses the precompiled headers. They are made anew where a package of headers changed.
forget_old_headers() {
    local known=$build/header-packages now
    now=$(dpkg-query -W -f '${Package} ${Version}\n' '*-dev')
    [[ -f $known && $(<"$known") == "$now" ]] && return
    [[ ! -d $build ]] || find "$build" -name '*.pch' -delete
    mkdir -p "$build"
    printf '%s\n' "$now" >"$known"
}

# Configures once; afterwards ninja notices by itself when a CMake file changed.
configure_once() {
    [[ -f $build/build.ninja ]] || phase "configure" configure
}
