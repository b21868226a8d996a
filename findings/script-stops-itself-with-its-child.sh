#!/bin/bash
# script(1) of util-linux 2.38.1 (Debian 12), which gives a game server a terminal and writes its console to a file.
# Guess: pausing the game (SIGSTOP to the child) concerns the game alone, and SIGCONT to it makes all go on.
# Seen: script stops itself as soon as its child is stopped, and stays stopped when the child goes on: nothing is written
# any more, and a game that prints much blocks. Somebody has to continue script as well.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" bsdutils=1:2.38.1-5+deb12u3 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
cd "$tmp"
printf '#!/bin/sh\necho $$ >game.pid\nn=0\nwhile [ $n -lt 100 ]; do n=$((n + 1)); echo "tick $n"; sleep 0.2; done\n' >game.sh
timeout 30 root/usr/bin/script -qfec 'exec sh game.sh' console.log </dev/null >/dev/null 2>&1 &
runner=$!; trap 'kill -CONT $runner $recorder 2>/dev/null; kill -KILL $game 2>/dev/null; rm -rf "$tmp"' EXIT
game=$runner recorder=$runner
wait_for() { for _ in $(seq 100); do if "$@"; then return; fi; sleep 0.1; done; echo "changed: never true: $*"; exit 1; }
wait_for grep -qs 'tick 3' console.log
game=$(cat game.pid); recorder=$(ps -o ppid= -p "$game" | tr -d ' ')
state() { ps -o stat= -p "$1" | cut -c1; }
is() { [ "$(state "$1")" = "$2" ]; }
kill -STOP "$game"; wait_for is "$game" T; wait_for is "$recorder" T
echo "game stopped:   game $(state "$game"), script $(state "$recorder")"
kill -CONT "$game"; wait_for is "$game" S; before=$(wc -l <console.log); sleep 2; after=$(wc -l <console.log)
echo "game continued: game $(state "$game"), script $(state "$recorder"); lines written in 2 s: $((after - before))"
is "$recorder" T; [ "$before" = "$after" ]
kill -CONT "$recorder"; sleep 1; final=$(wc -l <console.log)
echo "script continued: lines written: $((final - after))"
[ "$final" -gt "$after" ]
echo "as found: script stops with its child and does not go on with it"
