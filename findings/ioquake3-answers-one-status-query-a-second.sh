#!/bin/bash
# ioquake3 server 1.36+u20221123 with OpenArena 0.8.8 (Debian 12), asked for its status as monitors and server lists do (getstatus).
# Guess: it answers each question, or says that there were too many.
# Seen: after ten questions an address gets one answer a second, and nothing for the others. A panel that asks again at once when an
# answer is late, beside a monitor behind the same address, gets silence from a game that runs, and shows it as down.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" ioquake3-server=1.36+u20221123.70d07d9+dfsg-1 openarena-server=0.8.8+dfsg-6 \
  openarena-data=0.8.5split-14 openarena-081-maps=0.8.5split-14 >/dev/null
for deb in "$tmp"/debs/{ioquake3-server,openarena-server,openarena-data,openarena-081-maps}_*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
cd "$tmp"
cat >ask.py <<'PY'
import socket, time
game = ('127.0.0.1', 39776)
asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def ask(times, pause):
    for _ in range(times):
        asked.sendto(b'\xff\xff\xff\xffgetstatus\n', game)
        time.sleep(pause)
    answers, asked_until = 0, time.monotonic() + 1
    while True:
        asked.settimeout(max(asked_until - time.monotonic(), 0.01))
        try:
            answers += asked.recv(65536).startswith(b'\xff\xff\xff\xffstatusResponse')
        except (TimeoutError, socket.timeout):
            return answers
limit = time.monotonic() + 60
while ask(1, 0) == 0 and time.monotonic() < limit:
    time.sleep(1)
time.sleep(12)
burst = ask(30, 0)
steady = ask(20, 0.2)
print(f'{burst} answers to 30 questions at once, {steady} to 20 within the next four seconds')
assert 8 <= burst <= 12 and 3 <= steady <= 7, 'it behaves otherwise'
PY
HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu" timeout -s TERM 150 "$tmp/root/usr/lib/ioquake3/ioq3ded" \
  +set com_basegame baseoa +set fs_basepath "$tmp/root/usr/share/games/openarena" +set fs_homepath "$tmp/root/usr/lib/openarena-server" \
  +set com_protocol 71 +set dedicated 1 +set sv_pure 0 +set vm_game 0 +set net_enabled 1 +set net_ip 127.0.0.1 +set net_port 39776 +map oa_dm1 \
  </dev/null >game.log 2>&1 &
game=$!; trap 'kill $game 2>/dev/null; wait $game || true; rm -rf "$tmp"' EXIT
timeout 120 python3 ask.py || { tail -5 game.log; exit 1; }
echo "as found: it answers ten status queries at once, then one a second"
