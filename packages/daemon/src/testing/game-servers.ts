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
export async function startTcpGame(answer: Buffer | (() => Buffer | undefined) | undefined): Promise<GameServer> {
  const sockets = new Set<Socket>()
  let queries = 0
  const server = createServer((socket) => {
    queries++
    sockets.add(socket)
    socket
      .on('error', () => {})
      .once('data', () => {
        const bytes = typeof answer === 'function' ? answer() : answer
        if (bytes) socket.write(bytes)
        else if (answer) socket.destroy()
      })
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

/** The packet of a status of Minecraft Java Edition, which may be given as JSON. */
export function minecraftStatus(status: object | string): Buffer {
  const text = Buffer.from(typeof status === 'string' ? status : JSON.stringify(status))
  const content = Buffer.concat([Buffer.from([0]), varInt(text.length), text])
  return Buffer.concat([varInt(content.length), content])
}

/** Answers each packet with those that `respond` returns. */
export async function startUdpGame(respond: (packet: Buffer) => readonly Buffer[]): Promise<GameServer> {
  const socket = createSocket('udp4')
  let queries = 0
  socket.on('message', (message, { port, address }) => {
    queries++
    for (const packet of respond(message)) socket.send(packet, port, address)
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
