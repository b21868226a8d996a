// `arena.mjs <port> <name>…`: a game that answers the query of Quake 3 with its players, and removes one with `kick "name"`.
// It repeats every other command. Its console ends a command at `;`, as that of Quake 3 does.
import { createSocket } from 'node:dgram'
import { createInterface } from 'node:readline'

const [port, ...names] = process.argv.slice(2)
const players = new Set(names)
const header = Buffer.from([0xff, 0xff, 0xff, 0xff])

const socket = createSocket('udp4').on('message', (_message, { port: from, address }) => {
  const lines = [...players].map((name) => `0 20 "${name}"`)
  const status = ['statusResponse', '\\sv_hostname\\Arena\\sv_maxclients\\8\\mapname\\oa_dm1', ...lines, ''].join('\n')
  socket.send(Buffer.concat([header, Buffer.from(status, 'latin1')]), from, address)
})
socket.bind(Number(port), '127.0.0.1', () => console.log('ready'))

createInterface({ input: process.stdin }).on('line', (line) => {
  for (const [command = ''] of line.matchAll(/(?:"[^"]*"|[^";])+/g)) {
    const [, name] = /^\s*kick "([^"]*)"/.exec(command) ?? []
    if (command.trim() === 'quit') process.exit()
    if (name === undefined) console.log(`ran: ${command.trim()}`)
    else console.log(players.delete(name) ? `${name} was kicked` : `there is no ${name}`)
  }
})
