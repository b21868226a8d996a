#!/bin/bash
# @node-steam/vdf 2.2.0 (npm), a parser of Valve's KeyValues: a quoted SteamID64, as in the ban and admin lists of Source games.
# Guess: "76561198000000001" in quotes is text and stays as it is; at most small numbers become numbers.
# Seen: every quoted value of digits becomes a number. A SteamID64 has 17 digits, more than a JavaScript number keeps, so that it
# becomes the id of another account, and "0123" becomes 123. Writing the file back writes these. There is no option against it.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
echo '{}' >package.json
timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts @node-steam/vdf@2.2.0
cat >try.cjs <<'JS'
const { parse, stringify } = require('@node-steam/vdf')
const text = '"Admins"\n{\n\t"ada"\n\t{\n\t\t"identity"\t\t"76561198000000001"\n\t\t"code"\t\t"0123"\n\t}\n}\n'
const written = stringify(parse(text))
console.log(written.trim())
const isOther = written.includes('"identity"\t\t"76561198000000000"') && written.includes('"code"\t\t"123"')
process.exit(isOther ? 0 : 1)
JS
timeout 20 node try.cjs
echo "as found: the id is that of another account after reading and writing the file"
