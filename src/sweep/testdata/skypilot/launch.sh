#!/bin/bash
# Launches the tasks at their planned starts. Call it in the folder that the tasks copy (workdir) and
# leave it running. What is launched is noted in launched.txt beside it, so it can be called again.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
code=0
launch() {
  if grep -qxF -- "$2" "$here/launched.txt" 2> /dev/null; then return; fi
  while [ "$(date +%s)" -lt "$1" ]; do sleep 10; done
  if sky jobs launch --yes --detach-run --name "$2" "$here/$2.yaml"; then
    printf '%s\n' "$2" >> "$here/launched.txt"
  else
    echo "$2 was not launched" >&2
    code=1
  fi
}
launch 1795802400 qwen-lora-r32  # 2026-11-27T18:00:00Z, first gcp/europe-west1
launch 1795831200 qwen-lora-r16  # 2026-11-28T02:00:00Z, first aws/eu-north-1
exit "$code"
