#!/bin/bash
# gamedig 5.3.3 and OpenArena 0.8.8 on ioquake3 1.36+u20221123 (Debian 12) with three bots and nobody who plays.
# Guess: bots have a list of their own, so the number of players is 0.
# Seen: `bots` has the three and `players` is empty, but `numplayers`, "number of players connected", is 3. A panel that takes the
# number keeps an empty server awake and counts visitors that nobody has seen.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
timeout 120 npm install --prefix "$tmp" --no-audit --no-fund --silent gamedig@5.3.3
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" ioquake3-server=1.36+u20221123.70d07d9+dfsg-1 openarena-server=0.8.8+dfsg-6 \
  openarena-data=0.8.5split-14 openarena-081-maps=0.8.5split-14 openarena-081-players=0.8.5split-14 openarena-081-misc=0.8.5split-14 >/dev/null
for deb in "$tmp"/debs/{ioquake3-server,openarena-server,openarena-data,openarena-081-maps,openarena-081-players,openarena-081-misc}_*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
cd "$tmp"
cat >ask.mjs <<'JS'
import { GameDig } from 'gamedig'
const until = Date.now() + 90_000
for (;;) {
  const state = await GameDig.query({ type: 'openarena', host: '127.0.0.1', port: 39775, givenPortOnly: true }).catch(() => undefined)
  if (state?.bots.length === 3 || Date.now() > until) {
    console.log(`bots ${state?.bots.length}, players ${state?.players.length}, numplayers ${state?.numplayers}`)
    break
  }
  await new Promise((resolve) => setTimeout(resolve, 3_000))
}
JS
HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu" timeout -s TERM 150 "$tmp/root/usr/lib/ioquake3/ioq3ded" \
  +set com_basegame baseoa +set fs_basepath "$tmp/root/usr/share/games/openarena" +set fs_homepath "$tmp/root/usr/lib/openarena-server" \
  +set com_protocol 71 +set dedicated 1 +set sv_pure 0 +set vm_game 0 +set net_enabled 1 +set net_ip 127.0.0.1 +set net_port 39775 +map oa_dm1 \
  +addbot gargoyle 1 +addbot kyonshi 1 +addbot grism 1 \
  </dev/null >game.log 2>&1 &
game=$!; trap 'kill $game 2>/dev/null; wait $game || true; rm -rf "$tmp"' EXIT
said=$(timeout 120 node ask.mjs); echo "$said"
[ "$said" = 'bots 3, players 0, numplayers 3' ] || { tail -5 game.log; exit 1; }
echo "as found: its number of players includes the bots"
