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
  # Without a bridge of its own: builds use the host's network, the project makes its network itself.
  # No descriptor of ours: the lock must end with this script.
  setsid dockerd --data-root "$cache/engine" --exec-root "$work/exec" --pidfile "$cache/engine.pid" \
    --host "unix://$socket" --bridge none >"$cache/engine.log" 2>&1 9>&- &
  export DOCKER_HOST=unix://$socket
  for _ in $(seq 120); do
    docker version >/dev/null 2>&1 && return 0
    kill -0 $! 2>/dev/null || break
    sleep 0.5
  done
  tail -n 20 "$cache/engine.log" >&2
  fail "the Docker engine did not start"
}

# Stops the engine of engine_start by its process id, and waits until it is gone.
engine_stop() {
  local pid
  pid=$(cat "$cache/engine.pid" 2>/dev/null) || return 0
  if ! tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "--data-root $cache/engine"; then
    rm -f "$cache/engine.pid"
    return 0
  fi
  kill "$pid"
  for _ in $(seq 60); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.5
  done
  kill -KILL "$pid"
  say "the engine ($pid) had to be killed"
  return 1
}
