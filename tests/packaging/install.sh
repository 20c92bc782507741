#!/usr/bin/env bash
# install.sh BUILD PREFIX   installs to PREFIX and starts both programs there
set -euo pipefail
build=$1 prefix=$2
rm -rf "$prefix"
for component in engine libtorch studio doc; do
    cmake --install "$build" --prefix "$prefix" --component "$component" >/dev/null
done
"$(dirname "$0")/run_paths.sh" "$prefix/bin"
# As in the packages, without debug information: nothing names a folder of the machine that built it.
strip "$prefix"/bin/*
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
if grep -rlaF -e "$(cached CMAKE_HOME_DIRECTORY)/" -e "$(cached KURVE_TORCH_DIR)/" "$prefix"; then exit 1; fi
"$prefix/bin/kurve" --version
"$prefix/bin/kurve-studio" --version
[[ $("$prefix/bin/kurve" describe families --json) == *'"sclm"'* ]]
# The bundled project is found beside the installed program.
"$prefix/bin/kurve" new "$prefix/project" --template sample --quiet
test -f "$prefix/project/project.toml"
# One page for each program and command; what mandoc warns of is an error.
gunzip "$prefix"/share/man/man1/*.gz
[[ $(find "$prefix/share/man/man1" -name 'kurve*.1' | wc -l) -gt 25 ]]
mandoc -T lint -W warning "$prefix"/share/man/man1/*.1
# No run path leads back to the machine that built it.
readelf -d "$prefix/bin/kurve" "$prefix"/lib/kurve/torch/* > "$prefix/dynamic"
if grep -E 'R(UN)?PATH' "$prefix/dynamic" | grep -vE "\[[\$]ORIGIN(/\.\./lib/kurve/torch)?\]\$"; then exit 1; fi
# Everything that it loads of LibTorch and CUDA lies beside it.
LD_TRACE_LOADED_OBJECTS=1 "$prefix/bin/kurve" > "$prefix/loaded"
if grep -E '/lib(torch|c10|gomp|cuda|cupti)' "$prefix/loaded" | grep -vF "$prefix"; then exit 1; fi
bash -n "$prefix/share/bash-completion/completions/kurve"
test -f "$prefix/share/applications/kurve.desktop"
rm -rf "$prefix"
