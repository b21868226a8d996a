// `world.mjs <port> <outside> <folder> [silent]`: reads level.dat, listens on the port, writes a file into the folder, tries
// to connect to the port `outside`, prints the result and `Done!`. With `silent` it never prints that.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

const [port, outside, folder, mode] = process.argv.slice(2)
console.log(`level: ${readFileSync('level.dat', 'utf8')}`)
await once(createServer().listen(Number(port), '127.0.0.1'), 'listening')
writeFileSync(join(folder, 'written'), `by ${process.getuid()}`)
const socket = connect(Number(outside), '127.0.0.1')
const result = await once(socket, 'connect').then(
  () => 'connected',
  ({ code }) => code,
)
console.log(`outside: ${result}`)
if (mode !== 'silent') console.log('Done!')
