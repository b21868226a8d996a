#!/bin/bash
# DDNet server 16.4 (Debian 12) on a machine with IPv6, `bindaddr` set to an IPv4 address, on a port that is free.
# Guess: it listens on that address alone.
# Seen: it tries the same four bytes as an IPv6 address too, gives up with "couldn't open socket. port … might already be in
# use" and exits. It needs `sv_ipv4only 1` beside it. A panel that reads the line would look for another server on the port.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" ddnet-server=16.4-1.1 ddnet-data=16.4-1.1 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
cd "$tmp"; export HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu"
printf 'add_path $CURRENTDIR\nadd_path %s\n' "$tmp/root/usr/share/games/ddnet/data" >storage.cfg
run() { timeout -s INT 6 "$tmp/root/usr/games/DDNet-Server" "sv_register 0;sv_port 39775;$1" </dev/null 2>&1 || true; }
seen='failed to bind|open socket|server: version'
one=$(run 'bindaddr 127.0.0.1'); two=$(run 'bindaddr 127.0.0.1;sv_ipv4only 1')
echo "bindaddr 127.0.0.1:"; grep -E "$seen" <<<"$one"
echo "bindaddr 127.0.0.1 and sv_ipv4only 1:"; grep -E "$seen" <<<"$two"
grep -q "couldn't open socket. port 39775 might already be in use" <<<"$one"
grep -q "server: version" <<<"$two"
if grep -qE 'server: version' <<<"$one" || grep -q 'open socket' <<<"$two"; then echo "changed"; exit 1; fi
echo "as found: the free port is called in use, unless IPv6 is off"
