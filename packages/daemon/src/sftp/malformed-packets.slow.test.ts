import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect } from 'vitest'
import { RawSftp } from '../testing/raw-sftp.ts'
import { type SftpHost, test } from '../testing/sftp-host.ts'

/** A handshake has four packets: banner, algorithms, key exchange, new keys. */
const handshakes = 20_000
const requests = 20_000
const concurrentConnections = 24

/** Numbers from 0 below 1, the same ones in each run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Bytes of `valid` with one to four faults: other bytes, other numbers, parts that are missing or come twice. */
function mutated(valid: Buffer, random: () => number): Buffer {
  const below = (end: number) => Math.floor(random() * end)
  let bytes = Buffer.from(valid)
  for (let faults = 1 + below(4); faults > 0 && bytes.length > 4; faults--) {
    const at = below(bytes.length)
    const kind = below(5)
    if (kind === 0) bytes[at] = below(256)
    else if (kind === 1)
      bytes.writeUInt32BE([0, 1, 2 ** 31, 2 ** 32 - 1][below(4)] ?? 0, Math.min(at, bytes.length - 4))
    else if (kind === 2) bytes = bytes.subarray(0, at)
    else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(40))])
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 1 - below(40)))])
  }
  return bytes
}

/** What a real client sends until its packets are encrypted. */
async function recordHandshake(host: SftpHost, username: string): Promise<Buffer> {
  const sent: Buffer[] = []
  const recorder = createServer((client) => {
    const server = connect(host.port, '127.0.0.1')
    client.on('data', (chunk) => sent.push(chunk)).pipe(server)
    server.pipe(client)
    for (const socket of [client, server]) socket.on('error', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(recorder, 'listening')
  const { port } = recorder.address() as { port: number }
  await using session = await host.connect({ username, port })
  expect(await session.list('/')).toEqual([])
  recorder.close()
  const all = Buffer.concat(sent)
  // The packet "new keys" has no content: its type is followed by padding alone.
  const newKeys = all.indexOf(Buffer.from([0, 0, 0, 12, 10, 21]))
  expect(newKeys).toBeGreaterThan(0)
  return all.subarray(0, newKeys + 16)
}

/** Sends bytes over a connection of its own, and waits until it is closed. */
async function sendHandshake(port: number, bytes: Buffer): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1')
  socket.on('error', () => socket.destroy()).resume()
  socket.end(bytes)
  await once(socket, 'close')
}

async function repeat(times: number, run: (at: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < times) await run(next++)
  }
  await Promise.all(Array.from({ length: concurrentConnections }, worker))
}

test('malformed handshakes end their connection, and nothing else', async ({ host }) => {
  const username = host.userWithFiles()
  await using open = await host.connect({ username })
  const valid = await recordHandshake(host, username)
  const random = seededRandom(1)

  await repeat(handshakes, async () => await sendHandshake(host.port, mutated(valid, random)))

  expect(await open.list('/')).toEqual([])
  await using later = await host.connect({ username })
  expect(await later.list('/')).toEqual([])
  expect(host.server.connections).toBe(2)
})

test('malformed requests end their session, and nothing else', async ({ host }) => {
  const username = host.userWithFiles()
  await using open = await host.connect({ username })
  const random = seededRandom(2)
  let sessions = 0

  for (let sent = 0; sent < requests; ) {
    await using session = await host.connect({ username })
    const raw = await RawSftp.open(session)
    sessions++
    let isOpen = true
    void raw.closed.then(() => (isOpen = false))
    while (isOpen && sent++ < requests) {
      raw.channel.write(mutated(validRequest(random), random))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  expect(sessions).toBeGreaterThan(1)
  // Some of them may have been valid, and have created a folder.
  expect(await open.list('/')).toBeInstanceOf(Array)
})

/** A request of any type for a name. */
function validRequest(random: () => number): Buffer {
  const name = Buffer.from('/world/level.dat')
  const body = Buffer.alloc(9 + name.length + 8)
  body[0] = 1 + Math.floor(random() * 22)
  body.writeUInt32BE(1, 1)
  body.writeUInt32BE(name.length, 5)
  name.copy(body, 9)
  const packet = Buffer.alloc(4 + body.length)
  packet.writeUInt32BE(body.length)
  body.copy(packet, 4)
  return packet
}
