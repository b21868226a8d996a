#!/bin/bash
# ioquake3 server 1.36+u20221123 (Debian 12; the server of Quake III and OpenArena), a command that a program types for you.
# Guess: a line that arrives in one write is run at once, whether the server's console is a pipe or a terminal.
# Seen: through a pipe it is. On a terminal the server takes one character per frame (50 ms), so a line of 120 characters is
# run about six seconds later, and a "quit" that is sent behind it waits as long and seems lost.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; chmod 755 "$tmp"; mkdir -p "$tmp/debs/partial" "$tmp/data/demo"
apt-get -qq install --reinstall --download-only --no-install-recommends -y -o APT::Sandbox::User=root \
  -o Dir::Cache::archives="$tmp/debs" ioquake3-server=1.36+u20221123.70d07d9+dfsg-1 >/dev/null
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/root"; done
export HOME="$tmp" LD_LIBRARY_PATH="$tmp/root/usr/lib/x86_64-linux-gnu" TERM=xterm
echo '// the console needs no data of a game' >"$tmp/data/demo/default.cfg"
cat >"$tmp/type.py" <<'PY'
import os, pty, select, subprocess, sys, time
kind, game = sys.argv[1], sys.argv[2:]
if kind == 'terminal':
    console, far = pty.openpty()
    server = subprocess.Popen(game, stdin=far, stdout=far, stderr=far)
    keyboard = console
else:
    server = subprocess.Popen(game, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    keyboard, console = server.stdin.fileno(), server.stdout.fileno()
text, limit = b'', time.monotonic() + 30
def wait_for(word, count):
    global text
    while text.count(word) < count and time.monotonic() < limit:
        if select.select([console], [], [], 0.02)[0]:
            text += os.read(console, 65536)
wait_for(b'Opening IP socket', 1)
time.sleep(1)
typed = time.monotonic()
os.write(keyboard, b'echo ' + b'~' * 115 + b'\n')
wait_for(b'~', 230 if kind == 'terminal' else 115)  # a terminal shows what is typed as well
print(f'{time.monotonic() - typed:.2f}')
server.kill()
server.wait()
PY
run() {
  timeout 40 python3 "$tmp/type.py" "$1" "$tmp/root/usr/lib/ioquake3/ioq3ded" +set com_basegame demo +set fs_basepath "$tmp/data" \
    +set fs_homepath "$tmp/home" +set dedicated 1 +set net_enabled 1 +set net_ip 127.0.0.1 +set net_port 39778
}
pipe=$(run pipe); terminal=$(run terminal)
echo "a line of 120 characters was run after $pipe s (pipe) and $terminal s (terminal)"
python3 -c 'import sys; sys.exit(not (float(sys.argv[1]) < 3 and 4.5 < float(sys.argv[2]) < 25))' "$pipe" "$terminal"
echo "as found: on a terminal it reads one character per frame"
