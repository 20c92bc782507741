#!/usr/bin/env bash
# gpu_check.sh FOLDER   packaging/gpu-check in a tree of FOLDER whose GPU, tests, benches and PyTorch are scripts: the results
# name what was not tested and not measured, and keep the rest
set -euo pipefail
scripts=$(realpath "$(dirname "$0")/../../packaging") folder=$1
rm -rf "$folder"
mkdir -p "$folder/packaging" "$folder/build/gpu/bin" "$folder/bin" "$folder/torch/lib"
folder=$(realpath "$folder")
cp "$scripts/gpu-check" "$scripts/common.sh" "$folder/packaging"
touch "$folder/torch/lib/libtorch_cuda.so"
echo "__version__ = '2.11.0'" >"$folder/torch/version.py"

tool() { printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1" && chmod +x "$1"; }
tool "$folder/bin/nvidia-smi" "[[ \$1 == -L ]] && cat '$folder/gpus' || echo 'NVIDIA Quux'"
tool "$folder/bin/python3" "[[ \$1 != -c ]] || exit 0
    [[ \$* != *difformer*--compile* ]] || { echo 'parameters 7'; exit 1; }
    [[ \$* != *mdlm* || \$* == *--compile* ]] || exit 1
    echo 'parameters 7'; echo 'training: PyTorch 6.33 steps/s'"
tool "$folder/build/gpu/bin/models_gpu_test" 'echo "$*"; echo "[  PASSED  ] 25 tests."'
tool "$folder/build/gpu/bin/gpu_bench" 'echo "| a step | of it | 3 ms | |"'

results() {
    PATH=$folder/bin:$PATH XDG_CACHE_HOME=$folder/cache "$folder/packaging/gpu-check" --built --torch "$folder/torch" \
        --results "$folder/results.md" >"$folder/output" || { cat "$folder/output"; exit 1; }
}
has() { grep -qxF -- "$1" "$folder/results.md" || { cat "$folder/results.md"; echo "not there: $1"; exit 1; }; }

echo 'GPU 0: Quux' >"$folder/gpus"
results
has 'Tests with the label gpu: [  PASSED  ] 25 tests.'
has 'Not tested: two ranks, and graphs on a second GPU, for this machine has one.'
has '| a step | of it | 3 ms | |'
has '- Difformer, base, AdamW fused : training: PyTorch 6.33 steps/s'
has '- MDLM, paper size : not measured'
has '- Difformer, base, AdamW fused --compile: not measured'
has '- MDLM, paper size --compile: training: PyTorch 6.33 steps/s'
echo 'GPU 1: Quux' >>"$folder/gpus"
results
! grep 'Not tested' "$folder/results.md"
