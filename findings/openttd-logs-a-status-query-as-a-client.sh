#!/bin/bash
# OpenTTD 13.0 (Debian 12) and gamedig 5.3.3, which asks game servers for their name and players.
# Guess: a status query leaves no trace, or one of its own; "Client connected" in the log is somebody who joins.
# Seen: each query is logged as "Client connected from …" and "Client #N closed connection", with a client number of its own,
# as a player that leaves again. A panel that reads joins off the log and asks for the status finds a visitor per question.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
timeout 180 npm install --prefix "$tmp" --no-audit --no-fund --silent gamedig@5.3.3
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" openttd=13.0-2 openttd-data=13.0-2 openttd-opengfx=7.1-1 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
mkdir -p "$tmp/.local/share"; cp -r "$tmp/root/usr/share/games/openttd" "$tmp/.local/share/openttd"
cd "$tmp"
printf '[game_creation]\nmap_x = 6\nmap_y = 6\n[network]\nserver_name = asked\n' >openttd.cfg
cat >ask.mjs <<'JS'
import { GameDig } from 'gamedig'
const state = await GameDig.query({ type: 'openttd', host: '127.0.0.1', port: 39779, givenPortOnly: true })
console.log(`answer: ${state.name}, ${state.numplayers} players`)
JS
HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu" timeout -s TERM 40 \
  "$tmp/root/usr/games/openttd" -D 127.0.0.1:39779 -c openttd.cfg -x </dev/null >game.log 2>&1 &
game=$!; trap 'kill $game; wait $game || true; rm -rf "$tmp"' EXIT
for _ in $(seq 150); do if grep -q 'starting game' game.log; then break; fi; sleep 0.2; done
echo "joined before the questions: $(grep -c 'Client connected' game.log || true)"
timeout 15 node ask.mjs; timeout 15 node ask.mjs; sleep 1
grep '\[server\] Client' game.log
[ "$(grep -c 'Client connected from 127.0.0.1' game.log)" = 2 ]; [ "$(grep -c 'Client #.* closed connection' game.log)" = 2 ]
echo "as found: two questions are two clients in the log"
