#!/bin/bash
# Luanti (minetest-server 5.6.1, Debian 12), started on a UDP port that is taken.
# Guess: the line "Server for gameid=… listening on …" means that it listens.
# Seen: it prints that line also when the bind has failed, and exits afterwards. A panel that waits for the line calls the
# server ready.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
version='5.6.1+dfsg+~1.9.0mt8+dfsg-2'
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" minetest-server="$version" minetest-data="$version" >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
export LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu:$tmp/root/usr/lib/minetest"
mkdir -p "$tmp/.minetest/games"; cp -r "$tmp"/root/usr/share/games/minetest/games/* "$tmp/.minetest/games/"
python3 -c 'import socket,time; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.bind(("127.0.0.1",39774)); time.sleep(20)' &
holder=$!; trap 'kill $holder; rm -rf "$tmp"' EXIT; sleep 1
mkdir "$tmp/world"; echo 'bind_address = 127.0.0.1' >"$tmp/minetest.conf"
code=0
output=$(cd "$tmp" && HOME="$tmp" timeout 15 "$tmp/root/usr/lib/minetest/minetestserver" --gameid minetest_game --world world \
  --config minetest.conf --port 39774 </dev/null 2>&1) || code=$?
grep -E 'Bind failed|listening on|Failed to bind' <<<"$output"; echo "exit code: $code"
grep -q 'Bind failed' <<<"$output"; grep -q 'listening on 127.0.0.1:39774' <<<"$output"; grep -q 'Failed to bind' <<<"$output"
echo "as found: it says listening, although the bind failed"
