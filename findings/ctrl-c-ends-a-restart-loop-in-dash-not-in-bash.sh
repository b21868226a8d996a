#!/bin/bash
# bash 5.2.15, dash 0.5.12 and DDNet server 16.4 (Debian 12): the usual start script of a game, `while true; do game; done`,
# in a terminal, and Ctrl+C, which every process of the terminal gets.
# Guess: the shell gets SIGINT as well as the game, so the loop ends, whichever shell runs it.
# Seen: bash goes on when the game has handled SIGINT and exited by itself (it saved and left in order): the game is started
# again, and Ctrl+C never stops it. The same file ends at once in dash.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" ddnet-server=16.4-1.1 ddnet-data=16.4-1.1 bash=5.2.15-2+b13 dash=0.5.12-2 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
cd "$tmp"; export HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu"
printf 'add_path $CURRENTDIR\nadd_path %s\n' "$tmp/root/usr/share/games/ddnet/data" >storage.cfg
cat >start.sh <<'SH'
while true; do
  ./root/usr/games/DDNet-Server 'sv_register 0;sv_port 39776;bindaddr 127.0.0.1;sv_ipv4only 1'
  echo "restarting"
done
SH
cat >terminal.py <<'PY'
import os, pty, select, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], 'start.sh'])
text, pressed, end = b'', False, time.monotonic() + 30
while time.monotonic() < end:
    if select.select([terminal], [], [], 0.2)[0]:
        try:
            text += os.read(terminal, 65536)
        except OSError:  # nobody has the terminal any more
            break
    starts = text.count(b'server: version')
    if starts == 1 and not pressed:
        os.write(terminal, b'\x03')
        pressed = True
    if starts > 1:
        break
print('the game was started', text.count(b'server: version'), 'times, handled SIGINT', text.count(b'server: interrupted'), 'times')
try:
    os.killpg(pid, signal.SIGKILL)
except ProcessLookupError:
    pass
PY
one=$(timeout 40 python3 terminal.py root/bin/bash); two=$(timeout 40 python3 terminal.py root/bin/dash)
echo "bash: $one"; echo "dash: $two"
[ "$one" = 'the game was started 2 times, handled SIGINT 1 times' ]
[ "$two" = 'the game was started 1 times, handled SIGINT 1 times' ]
echo "as found: after Ctrl+C bash starts the game again, dash does not"
