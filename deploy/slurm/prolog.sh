#!/bin/bash
# Prolog of Slurm: begins to measure the node for a job that has it alone (docs/slurm.md).
# A prolog that fails drains its node, so this one never fails.

settings=${EBB_SLURM_SETTINGS:-/etc/ebb/slurm.conf}
[ -r "$settings" ] || exit 0
# shellcheck source=deploy/slurm/settings
. "$settings"
[ -n "$SLURM_JOB_PARTITION" ] && [[ " $EBB_PARTITIONS " == *" $SLURM_JOB_PARTITION "* ]] || exit 0
folder=$EBB_FOLDER/slurm-$SLURM_JOB_ID
umask 022
mkdir -p "$folder" || exit 0
# In a process group of its own: slurmd kills that of a prolog when the prolog has ended.
set -m
"$EBB" slurm run --node --quiet --directory "$folder" "${EBB_FLAGS[@]}" \
  </dev/null >>"$folder/$SLURMD_NODENAME.log" 2>&1 &
echo $! >"$folder/$SLURMD_NODENAME.pid"
exit 0
