#!/bin/bash
# Epilog of Slurm: ends what prolog.sh began, and waits until it has written its figures.
# An epilog that fails drains its node, so this one never fails.

settings=${EBB_SLURM_SETTINGS:-/etc/ebb/slurm.conf}
[ -r "$settings" ] || exit 0
# shellcheck source=deploy/slurm/settings
. "$settings"
file=$EBB_FOLDER/slurm-$SLURM_JOB_ID/$SLURMD_NODENAME.pid
pid=$(cat "$file" 2>/dev/null) || exit 0
rm -f "$file"
is_ours() { tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q ' slurm run --node '; }
is_ours && kill "$pid"
for ((tenths = 0; tenths < 100; ++tenths)); do
  is_ours || exit 0
  sleep 0.1
done
kill -KILL "$pid"
exit 0
