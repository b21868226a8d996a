#!/bin/bash
# OpenTTD 13.0 (Debian 12), dedicated server, commands through a pipe.
# Guess: two lines that arrive in one write are two commands.
# Seen: only the first line is run; the second waits until a further line arrives. Sent 300 ms apart, both are run.
# For a panel: a "quit" that is typed together with another command is not run, and the server does not stop.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" openttd=13.0-2 openttd-data=13.0-2 openttd-opengfx=7.1-1 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
mkdir -p "$tmp/.local/share"; cp -r "$tmp/root/usr/share/games/openttd" "$tmp/.local/share/openttd"
cd "$tmp"; export HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu"
printf '[game_creation]\nmap_x = 6\nmap_y = 6\n' >openttd.cfg

run() { # prints the output of a server that gets what is written to its input 6 s after the start, and no end of input
  (sleep 6; "$@"; sleep 8) | timeout -s TERM 11 "$tmp/root/usr/games/openttd" -D 127.0.0.1:39771 -c openttd.cfg -x 2>&1 || true
}
together() { printf 'echo first-line\necho second-line\n'; }
apart() { echo 'echo first-line'; sleep 0.3; echo 'echo second-line'; }
one=$(run together); two=$(run apart)
echo "in one write:"; grep -E '^(first|second)-line' <<<"$one" || true
echo "300 ms apart:"; grep -E '^(first|second)-line' <<<"$two" || true
grep -q '^first-line' <<<"$one"
if grep -q '^second-line' <<<"$one"; then echo "changed: both lines are run"; exit 1; fi
grep -q '^first-line' <<<"$two"; grep -q '^second-line' <<<"$two"
echo "as found: only the first of two lines in one write is run"
