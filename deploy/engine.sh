# Sourced by test-compose: a Docker engine of its own, where there is none. As root on Debian or its kin.
# The engine's data (images, layers) stay in $cache/engine, so that a second run builds little.

engine_packages=(docker.io debootstrap iptables ca-certificates)

engine_install() {
  local missing=() package policy=/usr/sbin/policy-rc.d
  for package in "${engine_packages[@]}"; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  apt-get update -qq
  # The package would start an engine for the whole machine; this one is ours and ends with us.
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f /usr/sbin/policy-rc.d' RETURN
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

engine_start() {
  engine_stop # one that an interrupted run left behind holds the data
  local socket=$work/docker.sock
  forward_policy=$(iptables -S FORWARD | sed -n 's/^-P FORWARD //p')
  ip_forward=$(cat /proc/sys/net/ipv4/ip_forward)
  # Without a bridge of its own: builds use the host's network, the project makes its network itself.
  # No descriptor of ours: the lock and the output must end with this script.
  setsid dockerd --data-root "$cache/engine" --exec-root "$work/exec" --pidfile "$cache/engine.pid" \
    --host "unix://$socket" --bridge none >"$cache/engine.log" 2>&1 3>&- 4>&- 9>&- &
  export DOCKER_HOST=unix://$socket
  for _ in $(seq 120); do
    docker version >/dev/null 2>&1 && return 0
    kill -0 $! 2>/dev/null || break
    sleep 0.5
  done
  tail -n 20 "$cache/engine.log" >&2
  fail "the Docker engine did not start"
}

# Stops the engine of engine_start by its process id, waits until it is gone, and removes what it leaves.
engine_stop() {
  local pid exec_root status=0
  pid=$(cat "$cache/engine.pid" 2>/dev/null) || return 0
  exec_root=$(engine_argument "$pid" --exec-root)
  if [ "$(engine_argument "$pid" --data-root)" = "$cache/engine" ]; then
    kill "$pid"
    for _ in $(seq 60); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.5
    done
    if kill -KILL "$pid" 2>/dev/null; then
      say "the engine ($pid) had to be killed"
      status=1
    fi
    umount "$exec_root"/netns/* 2>/dev/null || true
    rm -rf "${exec_root%/exec}"
  fi
  rm -f "$cache/engine.pid"
  # There was no other engine, so every rule about Docker is this one's.
  iptables-save | grep -v DOCKER | sed "s/^:FORWARD DROP/:FORWARD ${forward_policy:-ACCEPT}/" | iptables-restore
  [ -z "${ip_forward:-}" ] || echo "$ip_forward" >/proc/sys/net/ipv4/ip_forward
  return $status
}

# The value of an argument of a running process; empty when there is none.
engine_argument() {
  tr '\0' '\n' 2>/dev/null <"/proc/$1/cmdline" | grep -A1 -x -e "$2" | tail -n 1 || true
}
