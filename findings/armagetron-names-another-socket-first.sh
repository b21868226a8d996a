#!/bin/bash
# Armagetron Advanced server 0.2.9.1.0 (Debian 12), with SERVER_IP 127.0.0.1 and a SERVER_PORT.
# Guess: the first line "Bound socket to …" is the address that players use, and the server listens nowhere else.
# Seen: it binds a second UDP socket to a random port on all addresses, names that one first, and keeps it open. A panel that
# waits for the line, or takes the port from it, has the wrong one, and a firewall rule for the one port is not the whole.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial" "$tmp/user" "$tmp/var"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" armagetronad-dedicated=0.2.9.1.0-3 armagetronad-common=0.2.9.1.0-3 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
export HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu"
printf 'SERVER_IP 127.0.0.1\nSERVER_PORT 39780\nTALK_TO_MASTER 0\n' >"$tmp/var/autoexec.cfg"
timeout 30 "$tmp/root/usr/games/armagetronad-dedicated.real" -d --datadir "$tmp/root/usr/share/games/armagetronad" \
  --configdir "$tmp/root/etc/armagetronad" --userdatadir "$tmp/user" --vardir "$tmp/var" </dev/null >"$tmp/log" 2>&1 &
game=$!; trap 'kill $game; wait $game || true; rm -rf "$tmp"' EXIT
for _ in $(seq 100); do if grep -q 'Bound socket to 127.0.0.1:39780' "$tmp/log"; then break; fi; sleep 0.2; done
grep 'Bound socket to' "$tmp/log" | head -2
port=$(grep -m1 'Bound socket to' "$tmp/log" | sed -n 's/.*Bound socket to \*\.\*\.\*\.\*:\([0-9]*\)\..*/\1/p')
[ -n "$port" ]; [ "$port" != 39780 ]
sockets=$(awk 'NR > 1 { print $2 }' /proc/net/udp)
grep -qx "$(printf '00000000:%04X' "$port")" <<<"$sockets"; grep -qx "$(printf '0100007F:%04X' 39780)" <<<"$sockets"
echo "open: 127.0.0.1:39780 and $port on all addresses"
echo "as found: the first socket it names is not the one of the game"
