#!/usr/bin/env bash
# Both programs work without network: the first-run experience without a window, then every panel of the studio
# over what it left. offline.sh BIN_FOLDER SCRATCH_FOLDER
set -euo pipefail
bin=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config XDG_STATE_HOME=$scratch/state

# The filter itself: a process that opens an internet socket is killed.
code=0
"$bin/without_network" bash -c 'exec 3<>/dev/tcp/127.0.0.1/9' 2> "$scratch/control" || code=$?
[[ $code -eq 159 ]] || { echo "the network is reachable: expected SIGSYS (159), got $code" >&2; cat "$scratch/control" >&2; exit 1; }

"$bin/without_network" "$bin/kurve" demo "$scratch/project" --headless --max-steps 20 --quiet > "$scratch/demo.out"
# The pictures are as they were asked for, whatever screen there is, or none.
"$bin/without_network" "$bin/kurve-studio" "$scratch/project" --tour "$scratch/tour" --size 1280x900 --scale 1.25 --theme dark
grep -q '"theme": "dark"' "$scratch/tour/index.json"
grep -q '"scale": 1.25' "$scratch/tour/index.json"
for workspace in train inspect compare data; do
    size=$(od -An -tu4 --endian=big -j16 -N8 "$scratch/tour/workspace-$workspace.png")
    [[ $size =~ ^\ *1280\ *900$ ]] || { echo "the picture of $workspace is$size" >&2; exit 1; }
done
echo "both programs worked without network"
