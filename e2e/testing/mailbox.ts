import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'

/** A mail as it arrived, with its text put together again. */
export interface Mail {
  readonly to: readonly string[]
  readonly text: string
}

interface Awaited {
  readonly to: string
  readonly take: (mail: Mail) => void
}

/** A mail server on loopback that keeps what it gets. It asks for no TLS and no password. */
export class Mailbox {
  readonly #server: SMTPServer
  readonly #mails: Mail[] = []
  readonly #awaited = new Set<Awaited>()

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, { envelope }, done) => {
        const parts: Buffer[] = []
        stream.on('data', (part: Buffer) => parts.push(part))
        stream.once('end', () => {
          const to = envelope.rcptTo.map(({ address }) => address)
          this.#take({ to, text: readable(Buffer.concat(parts).toString('utf8')) })
          done()
        })
      },
    })
  }

  static async open(): Promise<Mailbox> {
    const mailbox = new Mailbox()
    await once(mailbox.#server.listen(0, '127.0.0.1'), 'listening')
    return mailbox
  }

  /** What the settings of the panel take as its host. */
  get host(): string {
    const address = this.#server.server.address()
    if (typeof address !== 'object' || address === null) throw new Error('The mail server does not listen')
    return `smtp://127.0.0.1:${address.port}`
  }

  /** The first mail to somebody that nobody has read yet; waits for it. */
  mailTo(to: string): Promise<Mail> {
    const at = this.#mails.findIndex((mail) => mail.to.includes(to))
    const [there] = at < 0 ? [] : this.#mails.splice(at, 1)
    if (there) return Promise.resolve(there)
    return new Promise((take) => this.#awaited.add({ to, take }))
  }

  async close(): Promise<void> {
    await new Promise<void>((closed) => this.#server.close(closed))
  }

  #take(mail: Mail): void {
    const awaited = [...this.#awaited].find(({ to }) => mail.to.includes(to))
    if (!awaited) {
      this.#mails.push(mail)
      return
    }
    this.#awaited.delete(awaited)
    awaited.take(mail)
  }
}

/** Long lines are folded and signs written as `=3D` on the way. */
function readable(raw: string): string {
  return raw
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

/** The address in a mail that leads to a page. */
export function linkIn(mail: Mail, path: string): string {
  const link = mail.text.match(/https?:\/\/[^\s"<>]+/g)?.find((address) => URL.parse(address)?.pathname === path)
  if (!link) throw new Error(`No link to ${path} in:\n${mail.text}`)
  return link.replaceAll('&amp;', '&')
}
