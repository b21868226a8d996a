#!/bin/bash
# OpenTTD 13.0 (Debian 12), dedicated server started with a saved game that is cut off.
# Guess: it exits with an error; `openttd -q FILE`, which describes a saved game, has a non-zero exit code.
# Seen: it prints one line, begins a new random game, and with autosave_on_exit saves that over the damaged file when it
# stops. `-q` says "Failed to open savegame" and exits with 0.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" openttd=13.0-2 openttd-data=13.0-2 openttd-opengfx=7.1-1 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
mkdir -p "$tmp/.local/share"; cp -r "$tmp/root/usr/share/games/openttd" "$tmp/.local/share/openttd"
cd "$tmp"; export HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu"
printf '[gui]\nautosave_on_exit = true\n[game_creation]\nmap_x = 6\nmap_y = 6\n' >openttd.cfg
game=save/autosave/exit.sav
run() { timeout -s TERM 10 "$tmp/root/usr/games/openttd" -D 127.0.0.1:39772 -c openttd.cfg -g $game -x </dev/null 2>&1 || true; }
run >/dev/null
truncate -s $(($(stat -c %s $game) / 2)) $game; before=$(sha256sum <$game)
"$tmp/root/usr/games/openttd" -q $game -c openttd.cfg -x 2>&1 | head -2; code=${PIPESTATUS[0]}
echo "exit code of -q: $code"
output=$(run); grep -i 'loading game failed' <<<"$output"
after=$(sha256sum <$game)
[ "$code" = 0 ]; [ "$before" != "$after" ]
"$tmp/root/usr/games/openttd" -q $game -c openttd.cfg -x 2>&1 | grep '^Savegame ver'
echo "as found: the damaged file was replaced by a new game that loads"
