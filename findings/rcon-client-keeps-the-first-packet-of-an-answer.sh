#!/bin/bash
# rcon-client 4.2.5 (npm) and a server that answers as Valve's protocol for remote consoles says: an answer of more than 4,096
# bytes, such as the help or the ban list of a large server, comes in several packets with the id of the command.
# Guess: send() resolves with the whole answer.
# Seen: it resolves with the first packet. The others are dropped without an error, and nothing says that text is missing. The
# next command gets its own answer. The server here is thirty lines of the protocol; Innkeeper is not part of it.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
echo '{}' >package.json
timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts rcon-client@4.2.5
cat >try.cjs <<'JS'
const { createServer } = require('node:net')
const { Rcon } = require('rcon-client')
const packet = (id, type, text) => {
  const bytes = Buffer.alloc(14 + text.length)
  bytes.writeInt32LE(10 + text.length, 0)
  bytes.writeInt32LE(id, 4)
  bytes.writeInt32LE(type, 8)
  bytes.write(text, 12)
  return bytes
}
const parts = ['first', 'second', 'third'].map((word) => `${word} `.repeat(4000 / (word.length + 1) | 0))
const server = createServer((socket) => {
  let read = Buffer.alloc(0)
  socket.on('error', () => {}).on('data', (chunk) => {
    read = Buffer.concat([read, chunk])
    while (read.length >= 4 && read.length >= 4 + read.readInt32LE(0)) {
      const [end, id, type] = [4 + read.readInt32LE(0), read.readInt32LE(4), read.readInt32LE(8)]
      const command = read.subarray(12, end - 2).toString()
      read = read.subarray(end)
      if (type === 3) socket.write(packet(id, 2, ''))
      else for (const part of command === 'short' ? ['short answer'] : parts) socket.write(packet(id, 0, part))
    }
  })
})
server.listen(0, '127.0.0.1', async () => {
  const rcon = await Rcon.connect({ host: '127.0.0.1', port: server.address().port, password: 'x', timeout: 3000 })
  const long = await rcon.send('long')
  const short = await rcon.send('short')
  console.log(`sent ${parts.join('').length} characters, resolved with ${long.length}; then: ${short}`)
  process.exit(long === parts[0] && short === 'short answer' ? 0 : 1)
})
JS
timeout 20 node try.cjs
echo "as found: the answer is its first packet"
