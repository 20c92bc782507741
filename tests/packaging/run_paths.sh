#!/usr/bin/env bash
# run_paths.sh FOLDER   no program there looks for libraries in the folder that it is started in
set -euo pipefail
bin=$(realpath "$1")
checked=0
for program in "$bin"/*; do
    dynamic=$(readelf -d "$program" 2>/dev/null) || continue # no program
    while IFS= read -r paths; do
        checked=$((checked + 1))
        # With a colon behind it, so that an empty entry at the end is one too.
        while IFS= read -r -d : entry; do
            [[ $entry == /* || $entry == "\$ORIGIN" || $entry == "\$ORIGIN/"* ]] ||
                { echo "$program looks for libraries in \"$entry\": its run path is \"$paths\"" >&2; exit 1; }
        done <<< "$paths:"
    done < <(sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p' <<< "$dynamic")
done
[[ $checked -gt 0 ]] || { echo "no program of $bin has a run path: LibTorch's is missed" >&2; exit 1; }

# The loader itself: files there that have the names of what a program needs are no libraries.
trap_folder=$(mktemp -d)
trap 'rm -rf "$trap_folder"' EXIT
cd "$trap_folder"
for program in "$bin/kurve" "$bin/kurve-studio"; do
    for library in $(readelf -d "$program" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]$/\1/p') libc10_cuda.so libcudart.so.13; do
        echo "not a library" > "$library"
    done
    LD_TRACE_LOADED_OBJECTS=1 "$program" > loaded || { cat loaded >&2; exit 1; }
    if grep -F "$trap_folder" loaded; then exit 1; fi
done
echo "the run paths of $checked programs are sound"
