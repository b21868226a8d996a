#!/bin/bash
# properties-reader 3.0.1 (npm) with the server.properties of a Minecraft server.
# Guess: get() casts numbers, but what does not fit a number stays text; Java's escapes (\u00a7 in motd, \: in an address) are decoded.
# Seen: the seed of a world, a whole number of 64 bits, is rounded to another seed, and the RCON password 0012 becomes 12. No
# escape is decoded: the message has \u00a7, the address https\://. Only getRaw() keeps the digits; nothing decodes the escapes.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
echo '{}' >package.json
timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts properties-reader@3.0.1
cat >server.properties <<'TXT'
level-seed=-4530634556500121041
rcon.password=0012
motd=\u00a7aHello
resource-pack=https\://example.org/a.zip
TXT
cat >try.cjs <<'JS'
const { propertiesReader } = require('properties-reader')
const read = propertiesReader({ sourceFile: 'server.properties' })
const got = ['level-seed', 'rcon.password', 'motd', 'resource-pack'].map((key) => read.get(key))
console.log(JSON.stringify(got))
const isSo = got[0] === -4530634556500121041 && String(got[0]) !== '-4530634556500121041' && got[1] === 12
process.exit(isSo && got[2] === '\\u00a7aHello' && got[3] === 'https\\://example.org/a.zip' ? 0 : 1)
JS
timeout 20 node try.cjs
echo "as found: another seed, a password without its zeros, and escapes as they stand in the file"
