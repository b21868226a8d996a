import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A stand-in for the network side of a game, on a free port of the loopback. */
export interface GameServer extends AsyncDisposable {
  readonly port: number
  /** Number of queries so far. */
  readonly queries: () => number
}

/** Answers each connection with these bytes, whatever it sends; without bytes it never answers. */
export async function startTcpGame(answer: Buffer | undefined): Promise<GameServer> {
  const sockets = new Set<Socket>()
  let queries = 0
  const server = createServer((socket) => {
    queries++
    sockets.add(socket)
    socket.on('error', () => {}).once('data', () => answer && socket.write(answer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    queries: () => queries,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}

/** The packet of a status of Minecraft Java Edition. */
export function minecraftStatus(status: object): Buffer {
  const text = Buffer.from(JSON.stringify(status))
  const content = Buffer.concat([Buffer.from([0]), varInt(text.length), text])
  return Buffer.concat([varInt(content.length), content])
}

/** Answers A2S_INFO like a game with the Source engine: first with a challenge. */
export async function startSourceGame({ online, max }: { online: number; max: number }): Promise<GameServer> {
  const challenge = Buffer.from('\x01\x02\x03\x04')
  const header = Buffer.from([0xff, 0xff, 0xff, 0xff])
  const texts = Buffer.from('A server\0de_dust2\0csgo\0Counter-Strike 2\0')
  const info = Buffer.concat([header, Buffer.from([0x49, 17]), texts, Buffer.from([0, 0, online, max, 0])])
  const socket = createSocket('udp4')
  let queries = 0
  socket.on('message', (message, { port, address }) => {
    queries++
    const isChallenged = message.subarray(-4).equals(challenge)
    socket.send(isChallenged ? info : Buffer.concat([header, Buffer.from([0x41]), challenge]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    queries: () => queries,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

function varInt(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
