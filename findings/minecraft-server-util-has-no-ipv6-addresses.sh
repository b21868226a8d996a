#!/bin/bash
# minecraft-server-util 5.4.4 (npm), a client for the status of Minecraft servers: its parser of "address:port".
# Guess: [2001:db8::1]:25566, the form in which players enter an IPv6 address, gives host 2001:db8::1 and port 25566.
# Seen: null, as for a text that is no address, with brackets and without. IPv4 addresses and names are parsed. A panel that
# checks the address of a server with it calls every IPv6 address wrong.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
echo '{}' >package.json
timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts minecraft-server-util@5.4.4
cat >try.cjs <<'JS'
const { parseAddress } = require('minecraft-server-util')
const got = ['[2001:db8::1]:25566', '[2001:db8::1]', '2001:db8::1', '192.0.2.1:25566'].map((text) => parseAddress(text))
console.log(JSON.stringify(got))
const [, , , ipv4] = got
process.exit(got.slice(0, 3).every((address) => address === null) && ipv4.host === '192.0.2.1' && ipv4.port === 25566 ? 0 : 1)
JS
timeout 20 node try.cjs
echo "as found: no form of an IPv6 address is parsed"
