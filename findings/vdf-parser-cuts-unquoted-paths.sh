#!/bin/bash
# vdf-parser 1.2.1 (npm), a parser of Valve's KeyValues, with the search paths as a Source game's gameinfo.txt has them: unquoted.
# Guess: the value of "game cstrike/custom/*" is cstrike/custom/*, as the game reads it.
# Seen: an unquoted value ends at its first slash, without an error, and the whole file is otherwise right. Quoted values are whole.
# A tool that adds a folder to the paths and writes the file back sends the game to other folders.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
echo '{}' >package.json
timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts vdf-parser@1.2.1
cat >try.cjs <<'JS'
const { parse, stringify } = require('vdf-parser')
const text = '"GameInfo"\n{\n  SearchPaths\n  {\n    mod cstrike/custom/*\n    "game" "hl2/custom/*"\n  }\n}\n'
const { mod, game } = parse(text).GameInfo.SearchPaths
console.log(`unquoted: ${mod}`)
console.log(`quoted: ${game}`)
if (mod !== 'cstrike' || game !== 'hl2/custom/*') process.exit(1)
if (!stringify(parse(text)).includes('"mod" "cstrike"\n')) process.exit(1)
JS
timeout 20 node try.cjs
echo "as found: an unquoted path is cut at its first slash"
