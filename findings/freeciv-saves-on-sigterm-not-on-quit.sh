#!/bin/bash
# Freeciv server 3.0.6 (Debian 12), a running game that is stopped.
# Guess: the command "quit" ends it in order, so it saves; SIGTERM is the rough way, as for most games.
# Seen: the other way round. "quit" saves nothing beyond the automatic save of the turn, SIGTERM writes a file "…-interrupted…" and exits with 0.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" freeciv-server=3.0.6-1+deb12u1 freeciv-data=3.0.6-1+deb12u1 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
export LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu" FREECIV_DATA_PATH="$tmp/root/usr/share/games/freeciv"
printf 'set aifill 3\nset minplayers 0\n' >"$tmp/start.serv"
play() { # $1: folder, $2: what is typed at the end. The game refuses to run as root.
  mkdir "$tmp/$1"; chmod 777 "$tmp/$1"
  (sleep 3; echo start; sleep 5; echo "$2"; sleep 4) | timeout -s TERM 10 setpriv --reuid=65534 --regid=65534 --clear-groups \
    env HOME="$tmp/$1" "$tmp/root/usr/games/freeciv-server" --bind 127.0.0.1 --port 39773 --saves "$tmp/$1" \
    --Announce none --read "$tmp/start.serv" >"$tmp/$1.log" 2>&1 || true
}
play quit quit; play sigterm ''
echo "after quit:    $(ls "$tmp/quit" | tr '\n' ' ')"; echo "after SIGTERM: $(ls "$tmp/sigterm" | tr '\n' ' ')"
grep -q 'Starting game' "$tmp/quit.log"
if ls "$tmp/quit" | grep -v -- -auto | grep sav; then echo "changed: quit saves"; exit 1; fi
ls "$tmp/sigterm" | grep -q -- '-interrupted.*sav'
echo "as found: SIGTERM saves the game, quit does not"
