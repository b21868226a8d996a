import { once } from 'node:events'
import type ssh2 from 'ssh2'
import { BufferPools } from '../sftp/protocol/buffer-pools.ts'
import { PacketFramer, PacketWriter } from '../sftp/protocol/wire.ts'
import { type Session, toPromise } from './sftp-host.ts'

/** A raw response: its type, request id and body. */
interface Raw {
  readonly type: number
  readonly id: number
  readonly rest: Buffer
}

/** A client that sends arbitrary packets over an SFTP channel. */
export class RawSftp {
  readonly channel: ssh2.ClientChannel
  /** The server's VERSION packet. */
  version = ''
  readonly closed: Promise<void>
  readonly #cutter = new PacketFramer(new BufferPools())
  readonly #waiting = new Map<number, (answer: Raw) => void>()
  #last = 0

  private constructor(channel: ssh2.ClientChannel) {
    this.channel = channel
    this.closed = once(channel, 'close').then(() => undefined)
    channel.on('data', (chunk: Buffer) => {
      for (const { type, body: bytes } of this.#cutter.push(chunk)) {
        if (type === 2) this.version = bytes.toString('latin1')
        else this.#waiting.get(bytes.readUInt32BE())?.({ type, id: bytes.readUInt32BE(), rest: bytes.subarray(4) })
      }
    })
  }

  static async open(session: Session, { init = true } = {}): Promise<RawSftp> {
    const raw = new RawSftp(await toPromise<ssh2.ClientChannel>((done) => session.client.subsys('sftp', done)))
    // INIT has the format of VERSION without extensions.
    if (init) raw.channel.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]))
    return raw
  }

  /** Sends a request with fields written by the caller. */
  async ask(type: number, fields: (writer: PacketWriter) => PacketWriter): Promise<Raw> {
    const id = ++this.#last
    const answered = new Promise<Raw>((resolve) => this.#waiting.set(id, resolve))
    this.channel.write(fields(new PacketWriter(type).u32(id)).packet())
    return await Promise.race([answered, this.closed.then(() => ({ type: -1, id, rest: Buffer.alloc(0) }))])
  }

  /** Like `ask`, returns the code of a STATUS; the negative type of any other response. */
  async status(type: number, fields: (writer: PacketWriter) => PacketWriter): Promise<number> {
    const answer = await this.ask(type, fields)
    return answer.type === 101 ? answer.rest.readUInt32BE() : -answer.type
  }
}
