#!/usr/bin/env bash
# check_all.sh FOLDER   packaging/check-all in a tree of FOLDER whose compiler and checks are scripts: what fails is told, ends
# no other step and decides the exit status
set -euo pipefail
scripts=$(realpath "$(dirname "$0")/../../packaging") folder=$1
rm -rf "$folder"
mkdir -p "$folder/packaging" "$folder/tests/fuzz" "$folder/bin"
folder=$(realpath "$folder")
cp "$scripts/check-all" "$scripts/common.sh" "$folder/packaging"
touch "$folder/tests/fuzz/fuzz_sound.cpp" "$folder/tests/fuzz/fuzz_crashing.cpp"

tool() { printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1" && chmod +x "$1"; }
tool "$folder/packaging/setup" ''
tool "$folder/bin/dpkg-query" ''
tool "$folder/bin/nvcc" ''
tool "$folder/bin/ninja" 'echo "views/a_autogen: phony"'
tool "$folder/bin/ctest" '[[ $* != *asan* ]] || { echo "1 tests failed"; exit 8; }'
tool "$folder/bin/run-clang-tidy" "echo \"\$* \$(cat '$folder/finding')\""
tool "$folder/bin/cmake" "[[ \$1 == --build ]] || exit 0
    cd \"\$2\" && mkdir -p bin && printf 'exit 0' >bin/fuzz_sound && printf 'echo crash; exit 1' >bin/fuzz_crashing && chmod +x bin/*"

# check STATUS STEP...   into $folder/output
check() {
    local status=0
    PATH=$folder/bin:$PATH XDG_CACHE_HOME=$folder/cache "$folder/packaging/check-all" "${@:2}" >"$folder/output" 2>"$folder/errors" || status=$?
    [[ $status -eq $1 ]] || { cat "$folder/output" "$folder/errors"; echo "exit status $status instead of $1"; exit 1; }
}
says() {
    [[ $(sed -nE 's/^([a-z]+) +(passed|FAILED) after [0-9]+ s$/\1 \2/p' "$folder/output" | tr '\n' ' ') == "$1 " ]] ||
        { cat "$folder/output"; echo "not: $1"; exit 1; }
}

echo 'a.cpp:1:2: warning: a finding [some-check]' >"$folder/finding"
check 1
says 'asan FAILED tsan passed fuzz FAILED cuda passed tidy FAILED'
grep -q '^fuzz: fuzz_sound .* s$' "$folder/output" # beside the one that crashes
echo '3 warnings generated.' >"$folder/finding"      # those of other people's headers
check 0 tidy tsan
says 'tidy passed tsan passed'
check 2 everything
