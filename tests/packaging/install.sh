#!/usr/bin/env bash
# install.sh BUILD PREFIX   installs to PREFIX and starts both programs there
set -euo pipefail
build=$1 prefix=$2
rm -rf "$prefix"
for component in runtime examples; do
    cmake --install "$build" --prefix "$prefix" --component "$component" >/dev/null
done
"$(dirname "$0")/run_paths.sh" "$prefix/bin"
"$prefix/bin/kurve" --version
"$prefix/bin/kurve-studio" --version
[[ $("$prefix/bin/kurve" describe families --json) == *'"sclm"'* ]]
# The bundled project is found beside the installed program.
"$prefix/bin/kurve" new "$prefix/project" --template sample --quiet
test -f "$prefix/project/project.toml"
test -f "$prefix/share/applications/kurve.desktop"
rm -rf "$prefix"
