#!/bin/bash
# Warzone 2100 4.3.3 (Debian 12), headless with --autohost and the command interface on its standard input.
# Guess: "WZCMD: stdinReadReady" is the sign that a panel has waited for: the game is up and takes commands.
# Seen: it says so before it hosts. A chat message that it reads then is refused with "host isn't yet hosting" and lost, not
# kept for later; the same message is taken some seconds later, and no line of the command interface tells from when on.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial" "$tmp/own/autohost"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" warzone2100=4.3.3-3 warzone2100-data=4.3.3-3 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; rm "$deb"; done
export HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu:$tmp/root/usr/lib/x86_64-linux-gnu/pulseaudio"
data="$tmp/root/usr/share/games/warzone2100"
python3 - "$data/mp.wz" "$tmp/own/autohost/game.json" <<'PY'
import sys, zipfile
open(sys.argv[2], 'wb').write(zipfile.ZipFile(sys.argv[1]).read('tests/highground.json'))  # the game's own example
PY
# Nobody outside is asked: no lobby, no look-up of the own address, no UPnP.
printf '[general]\nsound=0\nupnp=false\nmasterserver_name=127.0.0.1\nmasterserver_port=1\n%s\n%s\n' \
  publicipv4lookupservice_url=http://127.0.0.1:1/ publicipv6lookupservice_url=http://127.0.0.1:1/ >"$tmp/own/config"
touch "$tmp/log"
(
  for _ in $(seq 200); do if grep -q stdinReadReady "$tmp/log"; then break; fi; sleep 0.05; done
  echo 'chat bcast first'; sleep 8; echo '--- 8 s later' >>"$tmp/log"; echo 'chat bcast second'; sleep 2; echo 'shutdown now'
) | timeout 60 "$tmp/root/usr/games/warzone2100" --datadir="$data" --configdir="$tmp/own" --headless --nosound \
  --autohost=game.json --enablecmdinterface=stdin --gameport=39777 >>"$tmp/log" 2>&1 || true
grep -E '^WZCMD|^--- 8' "$tmp/log"
[ "$(grep -nE '^WZCMD: stdinReadReady' "$tmp/log" | cut -d: -f1)" -lt "$(grep -n "host isn't yet hosting" "$tmp/log" | cut -d: -f1)" ]
later=$(sed -n '/^--- 8 s later/,$p' "$tmp/log")
if grep -q 'bcast message' <<<"$later"; then echo "changed: the second message is refused as well"; exit 1; fi
grep -q 'shutdown now command received' <<<"$later"
echo "as found: it reads commands before it hosts, and refuses the first"
