// Answers as a game with the engine of Quake 3 at a port of the loopback, and accepts players: `game.mjs port players`.
import { createSocket } from 'node:dgram'
import { createInterface } from 'node:readline'

const [port, players = '0'] = process.argv.slice(2)
const header = Buffer.from([0xff, 0xff, 0xff, 0xff])
const status = ['statusResponse', '\\sv_hostname\\A game\\mapname\\q3dm1\\version\\test 1\\sv_maxclients\\8']
const clients = Array.from({ length: Number(players) }, (_, at) => `0 40 "Player ${at}"`)
const answers = {
  getstatus: [...status, ...clients, ''].join('\n'),
  getchallenge: 'challengeResponse 12345',
}
const socket = createSocket('udp4')
socket.on('message', (packet, { port: from, address }) => {
  const answer = answers[packet.toString('latin1', 4).split(/\s/, 1)[0]]
  if (answer) socket.send(Buffer.concat([header, Buffer.from(answer, 'latin1')]), from, address)
})
socket.bind(Number(port), '127.0.0.1', () => console.log('ready'))
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'stop') process.exit(0)
  console.log(`read ${line}`)
})
