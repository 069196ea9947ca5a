# Progress of a long step of ./dev: one live line on a terminal, elsewhere a line every 30 seconds. Sourced by dev.

# Seconds between two lines where there is no terminal.
plain_seconds=${EBB_DEV_PLAIN_SECONDS:-30}

# "45s", "3m 20s"
duration_text() {
  if [ "$1" -lt 60 ]; then echo "$1s"; else echo "$(($1 / 60))m $(($1 % 60))s"; fi
}

# Sets `step` where a line of ninja or apt-get tells how far it is: "[123/720] compiling planner.cc".
# `packages` is how many apt-get installs; `fetched` and `set_up` count them.
read_step() {
  local line=$1 file
  if [[ $line =~ ^(\[[0-9]+/[0-9]+\])\ ([A-Za-z-]+)\ (.*)$ ]]; then
    file=${BASH_REMATCH[3]##*/}
    case ${BASH_REMATCH[2]} in
      Building) step="${BASH_REMATCH[1]} compiling ${file%.o}" ;;
      Linking) step="${BASH_REMATCH[1]} linking $file" ;;
      *) step="${BASH_REMATCH[1]} ${BASH_REMATCH[2],} $file" ;;
    esac
  elif [[ $line =~ \ ([0-9]+)\ newly\ installed ]]; then
    packages=${BASH_REMATCH[1]}
  elif [[ $line =~ ^Get:[0-9]+\ [^\ ]+\ [^\ ]+\ [^\ ]+\ ([^\ ]+)\  ]] && [ "$packages" -gt 0 ]; then
    step="[$((++fetched))/$packages] downloading ${BASH_REMATCH[1]}"
  elif [[ $line =~ ^Setting\ up\ ([^\ ]+) ]] && [ "$packages" -gt 0 ]; then
    step="[$((++set_up))/$packages] installing ${BASH_REMATCH[1]}"
  fi
}

# follow WHAT LOG: keeps what it reads in the log, and shows how far it is while it is WHAT ("Building").
follow() {
  local what=$1 log=$2 began=$SECONDS told=$SECONDS columns=80 live= line= part status step= packages=0 fetched=0 set_up=0
  if [ -t 2 ]; then
    live=yes
    columns=$(stty size <&2 2>/dev/null | cut -d ' ' -f 2) || true
    [ "${columns:-0}" -gt 0 ] || columns=80
  fi
  : >"$log"
  while :; do
    status=0
    IFS= read -r -t 1 part || status=$?
    line+=$part
    if [ "$status" -le 128 ]; then # above: nothing, or part of a line, came within the second
      [ "$status" -eq 0 ] || [ -n "$line" ] || break
      printf '%s\n' "$line" >>"$log"
      read_step "$line"
      line=
    fi
    if [ -n "$live" ]; then
      part="${step:-$what}, $(duration_text $((SECONDS - began)))"
      printf '\r\033[K%s' "${part:0:columns-1}" >&2
    elif [ $((SECONDS - told)) -ge "$plain_seconds" ]; then
      told=$SECONDS
      say "$what, after $(duration_text $((SECONDS - began)))${step:+: $step}"
    fi
  done
  [ -z "$live" ] || printf '\r\033[K' >&2
}
