import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect } from 'vitest'
import { finished, type SftpHost, test, told } from '../testing/sftp-host.ts'

/** What the server offers. */
const ciphers = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'] as const

test.for(ciphers)(
  '%s: with keys renewed all the while, a file goes up and comes back whole',
  async (cipher, { host, user }) => {
    const bytes = randomBytes(12_000_000)
    await writeFile(host.own('a.bin'), bytes)

    const { code, out } = await host.sftp(user, [`put ${host.own('a.bin')} a.bin`, `get a.bin ${host.own('b.bin')}`], {
      options: [`Ciphers=${cipher}`, 'RekeyLimit=1M', 'LogLevel=DEBUG1'],
    })

    expect(code, out).toBe(0)
    expect(out).toContain(`cipher: ${cipher}`)
    expect(out.match(/SSH2_MSG_NEWKEYS received/g)?.length).toBeGreaterThan(10)
    expect((await readFile(host.own('b.bin'))).equals(bytes)).toBe(true)
  },
)

describe('packets of AES-GCM', () => {
  test('may come cut anywhere', async ({ host, user }) => {
    await using relay = await Relay.to(host, function* (bytes) {
      for (let at = 0, length = 1; at < bytes.length; at += length, length = (length % 40) + 1)
        yield bytes.subarray(at, at + length)
    })
    await using session = await host.connect({ ...throughGcm, username: user, port: relay.port })
    const files = await session.files()
    const bytes = randomBytes(50_000)

    const handle = await told<Buffer>((done) => files.open('/a.bin', 'w', done))
    await finished((done) => files.write(handle, bytes, 0, bytes.length, 0, done))
    await finished((done) => files.close(handle, done))

    expect((await readFile(host.inside('a.bin'))).equals(bytes)).toBe(true)
  })

  test('that were changed on their way end the connection, and nothing of them is done', async ({ host, user }) => {
    let isChanging = false
    await using relay = await Relay.to(host, function* (bytes) {
      const changed = Buffer.from(bytes)
      if (isChanging) changed[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1
      yield changed
    })
    await using session = await host.connect({ ...throughGcm, username: user, port: relay.port })
    const files = await session.files()
    await finished((done) => files.mkdir('/before', done))

    isChanging = true
    files.mkdir('/after', () => {})
    await session.ended

    expect(await readdir(host.inside())).toEqual(['before'])
    await expect.poll(() => host.server.connections).toBe(0)
  })

  test.for([
    ['no length', 0],
    ['a length beyond all', 0xffffffff],
    ['more than a packet may have', 40_000],
    ['a length that no block cipher has', 33],
  ] as const)('%s ends the connection', async ([, length], { host, user }) => {
    let isChanging = false
    await using relay = await Relay.to(host, function* (bytes) {
      const changed = Buffer.from(bytes)
      if (isChanging) changed.writeUInt32BE(length)
      yield changed
    })
    await using session = await host.connect({ ...throughGcm, username: user, port: relay.port })
    const files = await session.files()

    isChanging = true
    files.mkdir('/after', () => {})
    await session.ended

    expect(await readdir(host.inside())).toEqual([])
  })
})

const throughGcm = { algorithms: { cipher: ['aes128-gcm@openssh.com' as const] } }

/** Stands between a client and the server, and passes on what is made of the client's bytes. */
class Relay implements AsyncDisposable {
  readonly #listener = createServer()
  readonly port: number

  private constructor(listener: ReturnType<typeof createServer>) {
    this.#listener = listener
    this.port = (listener.address() as AddressInfo).port
  }

  static async to(host: SftpHost, made: (bytes: Buffer) => Iterable<Buffer>): Promise<Relay> {
    const listener = createServer((client) => {
      const server = connect({ port: host.port, host: '127.0.0.1', noDelay: true })
      server.on('error', () => {})
      server.pipe(client)
      // Each piece leaves before the next one is written.
      const passing = pipeline(
        client,
        async function* (all: AsyncIterable<Buffer>) {
          for await (const bytes of all) yield* made(bytes)
        },
        new Writable({ highWaterMark: 1, write: (piece, _encoding, done) => server.write(piece, done) }),
      )
      // It breaks off when either side leaves.
      passing.catch(() => {}).finally(() => server.destroy())
      server.once('close', () => client.destroy())
    })
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    return new Relay(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close()
    await once(this.#listener, 'close')
  }
}
